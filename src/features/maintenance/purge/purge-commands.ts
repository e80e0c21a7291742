import { ProblemError } from '../../../core/problem.js'
import { collections } from '../../../core/records/collection.js'
import type { Id } from '../../../core/value-types.js'
import { type GitResult, runGit } from '../../../store/git-commands/git-command.js'
import { recordDirectory } from '../../../store/records/repository-layout.js'
import type { Repository } from '../../../store/repository/open-repository.js'

/** A repository with the git binary that a purge needs. */
export type PurgeRepository = Repository & { readonly git: string }

/** Limit of names in a message. */
const maxNamed = 20

/** The folders that a record with this id can have: as a schema, and as a metadata record. */
export function directoriesOf(id: Id): readonly string[] {
  return collections.map(kind => recordDirectory(kind, id))
}

export function pathspecs(id: Id): readonly string[] {
  return directoriesOf(id).map(directory => `:(top,literal)${directory}`)
}

/** Standard output of a git command. @throws ProblemError `unavailable` with git's message if it failed */
export async function gitOutput(
  { git, gitDir }: PurgeRepository,
  args: readonly string[],
  input?: string,
): Promise<Buffer> {
  return told(await runGit(git, gitDir, args, { input }), args)
}

/** Standard output of a git command in the work tree. @throws as {@link gitOutput} */
export async function inWorkTree(
  { git, gitDir, dir }: PurgeRepository,
  args: readonly string[],
): Promise<Buffer> {
  return told(await runGit(git, gitDir, [`--work-tree=${dir}`, '-C', dir, ...args]), args)
}

function told({ code, stdout, stderr }: GitResult, args: readonly string[]): Buffer {
  if (code === 0) return stdout
  throw new ProblemError('unavailable', `git ${args[0]} failed. Git says: ${stderr || `exit code ${code}`}`)
}

export function conflict(message: string): ProblemError {
  return new ProblemError('conflict', message)
}

export function named(names: readonly string[]): string {
  const more = names.length > maxNamed ? `, and ${names.length - maxNamed} more` : ''
  return `${names.slice(0, maxNamed).join(', ')}${more}`
}
