import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import { clientGone } from '../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import { type JobProcess, openJobProcess, ProcessEnded } from '../../store/workers/job-process.js'
import { type FindLimits, tooManySearches } from '../find/find-limits.js'

/*
 * libsql cannot interrupt a query, so that only the end of its process ends it. One process answers quick searches, and
 * another one the slow searches, so that quick ones never wait for them.
 */

/** Limits of the searches that wait: of all, and of one client, which leaves room for others. */
const maxWaiting = 500
const maxWaitingOfClient = 200
/** Slow searches of a client from which on all of its searches run as slow ones. */
const slowSearchLimit = 2
/** Milliseconds between two checks of a search that is not quick, while no other search waits. */
const checkInterval = 100
/** Milliseconds without a slow search after which the process for slow searches ends. */
const millisecondsUntilIdle = 60_000

/** Runs searches in two processes. */
export interface SearchProcesses<Job, Result> {
  /**
   * @param makeJob makes the job when it runs; it is made again if the process ends during the job
   * @throws ProblemError `unavailable` if too many searches wait, if the search takes longer than
   *   {@link FindLimits.maxTime}, or if the client has gone; what the job threw; {@link ProcessEnded}
   */
  run(makeJob: () => Job, client: Client | undefined): Promise<Result>
  /** Ends the processes, which close their files. Searches that run begin again in others. */
  restart(): Promise<void>
  close(): Promise<void>
}

type Outcome<Result> =
  | { readonly result: Result }
  /** The search goes on as a slow one. */
  | { readonly continuing: Promise<Result> }
  /** The search was ended, and has to run as a slow one. */
  | 'late'

/**
 * Every search begins as a quick one. If it takes longer than {@link FindLimits.quickTime}, its process becomes the one
 * for slow searches until the search has ended; if there is a slow search already and other searches wait, it is ended, and runs again as a slow one.
 */
