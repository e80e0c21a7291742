import { setTimeout as sleep } from 'node:timers/promises'
import { openRandom } from '../../bench/data/seeded-random.js'
import { type Answer, type Connection, openConnection } from '../../bench/load/http-connection.js'
import {
  creation,
  documentFor,
  idOf,
  listing,
  reading,
  revision,
  slowValidation,
  validation,
} from './overload-requests.js'

/** The number of requests of each kind in one cycle of a client. */
export type Mix = Readonly<Partial<Record<keyof Operations, number>>>

export interface Run {
  readonly port: number
  readonly mix: Mix
  readonly seconds: number
  /**
   * Requests per second, sent without waiting for earlier answers; undefined: a connection sends after its last answer.
   */
  readonly rate?: number | undefined
  /** Limit of the connections. A request without a free connection is dropped and counted as unsent. */
  readonly connections: number
}

/** Results of an interval. Times are in milliseconds, from the due time of a request to its answer. */
export interface Tally {
  offered: number
  /** Requests that were dropped because no connection was free. */
  unsent: number
  /** Times of updates and validations that succeeded. */
  readonly changes: number[]
  readonly reads: number[]
  /** Times of answers with status 503. */
  readonly refused: number[]
  readonly acknowledged: Acknowledged[]
  /** Answers that a correct server does not give. */
  readonly wrong: string[]
}

export type Acknowledged = readonly [number: number, version: number, etag: string]

export interface Clients {
  /** Sends requests for the given time and waits for the last answers. */
  run(run: Run): Promise<void>
  /** Returns the results since the last call. */
  take(): Tally
}

interface Known {
  readonly number: number
  version: number
  etag: string
  busy: boolean
}

type Verdict = 'changed' | 'read' | 'refused'
type Operation = (connection: Connection) => Promise<Verdict>
type Operations = Record<'create' | 'update' | 'validate' | 'slow' | 'read' | 'list', Operation>

/** Milliseconds between two checks for due requests. */
const tick = 5
/** Milliseconds after which an idle connection is not used again, because servers close idle connections. */
const maxIdle = 30_000
/** Milliseconds after which a missing answer is reported. */
const patience = 120_000
/** Limit of the complaints that one interval keeps. */
const maxWrong = 20

/**
 * Clients that remember the versions and ETags of their records.
 * @param place number of this process; each process uses its own record numbers
 * @param processes number of processes with clients
 */
