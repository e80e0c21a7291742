import { listReadersOf } from '../../core/access-control.js'
import type { HistoryPoint } from '../../core/history-point.js'
import { ProblemError } from '../../core/problem.js'
import type { Visibility } from '../../core/records/list-query.js'
import { type StoredRecord, stateOf } from '../../core/records/record.js'
import type { Connection } from '../database/sqlite-connection.js'

/** Limit of the points of history whose differences from the newest state are kept. */
const maxSnapshots = 16

/*
 * The difference between a point of history and the newest state: the former state of each record that changed since.
 * Former states never change, so rows are only added. The tables are temporary: each connection has its own.
 * upto: the last revision up to the point. through: the last revision that was taken into account. kind: null for a
 * record that did not exist at the point, or was GONE.
 */
const tables = `
CREATE TEMP TABLE IF NOT EXISTS snapshot (upto INTEGER PRIMARY KEY, through INTEGER NOT NULL, used INTEGER NOT NULL,
  identity TEXT NOT NULL);
CREATE TEMP TABLE IF NOT EXISTS past (upto INTEGER, rid INTEGER, kind TEXT, id TEXT, age INTEGER, schema TEXT,
  type TEXT, rev INTEGER, PRIMARY KEY (upto, rid)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS temp.past_by_id ON past (upto, kind, id);
CREATE INDEX IF NOT EXISTS temp.past_by_age ON past (upto, kind, age, id);
`

export interface PointInTimeTables {
  /**
   * The number of the last revision up to the point.
   * @throws ProblemError `not-found` for a commit that is not on the served first-parent chain
   */
  revisionAt(point: HistoryPoint): number
  /** Says whether there is no revision after the point. @throws ProblemError as {@link PointInTimeTables.revisionAt} */
  isNewest(point: HistoryPoint): boolean
  /**
   * Updates the rows of the table `past` for a point. The caller has opened a transaction.
   * @param upTo result of {@link revisionAt} for the point
   * @param identity of the build of the catalog
   * @returns whether there is any revision after the point
   */
  prepare(upTo: number, identity: string): boolean
}

export function openPointInTimeTables(connection: Connection): PointInTimeTables {
  const sql = {
    position: connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?'),
    latest: connection.prepare<readonly [rev: number]>('SELECT coalesce(max(rev), 0) FROM revision'),
    through: connection.prepare<readonly [through: number]>('SELECT through FROM snapshot WHERE upto = ?'),
    foreign: connection.prepare('DELETE FROM snapshot WHERE identity <> ?'),
    put: connection.prepare(
      'INSERT OR REPLACE INTO snapshot SELECT ?, ?, coalesce(max(used), 0) + 1, ? FROM snapshot',
    ),
    oldest: connection.prepare(
      `DELETE FROM snapshot WHERE upto NOT IN (SELECT upto FROM snapshot ORDER BY used DESC LIMIT ${maxSnapshots})`,
    ),
    orphans: connection.prepare('DELETE FROM past WHERE upto NOT IN (SELECT upto FROM snapshot)'),
    add: connection.prepare(
      `INSERT OR IGNORE INTO past
       SELECT ?1, c.rid, iif(r.rev IS NULL, NULL, c.kind), c.id, -r.time, json_extract(b.json, '$.schema.schemaId'),
         r.type, r.rev
       FROM (SELECT DISTINCT rid FROM revision NOT INDEXED WHERE rev > ?2) q CROSS JOIN record c ON c.rid = q.rid
       ${joinStateAfter('?1')}`,
    ),
  }

  const latestRevision = () => sql.latest.get()?.[0] ?? 0

  function revisionAt({ commit }: HistoryPoint): number {
    const found = sql.position.get(commit)
    if (found) return found[0]
    throw new ProblemError('not-found', `The history that is served has no commit ${commit}.`)
  }

  return {
    revisionAt,
    isNewest: point => revisionAt(point) >= latestRevision(),

    prepare(upTo, identity) {
      const latest = latestRevision()
      if (upTo >= latest) return false
      connection.exec(tables)
      // Revision numbers differ between builds of the catalog.
      sql.foreign.run(identity)
      const through = sql.through.get(upTo)?.[0]
      if (through === undefined) sql.orphans.run()
      if (through === undefined || through < latest) sql.add.run(upTo, through ?? upTo)
      sql.put.run(upTo, latest, identity)
      if (through === undefined) {
        sql.oldest.run()
        sql.orphans.run()
      }
      return true
    },
  }
}

/**
 * SQL that joins each record `q.rid` to what it was right after some revision of the catalog: `r` is the newest valid
 * revision of the record then, and `b` its stored form. Both are null if the record did not exist or was GONE then.
 * @param upTo SQL of the row number of that revision
 */
export function joinStateAfter(upTo: string): string {
  return `LEFT JOIN revision r
    ON r.rev = (SELECT s.rev FROM revision s WHERE s.rid = q.rid AND s.standing = 1 AND s.rev <= ${upTo}
      ORDER BY s.version DESC, s.sequence DESC LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM revision g
      WHERE g.rid = q.rid AND g.standing = 2 AND g.rev > r.rev AND g.rev <= ${upTo})
    LEFT JOIN body b ON b.body = r.body`
}

/**
 * Says whether a caller would have seen a record as it was right after some revision of the catalog. Reads and parses
 * that former record.
 * @param upTo the row number of that revision
 */
type VisibleAtPoint = (upTo: number, visibility: Visibility) => (rid: number) => boolean

export function openVisibleAtPoint(connection: Connection): VisibleAtPoint {
  const former = connection.prepare<readonly [json: string]>(
    `SELECT b.json FROM (SELECT ?2 AS rid) q ${joinStateAfter('?1')} WHERE b.json IS NOT NULL`,
  )
  return (upTo, { readableBy, readableIds, readsUnrevoked }) => {
    if (!readableBy) return () => true
    const subjects = new Set(readableBy)
    const named = new Set(readableIds)
    return rid => {
      const row = former.get(upTo, rid)
      if (!row) return false
      const record = JSON.parse(row[0]) as StoredRecord
      if (named.has(record.id) || (readsUnrevoked && stateOf(record) !== 'REVOKED')) return true
      return listReadersOf(record).some(sid => subjects.has(sid))
    }
  }
}
