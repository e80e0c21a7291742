import type { Worker } from 'node:worker_threads'
import { replaceThreadSource } from '../../../src/store/workers/worker-thread.js'

/** Limit of the idle threads that are kept for each script. */
const maxKept = 2
/** Idle threads by their script. */
const kept = new Map<string, Worker[]>()

/**
 * Keeps closed threads for the next repository, in a process that opens one repository after another. The start of a
 * thread takes 0.05 to 0.1 s of processor time, as much as a short command. The last job of a thread must therefore
 * close what earlier jobs have opened.
 */
export function keepThreads(): void {
  replaceThreadSource(newThreads => ({
    start(script) {
      const worker = kept.get(script.href)?.pop()
      if (worker) removeListeners(worker)
      return worker ?? newThreads.start(script)
    },
    release(script, worker) {
      const others = kept.get(script.href) ?? []
      if (others.length >= maxKept) return newThreads.release(script, worker)
      removeListeners(worker)
      others.push(worker)
      kept.set(script.href, others)
      worker.on('exit', () => others.splice(others.indexOf(worker), 1))
      return undefined
    },
  }))
}

/** Removes the listeners of the program. The listeners of Node.js must remain: without them no message arrives. */
function removeListeners(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
}
