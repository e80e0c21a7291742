import { listReadersOf } from '../../core/access-control.js'
import type { Visibility } from '../../core/records/list-query.js'
import { type StoredRecord, stateOf } from '../../core/records/record.js'
import type { Connection } from '../database/sqlite-connection.js'
import { joinStateAfter } from './point-in-time-sql.js'

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
