import { ProblemError } from '../../core/problem.js'
import type { Oid, Sha1 } from '../../core/value-types.js'
import { restoreAdvice } from '../process/git-failure.js'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** A Git object without its header. @see gitformat-pack(5), "git cat-file --batch" */
export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

/**
 * Reads objects of one repository, whatever packs or loose files they are in, while others write and repack.
 * Two makers of it, one test suite: `cat-file-reader.ts` (a long-lived `git cat-file --batch`) and
 * `isomorphic-git-reader.ts` (isomorphic-git, where there is no git binary).
 */
export interface ObjectReader {
  /**
   * @throws MissingObject where the repository has no such object, also after a second look at its packs
   * @throws DamagedObject where there is one that cannot be read
   * @throws ProblemError `unavailable` where git cannot be started, or is killed again and again
   */
  read(oid: Oid): Promise<GitObject>
  has(oid: Oid): Promise<boolean>
  /**
   * Reads many objects: for each, in the order of `wanted`, what is asked of it. It comes in portions, of which only one
   * is in memory.
   * @throws as {@link read}, in the place of the object
   */
  stream(wanted: readonly ObjectRequest[]): AsyncIterable<readonly StreamedObject[]>
  /** Ends processes and drops caches; reads under way fail. */
  close(): Promise<void>
}

/** What is asked of one of many objects: its bytes, or their SHA-1, for which they need not be in memory all at once. */
export interface ObjectRequest {
  readonly oid: Oid
  readonly as: 'bytes' | 'sha1'
}

export type StreamedObject = GitObject | { readonly type: ObjectType; readonly sha1: Sha1 }

/** The repository lacks an object: it is shallow, damaged, or the name is wrong. */
export class MissingObject extends ProblemError {
  constructor(readonly oid: string) {
    super('damaged', `The repository has no object ${oid}. ${restoreAdvice}`)
  }
}

/** The repository has an object, but its bytes are not what its name says. */
export class DamagedObject extends ProblemError {
  constructor(
    readonly oid: string,
    cause: unknown,
  ) {
    super('damaged', `The object ${oid} of the repository is damaged. ${restoreAdvice}`, {}, { cause })
  }
}

/** Whether an object that should be there cannot be had. */
export function isMissingOrDamaged(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.kind === 'damaged'
}

/** `has` of a reader, by its `read`. */
export async function hasObject(read: ObjectReader['read'], oid: Oid): Promise<boolean> {
  try {
    await read(oid)
    return true
  } catch (error) {
    if (error instanceof MissingObject) return false
    throw error
  }
}
