import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { branchAside, fetchAll } from '../../support/http/git-requests.js'
import { metadataRecordV1 } from '../../support/http/test-service.js'
import { plainRepositoryAt } from '../../support/repository/plain-git-repository.js'
import { type Attacker, type Sent, upload, type Victim } from './attacked-server.js'

/** Requests that are cheap to send and expensive to answer. */
export interface Attack {
  readonly name: string
  /** Additional options of the server. */
  readonly args?: readonly string[]
  /** Number of parallel attackers. */
  readonly attackers: number
  /** Stores what the attack needs. */
  prepare?(victim: Victim): Promise<void>
  /** The next step of one attacker. It runs repeatedly until the time is over. @param step from 0 */
  act(victim: Victim, attacker: Attacker, step: number): Promise<unknown>
}

const mebibyte = 2 ** 20
const metadata = '/api/v1/metadata'
/** Number of commits on a branch that is not served. */
const maxAside = 6000

function storeSchema(victim: Victim, schemaId: string, schema: unknown): Promise<void> {
  return victim.store(
    'POST',
    '/api/v1/schemas',
    upload({ record: { schemaId }, schema: JSON.stringify(schema) }),
  )
}

function storeDocument(victim: Victim, id: string, document: string, more: object = {}): Promise<void> {
  const record = metadataRecordV1(`https://example.org/${id}`, 'any', { id, ...more })
  return victim.store('POST', metadata, upload({ record, document }))
}

/** Stores a document and its second version. */
async function storeVersions(victim: Victim, id: string, before: string, after: string): Promise<void> {
  await storeDocument(victim, id, before)
  await victim.store('PUT', `${metadata}/${id}`, upload({ document: after }, { 'If-Match': '*' }))
}

const any = (victim: Victim) => storeSchema(victim, 'any', { $comment: 'anything' })

/** An attack that validates a document against a stored schema. */
function validation(name: string, schema: unknown, document: string): Attack {
  const sent = upload({ document })
  return {
    name,
    attackers: 32,
    prepare: victim => storeSchema(victim, 'attack', schema),
    act: (victim, attacker) => victim.ask(attacker, 'POST', '/api/v1/schemas/attack/validate', sent),
  }
}

/** An attack that repeats a request. */
function repeated(name: string, attackers: number, method: string, path: string, sent?: Sent): Attack {
  return {
    name,
    attackers,
    prepare: any,
    act: (victim, attacker) => victim.ask(attacker, method, path, sent),
  }
}

/** A schema whose validation takes twice as many steps for each level. */
function doubling(levels: number): unknown {
  const level = (n: number) => {
    const $ref = `#/$defs/d${n + 1}`
    return n === levels ? { type: 'integer' } : { anyOf: [{ $ref }, { $ref }] }
  }
  const $defs = Object.fromEntries(Array.from({ length: levels + 1 }, (_, n) => [`d${n}`, level(n)]))
  return { $ref: '#/$defs/d0', $defs }
}

/** A schema that takes seconds to compile. Each number makes a different schema. */
function slowToCompile(number: number): string {
  const properties = Array.from({ length: 9000 }, (_, n) => [
    `p${n}`,
    { type: 'string', pattern: `^${n}-${number}$` },
  ])
  return JSON.stringify({ properties: Object.fromEntries(properties) })
}

const lines = (length: number, of: (n: number) => string) =>
  Array.from({ length }, (_, n) => of(n)).join('\n')
const randomArray = (seed: number) =>
  JSON.stringify(Array.from({ length: 9000 }, (_, n) => ({ v: ((n * 7919 + seed) * 104_729) % 9973 })))

