import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { visibleSql } from '../../catalog/lists/list-sql.js'
import { joinStateAfter } from '../../catalog/point-in-time/point-in-time.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { Oid } from '../../core/value-types.js'
import type { ChangedRecord } from './past-index.js'

/** The row number (`rev`) of the last revision up to a commit; undefined for a commit outside the served history. */
export function revisionAt(connection: Connection, commit: Oid): number | undefined {
  return connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?').get(commit)?.[0]
}

/** SQL condition: a row `f` of the index belongs to a record that is not among {@link changedRecords}. */
export const unchangedSql = 'f.rid NOT IN (SELECT rid FROM temp.changed)'

/**
 * The records that have changed since a revision, each with its own revision at that point. Only records that exist
 * today and that the caller sees: the result tells nothing about others.
 * @param upTo row number of the revision
 * @param max limit of the number of records
 */
export function changedRecords(
  connection: Connection,
  upTo: number,
  visibility: Visibility,
  max: number,
): readonly ChangedRecord[] {
  connection.exec('CREATE TEMP TABLE IF NOT EXISTS changed (rid INTEGER PRIMARY KEY)')
  connection.prepare('DELETE FROM temp.changed').run()
  const { sql, values } = visibleSql(visibility, 'n', 'n.audience') ?? { sql: '1', values: [] }
  connection
    .prepare(
      `INSERT INTO temp.changed SELECT DISTINCT c.rid FROM revision c NOT INDEXED CROSS JOIN newest n ON n.rid = c.rid
       WHERE c.rev > ? AND ${sql} LIMIT ?`,
    )
    .run(upTo, ...values, max)
  return connection
    .prepare<ChangedRecord>(`SELECT q.rid, r.rev FROM temp.changed q ${joinStateAfter('?1')}`)
    .all(upTo)
}