export function openClients(place: number, processes: number): Clients {
  const random = openRandom(place)
  const records: Known[] = []
  let tally = emptyTally()
  let made = 0

  function complain(what: string): void {
    if (tally.wrong.length < maxWrong) tally.wrong.push(what)
  }

  /**
   * Complains about an answer that is neither 503 nor the expected one.
   * @returns whether the answer has another status than expected
   */
  function isRefused(what: string, answer: Answer, expected: number): boolean {
    if (answer.status === 503) complainAboutRefusal(what, answer)
    else if (answer.status !== expected)
      complain(`${what}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
    return answer.status !== expected
  }

  /** Checks the header and the problem of a 503. @see RFC 9457; RFC 9110 §10.2.3 */
  function complainAboutRefusal(what: string, { header, body }: Answer): void {
    if (!/^[1-9]\d*$/.test(header('retry-after') ?? '')) complain(`${what}: 503 without Retry-After`)
    const isProblem = header('content-type') === 'application/problem+json'
    const { status, detail } = isProblem ? JSON.parse(body.toString()) : {}
    if (status !== 503 || typeof detail !== 'string') complain(`${what}: 503 without a problem`)
  }

  // ── operations ─────────────────────────────────────────────────────────────────────────────────────────────────

  const create: Operation = async connection => {
    const number = place + processes * ++made
    const answer = await connection.send(creation(number))
    if (isRefused(`create ${idOf(number)}`, answer, 201)) return 'refused'
    const etag = answer.header('etag') ?? ''
    records.push({ number, version: 1, etag, busy: false })
    tally.acknowledged.push([number, 1, etag])
    return 'changed'
  }

  const update: Operation = async connection => {
    const known = anyRecord()
    if (!known || known.busy) return await create(connection)
    const { number, version, etag } = known
    known.busy = true
    try {
      const answer = await connection.send(revision(number, version + 1, etag))
      if (isRefused(`update ${idOf(number)}`, answer, 200)) return 'refused'
      known.version = version + 1
      known.etag = answer.header('etag') ?? ''
      tally.acknowledged.push([number, known.version, known.etag])
      return 'changed'
    } finally {
      known.busy = false
    }
  }

  const read: Operation = async connection => {
    const known = anyRecord()
    if (!known) return await list(connection)
    const { number, version, busy } = known
    const answer = await connection.send(reading(number))
    if (isRefused(`read ${idOf(number)}`, answer, 200)) return 'refused'
    const last = known.version + (busy || known.busy ? 1 : 0)
    const body = answer.body.toString()
    for (let possible = version; possible <= last; possible++)
      if (body === documentFor(number, possible)) return 'read'
    complain(`${idOf(number)} was read as none of its versions ${version} to ${last}`)
    return 'read'
  }

  const list: Operation = async connection => {
    const answer = await connection.send(listing())
    if (isRefused('list', answer, 200)) return 'refused'
    if (!Array.isArray(JSON.parse(answer.body.toString()))) complain('A list is none.')
    return 'read'
  }

  const check = (what: string, request: () => Buffer): Operation => {
    return async connection =>
      isRefused(what, await connection.send(request()), 204) ? 'refused' : 'changed'
  }

  const operations: Operations = {
    create,
    update,
    read,
    list,
    validate: check('validate', () => validation(random.below(1000))),
    slow: check('validate slowly', slowValidation),
  }

  function anyRecord(): Known | undefined {
    return records.length === 0 ? undefined : random.pick(records)
  }

  // ── connections and the clock ──────────────────────────────────────────────────────────────────────────────────

  return {
    take() {
      const taken = tally
      tally = emptyTally()
      return taken
    },
    async run({ port, mix, seconds, rate, connections }) {
      const turns = Object.entries(mix).flatMap(([name, share]) =>
        Array.from({ length: share }, () => operations[name as keyof Operations]),
      )
      const free: { readonly connection: Connection; readonly since: number }[] = []
      const underWay = new Set<Promise<void>>()

      async function connect(): Promise<Connection> {
        for (let last = free.pop(); last; last = free.pop()) {
          if (last.connection.isOpen && performance.now() - last.since < maxIdle) return last.connection
          last.connection.close()
        }
        return await openConnection(port)
      }

      async function carryOut(due: number): Promise<void> {
        try {
          const connection = await connect()
          const verdict = await random.pick(turns)(connection)
          const took = performance.now() - due
          if (verdict === 'refused') tally.refused.push(took)
          else (verdict === 'read' ? tally.reads : tally.changes).push(took)
          free.push({ connection, since: performance.now() })
        } catch (error) {
          complain(`No answer: ${String(error)}`)
        }
      }

      function send(due: number): Promise<void> {
        tally.offered++
        const work = carryOut(due).finally(() => underWay.delete(work))
        underWay.add(work)
        return work
      }

      const started = performance.now()
      const end = started + seconds * 1000
      if (rate === undefined) {
        const one = async () => {
          while (performance.now() < end) await send(performance.now())
        }
        await Promise.all(Array.from({ length: connections }, one))
      } else {
        for (let sent = 0; performance.now() < end; await sleep(tick)) {
          for (const now = performance.now(); started + (sent * 1000) / rate <= now; sent++) {
            if (underWay.size < connections) void send(started + (sent * 1000) / rate)
            else {
              tally.offered++
              tally.unsent++
            }
          }
        }
      }
      const late = sleep(patience, 'late', { ref: false })
      if ((await Promise.race([Promise.all(underWay), late])) === 'late')
        complain(`${underWay.size} requests have no answer after ${patience / 1000} s`)
      for (const { connection } of free) connection.close()
    },
  }
}

function emptyTally(): Tally {
  return { offered: 0, unsent: 0, changes: [], reads: [], refused: [], acknowledged: [], wrong: [] }
}
