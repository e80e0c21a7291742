import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import type { Client } from '../../../core/access-control.js'
import { childEnvironment } from '../../../core/child-processes.js'
import { ProblemError, type ProblemKind } from '../../../core/problem.js'
import { openClientProcesses } from '../../../core/scheduling/client-processes.js'
import { clientGone } from '../../../core/scheduling/client-work.js'
import { memoryOfGit } from '../../../store/git-commands/git-command.js'
import { gitFailure } from '../../../store/git-commands/git-failure.js'
import { readWithGit } from '../../../store/git-commands/retry-while-packs-change.js'
import { runProgram } from '../../../store/process/launcher.js'
import type { ProgramResult } from '../../../store/process/run-program.js'
import type { Comparison } from './compare.js'

/** Limit of comparing processes. */
const maxProcesses = Math.max(4, 2 * availableParallelism())
/** Time limit of a process in milliseconds. */
const maxMilliseconds = 10_000
/** Memory limit of a process in bytes. */
const maxMemory = 512 * 2 ** 20
/** Limit in bytes of what is compared on the event loop: up to this size, it is faster than starting a process. */
const maxBytesOnEventLoop = 4096
/** Matches messages of git about exhausted memory. */
const lacksMemory = /out of memory|malloc failed|mmap failed/i

/**
 * Compares for clients in child processes, which are limited in number, time and memory. A process ends if its client
 * disconnects.
 */
export interface Comparisons {
  /**
   * Compares records or documents.
   * @param client undefined: a command, which compares in its own process
   * @returns as {@link runComparison}
   * @throws ProblemError `unavailable` if too many processes are running; `too-large` if a limit of time or memory is
   *   reached, and as {@link runComparison}
   */
  compare(comparison: Comparison, client?: Client): Promise<string>
  /**
   * Runs git.
   * @param check reads what git is going to compare; called by {@link read} when the process may start
   * @param client undefined: a command, which has no limits
   * @returns the output of git
   * @throws ProblemError as {@link compare}; errors of `check`
   */
  git(
    git: string,
    gitDir: string,
    args: readonly string[],
    check: () => Promise<void>,
    client?: Client,
  ): Promise<string>
  /** Reads what is compared. @see RecordLog.readInTurn */
  read<T>(job: () => Promise<T>, client?: Client): Promise<T>
}

export function openComparisons(read: Comparisons['read']): Comparisons {
  const slots = openClientProcesses({
    maxProcesses,
    maxMilliseconds,
    work: 'comparisons',
    retryAfter: 2,
    lateProblem: () => tooLarge('more time'),
  })

  return {
    read,

    async compare(comparison, client) {
      // Loaded on first use: most commands compare nothing.
      const { problemExitCode, runComparison } = await import('./compare.js')
      if (!client || sizeOf(comparison) <= maxBytesOnEventLoop) return runComparison(comparison)
      const { code, stdout, stderr } = await slots.serve(client, begin =>
        startChild(comparison, begin()?.signal),
      )
      if (code === 0) return stdout.toString()
      if (code === problemExitCode) {
        const { kind, message } = JSON.parse(stdout.toString()) as { kind: ProblemKind; message: string }
        throw new ProblemError(kind, message)
      }
      if (client.signal?.aborted) throw clientGone()
      if (/heap out of memory|heap limit/i.test(stderr)) throw tooLarge('more memory')
      throw new ProblemError(
        'unavailable',
        `The comparing process ended with ${code ?? 'a signal'}. Try again in a moment.`,
        { retryAfter: 5 },
        { cause: new Error(stderr.slice(-2000)) },
      )
    },

    async git(git, gitDir, args, check, client) {
      const { code, stdout, stderr } = await slots.serve(client, async begin => {
        const work = begin()
        await read(check, client)
        const bounds = work && { signal: work.signal, memory: await memoryOfGit(gitDir, maxMemory) }
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
    args: [`--max-old-space-size=${maxMemory / 2 ** 20}`, script],
    env: childEnvironment(),
    input: serialize(comparison),
    isForClient: true,
  }
  return runProgram(program, signal)
}

/** Bytes of the whole comparison. */
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
    `Comparing these files takes ${what} than one request may use. Clone the repository and compare them there.`,
  )
}
