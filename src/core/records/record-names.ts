import type { Id } from '../value-types.js'
import type { Collection } from './collection.js'

/** Who has a name: the id, the persistent identifier or an alternate identifier of a record, now or ever. */
export interface NameOwner {
  readonly kind: Collection
  readonly id: Id
  /** The record's directory has left the tree; the name stays taken. */
  readonly gone: boolean
}

/** A name that is taken, and by which record. */
export interface TakenName extends NameOwner {
  readonly name: string
}

/** A metadata record that describes a resource. */
export interface Describer {
  readonly resource: string
  readonly id: Id
}

/** What a record has to itself. */
export interface UniquenessClaim {
  readonly directory: string
  /** At least one. */
  readonly names: readonly string[]
  /** What it describes with the schema. */
  readonly resources: readonly string[]
  readonly schemaId?: Id | undefined
}
