import { parentPort } from 'node:worker_threads'
import { answerOf } from './job-answer.js'

/** Main loop of a worker thread or a {@link JobProcess}: answers each job with the result or the error of `work`. */
export function runJobLoop<Job, Result>(work: (job: Job) => Result | Promise<Result>): void {
  const port = parentPort
  if (port) {
    port.on('message', (job: Job) => void answerOf(() => work(job)).then(answer => port.postMessage(answer)))
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
