import { answered, client, Refusal } from './client.js'
import { type CurrentRecord, kindOf, type MetastoreRecord, type RecordName } from './records.js'

/** The next state of a record. What is not given stays as it is. */
export interface Revision {
  /** In place of the record that it was made from. */
  readonly record?: MetastoreRecord | undefined
  /** The document, or the main file of a schema. */
  readonly document?: Blob
  /** Name of the main file of a schema, by which the others may refer to it; undefined: it was typed. */
  readonly name?: string | undefined
  /** Further files of a schema by path, which replace the stored ones. */
  readonly files?: ReadonlyMap<string, Blob> | undefined
  /** What a person says of the change, for the history; empty: the server says what it is. */
  readonly message?: string
}

/** A state that is stored. */
export interface StoredState {
  readonly version: number
  readonly etag: string
  /** Undefined: the server has not told it. */
  readonly record?: MetastoreRecord
  /** Whether the history is without the message of the person. */
  readonly isUnsaid?: boolean
}

/** Limit of the characters of a message. @see src/http/routes/changes/change-set-form.ts */
export const maxMessageLength = 500

/**
 * Stores the next state of a record.
 * @param etag of the state that it was made from
 * @throws Refusal with status 412 if another state was stored meanwhile
 */
export async function storeRevision(
  name: RecordName,
  etag: string,
  revision: Revision,
): Promise<StoredState> {
  const message = revision.message?.replace(/\p{Cc}+/gu, ' ').trim()
  if (!message) return await storeAlone(name, etag, revision)
  try {
    return await storeWithMessage(name, etag, revision, message)
  } catch (error) {
    // No change set changes a record whose newest commit breaks a rule. A request for the record alone does, or says why not.
    if (error instanceof Refusal && error.status === 409)
      return { ...(await storeAlone(name, etag, revision)), isUnsaid: true }
    throw error
  }
}

async function storeAlone(
  { collection, id }: RecordName,
  etag: string,
  { record, document, files = new Map(), ...revision }: Revision,
): Promise<StoredState> {
  const body = new FormData()
  if (record) body.append('record', new Blob([JSON.stringify(sent(record))], { type: 'application/json' }))
  const part = collection === 'schemas' ? 'schema' : 'document'
  if (document) body.append(part, document, revision.name ?? part)
  for (const [path, content] of files) body.append('include', content, path)
  const { data, response } = await answered(
    client.PUT(`/api/v2/${collection}/{id}`, {
      params: { path: { id }, header: { 'If-Match': etag } },
      body: body as never,
    }),
  )
  const stored = data as MetastoreRecord
  return { version: Number(stored.version), etag: response.headers.get('ETag') ?? '', record: stored }
}

/** The request for a single record has no place for a message. A change set of one change has. */
async function storeWithMessage(
  name: RecordName,
  etag: string,
  { record, document, files = new Map(), ...revision }: Revision,
  message: string,
): Promise<StoredState> {
  const body = new FormData()
  const parts = [...files.keys()].map((path, index) => [path, `file-${index}`] as const)
  const change = {
    ...{ kind: kindOf(name), action: 'update', id: name.id },
    ...{ ifMatch: etag, record: record && sent(record), document: document && 'document' },
    ...(parts.length > 0 && { files: Object.fromEntries(parts) }),
  }
  body.append('changeset', JSON.stringify({ message, changes: [change] }))
  if (document) body.append('document', document, revision.name ?? 'document')
  for (const [path, part] of parts) body.append(part, files.get(path) ?? new Blob())
  const { data } = await answered(client.POST('/api/changesets', { params: {}, body: body as never }))
  const [applied] = data.records
  if (!applied || !('etag' in applied)) throw new Error('The server does not tell what it has stored.')
  return { version: applied.version, etag: applied.etag }
}

/** Stores a record with changed members in place of the one that it was made from. Its document stays. @throws Refusal */
export async function storeRecord(
  name: RecordName,
  { record, etag }: CurrentRecord,
  changes: Partial<Pick<MetastoreRecord, 'acls' | 'state'>>,
): Promise<void> {
  await storeRevision(name, etag, { record: { ...record, ...changes } })
}

/** A record as it is sent: it goes on following its schema. To name that again would need the permission to read it. */
function sent({ relatedIdentifiers, ...record }: MetastoreRecord): object {
  const kept = relatedIdentifiers?.filter(({ relationType }) => relationType !== 'HAS_METADATA')
  return { ...record, ...(kept && { relatedIdentifiers: kept }) }
}

/** Takes the next step of a deletion: a record becomes REVOKED, a REVOKED one GONE. @throws Refusal */
export async function deleteRecord({ collection, id }: RecordName, etag: string): Promise<void> {
  const params = { path: { id }, header: { 'If-Match': etag } }
  await answered(client.DELETE(`/api/v2/${collection}/{id}`, { params }))
}