export function openSearchProcesses<Job, Result>(
  script: URL,
  { quickTime, maxTime }: Pick<FindLimits, 'quickTime' | 'maxTime'>,
): SearchProcesses<Job, Result> {
  const limits = {
    maxWaiting,
    maxWaitingOfClient,
    refusal: tooManySearches,
    retryAfter: 2,
  }
  const quickTurn = openOneAtATime(limits)
  const slowTurn = openOneAtATime(limits)
  const slow = countByClient()
  let waiting = 0
  let quickProcess = openJobProcess<Job, Result>(script)
  let slowProcess = openJobProcess<Job, Result>(script)
  let idle: NodeJS.Timeout | undefined
  let isClosed = false

  async function run(
    process: JobProcess<Job, Result>,
    makeJob: () => Job,
  ): Promise<{ running: Promise<Result> }> {
    if (isClosed) throw clientGone()
    await process.start()
    return { running: process.run(makeJob()) }
  }

  async function restart(): Promise<void> {
    clearTimeout(idle)
    await Promise.all([quickProcess.end(), slowProcess.end()])
  }

  /** Runs work of the process for slow searches, one after the other. */
  async function runSlow(work: () => Promise<Result>, client: Client | undefined): Promise<Result> {
    clearTimeout(idle)
    slow.add(client, 1)
    try {
      return await slowTurn(work, client, client?.signal)
    } finally {
      slow.add(client, -1)
      if (slow.size === 0) idle = setTimeout(() => void slowProcess.end(), millisecondsUntilIdle).unref()
    }
  }

  function beginSlow(makeJob: () => Job, client: Client | undefined): Promise<Result> {
    const work = async () => {
      const process = slowProcess
      const { running } = await run(process, makeJob)
      return await runLimited(process, running, maxTime, client?.signal)
    }
    return runSlow(work, client)
  }

  async function finishSlow(
    process: JobProcess<Job, Result>,
    running: Promise<Result>,
    rest: number,
    client: Client | undefined,
  ): Promise<Result> {
    try {
      return await runSlow(() => runLimited(process, running, rest, client?.signal), client)
    } finally {
      // A search that failed by itself has left its process as it is.
      const isEnded = await running.then(
        () => false,
        (thrown: unknown) => thrown instanceof ProcessEnded,
      )
      if (!isEnded) reuseForQuickSearches(process)
    }
  }

  /** Lets a process answer quick searches again: it keeps what they have read, and the other one does not. */
  function reuseForQuickSearches(process: JobProcess<Job, Result>): void {
    const exchange = async () => {
      if (slow.size === 0 && slowProcess === process) [quickProcess, slowProcess] = [process, quickProcess]
    }
    // In a turn, so that no search runs in either. If too many searches wait for theirs, the processes stay as they are.
    quickTurn(exchange, undefined, undefined).catch(() => undefined)
  }

  async function runQuick(makeJob: () => Job, client: Client | undefined): Promise<Outcome<Result>> {
    if (slow.of(client) >= slowSearchLimit) return 'late'
    const process = quickProcess
    const { running } = await run(process, makeJob)
    const begun = performance.now()
    for (
      let patience = quickTime;
      !(await settlesWithin(running, patience, client?.signal));
      patience = checkInterval
    ) {
      const rest = maxTime - (performance.now() - begun)
      if (client?.signal?.aborted || rest <= 0)
        return { result: await runLimited(process, running, 0, client?.signal) }
      if (slow.size === 0) {
        ;[quickProcess, slowProcess] = [slowProcess, process]
        return { continuing: finishSlow(process, running, rest, client) }
      }
      if (waiting > 0) {
        await process.end()
        return 'late'
      }
    }
    return { result: await running }
  }

  async function attempt(makeJob: () => Job, client: Client | undefined): Promise<Result> {
    let isWaiting = true
    waiting++
    const stopWaiting = () => {
      if (isWaiting) waiting--
      isWaiting = false
    }
    const work = () => {
      stopWaiting()
      return runQuick(makeJob, client)
    }
    const outcome = await quickTurn(work, client, client?.signal).finally(stopWaiting)
    if (outcome === 'late') return await beginSlow(makeJob, client)
    return 'result' in outcome ? outcome.result : await outcome.continuing
  }

  return {
    async run(makeJob, client) {
      try {
        return await attempt(makeJob, client)
      } catch (thrown) {
        if (!(thrown instanceof ProcessEnded)) throw thrown
        return await beginSlow(makeJob, client)
      }
    },
    restart,
    async close() {
      isClosed = true
      await restart()
    },
  }
}

/** How many slow searches each client has. Those of commands have no limit. */
function countByClient() {
  const counts = new Map<string, number>()
  let size = 0
  return {
    get size() {
      return size
    },
    of: (client: Client | undefined) => (client ? (counts.get(client.key) ?? 0) : 0),
    add(client: Client | undefined, change: 1 | -1) {
      size += change
      const key = client?.key ?? ''
      const count = (counts.get(key) ?? 0) + change
      if (count > 0) counts.set(key, count)
      else counts.delete(key)
    },
  }
}

/**
 * Waits for a job, and ends its process if that takes too long, or if the client goes.
 * @throws ProblemError `unavailable`; what the job threw
 */
export async function runLimited<Result>(
  process: Pick<JobProcess<never, never>, 'end'>,
  running: Promise<Result>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (await settlesWithin(running, milliseconds, signal)) return await running
  await process.end()
  if (signal?.aborted) throw clientGone()
  throw new ProblemError(
    'unavailable',
    'The search took too long, and was ended. Make it narrower: fewer words, or more letters before an asterisk.',
    { retryAfter: 30 },
  )
}

/** @returns false if the time is over, or the signal comes, before the promise is settled */
async function settlesWithin(
  running: Promise<unknown>,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const settled = new AbortController()
  const ends = AbortSignal.any(signal ? [settled.signal, signal] : [settled.signal])
  const late = sleep(milliseconds, false, { signal: ends }).catch(() => false)
  try {
    return await Promise.race([running.then(() => true).catch(() => true), late])
  } finally {
    settled.abort()
  }
}
