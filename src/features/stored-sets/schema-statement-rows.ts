import { LRUCache } from 'lru-cache'
import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { joinStateAfter } from '../../catalog/point-in-time/point-in-time.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { Id, Oid } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { Describer } from '../search/index/load-describe-module.js'
import { documentPrefix, leavesOf, type SearchCondition } from '../search/search-condition.js'

/** Fields that documents never give. */
const fieldsOfRecords = ['schema', 'resource', 'id', 'pid', 'state', 'type', 'kind', 'created', 'updated']

/** Whether a condition may match a record because of what its document says about itself. */
export function isDescribed(condition: SearchCondition): boolean {
  const isGiven = (field: string) =>
    field !== 'document' && !field.startsWith(documentPrefix) && !fieldsOfRecords.includes(field)
  return leavesOf(condition).some(leaf => {
    if (leaf.type === 'all') return false
    if (leaf.type !== 'text') return isGiven(leaf.field)
    return leaf.fields?.some(({ field }) => isGiven(field)) ?? true
  })
}

/** The state of a document of a schema: its revision, and its record. */
export type FollowerRow = readonly [rev: number, rid: number]

/** The documents of a schema, at a revision. */
interface Followers {
  readonly rows: readonly FollowerRow[]
  /** The last record that was looked at; undefined if there are no more. */
  readonly last: number | undefined
}

/** Limit of the schemas whose statements are remembered. */
const maxSchemas = 500

/**
 * Reads what schemas said about their documents, and the documents that followed a schema.
 * @param readDocument reads the document of a schema; null if the repository does not have it, undefined if it is in no
 *   pack, so that what the schema said is not known yet
 */
export function openSchemaStatementRows(
  connection: Connection,
  saidBySchema: Describer['saidBySchema'],
  readDocument: (oid: Oid) => Uint8Array | null | undefined,
) {
  const remembered = new LRUCache<string, string>({ max: maxSchemas })
  const sql = {
    record: connection.prepare<readonly [rid: number]>('SELECT rid FROM record WHERE directory = ?'),
    schema: connection.prepare<
      readonly [crosswalk: string | null, body: number, document: Oid, type: DocumentType]
    >(
      `SELECT json_extract(b.json, '$.crosswalk'), r.body, r.document, r.type FROM revision r CROSS JOIN body b ON b.body = r.body
       WHERE r.rid = ? AND r.standing = 1 AND r.rev <= ? ORDER BY r.rev DESC LIMIT 1`,
    ),
    id: connection.prepare<readonly [id: Id]>('SELECT id FROM record WHERE rid = ?'),
    followers: connection.prepare<readonly [rid: number]>(
      'SELECT rid FROM uses WHERE schema = ? AND rid > ? ORDER BY rid LIMIT ?',
    ),
    /** Nulls for a record that did not exist, or was GONE. */
    state: connection.prepare<readonly [rev: number | null, schema: string | null]>(
      `SELECT r.rev, json_extract(b.json, '$.schema.schemaId')
       FROM (SELECT ?1 AS rid) q ${joinStateAfter('?2')}`,
    ),
  }

  function saidAt(rid: number, rev: number): string | undefined {
    const [json, body, document, documentType] = sql.schema.get(rid, rev) ?? []
    if (body === undefined || document === undefined || documentType === undefined) return undefined
    const key = `${body} ${document}`
    const known = remembered.get(key)
    if (known !== undefined) return known || undefined
    const record = json === undefined || json === null ? {} : { crosswalk: JSON.parse(json) }
    const bytes = readDocument(document)
    const said = saidBySchema({ record, documentType }, bytes ?? undefined)
    if (bytes !== undefined) remembered.set(key, said ?? '')
    return said
  }

  return {
    /** Whether a revision of a schema says something else about its documents than the one before. */
    isChange: (rid: number, rev: number) => saidAt(rid, rev) !== saidAt(rid, rev - 1),
    /** What a schema said about its documents after a revision; undefined if it said nothing. */
    saidBy(schema: Id, rev: number): string | undefined {
      const [rid] = sql.record.get(recordDirectory('schema', schema)) ?? []
      return rid === undefined ? undefined : saidAt(rid, rev)
    },
    /**
     * The states of the next documents that followed a schema after a revision of it.
     * @param after the last record that was looked at before
     */
    followers(schemaRid: number, rev: number, after: number, limit: number): Followers {
      const schema = sql.id.get(schemaRid)?.[0] ?? ''
      const rids = sql.followers.all(schema, after, limit).map(([rid]) => rid)
      const rows = rids.flatMap((rid): readonly FollowerRow[] => {
        const [state = null, followed] = sql.state.get(rid, rev) ?? []
        return state !== null && followed === schema ? [[state, rid]] : []
      })
      return { rows, last: rids.length < limit ? undefined : rids.at(-1) }
    },
  }
}