export const attacks: readonly Attack[] = [
  repeated('points', 8, 'GET', `${metadata}?at=a${'T'.repeat(7000)}${'%2B'.repeat(2500)}`),
  repeated('times', 8, 'GET', `${metadata}?from=2026-01-01T00:00:00.${'0'.repeat(12_000)}x`),
  validation('patterns', { pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(60)}!`)),
  validation(
    'patterns without linear engine',
    { pattern: '^(?=(a+)+$)a' },
    JSON.stringify(`${'a'.repeat(60)}!`),
  ),
  validation('doubling references', doubling(33), '"x"'),
  validation(
    'unique items',
    { uniqueItems: true },
    JSON.stringify(Array.from({ length: 20_000 }, (_, n) => ({ n, toString: { constructor: n } }))),
  ),
  validation(
    'many errors',
    { items: { required: Array.from('abcdefghijklmnopqrstuvwxyz'), minProperties: 1 } },
    `[${'{},'.repeat(300_000)}{}]`,
  ),
  validation(
    'long numbers',
    { items: { multipleOf: 0.01 } },
    `[${'12345678901234567890.12,'.repeat(40_000)}${'9'.repeat(100_000)}, 1e1000000000]`,
  ),
  {
    name: 'slow schemas',
    attackers: 32,
    act: (victim, attacker, step) => {
      const number = Number(attacker.address.split('.').at(-1)) * 1000 + step
      const sent = upload({ record: { schemaId: `slow-${number}` }, schema: slowToCompile(number) })
      return victim.ask(attacker, 'POST', '/api/v1/schemas', sent)
    },
  },
  {
    name: 'impact',
    attackers: 8,
    async prepare(victim) {
      await any(victim)
      for (let n = 0; n < 20; n++) await storeDocument(victim, `d${n}`, JSON.stringify(`${'a'.repeat(60)}!`))
    },
    act: (victim, attacker) =>
      victim.ask(
        attacker,
        'POST',
        '/api/v1/schemas/any/impact',
        upload({ schema: '{"pattern": "^(?=(a+)+$)a"}' }),
      ),
  },
  {
    name: 'text differences',
    attackers: 24,
    async prepare(victim) {
      await any(victim)
      const text = (seed: number) =>
        `[\n${lines(90_000, n => `"${((n * 7919 + seed) * 104_729) % 99_991} of a long line of text",`)}\n0]`
      await storeVersions(victim, 'large', text(1), text(2))
    },
    // The client disconnects after a second, and the next client connects.
    act: (victim, { address, over }) =>
      victim.ask(
        { address, over: AbortSignal.any([over, AbortSignal.timeout(1000)]) },
        'GET',
        `${metadata}/large/diff?from=1&to=2`,
        { headers: { Accept: 'text/x-diff' } },
      ),
  },
  {
    name: 'nasty differences',
    attackers: 8,
    async prepare(victim) {
      await any(victim)
      await storeVersions(victim, 'nasty', randomArray(1), randomArray(5))
    },
    act: (victim, attacker) => victim.ask(attacker, 'GET', `${metadata}/nasty/diff?from=1&to=2`),
  },
  {
    name: 'blame',
    attackers: 8,
    async prepare(victim) {
      await any(victim)
      await storeVersions(victim, 'nasty', randomArray(1), randomArray(5))
    },
    act: (victim, attacker) => victim.ask(attacker, 'GET', `${metadata}/nasty/blame`),
  },
  {
    name: 'large lists',
    attackers: 8,
    prepare: storeLargeRecords,
    act: (victim, attacker) => victim.ask(attacker, 'GET', `/api/v2/metadata?size=2000`),
  },
  {
    name: 'large versions',
    attackers: 16,
    async prepare(victim) {
      await any(victim)
      for (let n = 0; n < 60; n++) {
        const sent = upload(
          { record: largeRecord('versions', n), document: `{"n": ${n}}` },
          { 'If-Match': '*' },
        )
        const [method, path] = n === 0 ? (['POST', ''] as const) : (['PUT', '/versions'] as const)
        await victim.store(method, `/api/v2/metadata${path}`, sent)
      }
    },
    act: (victim, attacker) => victim.ask(attacker, 'GET', '/api/v2/metadata/versions/versions?size=2000'),
  },
  {
    name: 'answers nobody reads',
    attackers: 50,
    prepare: storeLargeRecords,
    async act(victim, attacker) {
      const socket = await victim.open(attacker)
      socket.write(
        `GET /api/v2/metadata?size=2000 HTTP/1.1\r\nHost: localhost:${victim.port}\r\n\r\n`.repeat(3),
      )
      await closed(socket)
    },
  },
  {
    name: 'uploads without end',
    attackers: 32,
    prepare: any,
    async act(victim, attacker) {
      const socket = await victim.open(attacker)
      socket.on('error', () => {})
      const head = `POST ${metadata} HTTP/1.1\r\nHost: localhost:${victim.port}\r\nContent-Type: multipart/form-data; boundary=boundary\r\n`
      const part = '--boundary\r\nContent-Disposition: form-data; name="document"; filename="d"\r\n\r\n'
      socket.write(`${head}Content-Length: ${60 * mebibyte}\r\n\r\n${part}`)
      const chunk = Buffer.alloc(mebibyte, 0x20)
      for (let sent = 1; sent < 55 && !socket.destroyed && !attacker.over.aborted; sent++) {
        socket.write(chunk)
        await sleep(50)
      }
      socket.resume()
      await closed(socket)
    },
  },
  {
    name: 'related identifiers',
    attackers: 4,
    prepare: async victim => {
      await any(victim)
      await storeDocument(victim, 'probe', '{}')
    },
    act: (victim, attacker, step) => victim.ask(attacker, 'PUT', '/api/v2/metadata/probe', related(step)),
  },
  {
    name: 'access entries',
    attackers: 4,
    prepare: any,
    act(victim, attacker, step) {
      const id = `${attacker.address}-${step}`
      const acl = Array.from({ length: 22_000 }, (_, n) => ({ sid: `person-${n}`, permission: 'READ' }))
      const record = metadataRecordV1(`https://example.org/${id}`, 'any', { id, acl })
      return victim.ask(attacker, 'POST', metadata, upload({ record, document: '{}' }))
    },
  },
  {
    name: 'waiting',
    attackers: 200,
    act: (victim, attacker) => victim.ask(attacker, 'GET', '/api/changes?wait=30'),
  },
  clones(),
  pointsOutside(),
]

