import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { type StoredRecord, unknownSchemaText, type WrittenRecord } from '../../core/records/record.js'
import { defaultedMembers, withDefaultsOfCommit } from '../../core/records/record-defaults.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { type Id, type Instant, isId, type Oid, type Sha1, type Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../../store/objects/commit-format.js'
import type { ObjectReader } from '../../store/objects/object-reader.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { decodeId } from '../../store/records/repository-layout.js'
import type { DirectoryFiles } from '../database/directory-files.js'
import type { DirectoryChange } from './directory-changes.js'
import { type Prefetched, recordIn } from './prefetched-objects.js'
import { findRecordFiles, placementFindings, recordFault } from './record-directory.js'
import type { DirectoryState, ReplayedRecord } from './revision-rows.js'

interface ContentSources {
  readonly objects: ObjectReader
  readonly history: History
  /** Queries on the history that has been replayed so far. */
  view(): CatalogQueries
}

/** What is known of a directory before a commit, as far as its content after the commit may depend on it. */
type Former = Pick<DirectoryState, 'first'> & Partial<Pick<DirectoryState, 'validState'>>

/** The content of a record's directory, or findings. Reads only objects that are neither prefetched nor known. */
export async function contentOf(
  options: ContentSources,
  step: DirectoryChange,
  files: DirectoryFiles,
  before: Former | undefined,
  fetched: Prefetched = {},
): Promise<ReplayedRecord | readonly Finding[]> {
  const { objects } = options
  const { kind, directory } = step
  const parts = findRecordFiles(kind, files)
  if (!('record' in parts)) return parts
  const known = before?.validState
  const record =
    known?.recordBlob === parts.record
      ? known.record
      : await recordOf(options, step, parts.record, before, fetched)
  if (!('id' in record)) return record
  const faults = placementFindings(kind, directory, record)
  if (faults.length > 0) return faults
  const hash =
    fetched.hash?.blob === parts.document
      ? fetched.hash.hash
      : known?.document === parts.document
        ? known.documentHash
        : await hashOf(objects, parts.document)
  if (hash === undefined) return [{ message: 'The document is not a file.' }]
  return {
    record,
    recordBlob: parts.record,
    documentType: parts.documentType,
    document: parts.document,
    documentHash: hash,
  }
}

/** The record in a blob, completed from its place in the history. */
async function recordOf(
  options: ContentSources,
  step: DirectoryChange,
  blob: Oid,
  before: Former | undefined,
  fetched: Prefetched,
): Promise<StoredRecord | readonly Finding[]> {
  const { kind, directory, commit } = step
  const outcome =
    fetched.record?.blob === blob ? fetched.record.outcome : recordIn(kind, await options.objects.read(blob))
  if ('findings' in outcome) return outcome.findings
  const creator = async () => authorOf(before ? await options.history.commit(before.first.commit) : commit)
  return await completeRecord(outcome.written, {
    kind,
    directory,
    before: before?.validState?.record,
    newestSchema: id => options.view().newest('schema', id)?.version,
    creator: mayBreakRules(commit) ? creator : undefined,
  })
}

/** Says whether the commit must be checked: it is not by a server, or it merges commits that may not be. */
export function mayBreakRules({ recordedAt, parents }: CommitInfo): boolean {
  return recordedAt === undefined || parents.length >= 2
}

export function timeOf({ recordedAt, committedAt }: CommitInfo): Instant {
  return recordedAt ?? committedAt
}

/** Replaces lone surrogates, which come from a name that is not UTF-8 and which JSON text must not contain. */
function authorOf({ authorName, authorEmail }: CommitInfo): string {
  return (authorName || authorEmail).replace(/\p{Surrogate}/gu, '\ufffd')
}

/** The SHA-1 hash of the bytes of a blob, which is not its object name. @returns undefined if the object is no blob */
async function hashOf(objects: ObjectReader, blob: Oid): Promise<Sha1 | undefined> {
  for await (const [object] of objects.stream([{ oid: blob, as: 'sha1' }])) {
    if (object?.type === 'blob' && 'sha1' in object) return object.sha1
  }
  return undefined
}

/** Values that complete a record: its place in the repository and in history. */
interface RecordContext {
  readonly kind: Collection
  readonly directory: string
  /** The record in the newest valid revision before this one. */
  readonly before: StoredRecord | undefined
  newestSchema(id: Id): Version | undefined
  /** Author of the commit that created the record; undefined for a revision by a server, which is complete. */
  readonly creator: (() => Promise<string>) | undefined
}

/**
 * Completes a handwritten record: the id comes from the directory; the schema version is that which the record followed
 * before, or the newest one; other members get the defaults of a POST.
 * @see docs/understand/layout-on-disk.md#the-smallest-recordjson
 */
async function completeRecord(
  written: WrittenRecord,
  context: RecordContext,
): Promise<StoredRecord | readonly Finding[]> {
  const id = written.id ?? idIn(context.directory)
  if (id === undefined) {
    return [recordFault('The name of the directory does not give the id: add it, as "id": "…".', '')]
  }
  const schema = written.schema && followedSchema(written.schema, context)
  if (written.schema && !schema) {
    return [recordFault(unknownSchemaText(written.schema.schemaId), '/schema/schemaId')]
  }
  // A record by a server is complete and in its stored form.
  const isWhole = id === written.id && schema === written.schema
  const record = (isWhole ? written : { ...written, id, ...(schema && { schema }) }) as StoredRecord
  if (!context.creator || isComplete(record)) return canonicalRecord(record)
  return canonicalRecord(withDefaultsOfCommit(record, await context.creator()))
}

function followedSchema(
  named: NonNullable<WrittenRecord['schema']>,
  { before, newestSchema }: RecordContext,
): StoredRecord['schema'] {
  const { schemaId, version } = named
  if (version !== undefined) return named as StoredRecord['schema']
  const kept = before?.schema?.schemaId === schemaId ? before.schema.version : undefined
  const found = kept ?? newestSchema(schemaId)
  return found === undefined ? undefined : { schemaId, version: found }
}

/** The id in the name of the directory, even if the directory is misplaced; undefined if the name gives none. */
function idIn(directory: string): Id | undefined {
  const name = directory.slice(directory.lastIndexOf('/') + 1)
  return decodeId(name) ?? (isId(name) ? name : undefined)
}

function isComplete(record: StoredRecord): boolean {
  return defaultedMembers.every(name => record[name] !== undefined)
}
