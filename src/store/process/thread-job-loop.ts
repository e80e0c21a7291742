import { parentPort } from 'node:worker_threads'
import { ProblemError } from '../../core/problem.js'
import type { JobAnswer } from './worker-thread.js'

/** Main loop of a worker thread: answers each job with the result or error of `work`. */
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
    // Structured cloning drops the class of an Error and its `code`.
    if (thrown instanceof ProblemError) {
      const { kind, message, extra } = thrown
      return { problem: { kind, message, extra } }
    }
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { error: { message: error.message, code: 'code' in error ? error.code : undefined } }
  }
}
