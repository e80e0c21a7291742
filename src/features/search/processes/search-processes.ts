import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { clientGone } from '../../../core/scheduling/client-work.js'
import { openOneAtATime } from '../../../core/scheduling/one-at-a-time.js'
import { type JobProcess, openJobProcess, ProcessEnded } from '../../../store/workers/job-process.js'
import { type FindLimits, tooManySearches } from '../find/find-jobs.js'

/*
 * libsql cannot interrupt a query: to stop one, its process has to be ended. One process answers quick searches,
 * another one the slow searches, so that quick searches never wait for slow ones.
 */

/** Limits of the searches that wait: of all clients together, and of one client, so that others have room. */
const maxWaiting = 500
const maxWaitingOfClient = 200
/** With so many slow searches at a time, a client has all of its searches run as slow ones. */
const slowSearchLimit = 2
/** Milliseconds between two checks whether a search that is no longer quick has to give way to waiting searches. */
const checkInterval = 100
/** Milliseconds without a slow search after which the process for slow searches ends. */
const millisecondsUntilIdle = 60_000

/** Runs searches in two processes. */
export interface SearchProcesses<Job, Result> {
  /**
   * Runs a search when it is its turn.
   * @param makeJob called when the search begins to run, and again if the process ends during the job
   * @throws ProblemError `unavailable` if too many searches wait, if the search takes longer than
   *   {@link FindLimits.maxTime}, or if the client has gone; what the job threw; {@link ProcessEnded}
   */
  run(makeJob: () => Job, client: Client | undefined): Promise<Result>
  /** Ends the processes, so that their files are closed. Running searches begin again in new processes. */
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
 * Every search begins as a quick one. If it takes longer than {@link FindLimits.quickTime}, its process becomes the
 * process for slow searches until the search has ended. If another slow search is running and searches wait, the
 * process is ended instead, and the search runs again as a slow one.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: The processes exchange roles, on which each step depends.
export function openSearchProcesses<Job, Result>(
  script: URL,
  { quickTime, maxTime }: Pick<FindLimits, 'quickTime' | 'maxTime'>,
): SearchProcesses<Job, Result> {
  const limits = { maxWaiting, maxWaitingOfClient, refusal: tooManySearches, retryAfter: 2 }
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

  /** Waits for the turn of a slow search, and runs it: slow searches run one after the other. */
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
      // A search that failed without being ended has left its process running.
      const isEnded = await running.then(
        () => false,
        (thrown: unknown) => thrown instanceof ProcessEnded,
      )
      if (!isEnded) reuseForQuickSearches(process)
    }
  }

  /** Lets a process answer quick searches again, because it has data in memory that the other process has not read. */
  function reuseForQuickSearches(process: JobProcess<Job, Result>): void {
    const exchange = async () => {
      if (slow.size === 0 && slowProcess === process) [quickProcess, slowProcess] = [process, quickProcess]
    }
    // The exchange waits for a turn of its own, so that no search runs in either process. If too many searches wait, it
    // is refused, and the processes keep their roles.
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

/** Counts the slow searches of each client. Searches without a client, which commands send, are not limited. */
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

/** Waits until a promise is settled. @returns false if the time is over, or the signal is aborted, before that */
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
