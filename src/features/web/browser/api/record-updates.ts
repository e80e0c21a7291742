import { answered, client, Refusal } from './client.js'
import {
  type Collection,
  type CurrentRecord,
  kindOf,
  type MetastoreRecord,
  mainTitleOf,
  noTitle,
  ownTitleOf,
  type RecordName,
  titleOf,
} from './records.js'

/** What a person says of a record. */
export interface FieldValues {
  /** Empty: that of the document. */
  readonly title: string
  /** Address or identifier of what the document describes; empty: it is a schema. */
  readonly resource: string
}

export const fieldNames = ['title', 'resource'] as const

/** Whether a person has said the same. An id tells nothing of that. */
export function isSameFields(one: FieldValues, other: FieldValues): boolean {
  return fieldNames.every(name => one[name] === other[name])
}

/** What a person edits: a document, and fields of its record. */
export interface EditedContent {
  readonly text: string
  readonly fields: FieldValues
}

export function isSameContent(one: EditedContent, other: EditedContent): boolean {
  return one.text === other.text && isSameFields(one.fields, other.fields)
}

/** What a record says, for a person to edit. A schema has a title always. */
export function fieldsOf(collection: Collection, record: MetastoreRecord): FieldValues {
  const title = collection === 'schemas' ? titleOf(record) : ownTitleOf(record)
  return { title: title ?? '', resource: resourceOf(record)?.value ?? '' }
}

/** A record with other fields. All that they do not change stays as it is. */
export function withFields(
  collection: Collection,
  record: MetastoreRecord,
  { title, resource }: FieldValues,
): MetastoreRecord {
  const before = fieldsOf(collection, record)
  const titles =
    title === before.title
      ? record.titles
      : replaced(record.titles, mainTitleOf(record), { value: title.trim() === '' ? noTitle : title })
  if (resource === before.resource) return { ...record, titles }
  const kind = identifierTypeOf(resource)
  const described = {
    value: resource,
    // A type that somebody has chosen stays for an identifier of the same form.
    ...(kind !== identifierTypeOf(before.resource) && { identifierType: kind }),
  }
  const related = replaced(record.relatedIdentifiers ?? [], resourceOf(record), described)
  return { ...record, titles, relatedIdentifiers: related }
}

function resourceOf({ relatedIdentifiers }: MetastoreRecord) {
  return relatedIdentifiers?.find(({ relationType }) => relationType === 'IS_METADATA_FOR')
}

function replaced<T>(entries: readonly T[], entry: T | undefined, members: Partial<T>): T[] {
  return entries.map(each => (each === entry ? { ...each, ...members } : each))
}

/** The type of the identifier of what a document describes, by its form. */
export function identifierTypeOf(resource: string): 'URL' | 'DOI' | 'URN' | 'OTHER' {
  if (/^https?:/i.test(resource)) return 'URL'
  if (/^urn:/i.test(resource)) return 'URN'
  return /^10\.\d+\//.test(resource) ? 'DOI' : 'OTHER'
}

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
