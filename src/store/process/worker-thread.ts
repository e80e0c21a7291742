import { type TransferListItem, Worker } from 'node:worker_threads'

/**
 * Mebibytes of a thread's young generation. V8's default of 48 is filled under load before it is collected: with 12 a
 * busy server needs about 40 MiB less and no more time.
 */
const youngGenerationMiB = 12

/** A thread that does one job after another. It is started by the first job, and again after it has died. */
export interface WorkerThread<Job, Result> {
  /**
   * @param transfer buffers that are handed over instead of copied
   * @throws what the job threw, with its `code`; {@link ThreadEnded}
   */
  run(job: Job, transfer?: readonly TransferListItem[]): Promise<Result>
  close(): Promise<void>
}

/** A thread ended instead of answering. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** What the thread posts for each job. */
export type JobAnswer<Result> =
  | { readonly result: Result }
  | { readonly error: { readonly message: string; readonly code: unknown } }

interface Asked<Result> {
  resolve(result: Result): void
  reject(error: Error): void
}

/**
 * @param script the compiled module; it answers every message through {@link runJobLoop}
 * @param order `ahead`: jobs are handed over while others are under way, and must not wait for anything in the thread
 */
export function openWorkerThread<Job, Result>(
  script: URL,
  order: 'in turn' | 'ahead' = 'in turn',
): WorkerThread<Job, Result> {
  let current: { readonly worker: Worker; readonly asked: Asked<Result>[] } | undefined
  let tail: Promise<unknown> = Promise.resolve()

  function start() {
    const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB } })
    const started = { worker, asked: [] as Asked<Result>[] }
    let fault: Error | undefined
    worker.unref()
    worker.on('message', (answer: JobAnswer<Result>) => {
      const job = started.asked.shift()
      if (started.asked.length === 0) worker.unref()
      if ('result' in answer) job?.resolve(answer.result)
      else job?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }))
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
      tail = result.catch(() => undefined) // the caller gets the failure; the next job only needs to know it ended
      return result
    },
    async close() {
      await tail
      await current?.worker.terminate()
    },
  }
}
