import { SignJWT } from 'jose'
import { schemaIdOf, schemaOf } from '../data/generated-records.js'
import { type Size, schemas, seed } from '../data/repository-cache.js'
import { documentFor, idOfRecord, numbers } from '../load/create-requests.js'
import { type Answer, type Connection, form, openConnection, requestBytes } from '../load/http-connection.js'
import { recordType } from '../load/read-requests.js'
import { type Bench, many } from '../support/measurement.js'
import { type Server, withServer } from '../support/server-process.js'
import { median } from '../support/statistics.js'

/*
 * Records that a caller may not read must not cost the caller time: otherwise the time of an answer reveals them. The
 * generated records are visible only to administrators, and a few further records are visible to everyone.
 */

const secret = 'the secret of a benchmark, which is no secret'
const env = { METASTORE_AUTH: 'true', METASTORE_JWT_SECRET: secret }

/** Number of records in every repository that everyone may read. */
const shown = 24
/** Number of hidden records that are REVOKED. For other callers, they do not exist. */
const revoked = 20

const shownId = (at: number) => `shown-${at}`
const shownResource = 'https://example.org/shown'
/** The schema of all visible and most hidden records. */
const schemaId = schemaIdOf(0)
/** Numbers of generated records with this schema. */
const following = numbers(0, 10_000).filter(number => schemaOf(seed, number, schemas) === 0)

/** Kinds of lists. Each page is from a list that nothing has requested before, so that no cache helps. */
const lists: Readonly<Record<string, { path(at: number): string; readonly total: number }>> = {
  'first page': { path: at => `/api/v1/metadata?until=${never(at)}`, total: shown },
  'first page, by id,': { path: at => `/api/v1/metadata?sort=id&until=${never(at)}`, total: shown },
  'filtered page, the schema most records follow,': {
    path: at => `/api/v1/metadata?schemaId=${schemaId}&until=${never(at)}`,
    total: shown,
  },
  'filtered page, a schema that is hidden,': {
    path: at => `/api/v1/metadata?schemaId=${schemaIdOf(1)}&until=${never(at)}`,
    total: 0,
  },
  'filtered page, a resource,': {
    path: at => `/api/v1/metadata?resourceId=${encodeURIComponent(shownResource)}&until=${never(at)}`,
    total: 1,
  },
  'first page of the schemas': { path: at => `/api/v1/schemas?until=${never(at)}`, total: 1 },
}

export async function run({ options, repositories, table }: Bench): Promise<void> {
  const { small, largest } = options.sizes
  const count = options.count(100, 10)
  const times = new Map<string, { small: number[]; largest: number[] }>()
  const refusals = new Map<string, { hidden: number[]; absent: number[] }>()
  const root = await tokenOf('root', 'ROLE_ADMINISTRATOR')
  const stranger = await tokenOf('stranger', 'ROLE_USER')
  for (const which of ['small', 'largest'] as const) {
    const size: Size = { records: which === 'small' ? small : largest, bare: true, shown: 0 }
    await repositories.withCopy(size, async dir => {
      await withServer(dir, server => prepare(server, root), env)
      for (let repeat = 0; repeat < options.repeats; repeat++) {
        await withServer(
          dir,
          server =>
            withConnection(server, async connection => {
              for (const [name, list] of Object.entries(lists)) {
                const latencies: number[] = []
                for (let at = -count; at < count; at++) {
                  const elapsed = await timed(connection, get(list.path(at + count), stranger), answer =>
                    assertTotal(answer, list.total),
                  )
                  if (at >= 0) latencies.push(elapsed)
                }
                const known = times.get(name) ?? { small: [], largest: [] }
                times.set(name, known)
                known[which].push(median(latencies))
              }
              if (which === 'small') await refused(connection, count, stranger, refusals)
            }),
          env,
        )
      }
    })
  }
  for (const [name, values] of times) {
    table.add({
      work: `${name} of a list, for a caller who sees ${shown} records`,
      unit: 'ms',
      ours: { what: `where ${many(largest)} are hidden`, values: values.largest },
      against: { what: `where ${many(small)} are hidden`, values: values.small },
      goal: { atMost: 2 },
    })
  }
  for (const [name, { hidden, absent }] of refusals) {
    table.add({
      work: `${name}, refused`,
      unit: 'ms',
      ours: { what: 'a record that is hidden as REVOKED', values: hidden },
      against: { what: 'one that never was', values: absent },
      goal: { atMost: 2 },
    })
  }
}

