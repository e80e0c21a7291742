import { parentPort } from 'node:worker_threads'
import type { JobAnswer } from './worker-thread.js'

/** The inside of a thread: answers every job with what `work` returns or throws. */
export function runJobLoop<Job, Result>(work: (job: Job) => Result | Promise<Result>): void {
  const port = parentPort
  if (!port) throw new Error('This module is the script of a worker thread.')
  port.on('message', (job: Job) => {
    void attempt(() => work(job)).then(answer => port.postMessage(answer))
  })
}

async function attempt<Result>(work: () => Result | Promise<Result>): Promise<JobAnswer<Result>> {
  try {
    return { result: await work() }
  } catch (thrown) {
    // A clone of an Error loses its `code`, which says what failed.
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { error: { message: error.message, code: 'code' in error ? error.code : undefined } }
  }
}
