import { createHash } from 'node:crypto'
import { parseStrictJson } from '../../core/json/strict-json.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import { type Collection, collections } from '../../core/records/collection.js'
import { relatedResources, type StoredRecord } from '../../core/records/record.js'
import { formatInstant, type Id, type Instant, parseId, parseInstant } from '../../core/value-types.js'
import { decodeContent, encodeContent } from './file-content.js'

/*
 * The interchange format: each line is a JSON object with one revision. An export without history has one line for each
 * metadata record. @see docs/use/interchange.md
 */

/** Version of the format. A file of a newer version is refused. */
const interchangeVersion = 1

/** A revision of a record for another repository. */
export interface InterchangeItem {
  readonly kind: Collection
  readonly id: Id
  /** Number of the revision in the history of its record, from 1. Undefined: the revision is to be the newest. */
  readonly number?: number
  /** Time and author of the revision in the repository that made it. */
  readonly time?: Instant
  readonly author?: { readonly name: string; readonly email: string }
  /** Record, document and files; undefined: the record is removed. */
  readonly state?: ItemState
}

export interface ItemState {
  /** Unchecked members of `record.json`; `schema.version` may be missing. */
  readonly record: Readonly<Record<string, unknown>>
  readonly document: Uint8Array
  /** Additional files of a schema by path relative to the document. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** An entry of a source: an item, or the reason why it cannot be read. */
export interface SourceItem {
  /** The place in the source, for people: `line 17`, `metadata/a/b/c/d/x`. */
  readonly place: string
  readonly content: InterchangeItem | ProblemError
}

/** The first line of an export. */
export function formatHeader(history: boolean): string {
  return `${JSON.stringify({ kind: 'interchange', version: interchangeVersion, history })}\n`
}

/**
 * Formats an item as a line.
 * @param item with the record in its stored form
 * @param version the version for readers of the file; an import ignores it
 */
export function formatLine(item: InterchangeItem, version: number | undefined): string {
  const { kind, id, number, time, author, state } = item
  const about = JSON.stringify({
    kind,
    id,
    ...(number !== undefined && { revision: number }),
    ...(version !== undefined && { version }),
    ...(time !== undefined && { time: formatInstant(time) }),
    ...(author && { author }),
    ...(!state && { deleted: true }),
  })
  if (!state) return `${about}\n`
  const { record, document } = state
  const files = [...state.files].map(([path, bytes]) => `${JSON.stringify(path)}:${encodeContent(bytes)}`)
  const further = files.length === 0 ? '' : `,"files":{${files.join(',')}}`
  // Inserts the documents as encoded text, so that they are not parsed and encoded again.
  return `${about.slice(0, -1)},"record":${JSON.stringify(record)},"document":${encodeContent(document)}${further}}\n`
}

const members = new Set([
  ...['kind', 'id', 'revision', 'version', 'time', 'author', 'record', 'document', 'files', 'deleted'],
])

/**
 * Parses a line.
 * @returns undefined for a header
 * @throws ProblemError `malformed-request`; `unprocessable` for a newer version of the format
 */
export function parseLine(bytes: Uint8Array): InterchangeItem | undefined {
  const parsed = parseStrictJson(bytes)
  if ('fault' in parsed) throw malformed(parsed.fault.message, [parsed.fault])
  const line = asObject(parsed.value, 'The line')
  if (line.kind === 'interchange') {
    refuseNewer(line.version)
    return undefined
  }
  const unknown = Object.keys(line).find(name => !members.has(name))
  if (unknown !== undefined) {
    throw malformed(
      `A line has no member ${JSON.stringify(unknown)}. The members are ${[...members].join(', ')}.`,
    )
  }
  const kind = collections.find(each => each === line.kind)
  if (!kind) throw malformed('The member "kind" must be "schema" or "metadata".')
  const about = {
    kind,
    ...(line.revision !== undefined && { number: positive(line.revision) }),
    ...(line.time !== undefined && { time: parseInstant(line.time, 'time') }),
    ...(line.author !== undefined && { author: authorOf(line.author) }),
  } as const
  if (line.deleted === true) return { ...about, id: parseId(line.id, 'The id') }
  const record = asObject(line.record, 'The member "record"')
  const files = line.files === undefined ? {} : asObject(line.files, 'The member "files"')
  const state = {
    record,
    document: decodeContent(line.document, 'The member "document"'),
    files: new Map(
      Object.entries(files).map(([path, content]) => [path, decodeContent(content, `The file "${path}"`)]),
    ),
  }
  return { ...about, id: idIn(kind, line.id ?? record.id, record), state }
}

/**
 * The id of an item. A metadata record without an id gets one from its schema and resources, so that a second import
 * finds the same record.
 * @see RFC 9562, 5.5
 */
function idIn(kind: Collection, id: unknown, record: Readonly<Record<string, unknown>>): Id {
  if (id !== undefined || kind === 'schema') return parseId(id, 'The id')
  const related = Array.isArray(record.relatedIdentifiers) ? (record.relatedIdentifiers as unknown[]) : []
  const objects = related.filter(each => typeof each === 'object' && each !== null)
  const resources = relatedResources({ relatedIdentifiers: objects } as unknown as StoredRecord)
  const schemaId = (record.schema as { readonly schemaId?: unknown } | undefined)?.schemaId
  const hash = createHash('sha1')
    .update(JSON.stringify([schemaId, ...resources]))
    .digest('hex')
  const variant = ((Number.parseInt(hash.charAt(16), 16) & 3) | 8).toString(16)
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, variant + hash.slice(17, 20)]
  return parseId([...parts, hash.slice(20, 32)].join('-'), 'The id')
}

function refuseNewer(version: unknown): void {
  if (typeof version === 'number' && version <= interchangeVersion) return
  throw new ProblemError(
    'unprocessable',
    `The file has version ${JSON.stringify(version)} of the interchange format; this program reads ${interchangeVersion}. Upgrade git-metastore.`,
  )
}

function positive(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw malformed('The member "revision" must be a whole number from 1.')
}

function authorOf(value: unknown): { readonly name: string; readonly email: string } {
  const { name, email } = asObject(value, 'The member "author"')
  if (typeof name === 'string' && typeof email === 'string') return { name, email }
  throw malformed('The member "author" must be {"name": "…", "email": "…"}.')
}

function asObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>
  }
  throw malformed(value === undefined ? `${what} is missing.` : `${what} must be an object.`)
}

function malformed(message: string, findings: readonly Finding[] = []): ProblemError {
  return new ProblemError('malformed-request', message, findings.length === 0 ? {} : { findings })
}
