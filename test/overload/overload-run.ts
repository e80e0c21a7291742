import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, requestBytes } from '../../bench/load/http-connection.js'
import { canLook, look } from '../../bench/support/process-memory.js'
import { quantile } from '../../bench/support/statistics.js'
import { type Log, openLog } from '../faults/rounds/acknowledged-updates.js'
import { complaintsAbout } from '../faults/rounds/check-soundness.js'
import { runProgram } from '../support/program/run-program.js'
import { openCrowd } from './client-processes.js'
import { type Mix, openClients, type Tally } from './open-loop-clients.js'
import { documentFor, idOf, typeOf } from './overload-requests.js'
import { registerSchemas } from './register-schemas.js'

/*
 * Sends a server a multiple of the requests that it can answer. At the end, compares the repository with the
 * acknowledged updates.
 */

export interface OverloadOptions {
  readonly mix: Mix
  /** Seconds in which clients that wait for their answers measure the capacity of the server. */
  readonly measuring: number
  /** Seconds of overload. */
  readonly seconds: number
  /** Ratio of the sent requests to the capacity. */
  readonly times: number
  readonly connections: number
  /** Number of client processes. */
  readonly processes: number
  /** Seconds that one line of the report covers. */
  readonly interval: number
  readonly heard?: (line: Line) => void
}

/** The server under load and its repository. */
export interface Loaded {
  readonly port: number
  readonly pid: number
  readonly dir: string
  readonly bare: boolean
}

/** An interval as clients see it. Times are in milliseconds; 0 if there was no request. */
export interface Line {
  /** Seconds from the start of the load to the end of the interval. */
  readonly at: number
  /** Requests per second; the next four counts, too. */
  readonly offered: number
  readonly changed: number
  readonly read: number
  readonly refused: number
  readonly unsent: number
  readonly changes: Times
  readonly reads: Times
  readonly refusals: Times
  /** Milliseconds of the slowest answers of `/health/live` and `/health/ready`. Each request has its own connection. */
  readonly live: number
  readonly ready: number
  /** Memory of the server in mebibytes. */
  readonly memory: number
  /** p99 of the delay of the event loop, in milliseconds. */
  readonly lag: number
  readonly waiting: number
  readonly validations: number
}

