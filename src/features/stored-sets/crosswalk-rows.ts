import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { joinStateAfter } from '../../catalog/point-in-time/point-in-time.js'
import type { Id } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
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

/** Reads the crosswalks that schemas had, and the documents that followed a schema. */
export function openCrosswalkRows(connection: Connection) {
  const sql = {
    record: connection.prepare<readonly [rid: number]>('SELECT rid FROM record WHERE directory = ?'),
    crosswalk: connection.prepare<readonly [json: string | null]>(
      `SELECT json_extract(b.json, '$.crosswalk') FROM revision r CROSS JOIN body b ON b.body = r.body
       WHERE r.rid = ? AND r.standing = 1 AND r.rev <= ? ORDER BY r.rev DESC LIMIT 1`,
    ),
    schema: connection.prepare<readonly [id: Id]>('SELECT id FROM record WHERE rid = ?'),
    followers: connection.prepare<readonly [rid: number]>(
      'SELECT rid FROM uses WHERE schema = ? AND rid > ? ORDER BY rid LIMIT ?',
    ),
    /** Nulls for a record that did not exist, or was GONE. */
    state: connection.prepare<readonly [rev: number | null, schema: string | null]>(
      `SELECT r.rev, json_extract(b.json, '$.schema.schemaId')
       FROM (SELECT ?1 AS rid) q ${joinStateAfter('?2')}`,
    ),
  }
  const crosswalkAt = (rid: number, rev: number) => sql.crosswalk.get(rid, rev)?.[0] ?? undefined

  return {
    /** Whether a revision of a schema has another crosswalk than the one before. */
    isChange: (rid: number, rev: number) => crosswalkAt(rid, rev) !== crosswalkAt(rid, rev - 1),
    /** The crosswalk of a schema after a revision, as JSON; undefined if it has none. */
    crosswalkOf(schema: Id, rev: number): string | undefined {
      const [rid] = sql.record.get(recordDirectory('schema', schema)) ?? []
      return rid === undefined ? undefined : crosswalkAt(rid, rev)
    },
    /**
     * The states of the next documents that followed a schema after a revision of it.
     * @param after the last record that was looked at before
     */
    followers(schemaRid: number, rev: number, after: number, limit: number): Followers {
      const schema = sql.schema.get(schemaRid)?.[0] ?? ''
      const rids = sql.followers.all(schema, after, limit).map(([rid]) => rid)
      const rows = rids.flatMap((rid): readonly FollowerRow[] => {
        const [state = null, followed] = sql.state.get(rid, rev) ?? []
        return state !== null && followed === schema ? [[state, rid]] : []
      })
      return { rows, last: rids.length < limit ? undefined : rids.at(-1) }
    },
  }
}
