import { asVersion } from '../../src/core/value-types.js'
import { schemaIdOf, schemaOf } from '../data/generated-records.js'
import { schemas, seed } from '../data/repository-cache.js'
import { openRandom } from '../data/seeded-random.js'
import { createBytes, documentFor, idOfRecord } from '../load/create-requests.js'
import { type Answer, type Connection, form, openConnection, requestBytes } from '../load/http-connection.js'
import { getBytes, recordType } from '../load/read-requests.js'
import { fresh } from '../support/measurement.js'
import type { Oracle } from './acknowledged-records.js'

/** The results of an interval. */
export interface Tally {
  /** Milliseconds from the due time of a request to its answer. */
  readonly latencies: number[]
  /** Number of answers with status 503. */
  refused: number
  /** Number of connections that ended without an answer. */
  lost: number
  /** Number of requests that were omitted because there was no server. */
  skipped: number
}

export interface Traffic {
  /** Sets the port for later requests; undefined if there is no server. */
  pointAt(port: number | undefined): void
  /** Returns the results since the last call. */
  take(): Tally
  /** Answers that a correct server never gives. */
  readonly wrong: readonly string[]
  /** Stops, and waits for running requests. */
  stop(): Promise<void>
}

/** Milliseconds between two checks for due requests. */
const tick = 5
/** Limit of the wrong answers that are kept. */
const maxWrong = 50

type Operation = (connection: Connection) => Promise<'done' | 'refused'>

/**
 * Sends mixed requests at a fixed rate. A slow answer does not delay other requests, and its time counts from the due
 * time. Of twenty requests, five are creates, three updates, eight documents, two records, one a list, and one a
 * validation.
 * @param rate requests per second
 */