export interface Times {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface Overloaded {
  /** Answers per second of 64 clients that wait for their answers. */
  readonly capacity: number
  readonly lines: readonly Line[]
  readonly log: Log
  /** Number of refused requests, including those of the measurement before the overload. */
  readonly refused: number
  /** Median milliseconds of a create without other clients, before and after the overload. */
  readonly alone: { readonly before: number; readonly after: number }
  /** Peak memory of the server, in mebibytes. */
  readonly memory: number
  readonly complaints: readonly string[]
}

const clientsThatWait = 64
/** Milliseconds between two health checks. */
const healthInterval = 500
/** Seconds of creates by a single client. */
const aloneSeconds = 2
/** Milliseconds within which a server without requests becomes idle. */
const untilIdle = 60_000

export async function overload(server: Loaded, options: OverloadOptions): Promise<Overloaded> {
  const { port, pid, dir } = server
  const { mix, processes, connections } = options
  const url = `http://127.0.0.1:${port}/`
  const log = openLog()
  const records = new Map<number, ReturnType<Log['add']>>()
  const wrong: string[] = []
  let refused = 0

  function note({ acknowledged, refused: refusals, wrong: complaints }: Tally): void {
    for (const [number, version, etag] of acknowledged) {
      const record =
        records.get(number) ?? log.add({ kind: 'metadata', id: idOf(number), type: typeOf(number) })
      records.set(number, record)
      log.acknowledge([{ record, bytes: documentFor(number, version), standing: 'served' }], etag)
      record.busy = false
    }
    refused += refusals.length
    wrong.push(...complaints)
  }

  await registerSchemas(port)
  const commitsBefore = await commitsOf(dir)
  const crowd = openCrowd(processes, processes + 1)
  const single = openClients(processes, processes + 1)
  async function alone(): Promise<number> {
    await single.run({ port, mix: { create: 1 }, seconds: aloneSeconds, connections: 1 })
    const tally = single.take()
    note(tally)
    if (tally.refused.length > 0) wrong.push('A create without other clients was refused.')
    return timesOf(tally.changes).p50
  }

  try {
    const before = await alone()
    const measured = await measure()
    const lines: Line[] = []
    const capacity = measured / options.measuring
    await press(capacity, line => {
      lines.push(line)
      options.heard?.(line)
    })
    const after = await alone()
    wrong.push(...(await idleComplaints(url)))
    const { peakMemory } = canLook ? look(pid) : { peakMemory: 0 }
    const commits = (await commitsOf(dir)) - commitsBefore
    // Refused updates leave no commit: the branch has exactly the acknowledged ones.
    if (commits !== log.acknowledged)
      wrong.push(`${log.acknowledged} updates were acknowledged, and ${commits} commits made.`)
    wrong.push(...(await complaintsAbout(server, url, log, { whole: true })))
    return { capacity, lines, log, refused, alone: { before, after }, memory: peakMemory, complaints: wrong }
  } finally {
    await crowd.close()
  }

  /** @returns the number of answered requests */
  async function measure(): Promise<number> {
    let answered = 0
    const seconds = options.measuring
    await crowd.run({ port, mix, seconds, connections: clientsThatWait }, tally => {
      note(tally)
      answered += tally.changes.length + tally.reads.length
    })
    if (refused > 0) wrong.push(`${refused} requests were refused with ${clientsThatWait} clients.`)
    return answered
  }

  async function press(capacity: number, heard: (line: Line) => void): Promise<void> {
    let sum = emptySum()
    const started = performance.now()
    let last = started
    const ended = new AbortController()

    async function interval(): Promise<void> {
      const now = performance.now()
      const seconds = (now - last) / 1000
      last = now
      const taken = sum
      sum = emptySum()
      heard({
        at: (now - started) / 1000,
        offered: taken.offered / seconds,
        changed: taken.changes.length / seconds,
        read: taken.reads.length / seconds,
        refused: taken.refused.length / seconds,
        unsent: taken.unsent / seconds,
        changes: timesOf(taken.changes),
        reads: timesOf(taken.reads),
        refusals: timesOf(taken.refused),
        live: taken.live,
        ready: taken.ready,
        memory: canLook ? look(pid).memory : 0,
        ...(await figuresOf(url)),
      })
    }
    async function watch(): Promise<void> {
      while (!ended.signal.aborted) {
        for (const name of ['live', 'ready'] as const) {
          const took = await healthOf(port, `/health/${name}`, wrong)
          sum[name] = Math.max(sum[name], took)
        }
        await pause(healthInterval, ended.signal)
      }
    }
    async function report(): Promise<void> {
      for (;;) {
        await pause(options.interval * 1000, ended.signal)
        await interval()
        if (ended.signal.aborted) return
      }
    }
    const reports = Promise.all([watch(), report()])
    const rate = capacity * options.times
    await crowd.run({ port, mix, rate, seconds: options.seconds, connections }, tally => {
      note(tally)
      sum.offered += tally.offered
      sum.unsent += tally.unsent
      for (const name of ['changes', 'reads', 'refused'] as const)
        for (const time of tally[name]) sum[name].push(time)
    })
    ended.abort()
    await reports
  }
}

type Sum = Pick<Tally, 'offered' | 'unsent' | 'changes' | 'reads' | 'refused'> & {
  live: number
  ready: number
}

function emptySum(): Sum {
  return { offered: 0, unsent: 0, changes: [], reads: [], refused: [], live: 0, ready: 0 }
}

function timesOf(times: readonly number[]): Times {
  if (times.length === 0) return { p50: 0, p99: 0, max: 0 }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: quantile(times, 1) }
}

/** Waits; ends early if the signal is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Requests a health path on a new connection, as a supervisor does. @returns milliseconds until the answer */
async function healthOf(port: number, path: string, wrong: string[]): Promise<number> {
  const asked = performance.now()
  try {
    const connection = await openConnection(port)
    const { status, body } = await connection.send(requestBytes({ method: 'GET', path }))
    connection.close()
    if (status !== 200) wrong.push(`${path}: ${status} ${body.toString()}`)
  } catch (error) {
    wrong.push(`${path}: ${String(error)}`)
  }
  return performance.now() - asked
}

async function figuresOf(url: string): Promise<Pick<Line, 'lag' | 'waiting' | 'validations'>> {
  const text = await (await fetch(`${url}metrics`)).text()
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    lag: figure('nodejs_eventloop_lag_p99_seconds') * 1000,
    waiting: figure('metastore_queue_length'),
    validations: figure('metastore_validations_in_progress'),
  }
}

async function idleComplaints(url: string): Promise<readonly string[]> {
  const until = performance.now() + untilIdle
  for (;;) {
    const { waiting, validations } = await figuresOf(url)
    if (waiting + validations === 0) return []
    if (performance.now() > until)
      return [`Without clients ${waiting} updates wait, and ${validations} validations run.`]
    await sleep(100)
  }
}

async function commitsOf(dir: string): Promise<number> {
  return Number((await runProgram('git', ['-C', dir, 'rev-list', '--count', 'HEAD'])).stdout)
}
