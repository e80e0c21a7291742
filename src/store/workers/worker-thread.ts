import { type TransferListItem, Worker } from 'node:worker_threads'
import { ProblemError } from '../../core/problem.js'
import type { JobAnswer } from './job-loop.js'

/**
 * Size of the young generation of a thread's heap, in MiB. Under load, V8 fills its default of 48 MiB before it
 * collects garbage, which costs memory and gains nothing.
 */
const youngGenerationMiB = 12

/** A thread that runs jobs one after another. A job starts the thread if it is not running. */
interface WorkerThread<Job, Result> {
  /**
   * Runs a job.
   * @param transfer buffers to move to the thread instead of copying them
   * @throws what the job threw: a ProblemError, or an Error with its `code`; {@link ThreadEnded}
   */
  run(job: Job, transfer?: readonly TransferListItem[]): Promise<Result>
  /**
   * Runs the job that closes what other jobs have opened, unless there were no jobs. If it fails, the thread is ended,
   * which closes everything, too.
   */
  disconnect(job: Job): Promise<void>
  close(): Promise<void>
}

/** Where threads come from, and where idle threads go. */
export interface ThreadSource {
  start(script: URL): Worker
  /**
   * Takes an idle thread.
   * @returns a promise that resolves when the thread has ended; undefined if it stays for a later `start`
   */
  release(script: URL, worker: Worker): Promise<unknown> | undefined
}

/** Starts a new thread at each `start`, and ends each idle thread. */
const newThreads: ThreadSource = {
  start: script => new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB } }),
  release: (_, worker) => worker.terminate(),
}
let source = newThreads

/**
 * Replaces the source of threads. A server opens one repository, and its threads end with it. The process of the tests
 * opens thousands of repositories one after another, so it sets a source that keeps idle threads for the next one.
 * @param replace makes the source from the source that starts new threads
 */
export function replaceThreadSource(replace: (newThreads: ThreadSource) => ThreadSource): void {
  source = replace(newThreads)
}

/** A thread ended instead of answering. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** A thread that runs. */
interface Started<Result> {
  readonly worker: Worker
  readonly asked: Asked<Result>[]
  /** Whether the last job of the thread failed, which may have left something open. */
  hasFailed: boolean
}

/**
 * Prepares a thread, which the first job starts.
 * @param script the compiled module, which calls {@link runJobLoop}
 * @param order `in turn`: sends a job when the one before is done; `ahead`: sends it at once, so no job may be
 *   asynchronous in the thread
 */
export function openWorkerThread<Job, Result>(
  script: URL,
  order: 'in turn' | 'ahead' = 'in turn',
): WorkerThread<Job, Result> {
  let current: Started<Result> | undefined
  let tail: Promise<unknown> = Promise.resolve()
  let hadJobs = false

  function start() {
    const worker = source.start(script)
    const started: Started<Result> = { worker, asked: [], hasFailed: false }
    let fault: Error | undefined
    worker.unref()
    worker.on('message', (answer: JobAnswer<Result>) => {
      const job = started.asked.shift()
      if (started.asked.length === 0) worker.unref()
      started.hasFailed = !('result' in answer)
      settle(job, answer)
    })
    worker.on('error', (error: Error) => {
      fault = error
    })
    worker.on('exit', code => {
      if (current === started) current = undefined
      const why = fault ? `: ${fault.message}` : ` with ${code}`
      for (const job of started.asked.splice(0))
        job.reject(new ThreadEnded(`A thread ended${why}.`, { cause: fault }))
    })
    return started
  }

  function ask(job: Job, transfer: readonly TransferListItem[]): Promise<Result> {
    current ??= start()
    const { worker, asked } = current
    return new Promise<Result>((resolve, reject) => {
      if (asked.length === 0) worker.ref()
      asked.push({ resolve, reject })
      worker.postMessage(job, transfer)
    })
  }

  function run(job: Job, transfer: readonly TransferListItem[] = []): Promise<Result> {
    hadJobs = true
    const result = order === 'ahead' ? ask(job, transfer) : tail.then(() => ask(job, transfer))
    // The caller gets the error. The next job only waits until this job has ended.
    tail = result.catch(() => undefined)
    return result
  }

  async function close(): Promise<void> {
    await tail
    if (!current) return
    const { worker, asked, hasFailed } = current
    const isIdle = asked.length === 0 && !hasFailed
    const end = isIdle ? source.release(script, worker) : worker.terminate()
    if (end) await end
    else current = undefined
  }

  return {
    run,
    async disconnect(job) {
      if (hadJobs) await run(job).catch(close)
    },
    close,
  }
}

/** The functions that settle the promise of an answer. */
export interface Asked<Result> {
  resolve(result: Result): void
  reject(error: Error): void
}

export function settle<Result>(asked: Asked<Result> | undefined, answer: JobAnswer<Result>): void {
  if ('result' in answer) asked?.resolve(answer.result)
  else asked?.reject(errorOf(answer))
}

function errorOf(answer: Exclude<JobAnswer<never>, { result: never }>): Error {
  if ('error' in answer) return Object.assign(new Error(answer.error.message), { code: answer.error.code })
  const { kind, message, extra } = answer.problem
  return new ProblemError(kind, message, extra)
}
