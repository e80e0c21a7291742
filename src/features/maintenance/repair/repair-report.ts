import type { ObjectOwner } from '../../../catalog/read/object-owners.js'
import type { Oid } from '../../../core/value-types.js'
import type { IndexFault } from '../../../store/work-tree/index-file.js'
import type { DamagedFile } from './link-intact-files.js'
import type { MissingReference } from './temporary-repository.js'

/** An object that no readable file contains. */
export interface LostObject extends MissingReference {
  /** The revisions that need the object. Without a catalog: the directory of the object. */
  readonly revisions: readonly Partial<ObjectOwner>[]
}

/** A damaged or missing ref, or `HEAD`; or a branch whose newest commit is lost. */
export interface RefRepair {
  readonly name: string
  readonly was: 'garbage' | 'missing' | 'lost'
  /** A value that loses none of the known commits. A repair with `--from` sets it. */
  readonly value?: string
  /** The newest known value, whose commit is lost. */
  readonly known?: Oid
  /** The newest complete commit, which does not contain `known`. */
  readonly newest?: Oid
  /** Revisions after `newest` in the catalog, which the value `newest` would lose. */
  readonly lost?: readonly ObjectOwner[]
}

/** The repair of the work tree's index, which needs no other copy. */
export interface IndexRepair {
  readonly was: IndexFault
  readonly rebuilt: boolean
  /** What was done, or why the index could not be rebuilt. */
  readonly detail: string
}

export interface RepairReport {
  readonly damaged: readonly Pick<DamagedFile, 'path' | 'what'>[]
  /** Objects that were lost before the repair. */
  readonly lost: readonly LostObject[]
  /** Number of objects that were taken from the other copy. */
  readonly restored: number
  /** Objects that are still lost. */
  readonly remaining: readonly LostObject[]
  readonly refs: readonly RefRepair[]
  /** The folder to which damaged files were moved; undefined if there are none. */
  readonly aside?: string
  /** Output of `git fsck` at the end; empty if it has no complaints, or if damage was found and not repaired. */
  readonly fsck: readonly string[]
  /** Undefined if the index is intact, or if there is none. */
  readonly index?: IndexRepair
  /** Whether nothing is damaged now. */
  readonly sound: boolean
}

/** Damaged files, lost objects with their records, and damaged refs. */
export type Damage = Pick<RepairReport, 'damaged' | 'lost' | 'refs'>
