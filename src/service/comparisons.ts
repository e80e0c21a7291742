import { availableParallelism } from 'node:os'
import { ProblemError } from '../core/problem.js'
import { collectGit, spawnGit } from '../store/git-command.js'

/** Processes of git that compare for clients at once. */
const mostAtOnce = Math.max(2, availableParallelism())
/** Milliseconds that one may take. */
const longest = 10_000
/** Bytes of memory that one may have. */
const mostMemory = 512 * 2 ** 20

/** Runs `git diff` for clients: so many at once, each for so long and with so much memory. */
export interface Comparisons {
  /**
   * @param signal the client has gone
   * @returns what git prints
   * @throws ProblemError `unavailable` where as many are under way as may be; `too-large` where git takes too long or too
   *   much memory
   */
  run(git: string, gitDir: string, args: readonly string[], signal?: AbortSignal): Promise<string>
}

export function openComparisons(): Comparisons {
  let underWay = 0
  return {
    async run(git, gitDir, args, signal) {
      if (underWay >= mostAtOnce) {
        const message = `${mostAtOnce} comparisons are under way already. Try again in a moment.`
        throw new ProblemError('unavailable', message, { retryAfter: 2 })
      }
      underWay++
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), longest)
      try {
        const end = signal ? AbortSignal.any([signal, late.signal]) : late.signal
        const { code, stdout, stderr } = await collectGit(spawnGit(git, gitDir, args, {}, end, mostMemory))
        if (code === 0) return stdout.toString()
        if (/out of memory|malloc failed|mmap failed/i.test(stderr)) throw tooLarge('more memory')
        throw new Error(`git ${args.find(arg => !arg.startsWith('-'))} failed: ${stderr}`)
      } catch (error) {
        if (late.signal.aborted) throw tooLarge('more time')
        throw error
      } finally {
        clearTimeout(timer)
        underWay--
      }
    },
  }
}

function tooLarge(what: string): ProblemError {
  return new ProblemError(
    'too-large',
    `To compare these files takes ${what} than one request may have. Clone the repository and compare them there.`,
  )
}