/** Requests hidden and absent records in turn, so that both have the same conditions. */
async function refused(
  connection: Connection,
  count: number,
  token: string,
  refusals: Map<string, { hidden: number[]; absent: number[] }>,
): Promise<void> {
  const document = documentFor(following[0] ?? 0)
  const ways: Readonly<Record<string, (id: string) => Buffer>> = {
    'GET of a record': id => get(`/api/v1/metadata/${id}`, token, recordType),
    'GET of a document': id => get(`/api/v1/metadata/${id}`, token),
    'GET of its versions': id => get(`/api/v1/metadata/${id}/versions`, token),
    'PUT of a document': id => send('PUT', `/api/v1/metadata/${id}`, token, { document }),
    'a DELETE': id => send('DELETE', `/api/v1/metadata/${id}`, token),
  }
  for (const [name, request] of Object.entries(ways)) {
    const latencies = { hidden: [] as number[], absent: [] as number[] }
    for (let at = -count; at < count; at++) {
      const hidden = revokedIds()[Math.abs(at) % revoked] as string
      for (const [which, id] of [
        ['hidden', hidden],
        ['absent', `${hidden.slice(0, -4)}none`],
      ] as const) {
        const elapsed = await timed(connection, request(id), answer => assertStatus(answer, 404))
        if (at >= 0) latencies[which].push(elapsed)
      }
    }
    const known = refusals.get(name) ?? { hidden: [], absent: [] }
    refusals.set(name, known)
    known.hidden.push(median(latencies.hidden))
    known.absent.push(median(latencies.absent))
  }
}

/** Makes a few records and their schema visible to everyone, and makes some of the others REVOKED. */
async function prepare(server: Server, root: string): Promise<void> {
  await withConnection(server, async connection => {
    const acl = [{ sid: 'anonymousUser', permission: 'READ' }]
    const record = (more: object) => Buffer.from(JSON.stringify({ acl, ...more }))
    const put = send('PUT', `/api/v1/schemas/${schemaId}`, root, { record: record({ schemaId }) })
    assertStatus(await connection.send(put), 200)
    for (const at of numbers(0, shown)) {
      const resource = at === 0 ? shownResource : `${shownResource}/${at}`
      const about = record({
        id: shownId(at),
        relatedResource: { identifier: resource, identifierType: 'URL' },
        schema: { identifier: schemaId, identifierType: 'INTERNAL' },
      })
      const create = { record: about, document: documentFor(following[at] ?? 0) }
      assertStatus(await connection.send(send('POST', '/api/v1/metadata', root, create)), 201)
    }
    for (const id of revokedIds())
      assertStatus(await connection.send(send('DELETE', `/api/v1/metadata/${id}`, root)), 204)
  })
}

function revokedIds(): readonly string[] {
  return numbers(0, revoked).map(idOfRecord)
}

async function withConnection<T>({ port }: Server, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(port)
  try {
    return await use(connection)
  } finally {
    connection.close()
  }
}

/** @returns milliseconds until the answer */
async function timed(
  connection: Connection,
  request: Buffer,
  assert: (answer: Answer) => void,
): Promise<number> {
  const started = performance.now()
  const answer = await connection.send(request)
  const elapsed = performance.now() - started
  assert(answer)
  return elapsed
}

function get(path: string, token: string, accept?: string): Buffer {
  const headers = { authorization: `Bearer ${token}`, ...(accept !== undefined && { accept }) }
  return requestBytes({ method: 'GET', path, headers })
}

function send(
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  token: string,
  parts?: Readonly<Record<string, Buffer>>,
): Buffer {
  const { headers, body } = parts ? form(parts) : { headers: {}, body: undefined }
  const all = { authorization: `Bearer ${token}`, 'if-match': '*', ...headers }
  return requestBytes({ method, path, headers: all, ...(body && { body }) })
}

function tokenOf(username: string, role: string): Promise<string> {
  return new SignJWT({ username, roles: [role] })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('24h')
    .sign(Buffer.from(secret))
}

/** A time after all others, different for each number. */
function never(at: number): string {
  return new Date(Date.UTC(2100, 0, 1) + at * 1000).toISOString()
}

function assertStatus({ status, body }: Answer, expected: number): void {
  if (status !== expected)
    throw new Error(`The status is ${status}, not ${expected}: ${body.toString().slice(0, 300)}`)
}

function assertTotal(answer: Answer, total: number): void {
  assertStatus(answer, 200)
  const range = answer.header('content-range') ?? ''
  if (!range.endsWith(`/${total}`))
    throw new Error(`A list has the range ${range}; ${total} records are visible.`)
}
