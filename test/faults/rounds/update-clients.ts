import type { Collection, DocumentType } from '../../../src/core/records/collection.js'
import {
  type Change,
  isThere,
  type Log,
  pathOf,
  type RecordLog,
  type Update,
} from './acknowledged-updates.js'
import { bytesOf, firstSchemas, metadataRecord, schemaRecord } from './sent-documents.js'

/** A kind of update: the first three change metadata, the next two change schemas, and a change set changes both. */
export type Work = 'create' | 'update' | 'remove' | 'register' | 'revise' | 'set'

/** The outcome of an update. */
export type Outcome = 'acknowledged' | 'refused' | 'lost'

export interface Clients {
  /** Returns the answers since the last call that a correct server never gives, even after a fault. */
  takeWrong(): readonly string[]
  /** Registers a first schema of each type. @throws Error if the server refuses one */
  register(url: string): Promise<void>
  /**
   * Makes one update. Resolves for every outcome.
   * @param work default: a random kind. If it needs a record and there is none, the update creates one.
   */
  write(url: string, work?: Work): Promise<Outcome>
  /**
   * Clients write in parallel until the server is gone, or until each has made `max` updates.
   * @returns the number of acknowledged updates
   */
  drive(url: string, clients: number, max: number): Promise<number>
}

/** Time limit of an answer, in milliseconds. */
const patience = 60_000
/** Share of the updates of served records that revoke the record. */
const removals = 0.2
/** Limit of the registered schemas. Later registrations become new versions, because compiling a schema takes long. */
const maxSchemas = 6

interface Sent {
  readonly answer: Response
  readonly text: string
}

