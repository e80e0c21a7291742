import { type GitOptions, type GitResult, runGit } from './git-command.js'
import { whilePacksChange } from './retry-while-packs-change.js'

interface ReadOptions extends GitOptions {
  readonly input?: string | undefined
  /** Says whether the result is complete; default: if the exit code is 0. */
  readonly isGood?: (result: GitResult) => boolean
}

/**
 * Runs a git command that only reads, to its end. Repeats it if it fails while packs change.
 * @returns the result of the command, which may be a failure
 * @throws ProblemError `unavailable` if git cannot be started, or if a signal ends it
 */
export async function readWithGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  { isGood = ({ code }) => code === 0, ...options }: ReadOptions = {},
): Promise<GitResult> {
  try {
    return await whilePacksChange(gitDir, options.environment)(
      async () => {
        const result = await runGit(git, gitDir, args, options)
        if (isGood(result)) return result
        throw new Failed(result)
      },
      error => error instanceof Failed,
    )
  } catch (error) {
    if (error instanceof Failed) return error.result
    throw error
  }
}

class Failed extends Error {
  constructor(readonly result: GitResult) {
    super(result.stderr)
  }
}
