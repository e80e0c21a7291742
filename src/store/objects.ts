import type { Oid } from '../core/values.js'

export type ObjectType = 'blob' | 'tree' | 'commit' | 'tag'

/** A Git object without its header. @see gitformat-pack(5), "git cat-file --batch" */
export interface GitObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

/**
 * Reads objects of one repository, whatever packs or loose files they are in, while others write and repack.
 * Two makers of it, one test suite: `objects-cat-file.ts` (a long-lived `git cat-file --batch`) and
 * `objects-isomorphic.ts` (isomorphic-git, where there is no git binary).
 */
export interface ObjectReader {
  /** @throws MissingObject where the repository has no such object, also after a second look at its packs */
  read(oid: Oid): Promise<GitObject>
  has(oid: Oid): Promise<boolean>
  /** Ends processes and drops caches; reads under way fail. */
  close(): Promise<void>
}

/** The repository lacks an object: it is shallow, damaged, or the name is wrong. */
export class MissingObject extends Error {
  override readonly name = 'MissingObject'

  constructor(readonly oid: string) {
    super(`The repository has no object ${oid}.`)
  }
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
