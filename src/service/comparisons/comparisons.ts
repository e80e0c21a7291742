import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import { childEnvironment } from '../../core/child-environment.js'
import { ProblemError, type ProblemKind } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import { gitFailure } from '../../store/process/git-failure.js'
import { memoryOfGit } from '../../store/process/git-memory-estimate.js'
import { readWithGit } from '../../store/process/git-read-command.js'
import { runProgram } from '../../store/process/launcher.js'
import type { ProgramResult } from '../../store/process/run-program.js'
import { openClientProcesses, type Requester } from './client-processes.js'
import type { Comparison } from './compare.js'

/** Processes that compare for clients at once. */
const mostAtOnce = Math.max(4, 2 * availableParallelism())
/** Milliseconds that one may take. */
const longest = 10_000
/** Bytes of memory that one may have. */
const mostMemory = 512 * 2 ** 20
/** Bytes that the event loop compares itself: to start a process takes longer. */
const smallest = 4096
/** What git says where it has too little memory. */
const lacksMemory = /out of memory|malloc failed|mmap failed/i

/** Compares for clients, in processes that are bounded in number, time and memory and end when the client goes. */
export interface Comparisons {
  /**
   * @param requester undefined: a command, which does the work itself
   * @returns as {@link carryOut}
   * @throws ProblemError `unavailable` where as many are under way as may be; `too-large` where it takes too much time
   *   or memory, and as {@link carryOut}
   */
  carryOut(comparison: Comparison, requester?: Requester): Promise<string>
  /**
   * Runs git.
   * @param check reads what git is going to compare; called when there is a place, by {@link read}
   * @param requester undefined: a command, without bounds
   * @returns what git prints
   * @throws ProblemError likewise, and what `check` throws
   */
  git(
    git: string,
    gitDir: string,
    args: readonly string[],
    check: () => Promise<void>,
    requester?: Requester,
  ): Promise<string>
  /**
   * Reads what is compared: for one request at a time, and clients take turns. Requests that read single documents wait
   * for one comparison at most.
   * @throws ProblemError `unavailable` where the client goes while it waits
   */
  read<T>(job: () => Promise<T>, requester?: Requester): Promise<T>
}

export function openComparisons(): Comparisons {
  const places = openClientProcesses({
    most: mostAtOnce,
    longest,
    work: 'comparisons',
    retryAfter: 2,
    late: () => tooLarge('more time'),
  })

  const inTurn = openOneAtATime()
  const read: Comparisons['read'] = (job, requester) =>
    requester ? inTurn(job, requester.client, requester.signal) : job()

  return {
    read,

    async carryOut(comparison, requester) {
      // Loaded here: most processes compare nothing.
      const { carryOut, exitOfProblem } = await import('./compare.js')
      if (!requester || sizeOf(comparison) <= smallest) return carryOut(comparison)
      const { code, stdout, stderr } = await places.serve(requester, begin =>
        startChild(comparison, begin()?.signal),
      )
      if (code === 0) return stdout.toString()
      if (code === exitOfProblem) {
        const { kind, message } = JSON.parse(stdout.toString()) as { kind: ProblemKind; message: string }
        throw new ProblemError(kind, message)
      }
      if (requester.signal.aborted) throw clientGone()
      if (/heap out of memory|heap limit/i.test(stderr)) throw tooLarge('more memory')
      throw new ProblemError(
        'unavailable',
        `The process that compared ended with ${code ?? 'a signal'}. Try again in a moment.`,
        { retryAfter: 5 },
        { cause: new Error(stderr.slice(-2000)) },
      )
    },

    async git(git, gitDir, args, check, requester) {
      const { code, stdout, stderr } = await places.serve(requester, async begin => {
        const work = begin()
        await read(check, requester)
        const bounds = work && { signal: work.signal, memory: await memoryOfGit(gitDir, mostMemory) }
        const isGood = (result: ProgramResult) => result.code === 0 || lacksMemory.test(result.stderr)
        return await readWithGit(git, gitDir, args, { bounds, isGood })
      })
      if (code === 0) return stdout.toString()
      if (lacksMemory.test(stderr)) throw tooLarge('more memory')
      throw gitFailure(args.find(arg => /^[a-z]+$/.test(arg)) ?? '', stderr)
    },
  }
}

const script = fileURLToPath(new URL('./comparison-process.js', import.meta.url))

function startChild(comparison: Comparison, signal: AbortSignal | undefined): Promise<ProgramResult> {
  const program = {
    command: process.execPath,
    args: [`--max-old-space-size=${mostMemory / 2 ** 20}`, script],
    env: childEnvironment(),
    input: serialize(comparison),
    isForClient: true,
  }
  return runProgram(program, signal)
}

/** Bytes of all that is compared. */
function sizeOf(comparison: Comparison): number {
  const sum = (parts: readonly { readonly length: number }[]) =>
    parts.reduce((total, { length }) => total + length, 0)
  switch (comparison.kind) {
    case 'difference':
      return sum([...comparison.record, ...(comparison.document?.sides ?? [])])
    case 'patch':
      return sum(comparison.sides)
    case 'blame':
      return sum(comparison.states)
    default:
      return sum(comparison.files.flatMap(({ before = [], after = [] }) => [before, after]))
  }
}

function tooLarge(what: string): ProblemError {
  return new ProblemError(
    'too-large',
    `To compare these files takes ${what} than one request may have. Clone the repository and compare them there.`,
  )
}
