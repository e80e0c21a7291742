import { type EndedGit, type GitBounds, runGit } from './git-command.js'
import { whilePacksChange } from './retry-while-packs-change.js'

export interface ReadOptions {
  /** More of git's environment: where else objects lie. */
  readonly more?: NodeJS.ProcessEnv
  readonly input?: string
  readonly bounds?: GitBounds | undefined
  /** Whether it found all it looked for; default: it ended with 0. */
  readonly isGood?: (result: EndedGit) => boolean
}

/**
 * Runs a git command that only reads, to its end; again where it fails while packs come and go.
 * @returns how it ended, which may be a failure
 * @throws ProblemError `unavailable` where it cannot be started, or somebody ends it
 */
export async function readWithGit(
  git: string,
  gitDir: string,
  args: readonly string[],
  options: ReadOptions = {},
): Promise<EndedGit> {
  const { more, input, bounds, isGood = ({ code }) => code === 0 } = options
  try {
    return await whilePacksChange(gitDir, more)(
      async () => {
        const result = await runGit(git, gitDir, args, more, bounds, input)
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
  constructor(readonly result: EndedGit) {
    super(result.stderr)
  }
}
