import { words } from '../words.js'
import { answered, client, fetchAsCaller, serviceUrl, totalOf } from './client.js'
import type {
  Blame,
  Difference,
  Finding,
  Record as MetastoreRecord,
  SchemaOutline,
  VersionEntry,
} from './interface-types.js'

export type { Finding, MetastoreRecord }

/** The collection of a record, as in addresses. */
export type Collection = 'metadata' | 'schemas'

/** What the calls of this file need to know of a record. */
export interface RecordName {
  readonly collection: Collection
  readonly id: string
}

/** What the change feed, change sets and messages of commits call a record of a collection. */
export function kindOf({ collection }: RecordName): 'schema' | 'metadata' {
  return collection === 'schemas' ? 'schema' : 'metadata'
}

/** The record as it is now, and the entity tag of its state. */
export interface CurrentRecord {
  readonly record: MetastoreRecord
  readonly etag: string
  /** For people. @see titleOf */
  readonly title: string
  /** The title of the schema of a document, for people; undefined: the person may not read the schema. */
  readonly schemaTitle: string | undefined
}

export interface StoredDocument {
  readonly text: string
  readonly language: 'JSON' | 'XML'
  readonly etag: string
}

export interface VersionsPage {
  readonly entries: readonly VersionEntry[]
  /** Number of all versions. */
  readonly total: number
}

/** Versions on one page of the list. */
export const versionsPerPage = 100

const documentTypes = { Accept: 'application/json, application/xml' }

/** @param page from 0 */
export async function readVersions(
  { collection, id }: RecordName,
  page: number,
  signal?: AbortSignal,
): Promise<VersionsPage> {
  const answer = await answered(
    client.GET(`/api/v2/${collection}/{id}/versions`, {
      params: { path: { id }, query: { page, size: versionsPerPage } },
      ...withSignal(signal),
    }),
  )
  return { entries: answer.data, total: totalOf(answer) }
}

export async function readDifference(
  { collection, id }: RecordName,
  from: number,
  to: number,
  signal?: AbortSignal,
): Promise<Difference> {
  const { data } = await answered(
    client.GET(`/api/v2/${collection}/{id}/diff`, {
      params: { path: { id }, query: { from, to } },
      headers: { Accept: 'application/json' },
      ...withSignal(signal),
    }),
  )
  return data as Difference
}

export async function readBlame(
  { collection, id }: RecordName,
  version: number,
  signal?: AbortSignal,
): Promise<Blame> {
  const { data } = await answered(
    client.GET(`/api/v2/${collection}/{id}/blame`, {
      params: { path: { id }, query: { version } },
      ...withSignal(signal),
    }),
  )
  return data
}

/** @param version undefined: the newest */
export async function readRecord(
  { collection, id }: RecordName,
  signal?: AbortSignal,
  version?: number,
): Promise<CurrentRecord> {
  const { data } = await answered(
    client.GET(`/api/v2/${collection}/{id}/overview`, {
      params: { path: { id }, ...(version !== undefined && { query: { version } }) },
      ...withSignal(signal),
    }),
  )
  const { record, etag, title, schema } = data
  return { record, etag, title: titleOf(record, title), schemaTitle: schema && titleOf(schema) }
}

/**
 * The document of a version, as text.
 * @param version undefined: the newest
 * @throws NotText
 */
export async function readDocument(
  { collection, id }: RecordName,
  version?: number,
  signal?: AbortSignal,
): Promise<StoredDocument> {
  const { data, response } = await answered<unknown>(
    client.GET(`/api/v2/${collection}/{id}`, {
      params: { path: { id }, ...(version !== undefined && { query: { version } }) },
      headers: documentTypes,
      // All representations of a state have one entity tag: a browser that has kept another one would take it for this.
      ...(version === undefined && { cache: 'no-store' as const }),
      parseAs: 'arrayBuffer',
      ...withSignal(signal),
    }) as Promise<{ data?: unknown; error?: unknown; response: Response }>,
  )
  const type = response.headers.get('Content-Type') ?? ''
  return {
    text: textOf(data as ArrayBuffer),
    language: type.includes('xml') ? 'XML' : 'JSON',
    etag: response.headers.get('ETag') ?? '',
  }
}

/** A document whose bytes are not UTF-8. A text of it could not be stored again byte for byte. */
export class NotText extends Error {
  override readonly name = 'NotText'
}

/** The text of a document. @throws NotText with the place of the first byte that is not UTF-8 */
export function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    const lines = longestText(bytes).split('\n')
    throw new NotText(words.notText(lines.length, lines.at(-1)?.slice(-lengthOfHint) ?? ''), { cause })
  }
}

/** Characters before a wrong byte by which people find it. */
const lengthOfHint = 20

