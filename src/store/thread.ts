import { type TransferListItem, Worker } from 'node:worker_threads'
import { youngGeneration } from '../core/threads.js'

/** A thread that does one job after another. It is started by the first job, and again after it has died. */
export interface Thread<Job, Result> {
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
export type Answer<Result> =
  | { readonly result: Result }
  | { readonly error: { readonly message: string; readonly code: unknown } }

/** @param script the compiled module; it answers every message through {@link answerJobs} */
export function openThread<Job, Result>(script: URL): Thread<Job, Result> {
  let worker: Worker | undefined
  let tail: Promise<unknown> = Promise.resolve()

  function start(): Worker {
    const started = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: youngGeneration } })
    started.unref()
    started.on('error', () => undefined) // the job under way hears of it by `exit`
    started.on('exit', () => {
      if (worker === started) worker = undefined
    })
    return started
  }

  function ask(job: Job, transfer: readonly TransferListItem[]): Promise<Result> {
    worker ??= start()
    const asked = worker
    return new Promise<Result>((resolve, reject) => {
      const onError = (error: Error) =>
        finish(() => reject(new ThreadEnded(`A thread ended: ${error.message}.`, { cause: error })))
      const onExit = (code: number) => finish(() => reject(new ThreadEnded(`A thread ended with ${code}.`)))
      const onMessage = (answer: Answer<Result>) =>
        finish(() => {
          if ('result' in answer) resolve(answer.result)
          else reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }))
        })
      function finish(settle: () => void): void {
        asked.off('error', onError).off('exit', onExit).off('message', onMessage).unref()
        settle()
      }
      asked.on('error', onError).on('exit', onExit).on('message', onMessage).ref()
      asked.postMessage(job, transfer)
    })
  }

  return {
    run(job, transfer = []) {
      const result = tail.then(() => ask(job, transfer))
      tail = result.catch(() => undefined) // the caller gets the failure; the next job only needs to know it ended
      return result
    },
    async close() {
      await tail
      await worker?.terminate()
    },
  }
}
