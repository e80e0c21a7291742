import { type TransferListItem, Worker } from 'node:worker_threads'
import { type Asked, type JobAnswer, settle } from './job-answer.js'

/**
 * Size of a thread's young generation in MiB. V8 fills its default of 48 under load before it collects, which only
 * costs memory.
 */
const youngGenerationMiB = 12

/** A thread that runs jobs one after another. The first job starts it, also after it has died. */
interface WorkerThread<Job, Result> {
  /**
   * @param transfer buffers to transfer instead of copying
   * @throws what the job threw: a ProblemError, or an Error with its `code`; {@link ThreadEnded}
   */
  run(job: Job, transfer?: readonly TransferListItem[]): Promise<Result>
  close(): Promise<void>
}

/** Most idle threads of a script that are kept. */
const mostKept = 2
/** Idle threads by their script; undefined: none are kept. */
let kept: Map<string, Worker[]> | undefined

/**
 * For a process that opens one repository after another: a thread that is closed stays for the next repository. A thread
 * takes 0.05 to 0.1 s of processor time to start, as long as a short command. The last job of a thread has to close what
 * the others have opened.
 */
export function keepThreads(): void {
  kept ??= new Map()
}

/** A thread ended instead of answering. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** A thread that runs. */
interface Started<Result> {
  readonly worker: Worker
  readonly asked: Asked<Result>[]
  /** Whether its last job failed: it may have left something open. */
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

  function start() {
    const worker =
      takeKept(script) ??
      new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB } })
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

  return {
    run(job, transfer = []) {
      const result = order === 'ahead' ? ask(job, transfer) : tail.then(() => ask(job, transfer))
      // The caller gets the error; the next job only waits for the end.
      tail = result.catch(() => undefined)
      return result
    },
    async close() {
      await tail
      if (!current) return
      const { worker, asked, hasFailed } = current
      if (asked.length > 0 || hasFailed || !keep(script, worker)) await worker.terminate()
      else current = undefined
    },
  }
}

/** Keeps an idle thread for the next that is opened with this script. @returns false if it is to be ended */
function keep({ href }: URL, worker: Worker): boolean {
  const others = kept?.get(href) ?? []
  if (!kept || others.length >= mostKept) return false
  removeListeners(worker)
  others.push(worker)
  kept.set(href, others)
  worker.on('exit', () => others.splice(others.indexOf(worker), 1))
  return true
}

function takeKept({ href }: URL): Worker | undefined {
  const worker = kept?.get(href)?.pop()
  if (worker) removeListeners(worker)
  return worker
}

/** Removes ours: Node.js has listeners of its own, without which no message comes. */
function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
