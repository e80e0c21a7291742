import type { Oid, Sha1 } from '../../core/value-types.js'
import { MissingObject } from './object-errors.js'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** A Git object without its header. @see git-cat-file(1) */
export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

/**
 * Reads objects of one repository, packed or loose, while other processes write and repack. Implementations:
 * `cat-file-reader.ts` (a long-lived `git cat-file --batch`) and `isomorphic-git-reader.ts` (without a git binary).
 */
export interface ObjectReader {
  /**
   * @throws MissingObject if the repository has no such object, also after listing its packs again
   * @throws DamagedObject if the object cannot be read
   * @throws ProblemError `unavailable` if git cannot be started, or is killed repeatedly
   */
  read(oid: Oid): Promise<GitObject>
  /**
   * Reads many objects in the order of `wanted`, in portions. Only one portion is in memory.
   * @throws as {@link read}, when it is the turn of the object
   */
  stream(wanted: readonly ObjectRequest[]): AsyncIterable<readonly StreamedObject[]>
  /** Ends processes and drops caches; pending reads fail. */
  close(): Promise<void>
}

/** A request for the bytes of an object, or for their SHA-1, which does not need all bytes in memory. */
export interface ObjectRequest {
  readonly oid: Oid
  readonly as: 'bytes' | 'sha1'
}

export type StreamedObject = GitObject | { readonly type: ObjectType; readonly sha1: Sha1 }

/** The object; undefined if it is missing. */
export async function readIfPresent(
  objects: Pick<ObjectReader, 'read'>,
  oid: Oid,
): Promise<GitObject | undefined> {
  try {
    return await objects.read(oid)
  } catch (error) {
    if (error instanceof MissingObject) return undefined
    throw error
  }
}

/** Whether the repository has an object. @throws DamagedObject if it has, but the object cannot be read */
export async function hasObject(objects: Pick<ObjectReader, 'read'>, oid: Oid): Promise<boolean> {
  return (await readIfPresent(objects, oid)) !== undefined
}