/** @param random returns numbers from 0 to below 1 */
export function openClients(log: Log, random: () => number): Clients {
  const wrong: string[] = []
  let made = 0

  async function send(
    method: 'POST' | 'PUT' | 'DELETE',
    url: string,
    parts: Readonly<Record<string, string>>,
    tag?: string,
  ): Promise<Sent> {
    const form = new FormData()
    for (const [name, text] of Object.entries(parts)) form.append(name, new Blob([text]), name)
    const headers: Record<string, string> = tag === undefined ? {} : { 'If-Match': tag }
    const body = method === 'DELETE' ? null : form
    const answer = await fetch(url, { method, body, headers, signal: AbortSignal.timeout(patience) })
    return { answer, text: await answer.text() }
  }

  /** Sends an update and enters its outcome into the log. */
  async function carryOut(
    update: Update,
    wanted: number,
    request: () => Promise<Sent>,
    etagIn: (sent: Sent, update: Update) => string | undefined,
  ): Promise<Outcome> {
    const names = update.map(({ record }) => record.id).join(', ')
    log.begin(update)
    try {
      const sent = await request()
      const { answer, text } = sent
      if (answer.status === wanted) {
        log.acknowledge(update, etagIn(sent, update))
        return 'acknowledged'
      }
      if (answer.status < 500) wrong.push(`${names}: ${answer.status} ${text.slice(0, 300)}`)
      else lookAtRefusal(answer, text, wrong)
      // A refusal means that nothing was stored. The soundness check verifies that.
      return 'refused'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') wrong.push(`${names}: no answer`)
      return 'lost'
    } finally {
      for (const { record } of update) record.busy = false
    }
  }

  // ── changes ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Creates a record. Every third metadata document and every second schema is XML. */
  function newRecord(kind: Collection): RecordLog {
    const number = ++made
    const type: DocumentType = number % (kind === 'schema' ? 2 : 3) === 0 ? 'XML' : 'JSON'
    const name = kind === 'schema' ? 'schema' : firstSchemas[type]
    return log.add({ kind, type, id: `${name}-${number}` })
  }

  function next(record: RecordLog): Change {
    return { record, bytes: bytesOf(record, record.history.length + 1), standing: 'served' }
  }

  /** The first or the second DELETE of a record. */
  function removal(record: RecordLog): Change {
    const { bytes = '' } = record.history.at(-1) ?? {}
    return { record, bytes, standing: record.standing === 'served' ? 'revoked' : 'gone' }
  }

  const isNew = ({ record }: Change) => record.history.length === 0
  const tagOf = ({ record }: Change) => record.history.at(-1)?.etag ?? '*'

  /** A random schema of a type. */
  function schemaFor(type: DocumentType): string {
    const known = log.records.filter(
      record => record.kind === 'schema' && record.type === type && isThere(record),
    )
    return known[Math.floor(random() * known.length)]?.id ?? firstSchemas[type]
  }

  // ── requests ───────────────────────────────────────────────────────────────────────────────────────────────────

  async function sendAlone(url: string, change: Change): Promise<Outcome> {
    const { record, bytes, standing } = change
    const path = url + pathOf(record)
    const document = record.kind === 'schema' ? 'schema' : 'document'
    if (standing !== 'served')
      return await carryOut([change], 204, () => send('DELETE', path, {}, tagOf(change)), etagOf)
    if (!isNew(change)) {
      return await carryOut(
        [change],
        200,
        () => send('PUT', path, { [document]: bytes }, tagOf(change)),
        etagOf,
      )
    }
    const collection = path.slice(0, path.lastIndexOf('/'))
    const described =
      record.kind === 'schema' ? schemaRecord(record) : metadataRecord(record, schemaFor(record.type))
    const parts = { record: JSON.stringify(described), [document]: bytes }
    return await carryOut([change], 201, () => send('POST', collection, parts), etagOf)
  }

  /** Returns the ETag of an answer. Only the answer to a DELETE has none. */
  function etagOf({ answer }: Sent, update: Update): string | undefined {
    const etag = answer.headers.get('etag') ?? undefined
    for (const { record, standing } of update) {
      if (etag === undefined && standing === 'served')
        wrong.push(`${record.id}: ${answer.status} without ETag`)
    }
    return etag
  }

  /**
   * Sends a change set: a schema or a version of one, a document that follows it, up to two updates or removals of
   * metadata.
   */
  async function sendSet(url: string): Promise<Outcome> {
    const schema = next(claimedSchema() ?? newRecord('schema'))
    const { type } = schema.record
    const number = ++made
    const follower = next(log.add({ kind: 'metadata', type, id: `${firstSchemas[type]}-${number}` }))
    const others = [log.claim('metadata', random()), log.claim('metadata', random())].flatMap(
      (record, index) => {
        if (!record) return []
        return [
          record.standing === 'revoked' || (index === 1 && random() < removals)
            ? removal(record)
            : next(record),
        ]
      },
    )
    const update = [schema, follower, ...others]
    const changes = update.map((change, index) => {
      const { kind, id } = change.record
      if (change.standing !== 'served') return { kind, action: 'delete', id, ifMatch: tagOf(change) }
      const document = `part-${index}`
      if (!isNew(change)) return { kind, action: 'update', id, ifMatch: tagOf(change), document }
      const record =
        kind === 'schema' ? schemaRecord(change.record) : metadataRecord(change.record, schema.record.id)
      return { kind, action: 'create', record, document }
    })
    const documents = update.flatMap(({ bytes, standing }, index) =>
      standing === 'served' ? [[`part-${index}`, bytes] as const] : [],
    )
    const parts = { changeset: JSON.stringify({ interface: 1, changes }), ...Object.fromEntries(documents) }
    return await carryOut(update, 200, () => send('POST', `${url}api/changesets`, parts), etagOfSet)
  }

  /** Checks that the change set made the next version of each record, in one commit. */
  function etagOfSet({ text }: Sent, update: Update): string | undefined {
    const { commit, records } = JSON.parse(text) as {
      readonly commit?: string
      readonly records: readonly { readonly id: string; readonly version?: number; readonly etag?: string }[]
    }
    const etag = `"${commit}"`
    for (const [index, { record, standing }] of update.entries()) {
      const told = records[index]
      const version = record.history.length + 1
      const isTold =
        told?.id === record.id && (standing === 'gone' || (told.version === version && told.etag === etag))
      if (!isTold) wrong.push(`${record.id} in a change set: ${JSON.stringify(told)} of commit ${commit}`)
    }
    return etag
  }

  // ── choice of the next update ──────────────────────────────────────────────────────────────────────────────────

  function claimedSchema(): RecordLog | undefined {
    const schemas = log.records.filter(({ kind }) => kind === 'schema')
    if (schemas.length < maxSchemas && random() < 0.3) return undefined
    return log.claim('schema', random())
  }

  function anyWork(): Work {
    const share = random()
    if (share < 0.4) return 'update'
    if (share < 0.8) return 'create'
    return share < 0.92 ? 'set' : 'revise'
  }

  async function write(url: string, asked?: Work): Promise<Outcome> {
    const work = asked ?? anyWork()
    if (work === 'set') return await sendSet(url)
    if (work === 'register') return await sendAlone(url, next(newRecord('schema')))
    if (work === 'revise') return await sendAlone(url, next(claimedSchema() ?? newRecord('schema')))
    const record = work === 'create' ? undefined : log.claim('metadata', random())
    if (!record) return await sendAlone(url, next(newRecord('metadata')))
    const isToGo =
      work === 'remove' || record.standing === 'revoked' || (asked === undefined && random() < removals)
    return await sendAlone(url, isToGo ? removal(record) : next(record))
  }

  return {
    takeWrong: () => wrong.splice(0),
    async register(url) {
      for (const type of ['JSON', 'XML'] as const) {
        const schema = log.add({ kind: 'schema', type, id: firstSchemas[type] })
        if ((await sendAlone(url, next(schema))) !== 'acknowledged')
          throw new Error(`The server refused the schema ${schema.id}: ${wrong.join('\n')}`)
      }
    },
    write,
    async drive(url, clients, max) {
      const before = log.acknowledged
      await Promise.all(
        Array.from({ length: clients }, async () => {
          for (let count = 0; count < max; count++) if ((await write(url)) === 'lost') return
        }),
      )
      return log.acknowledged - before
    },
  }
}

/** Checks that a refusal is a problem, and that its status is not 500. @see RFC 9457 */
function lookAtRefusal(answer: Response, text: string, wrong: string[]): void {
  const problem = answer.headers.get('content-type')?.startsWith('application/problem+json')
    ? (JSON.parse(text) as { readonly title?: string })
    : undefined
  if (!problem?.title) wrong.push(`${answer.status} without a problem: ${text.slice(0, 300)}`)
  if (answer.status === 500) wrong.push(`500: ${text.slice(0, 300)}`)
}