/** The longest beginning of bytes that is UTF-8. */
function longestText(bytes: ArrayBuffer): string {
  const decoded = (length: number) => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes.slice(0, length), { stream: true })
    } catch {
      return undefined
    }
  }
  let [right, wrong] = [0, bytes.byteLength + 1]
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    if (decoded(middle) === undefined) wrong = middle
    else right = middle
  }
  return decoded(right) ?? ''
}

/** The schema that a document follows; undefined if the record names none. */
export function schemaOf(
  record: MetastoreRecord,
): { readonly id: string; readonly version: number } | undefined {
  const named = record.relatedIdentifiers?.find(({ relationType }) => relationType === 'HAS_METADATA')
  const found = /\/schemas\/([^/?]+)\?version=(\d+)$/.exec(named?.value ?? '')
  return found?.[1] ? { id: decodeURIComponent(found[1]), version: Number(found[2]) } : undefined
}

/** The title that version 2 shows for a record without one. @see src/core/records/record.ts */
export const noTitle = 'Metadata 4 metastore'

/**
 * The title of a record, for people: its own, that of its document, its label, which records of version 1 have, or its id.
 * @param ofDocument undefined: it has none, or it is unknown
 */
export function titleOf(record: MetastoreRecord, ofDocument?: string): string {
  const label = record.descriptions?.find(({ type }) => type === 'OTHER')?.description
  return [ownTitleOf(record), ofDocument, label].find(text => text?.trim()) ?? record.id
}

/** The title that a record has itself; undefined: it has none. */
export function ownTitleOf(record: MetastoreRecord): string | undefined {
  const title = mainTitleOf(record)?.value
  return title === noTitle ? undefined : title
}

/** The entry of the titles by which a record is named. */
export function mainTitleOf({ titles }: MetastoreRecord): MetastoreRecord['titles'][number] | undefined {
  return titles.find(({ titleType }) => !titleType) ?? titles[0]
}

/** Findings of the server about a document; an empty list says that it is valid. Stores nothing. */
export async function validateDocument(
  schema: { readonly id: string; readonly version: number },
  text: string,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const body = new FormData()
  body.append('document', new Blob([text]))
  const { response, error } = await client.POST('/api/v2/schemas/{id}/validate', {
    params: { path: { id: schema.id }, query: { version: schema.version } },
    body: body as never,
    ...withSignal(signal),
  })
  if (response.status === 422 && error?.findings) return error.findings
  await answered(Promise.resolve({ error, response }))
  return []
}

/** The message of the commit that restores a version. It says so in the history of git, too. */
export function restoreMessage(record: RecordName, version: number | string): string {
  return `Restore version ${version} of ${kindOf(record)} ${record.id}`
}

/** The version that a commit restores, as its message says; undefined: it restores none. */
export function restoredIn(message: string, record: RecordName): number | undefined {
  const [, version = ''] = /^Restore version (\d{1,9}) of /.exec(message) ?? []
  return version !== '' && message === restoreMessage(record, version) ? Number(version) : undefined
}

/**
 * A JSON Schema with the parts that it has in other files. If it cannot be made into one, the file alone.
 * @returns JSON text
 */
export async function readJsonSchema(id: string, version: number, signal?: AbortSignal): Promise<string> {
  const { data } = await client.GET('/api/v2/schemas/{id}/bundle', {
    params: { path: { id }, query: { version } },
    parseAs: 'text',
    ...withSignal(signal),
  })
  return typeof data === 'string'
    ? data
    : (await readDocument({ collection: 'schemas', id }, version, signal)).text
}

/** The JSON Schema that {@link readJsonSchema} reads, as a query: what several parts of a page need is read once. */
export function jsonSchemaQuery({ id, version }: { readonly id: string; readonly version: number }) {
  return {
    queryKey: ['JSON Schema', id, version],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => readJsonSchema(id, version, signal),
    staleTime: Number.POSITIVE_INFINITY,
  }
}

/** What documents of a version of a schema may have. */
export async function readOutline(id: string, version: number, signal?: AbortSignal): Promise<SchemaOutline> {
  const params = { path: { id }, query: { version } }
  const asked = client.GET('/api/v2/schemas/{id}/outline', { params, ...withSignal(signal) })
  return (await answered(asked)).data
}

/** The further files of a version of a schema, by path. */
export async function readFiles(id: string, version: number): Promise<ReadonlyMap<string, Blob>> {
  const params = { path: { id }, query: { version } }
  const { data } = await answered(client.GET('/api/v2/schemas/{id}/files', { params }))
  const files = new Map<string, Blob>()
  for (const path of data.files) {
    const encoded = path.split('/').map(encodeURIComponent).join('/')
    const url = `api/v2/schemas/${encodeURIComponent(id)}/files/${encoded}?version=${version}`
    const response = await fetchAsCaller(new URL(url, serviceUrl))
    await answered(Promise.resolve({ response }))
    files.set(path, await response.blob())
  }
  return files
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {}
}
