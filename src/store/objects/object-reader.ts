import { ProblemError } from '../../core/problem.js'
import type { Oid, Sha1 } from '../../core/value-types.js'

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
  stream(wanted: readonly Wanted[]): AsyncIterable<readonly Streamed[]>
  /** Ends processes and drops caches; reads under way fail. */
  close(): Promise<void>
}

/** What is asked of one of many objects: its bytes, or their SHA-1, for which they need not be in memory all at once. */
export interface Wanted {
  readonly oid: Oid
  readonly as: 'bytes' | 'sha1'
}

export type Streamed = GitObject | { readonly type: ObjectType; readonly sha1: Sha1 }

/** The repository lacks an object: it is shallow, damaged, or the name is wrong. */
export class MissingObject extends ProblemError {
  constructor(readonly oid: string) {
    super('damaged', `The repository has no object ${oid}. ${adviceOnLoss}`)
  }
}

/** The repository has an object, but its bytes are not what its name says. */
export class DamagedObject extends ProblemError {
  constructor(
    readonly oid: string,
    cause: unknown,
  ) {
    super('damaged', `The object ${oid} of the repository is damaged. ${adviceOnLoss}`, {}, { cause })
  }
}

/** Whether an object that should be there cannot be had. */
export function isLoss(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.kind === 'damaged'
}

/** What git says of an object, a pack, a ref or a file about them that it cannot read. */
const complaintOfDamage =
  /corrupt|truncated|damaged|inflate|(?:object|pack|graph) file|\.idx|packfile|pack-index|packed-refs|commit-graph|bad (?:object|tree|ref)|broken|unable to (?:read|unpack|parse|find)|could not (?:read|parse)|failed to read|missing (?:blob|tree|commit|object)|invalid (?:object|sha1)|not a (?:valid object|tree|commit)|is empty|hash mismatch|not a git repository/i

/** What it says of the index of the work tree, which is derived. */
const complaintOfIndex = /index file (?:corrupt|smaller)|bad (?:signature|index)|sharedindex|unknown index/i

/**
 * Why git failed: something of the repository cannot be read, or whatever else it says.
 * @param command for the message: `log`
 * @param complaint what it wrote to standard error
 */
export function gitFailure(command: string, complaint: string): Error {
  const said = new GitFailure(`git ${command} failed: ${complaint}`)
  if (complaintOfIndex.test(complaint)) {
    const message =
      'Git cannot read the index of the work tree. It is made anew by: git-metastore repair --data <folder>'
    return new ProblemError('damaged', message, {}, { cause: said })
  }
  if (!complaintOfDamage.test(complaint)) return said
  const [oid] = /\b[0-9a-f]{40}\b/.exec(complaint) ?? []
  const what = oid === undefined ? 'the history of the repository' : `object ${oid} of the repository`
  return new ProblemError('damaged', `Git cannot read ${what}. ${adviceOnLoss}`, {}, { cause: said })
}

/** A git has ended with a failure. */
class GitFailure extends Error {}

/** Whether {@link gitFailure} made an error. */
export function isGitFailure(error: unknown): boolean {
  return error instanceof GitFailure || (error instanceof Error && error.cause instanceof GitFailure)
}

/** What to do about an object that cannot be had. */
export const adviceOnLoss =
  'What is lost can be restored from another copy: git-metastore repair --from <copy>.'

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
