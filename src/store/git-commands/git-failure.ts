import { ProblemError } from '../../core/problem.js'

/** Messages of git about unreadable objects, packs, refs and their auxiliary files. */
const complaintOfDamage =
  /corrupt|truncated|damaged|inflate|(?:object|pack|graph) file|\.idx|packfile|pack-index|packed-refs|commit-graph|bad (?:object|tree|ref)|broken|unable to (?:read|unpack|parse|find)|could not (?:read|parse)|failed to read|missing (?:blob|tree|commit|object)|invalid (?:object|sha1)|not a (?:valid object|tree|commit)|is empty|hash mismatch|not a git repository/i

/** Messages of git about an unreadable index of the work tree. */
const complaintOfIndex = /index file (?:corrupt|smaller)|bad (?:signature|index)|sharedindex|unknown index/i

/** A git process failed. */
class GitFailure extends Error {}

/** Advice for a missing or damaged object. */
export const restoreAdvice = 'Restore lost objects from another copy: git-metastore repair --from <copy>.'

/**
 * The error for a failed git: `damaged` if a part of the repository is unreadable, else an error with git's message.
 * @param command name of git's command for the message, such as `log`
 * @param complaint standard error of git
 */
export function gitFailure(command: string, complaint: string): Error {
  const said = new GitFailure(`git ${command} failed: ${complaint}`)
  if (complaintOfIndex.test(complaint)) {
    const message =
      'Git cannot read the index of the work tree. Rebuild it with: git-metastore repair --data <folder>'
    return new ProblemError('damaged', message, {}, { cause: said })
  }
  if (!complaintOfDamage.test(complaint)) return said
  const [oid] = /\b[0-9a-f]{40}\b/.exec(complaint) ?? []
  const what = oid === undefined ? 'the history of the repository' : `object ${oid} of the repository`
  return new ProblemError('damaged', `Git cannot read ${what}. ${restoreAdvice}`, {}, { cause: said })
}

/** Whether the error was made by {@link gitFailure}. */
export function isGitFailure(error: unknown): boolean {
  return error instanceof GitFailure || (error instanceof Error && error.cause instanceof GitFailure)
}