/** An attack by clients that read only the beginning of a clone and disconnect after two seconds. */
function clones(): Attack {
  let wanted = ''
  return {
    name: 'clones',
    attackers: 32,
    async prepare(victim) {
      await storeLargeRecords(victim)
      wanted = fetchAll(plainRepositoryAt(victim.data).git('rev-parse', 'main'))
    },
    async act(victim, attacker) {
      const socket = await victim.open(attacker)
      socket.write(wanted)
      return await statusOf(socket, 2000)
    },
  }
}

/** An attack by clients that each read a record at many commits of a branch that is not served. */
function pointsOutside(): Attack {
  let commits: readonly string[] = []
  return {
    name: 'points outside',
    attackers: 32,
    async prepare(victim) {
      await any(victim)
      await storeDocument(victim, 'probe', '{}')
      const { git, feed } = plainRepositoryAt(victim.data)
      feed(branchAside('aside', git('rev-parse', 'main'), maxAside), 'fast-import', '--quiet')
      commits = git('rev-list', '--first-parent', 'aside').split('\n').slice(0, maxAside)
    },
    act(victim, attacker, step) {
      const number = Number(attacker.address.split('.').at(-1)) * 97 + step
      const commit = commits[number % commits.length]
      return victim.ask(attacker, 'GET', `${metadata}/probe?at=${commit}`)
    },
  }
}

/** Stores records of almost the largest size. */
async function storeLargeRecords(victim: Victim): Promise<void> {
  await any(victim)
  for (let n = 0; n < 100; n++) {
    const record = largeRecord(`large-${n}`, n)
    await victim.store('POST', '/api/v2/metadata', upload({ record, document: '{}' }))
  }
}

function largeRecord(id: string, n: number) {
  const description = `${n} ${'x'.repeat(0.9 * mebibyte)}`
  return { ...citation(id), descriptions: [{ description, type: 'OTHER' }] }
}

function related(step: number): Sent {
  const record = citation('probe')
  const more = Array.from({ length: 11_000 }, (_, n) => ({
    identifierType: 'URL',
    value: `https://example.org/${step}/${n}`,
    relationType: 'REFERENCES',
  }))
  const relatedIdentifiers = [...record.relatedIdentifiers, ...more]
  return upload({ record: { ...record, relatedIdentifiers } }, { 'If-Match': '*' })
}

/** A record of version 2 about a resource with the same name. */
function citation(id: string) {
  return {
    id,
    titles: [{ value: id }],
    relatedIdentifiers: [
      { identifierType: 'URL', value: `https://example.org/${id}`, relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: 'any', relationType: 'HAS_METADATA' },
    ],
  }
}

/** Reads the status of an answer and nothing else, and closes the connection after some milliseconds. */
async function statusOf(socket: Socket, patience: number): Promise<number> {
  const first = new Promise<number>(resolve => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause()
      resolve(Number(chunk.toString('latin1', 9, 12)))
    })
  })
  socket.resume()
  const status = await Promise.race([first, closed(socket).then(() => 0)])
  if (status !== 503) await sleep(patience)
  socket.destroy()
  return status
}

function closed(socket: {
  once(event: 'close', heard: () => void): unknown
  destroyed: boolean
}): Promise<void> {
  return new Promise(resolve => {
    if (socket.destroyed) resolve()
    else socket.once('close', resolve)
  })
}
