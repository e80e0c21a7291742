import { isPlain } from '../../core/plain-mode.js'
import { type FairQueue, openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import type { Answer, Task } from './task-protocol.js'
import type { WorkerProcess } from './worker-process.js'

export interface Result {
  readonly answer: Answer
  /** Milliseconds of processor time, without the compilation of the schema. */
  readonly time: number
}

/** A task that waits for a worker, or that a worker carries out. */
export interface QueuedTask extends Waiting {
  readonly task: Task
  readonly resolve: (result: Result | 'late') => void
  readonly reject: (error: Error) => void
  /** Number of workers that other processes ended during the task. */
  losses: number
  /** Whether the duration of the task is unknown. */
  readonly isTrial: boolean
  /** Whether a worker ended while it had the task and others. The task may be the cause: it is sent alone. */
  isSuspect: boolean
  /** Whether a worker was stopped during the task, because other processes had the processor. */
  isRepeated: boolean
  /** Removes the entry from the queue. */
  leave: () => void
}

export interface TaskQueue {
  readonly size: number
  /** Number of waiting tasks of a client. */
  sizeOf(client: string): number
  add(entry: QueuedTask): void
  /** Takes a task for the worker, or several with small documents: to send each alone costs more than to check it. */
  takeGroup(worker: WorkerProcess, runningTrials: number): readonly QueuedTask[]
  take(): QueuedTask | undefined
}

/**
 * Limit of the tasks in a group. Fast path: a validation of 2 KB takes 0.27 ms instead of 0.44 ms of processor time
 * with 64 clients. Plain path: one.
 * @see docs/decisions/011-fast-paths.md
 */
const maxGroupSize = isPlain ? 1 : 16
/** Limit in bytes of the documents in a group. */
const maxGroupBytes = 256 * 1024

/**
 * A queue for validations, in which clients take turns. Tasks of unknown duration (trials) wait in a second queue.
 * @param maxTrials limit of the trials that run at the same time
 */
export function openTaskQueue(maxTrials: number): TaskQueue {
  const known: FairQueue<QueuedTask> = openFairQueue()
  const trials: FairQueue<QueuedTask> = openFairQueue()
  /** Counts groups. Every fourth group is a trial while both queues have tasks. */
  let turn = 0

  /** The queue from which the next group is taken; undefined if no waiting task may start. */
  function chosen(runningTrials: number): FairQueue<QueuedTask> | undefined {
    const mayTry = trials.size > 0 && runningTrials < maxTrials
    if (known.size > 0 && (!mayTry || turn % 4 > 0)) return known
    return mayTry ? trials : undefined
  }

  return {
    get size() {
      return known.size + trials.size
    },
    sizeOf: client => known.sizeOf(client) + trials.sizeOf(client),
    add(entry) {
      entry.leave = (entry.isTrial ? trials : known).add(entry)
    },
    takeGroup(worker, runningTrials) {
      const from = chosen(runningTrials)
      const first = from?.take()
      if (!from || !first) return []
      turn++
      const group = [first]
      let bytes = sizeInGroup(first, worker)
      while (bytes <= maxGroupBytes && group.length < maxGroupSize) {
        const next = from.next()
        if (!next) break
        bytes += sizeInGroup(next, worker)
        if (bytes > maxGroupBytes) break
        from.take()
        group.push(next)
      }
      return group
    },
    take: () => known.take() ?? trials.take(),
  }
}

/** Bytes of a document that can be sent with others; infinite for other tasks. */
function sizeInGroup({ task, isSuspect }: QueuedTask, worker: WorkerProcess): number {
  if (isSuspect || task.kind !== 'validate' || !worker.knows(task.key)) return Number.POSITIVE_INFINITY
  return task.document.byteLength
}