export function openTraffic(oracle: Oracle, rate: number, connections: number): Traffic {
  const random = openRandom(1)
  const wrong: string[] = []
  let tally = emptyTally()
  let port: number | undefined
  let generation = 0
  let free: Connection[] = []
  let open = 0
  const due: number[] = []
  const underWay = new Set<Promise<void>>()

  function complain(what: string, { status, body }: Answer): void {
    if (wrong.length < maxWrong) wrong.push(`${what}: ${status} ${body.toString().slice(0, 300)}`)
  }

  // ── operations ─────────────────────────────────────────────────────────────────────────────────────────────────

  const create: Operation = async connection => {
    const number = fresh(1)
    let answer: Answer
    try {
      answer = await connection.send(createBytes(number))
    } catch (error) {
      oracle.maybeCreated(number)
      throw error
    }
    if (answer.status === 503) return 'refused'
    if (answer.status === 201) oracle.created(number, answer.header('etag') ?? '')
    else complain(`create ${number}`, answer)
    return 'done'
  }

  const update: Operation = async connection => {
    const known = oracle.any(random.next())
    if (!known || known.pending) return await read(connection)
    const { number, etag } = known
    const next = asVersion(known.version + 1)
    const { headers, body } = form({ document: documentFor(number, next) })
    const path = `/api/v1/metadata/${idOfRecord(number)}`
    const request = requestBytes({ method: 'PUT', path, headers: { ...headers, 'if-match': etag }, body })
    known.pending = true
    try {
      const answer = await connection.send(request)
      if (answer.status === 503) return 'refused'
      if (answer.status === 200) {
        known.version = next
        known.etag = answer.header('etag') ?? ''
        oracle.acknowledge()
      } else {
        complain(`update ${number} to version ${next}`, answer)
        known.unsure = true
      }
    } catch (error) {
      known.unsure = true
      throw error
    } finally {
      known.pending = false
    }
    return 'done'
  }

  const read: Operation = async connection => {
    const known = oracle.any(random.next())
    if (!known) return await list(connection)
    const { number, version } = known
    const pending = known.pending
    const answer = await connection.send(getBytes(`/api/v1/metadata/${idOfRecord(number)}`))
    if (answer.status === 503) return 'refused'
    const last = known.version + (pending || known.pending || known.unsure ? 1 : 0)
    for (let possible: number = version; possible <= last; possible++)
      if (answer.status === 200 && answer.body.equals(documentFor(number, asVersion(possible)))) return 'done'
    complain(`document ${number}, version ${version} to ${last}`, answer)
    return 'done'
  }

  const readRecord: Operation = async connection => {
    const known = oracle.any(random.next())
    if (!known) return await list(connection)
    const { number, version } = known
    const answer = await connection.send(getBytes(`/api/v1/metadata/${idOfRecord(number)}`, recordType))
    if (answer.status === 503) return 'refused'
    const record = answer.status === 200 ? JSON.parse(answer.body.toString()) : {}
    if (record.id !== idOfRecord(number) || !(record.recordVersion >= version))
      complain(`record ${number}`, answer)
    return 'done'
  }

  const list: Operation = async connection => {
    const queries = ['', '?page=100', `?schemaId=${schemaIdOf(random.below(schemas))}`, '?sort=id&page=200']
    const answer = await connection.send(getBytes(`/api/v1/metadata${random.pick(queries)}`))
    if (answer.status === 503) return 'refused'
    // The page is behind the end of a list that is still short.
    if (
      answer.status !== 416 &&
      (answer.status !== 200 || !Array.isArray(JSON.parse(answer.body.toString())))
    )
      complain('list', answer)
    return 'done'
  }

  const validate: Operation = async connection => {
    const number = random.below(100_000)
    const parts = form({ document: documentFor(number) })
    const path = `/api/v1/schemas/${schemaIdOf(schemaOf(seed, number, schemas))}/validate`
    const answer = await connection.send(requestBytes({ method: 'POST', path, ...parts }))
    if (answer.status === 503) return 'refused'
    if (answer.status !== 204) complain(`validate ${number}`, answer)
    return 'done'
  }

  const mix: readonly Operation[] = [
    ...Array.from({ length: 5 }, () => create),
    ...Array.from({ length: 3 }, () => update),
    ...Array.from({ length: 8 }, () => read),
    ...Array.from({ length: 2 }, () => readRecord),
    list,
    validate,
  ]

  // ── the clock ──────────────────────────────────────────────────────────────────────────────────────────────────

  async function carryOut(since: number): Promise<void> {
    const mine = generation
    const to = port as number
    open++
    let connection = free.pop()
    while (connection && !connection.isOpen) connection = free.pop()
    try {
      const used = connection ?? (await openConnection(to))
      try {
        if ((await random.pick(mix)(used)) === 'refused') tally.refused++
        else tally.latencies.push(performance.now() - since)
        if (mine === generation) free.push(used)
        else used.close()
      } catch (error) {
        used.close()
        throw error
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      tally.lost++
    } finally {
      open--
    }
  }

  function pump(): void {
    while (due.length > 0 && open < connections) {
      const since = due.shift() as number
      if (port === undefined) {
        tally.skipped++
        continue
      }
      const work: Promise<void> = carryOut(since).finally(() => {
        underWay.delete(work)
        pump()
      })
      underWay.add(work)
    }
  }

  const started = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const now = performance.now()
    for (; started + (sent * 1000) / rate <= now; sent++) due.push(started + (sent * 1000) / rate)
    pump()
  }, tick)

  return {
    wrong,
    pointAt(to) {
      generation++
      port = to
      for (const connection of free) connection.close()
      free = []
    },
    take() {
      const taken = tally
      tally = emptyTally()
      return taken
    },
    async stop() {
      clearInterval(timer)
      due.length = 0
      while (underWay.size > 0) await Promise.all(underWay)
      for (const connection of free) connection.close()
    },
  }
}

function emptyTally(): Tally {
  return { latencies: [], refused: 0, lost: 0, skipped: 0 }
}
