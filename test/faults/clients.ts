import { noteSchema } from '../support/examples.js'
import type { Log, RecordLog, Update } from './log.js'

export interface Clients {
  /** Answers since the last call that no good server gives, whatever happens to it. */
  takeWrong(): readonly string[]
  /** Registers the schema of all documents. @throws Error where that is refused */
  register(url: string): Promise<void>
  /** Creates, updates, revokes or removes a record. Resolves whatever becomes of it. */
  write(url: string): Promise<'acknowledged' | 'refused' | 'lost'>
  /** So many clients write until there is no server, or until so many updates each. @returns how many were acknowledged */
  drive(url: string, clients: number, most: number): Promise<number>
}

/** Milliseconds after which an answer is said to never come. */
const patience = 60_000
/** Share of the updates of a record that are served that revoke it. */
const removals = 0.2

/** @param random from 0 to below 1 */
export function openClients(log: Log, random: () => number): Clients {
  const wrong: string[] = []
  let made = 0

  async function send(
    method: 'POST' | 'PUT' | 'DELETE',
    url: string,
    parts: Readonly<Record<string, string>>,
    tag?: string,
  ) {
    const form = new FormData()
    for (const [name, text] of Object.entries(parts)) form.append(name, new Blob([text]), name)
    const headers: Record<string, string> = tag === undefined ? {} : { 'If-Match': tag }
    const body = method === 'DELETE' ? null : form
    const answer = await fetch(url, { method, body, headers, signal: AbortSignal.timeout(patience) })
    return { answer, text: await answer.text() }
  }

  /** Says what an update came to, and enters it into the log. */
  async function carryOut(
    record: RecordLog,
    made: Update,
    wanted: number,
    request: () => ReturnType<typeof send>,
  ): Promise<'acknowledged' | 'refused' | 'lost'> {
    // Until it is answered nobody knows.
    record.unsure = made
    try {
      const { answer, text } = await request()
      const etag = answer.headers.get('etag') ?? undefined
      // Only a DELETE is answered without.
      if (answer.status === wanted && (etag !== undefined || made.standing !== 'served')) {
        record.unsure = undefined
        log.acknowledge(record, made, etag)
        return 'acknowledged'
      }
      if (answer.status < 500) wrong.push(`${record.id}: ${answer.status} ${text.slice(0, 300)}`)
      else lookAtRefusal(answer, text, wrong)
      // A refusal says that nothing was stored; whoever looks afterwards sees whether that is true.
      return 'refused'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        wrong.push(`${record.id}: no answer`)
      return 'lost'
    } finally {
      record.busy = false
    }
  }

  async function create(url: string) {
    const number = ++made
    const record = log.add(`note-${number}`)
    const bytes = JSON.stringify({ title: `Note ${number}, first version` })
    const stored = JSON.stringify({
      id: record.id,
      schema: { identifier: 'note', identifierType: 'INTERNAL' },
      relatedResource: { identifier: `https://example.org/${number}`, identifierType: 'URL' },
    })
    return await carryOut(record, { bytes, standing: 'served' }, 201, () =>
      send('POST', `${url}api/v1/metadata`, { record: stored, document: bytes }),
    )
  }

  async function update(url: string, record: RecordLog) {
    const version = record.history.length + 1
    const bytes = JSON.stringify({ title: `${record.id}, version ${version}`, pages: version })
    const tag = record.history.at(-1)?.etag
    return await carryOut(record, { bytes, standing: 'served' }, 200, () =>
      send('PUT', `${url}api/v1/metadata/${record.id}`, { document: bytes }, tag),
    )
  }

  /** The first of two steps, or the second. */
  async function remove(url: string, record: RecordLog) {
    const { bytes = '', etag = '*' } = record.history.at(-1) ?? {}
    const standing = record.standing === 'served' ? 'revoked' : 'gone'
    return await carryOut(record, { bytes, standing }, 204, () =>
      send('DELETE', `${url}api/v1/metadata/${record.id}`, {}, etag),
    )
  }

  async function write(url: string) {
    const record = random() < 0.5 ? log.claim(random()) : undefined
    if (!record) return await create(url)
    const isToGo = record.standing === 'revoked' || random() < removals
    return isToGo ? await remove(url, record) : await update(url, record)
  }

  return {
    takeWrong: () => wrong.splice(0),
    async register(url) {
      const record = JSON.stringify({ schemaId: 'note', type: 'JSON' })
      const { answer, text } = await send('POST', `${url}api/v1/schemas`, {
        record,
        schema: noteSchema.toString(),
      })
      if (answer.status !== 201) throw new Error(`The schema was refused: ${answer.status} ${text}`)
    },
    write,
    async drive(url, clients, most) {
      const before = log.acknowledged
      await Promise.all(
        Array.from({ length: clients }, async () => {
          for (let count = 0; count < most; count++) if ((await write(url)) === 'lost') return
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
