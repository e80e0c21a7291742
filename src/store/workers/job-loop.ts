import { parentPort } from 'node:worker_threads'
import { ProblemError, type ProblemExtra, type ProblemKind } from '../../core/problem.js'
import { raiseNiceness } from '../../core/scheduling/niceness.js'

/** The message with which a worker thread or process answers a job. */
export type JobAnswer<Result> =
  | { readonly result: Result }
  | { readonly error: { readonly message: string; readonly code: unknown } }
  | {
      readonly problem: {
        readonly kind: ProblemKind
        readonly message: string
        readonly extra: ProblemExtra
      }
    }

/** Runs a job. Errors become plain values, because a message drops the class and the `code` of an Error. */
async function answerOf<Result>(work: () => Result | Promise<Result>): Promise<JobAnswer<Result>> {
  try {
    return { result: await work() }
  } catch (thrown) {
    if (thrown instanceof ProblemError) {
      const { kind, message, extra } = thrown
      return { problem: { kind, message, extra } }
    }
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { error: { message: error.message, code: 'code' in error ? error.code : undefined } }
  }
}

/** Main loop of a worker thread or a {@link JobProcess}: answers each job with the result or the error of `work`. */
export function runJobLoop<Job, Result>(work: (job: Job) => Result | Promise<Result>): void {
  const port = parentPort
  if (port) {
    let last: Promise<void> = Promise.resolve()
    port.on('message', (job: Job) => {
      const answer = answerOf(() => work(job))
      // The answers have the order of the jobs, also if one job waits for a module.
      last = last.then(async () => port.postMessage(await answer))
    })
    return
  }
  if (!process.send) throw new Error('This module is the script of a worker thread or process.')
  process.on('message', (job: Job) => void answerOf(() => work(job)).then(answer => process.send?.(answer)))
  // The parent process has ended, so end this process too.
  process.on('disconnect', () => process.exit())
  process.send(isReady)
}

/** The first message of a process, which says that it takes jobs. */
export const isReady = 'ready'

/** Niceness of threads in the background. It is higher than that of searches, so that searches take precedence, too. */
const backgroundNiceness = 15

/** Lets requests and searches take precedence over this thread. Only on Linux does a thread have its own niceness. */
export function lowerPriority(): void {
  if (process.platform === 'linux') raiseNiceness(backgroundNiceness)
}
