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

/** What a client does: of metadata the first three, of schemas the next two, of both a change set. */
export type Work = 'create' | 'update' | 'remove' | 'register' | 'revise' | 'set'

/** What became of it. */
export type Outcome = 'acknowledged' | 'refused' | 'lost'

export interface Clients {
  /** Answers since the last call that no good server gives, whatever happens to it. */
  takeWrong(): readonly string[]
  /** Registers a first schema of each language. @throws Error where that is refused */
  register(url: string): Promise<void>
  /**
   * Makes one update. Resolves whatever becomes of it.
   * @param work default: any. Where there is no record for it, one is made.
   */
  write(url: string, work?: Work): Promise<Outcome>
  /** So many clients write until there is no server, or until so many updates each. @returns how many were acknowledged */
  drive(url: string, clients: number, max: number): Promise<number>
}

/** Milliseconds after which an answer is said to never come. */
const patience = 60_000
/** Share of the updates of a record that are served that revoke it. */
const removals = 0.2
/** Schemas that are registered in all; from then on they get versions, as each one takes its time to be compiled. */
const maxSchemas = 6

interface Sent {
  readonly answer: Response
  readonly text: string
}

/** @param random from 0 to below 1 */
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

  /** Says what an update came to, and enters it into the log. */
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
      // A refusal says that nothing was stored; whoever looks afterwards sees whether that is true.
      return 'refused'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') wrong.push(`${names}: no answer`)
      return 'lost'
    } finally {
      for (const { record } of update) record.busy = false
    }
  }

  // ── what one update is ─────────────────────────────────────────────────────────────────────────────────────────

  /** One in three documents is XML, and one in two schemas. */
  function newRecord(kind: Collection): RecordLog {
    const number = ++made
    const type: DocumentType = number % (kind === 'schema' ? 2 : 3) === 0 ? 'XML' : 'JSON'
    const name = kind === 'schema' ? 'schema' : firstSchemas[type]
    return log.add({ kind, type, id: `${name}-${number}` })
  }

  function next(record: RecordLog): Change {
    return { record, bytes: bytesOf(record, record.history.length + 1), standing: 'served' }
  }

  /** The first of two steps, or the second. */
  function removal(record: RecordLog): Change {
    const { bytes = '' } = record.history.at(-1) ?? {}
    return { record, bytes, standing: record.standing === 'served' ? 'revoked' : 'gone' }
  }

  const isNew = ({ record }: Change) => record.history.length === 0
  const tagOf = ({ record }: Change) => record.history.at(-1)?.etag ?? '*'

  /** Any schema of a language. */
  function schemaFor(type: DocumentType): string {
    const known = log.records.filter(
      record => record.kind === 'schema' && record.type === type && isThere(record),
    )
    return known[Math.floor(random() * known.length)]?.id ?? firstSchemas[type]
  }

  // ── how it is sent ─────────────────────────────────────────────────────────────────────────────────────────────

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

  /** Only a DELETE is answered without. */
  function etagOf({ answer }: Sent, update: Update): string | undefined {
    const etag = answer.headers.get('etag') ?? undefined
    for (const { record, standing } of update) {
      if (etag === undefined && standing === 'served')
        wrong.push(`${record.id}: ${answer.status} without ETag`)
    }
    return etag
  }

  /** A new schema or a new version of one, a document that follows it, an update, and now and then a removal. */
  async function sendSet(url: string): Promise<Outcome> {
    const schema = next(claimedSchema() ?? newRecord('schema'))
    const { type } = schema.record
    const number = ++made
    const follower = next(log.add({ kind: 'metadata', type, id: `${firstSchemas[type]}-${number}` }))
    const others = [log.claim('metadata', random()), log.claim('metadata', random())].flatMap(
      (record, at) => {
        if (!record) return []
        return [
          record.standing === 'revoked' || (at === 1 && random() < removals) ? removal(record) : next(record),
        ]
      },
    )
    const update = [schema, follower, ...others]
    const changes = update.map((change, at) => {
      const { kind, id } = change.record
      if (change.standing !== 'served') return { kind, action: 'delete', id, ifMatch: tagOf(change) }
      const document = `part-${at}`
      if (!isNew(change)) return { kind, action: 'update', id, ifMatch: tagOf(change), document }
      const record =
        kind === 'schema' ? schemaRecord(change.record) : metadataRecord(change.record, schema.record.id)
      return { kind, action: 'create', record, document }
    })
    const documents = update.flatMap(({ bytes, standing }, at) =>
      standing === 'served' ? [[`part-${at}`, bytes] as const] : [],
    )
    const parts = { changeset: JSON.stringify({ interface: 1, changes }), ...Object.fromEntries(documents) }
    return await carryOut(update, 200, () => send('POST', `${url}api/changesets`, parts), etagOfSet)
  }

  /** One commit has made the next version of each. */
  function etagOfSet({ text }: Sent, update: Update): string | undefined {
    const { commit, records } = JSON.parse(text) as {
      readonly commit?: string
      readonly records: readonly { readonly id: string; readonly version?: number; readonly etag?: string }[]
    }
    const etag = `"${commit}"`
    for (const [at, { record, standing }] of update.entries()) {
      const told = records[at]
      const version = record.history.length + 1
      const isTold =
        told?.id === record.id && (standing === 'gone' || (told.version === version && told.etag === etag))
      if (!isTold) wrong.push(`${record.id} in a change set: ${JSON.stringify(told)} of commit ${commit}`)
    }
    return etag
  }

  // ── what is done next ──────────────────────────────────────────────────────────────────────────────────────────

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
          throw new Error(`The schema ${schema.id} was refused: ${wrong.join('\n')}`)
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

/** A refusal is a problem that says what is wrong, and never a bug's. @see RFC 9457 */
function lookAtRefusal(answer: Response, text: string, wrong: string[]): void {
  const problem = answer.headers.get('content-type')?.startsWith('application/problem+json')
    ? (JSON.parse(text) as { readonly title?: string })
    : undefined
  if (!problem?.title) wrong.push(`${answer.status} without a problem: ${text.slice(0, 300)}`)
  if (answer.status === 500) wrong.push(`500: ${text.slice(0, 300)}`)
}
