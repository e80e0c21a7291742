import { isPlain } from '../../core/plain-mode.js'
import { ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { oncePerIteration } from '../../core/scheduling/event-loop-pauses.js'
import { type FairQueue, openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import type { Work } from '../validator.js'
import { unusableLibxmljs2, type XmlEngineName } from '../xml/xsd-engine.js'
import { type Answer, type Limits, type Task, tooBig, verdict } from './task-protocol.js'
import { type Answers, type End, startWorker, type WorkerProcess } from './worker-process.js'

interface PoolOptions {
  readonly limits: Limits
  readonly engine: XmlEngineName
  /** Limit of the worker processes. */
  readonly workers: number
  /** Time limit of a task in milliseconds. */
  readonly timeLimit: number
  /** Added to the niceness of the workers. */
  readonly niceness: number
  /** Milliseconds without a task after which workers end. */
  readonly idleTime: number
}

/** Worker processes with a queue. They start when they are needed, and idle ones do not keep this process alive. */
export interface ProcessPool {
  /**
   * Runs a task in the next free worker.
   * @param isTrial whether the duration of the task is unknown. Trials leave one of several workers to other tasks
   * @returns `late` if the task exceeded the time limit
   * @throws ProblemError `unavailable` if the client has gone, or if workers ended during the task for other reasons;
   *   `unusable-repository` if the engine cannot be loaded
   */
  run(task: Task, work: Work, isTrial: boolean): Promise<Result | 'late'>
  /** Number of waiting tasks of a client. */
  waiting(client: string): number
  /** Starts a worker if none runs. */
  prepare(): void
  /** Number of worker processes. */
  workers(): number
  /** Number of worker processes that are starting. */
  starting(): number
  /** Ends the workers. Call it only when no task is running. */
  close(): Promise<void>
}

/** A task fails when other processes have ended this number of workers during the task. */
const maxLosses = 2

/**
 * Milliseconds that tasks wait for a busy worker before another one gets them, or starts. A worker that has compiled a
 * schema is soon free again; another one would compile it, too.
 */
const patience = { give: 5, start: 60 }

/** Milliseconds for which all tasks have the longer time limit of one that was stopped because the machine was busy. */
const busyMemory = 10_000

interface Member {
  readonly worker: WorkerProcess
  group: readonly QueuedTask[]
  isReady: boolean
  /** When the worker got its group, by `performance.now()`. */
  since: number
}

/** How busy other processes keep the machine, as far as stopped tasks tell. */
class BusyMachine {
  #stops = 0
  #until = 0

  /** Least number of stops by which the time limits of tasks are chosen. */
  get stops(): number {
    return performance.now() < this.#until ? this.#stops : 0
  }

  /** Records that a task was stopped for the `stops`th time because other processes had the processor. */
  stopped(stops: number): void {
    this.#stops = Math.max(this.stops, stops)
    this.#until = performance.now() + busyMemory
  }
}

export function openProcessPool(options: PoolOptions): ProcessPool {
  const { limits, workers: maxWorkers } = options
  const queue = openTaskQueue(Math.max(1, maxWorkers - 1))
  const machine = new BusyMachine()
  const members = new Set<Member>()
  let isClosed = false
  /** Looks again whether waiting tasks need another worker. */
  let timer: NodeJS.Timeout | undefined
  /** Ends idle workers: each takes 20 MB. A later task starts one in a moment. */
  const rest = setTimeout(() => {
    for (const member of members) {
      if (!member.isReady || member.group.length > 0) continue
      members.delete(member)
      void member.worker.end()
    }
  }, options.idleTime).unref()

  function startingNow(): number {
    return [...members].filter(member => !member.isReady).length
  }

  function start(): void {
    const member: Member = {
      group: [],
      isReady: false,
      since: 0,
      worker: startWorker(options, {
        ready(answers) {
          member.isReady = true
          rest.refresh()
          const group = member.group
          member.group = []
          if (answers) settle(group, member.worker, answers, queue, machine)
          fill()
        },
        ended(end) {
          members.delete(member)
          if (end.why === 'unusable') rejectAll(queue, unusableLibxmljs2(end.how))
          else settleAfterEnd(member, end, queue, limits)
          fill()
        },
      }),
    }
    members.add(member)
  }

  /** Starts a worker. Rejects the waiting tasks if that is impossible. */
  function tryStart(): void {
    try {
      start()
    } catch (error) {
      rejectAll(queue, cannotCheck(error instanceof Error ? error.message : String(error)))
    }
  }

  /** Gives waiting tasks to idle workers, and starts a worker if all others are busy for long. */
  function fill(): void {
    clearTimeout(timer)
    timer = undefined
    giveTasks(queue, members, machine)
    if (queue.size === 0 || isClosed) return
    if (members.size === 0) tryStart()
    const isLong = [...members].every(
      ({ isReady, since }) => isReady && performance.now() - since >= patience.start,
    )
    if (isLong && members.size < maxWorkers) tryStart()
    // Workers that are ready later are given tasks then.
    timer = setTimeout(fill, patience.give).unref()
  }

  /** Fills the workers at the end of this iteration of the event loop, so that tasks of one iteration form groups. */
  const planFill = oncePerIteration(fill)

  return {
    run(task, work, isTrial) {
      return new Promise<Result | 'late'>((resolve, reject) => {
        if (work.signal?.aborted) {
          reject(clientGone())
          return
        }
        const entry = toEntry(task, { ...work, isTrial }, resolve, reject)
        queue.add(entry)
        planFill()
      })
    },
    waiting: queue.sizeOf,
    prepare() {
      if (members.size === 0 && !isClosed) tryStart()
    },
    workers: () => members.size,
    starting: startingNow,
    async close() {
      isClosed = true
      clearTimeout(timer)
      clearTimeout(rest)
      await Promise.all([...members].map(member => member.worker.end()))
      members.clear()
    },
  }
}

/**
 * Gives waiting tasks to idle workers. While a worker is busy for a moment only, a few tasks wait for it. Ends a worker
 * that must not get further tasks.
 */
function giveTasks(queue: TaskQueue, members: Set<Member>, machine: BusyMachine): void {
  const recently = performance.now() - patience.give
  const isBriefly = [...members].some(({ group, since }) => group.length > 0 && since > recently)
  if (isBriefly && queue.size < maxGroupSize) return
  for (const member of members) {
    if (!member.isReady || member.group.length > 0) continue
    if (member.worker.isSpent) {
      members.delete(member)
      void member.worker.end()
      continue
    }
    const runningTrials = [...members].filter(({ group }) => group[0]?.isTrial).length
    const group = queue.takeGroup(member.worker, runningTrials)
    if (group.length === 0) return
    member.group = group
    member.since = performance.now()
    const tasks = group.map(entry => entry.task)
    member.worker.give({ tasks, stops: Math.max(machine.stops, group[0]?.stops ?? 0) })
  }
}

function rejectAll(queue: TaskQueue, error: Error): void {
  for (let entry = queue.take(); entry; entry = queue.take()) entry.reject(error)
}

/** Settles the tasks of a worker that has ended, or returns them to the queue. */
function settleAfterEnd(member: Member, end: End, queue: TaskQueue, limits: Limits): void {
  // A worker that was not ready had no task. It was started for the first task in the queue.
  const first = member.isReady ? undefined : queue.take()
  const entries = first ? [first] : member.group
  const [only, second] = entries
  if (!only) return
  if (second) for (const entry of entries) entry.isSuspect = true
  else if (settleOne(only, end, member, limits)) return
  for (const entry of entries) queue.add(entry)
}

/** Settles answered tasks, and returns the others to the queue. */
function settle(
  group: readonly QueuedTask[],
  worker: WorkerProcess,
  { answers, timePerAnswer, isLate }: Answers,
  queue: TaskQueue,
  machine: BusyMachine,
): void {
  for (const [place, entry] of group.entries()) {
    const answer = answers[place]
    if (answer?.kind === 'unknown' && entry.task.kind === 'validate') {
      worker.forget(entry.task.key)
      queue.add(entry)
    } else if (answer) entry.resolve({ answer, time: timePerAnswer })
    else if (isLate && place === answers.length) entry.resolve('late')
    else {
      if (place === 0) {
        entry.stops = Math.max(entry.stops, machine.stops) + 1
        machine.stopped(entry.stops)
      }
      entry.isSuspect ||= place === answers.length
      queue.add(entry)
    }
  }
}

/** Settles the only task of a worker that has ended. @returns false if the task has to be repeated */
function settleOne(entry: QueuedTask, end: End, { isReady, worker }: Member, limits: Limits): boolean {
  if (end.why === 'lost' || !isReady) {
    entry.losses++
    if (entry.losses < maxLosses) return false
    entry.reject(cannotCheck(end.why === 'lost' || end.why === 'crash' ? end.how : end.why))
  } else if (end.why === 'late') entry.resolve('late')
  else if (end.why === 'crash')
    entry.resolve(refusal(verdict(`The validator broke down on it (${end.how}).`)))
  else if (entry.isSuspect || worker.isFresh) entry.resolve(refusal(tooBig(limits)))
  else {
    // Repeated in another worker, because earlier schemas may have used up the memory of this one.
    entry.isSuspect = true
    return false
  }
  return true
}

/** A waiting task. If the signal aborts it, it leaves the queue and is rejected. */
function toEntry(
  task: Task,
  { client, isDryRun, isTrial, signal }: Work & { readonly isTrial: boolean },
  resolve: QueuedTask['resolve'],
  reject: QueuedTask['reject'],
): QueuedTask {
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
  const entry: QueuedTask = {
    ...{ client, isUrgent: !isDryRun, task, isTrial },
    ...{ resolve: settled(resolve), reject: settled(reject) },
    ...{ losses: 0, isSuspect: false, stops: 0, leave: () => undefined },
  }
  signal?.addEventListener('abort', gone, { once: true })
  return entry
}

function refusal(answer: Answer): Result {
  return { answer, time: 0 }
}

function cannotCheck(how: string): ProblemError {
  const message = `The process that was to check it failed (${how}). Try again later.`
  return new ProblemError('unavailable', message, { retryAfter: 5 })
}

interface Result {
  readonly answer: Answer
  /** Milliseconds of processor time, without the compilation of the schema; undefined if the worker was not warm. */
  readonly time: number | undefined
}

/** A task that waits for a worker, or that a worker carries out. */
interface QueuedTask extends Waiting {
  readonly task: Task
  readonly resolve: (result: Result | 'late') => void
  readonly reject: (error: Error) => void
  /** Number of workers that other processes ended during the task. */
  losses: number
  /** Whether the duration of the task is unknown. */
  readonly isTrial: boolean
  /** Whether a worker ended while it had the task and others. The task may be the cause: it is sent alone. */
  isSuspect: boolean
  /** How often a worker was stopped during the task, because other processes had the processor. */
  stops: number
  /** Removes the entry from the queue. */
  leave: () => void
}

interface TaskQueue {
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
function openTaskQueue(maxTrials: number): TaskQueue {
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
