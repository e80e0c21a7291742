import { ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { type FairQueue, openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import type { Work } from '../validator.js'
import { unusableLibxmljs2, type XmlEngineName } from '../xml/xsd-engine.js'
import { type Limits, tooBig, verdict } from './task-limits.js'
import type { Answer, Task } from './task-protocol.js'
import { type Answers, type End, startWorker, type WorkerProcess } from './worker-process.js'

export interface LaneOptions {
  readonly limits: Limits
  readonly engine: XmlEngineName
  /** Worker processes there may be. */
  readonly workers: number
  /** Milliseconds one task may take. */
  readonly timeLimit: number
  /** Added to the niceness of the workers. */
  readonly niceness: number
}

/** Worker processes with a queue. They start when they are needed, and do not keep this process alive while idle. */
export interface Lane {
  /**
   * @param isTrial how long it takes is unknown: it leaves one worker to the others, where there are two
   * @returns `late` where the task exceeded the time limit
   * @throws ProblemError `unavailable` where workers ended that had it, or where the client has gone;
   *   `unusable-repository` where the engine cannot be loaded
   */
  run(task: Task, work: Work, isTrial: boolean): Promise<Answer | 'late'>
  /** Tasks of a client that wait for a worker. */
  waiting(client: string): number
  /** Worker processes there are. */
  workers(): number
  /** Worker processes that start: tasks wait for them alone. */
  starting(): number
  /** Ends the workers. Only to be called when no task is running. */
  close(): Promise<void>
}

/** Workers that other processes may end with a task before the task fails. */
const mostLosses = 2
/** Tasks that a worker is given at once, at most. */
const largestGroup = 16
/** Bytes that the documents of such tasks have at most. */
const heaviestGroup = 256 * 1024

interface Entry extends Waiting {
  readonly task: Task
  readonly resolve: (answer: Answer | 'late') => void
  readonly reject: (error: Error) => void
  /** Workers that other processes ended with it. */
  losses: number
  readonly isTrial: boolean
  /** A worker was lost with it and others: it goes alone from now on. */
  isSuspect: boolean
  /** A worker was stopped with it alone, without having had the processor. */
  isRepeated: boolean
  /** Leaves the queue. */
  leave: () => void
}

interface Member {
  readonly worker: WorkerProcess
  group: readonly Entry[]
  isReady: boolean
}

/**
 * Sending to a worker takes longer than checking a small document: documents that wait while all workers are busy, or
 * that come in one turn of the event loop, are sent in groups.
 */
export function openProcessPool(options: LaneOptions): Lane {
  const { limits, workers: most } = options
  const queue: FairQueue<Entry> = openFairQueue()
  const trials: FairQueue<Entry> = openFairQueue()
  const mostTrials = Math.max(1, most - 1)
  const members = new Set<Member>()
  /** Counts groups. A trial is taken every fourth time, whatever else waits. */
  let turn = 0
  let isPlanned = false
  let isClosed = false

  function waiting(): number {
    return queue.size + trials.size
  }

  function startingNow(): number {
    return [...members].filter(member => !member.isReady).length
  }

  function add(entry: Entry): void {
    entry.leave = (entry.isTrial ? trials : queue).add(entry)
  }

  /** The queue that is next; undefined where nothing waits that may be begun now. */
  function chosen(): FairQueue<Entry> | undefined {
    const running = [...members].filter(({ group }) => group[0]?.isTrial).length
    const mayTry = trials.size > 0 && running < mostTrials
    if (queue.size > 0 && (!mayTry || turn % 4 > 0)) return queue
    return mayTry ? trials : undefined
  }

  function start(): void {
    const member: Member = {
      group: [],
      isReady: false,
      worker: startWorker(options, {
        ready(answers) {
          member.isReady = true
          const group = member.group
          member.group = []
          if (answers) answered(member, group, answers)
          fill()
        },
        ended(end) {
          members.delete(member)
          lost(member, end)
          fill()
        },
      }),
    }
    members.add(member)
  }

  /** Gives what waits to workers that are idle, and starts further ones. */
  function fill(): void {
    for (const member of members) {
      if (!member.isReady || member.group.length > 0) continue
      if (member.worker.isSpent) {
        members.delete(member)
        void member.worker.end()
        continue
      }
      const group = takeGroup(member.worker)
      if (group.length === 0) break
      member.group = group
      member.worker.give({
        tasks: group.map(entry => entry.task),
        isRepeated: group[0]?.isRepeated ?? false,
      })
    }
    for (let starting = startingNow(); starting < waiting() && members.size < most && !isClosed; starting++) {
      try {
        start()
      } catch (error) {
        rejectAll(cannotCheck(error instanceof Error ? error.message : String(error)))
      }
    }
  }

  function takeGroup(worker: WorkerProcess): readonly Entry[] {
    const from = chosen()
    const first = from?.take()
    if (!from || !first) return []
    turn++
    const group = [first]
    let bytes = sizeInGroup(first, worker)
    while (bytes <= heaviestGroup && group.length < largestGroup) {
      const next = from.next()
      if (!next) break
      bytes += sizeInGroup(next, worker)
      if (bytes > heaviestGroup) break
      from.take()
      group.push(next)
    }
    return group
  }

  function answered(member: Member, group: readonly Entry[], { answers, isLate }: Answers): void {
    for (const [place, entry] of group.entries()) {
      const answer = answers[place]
      if (answer?.kind === 'unknown' && entry.task.kind === 'validate') {
        member.worker.forget(entry.task.key)
        add(entry)
      } else if (answer) entry.resolve(answer)
      else if (isLate && place === answers.length) entry.resolve('late')
      else {
        entry.isRepeated ||= place === 0
        entry.isSuspect ||= place === answers.length
        add(entry)
      }
    }
  }

  /** A worker ended, whatever the reason. */
  function lost({ group, worker, isReady }: Member, end: End): void {
    if (end.why === 'unusable') {
      rejectAll(unusableLibxmljs2(end.how))
      return
    }
    // One that ended before it was ready was started for the entry that waits longest.
    const first = isReady ? undefined : (queue.take() ?? trials.take())
    const entries = first ? [first] : group
    const [only, second] = entries
    if (!only) return
    if (second) for (const entry of entries) entry.isSuspect = true
    else if (end.why === 'lost' || !isReady) {
      only.losses++
      if (only.losses >= mostLosses) {
        only.reject(cannotCheck(end.why === 'lost' || end.why === 'crash' ? end.how : end.why))
        return
      }
    } else if (end.why === 'late') {
      only.resolve('late')
      return
    } else if (end.why === 'crash') {
      only.resolve(verdict(`The validator broke down on it (${end.how}).`))
      return
    } else if (only.isSuspect || worker.isFresh) {
      only.resolve(tooBig(limits))
      return
    } else {
      // Schemas that the worker compiled before may have used the memory up.
      only.isSuspect = true
    }
    for (const entry of entries) add(entry)
  }

  function rejectAll(error: Error): void {
    for (const each of [queue, trials]) {
      for (let entry = each.take(); entry; entry = each.take()) entry.reject(error)
    }
  }

  return {
    run(task, { client, isDryRun = false, signal }, isTrial) {
      return new Promise<Answer | 'late'>((resolve, reject) => {
        const gone = () => {
          entry.leave()
          reject(clientGone())
        }
        const settled = <T>(settle: (value: T) => void) => {
          return (value: T) => {
            signal?.removeEventListener('abort', gone)
            settle(value)
          }
        }
        const entry: Entry = {
          ...{ client, isUrgent: !isDryRun, task, isTrial },
          ...{ resolve: settled(resolve), reject: settled(reject) },
          ...{ losses: 0, isSuspect: false, isRepeated: false, leave: () => undefined },
        }
        if (signal?.aborted) {
          reject(clientGone())
          return
        }
        signal?.addEventListener('abort', gone, { once: true })
        add(entry)
        if (isPlanned) return
        isPlanned = true
        setImmediate(() => {
          isPlanned = false
          fill()
        })
      })
    },
    waiting: client => queue.sizeOf(client) + trials.sizeOf(client),
    workers: () => members.size,
    starting: startingNow,
    async close() {
      isClosed = true
      await Promise.all([...members].map(member => member.worker.end()))
      members.clear()
    },
  }
}

/** Bytes of a document that may go with others; infinite for what goes alone. */
function sizeInGroup({ task, isSuspect }: Entry, worker: WorkerProcess): number {
  if (isSuspect || task.kind !== 'validate' || !worker.knows(task.key)) return Number.POSITIVE_INFINITY
  return task.document.byteLength
}

function cannotCheck(how: string): ProblemError {
  const message = `The process that was to check it failed (${how}). Try again later.`
  return new ProblemError('unavailable', message, { retryAfter: 5 })
}
