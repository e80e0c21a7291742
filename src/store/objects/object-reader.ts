import { ProblemError } from '../../core/problem.js'
import type { Oid, Sha1 } from '../../core/value-types.js'
import { restoreAdvice } from '../process/git-failure.js'

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
  has(oid: Oid): Promise<boolean>
  /**
   * Reads many objects in the order of `wanted`, in portions. Only one portion is in memory.
   * @throws as {@link read}, at the place of the object
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

/** The repository lacks an object: it is shallow or damaged, or the name is wrong. */
export class MissingObject extends ProblemError {
  constructor(readonly oid: string) {
    super('damaged', `The repository has no object ${oid}. ${restoreAdvice}`)
  }
}

/** The repository has an object, but its bytes do not match its name. */
export class DamagedObject extends ProblemError {
  constructor(
    readonly oid: string,
    cause: unknown,
  ) {
    super('damaged', `The object ${oid} of the repository is damaged. ${restoreAdvice}`, {}, { cause })
  }
}

/** An object whose bytes do not have the format of its type. */
export class MalformedObject extends ProblemError {
  constructor(message: string) {
    super('damaged', `${message} ${restoreAdvice}`)
  }
}

/** Whether the error is {@link MissingObject}, {@link DamagedObject} or another `damaged` problem. */
export function isMissingOrDamaged(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.kind === 'damaged'
}

/** What `read` reads; undefined for an object that is missing or damaged, which `verify` reports. */
export async function readUnlessLost<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isMissingOrDamaged(error)) return undefined
    throw error
  }
}

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

/** {@link ObjectReader.has} through `read`. */
export async function hasObject(read: ObjectReader['read'], oid: Oid): Promise<boolean> {
  return (await readIfPresent({ read }, oid)) !== undefined
}
