import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { StoredRecord, WrittenRecord } from '../../core/records/record.js'
import { defaultedMembers, withDefaultsOfCommit } from '../../core/records/record-defaults.js'
import { unknownSchemaText } from '../../core/records/schema-reference-texts.js'
import { type Id, isId, type Version } from '../../core/value-types.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { decodeId } from '../../store/records/repository-layout.js'
import { recordFault } from './record-directory.js'

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
export async function completeRecord(
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
