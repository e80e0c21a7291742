import type { Collection } from '../../../core/records/collection.js'
import type { Id, Version } from '../../../core/value-types.js'
import type { Connection } from '../../database/sqlite-connection.js'
import { openRecordNumbers } from './record-number.js'

type RowNumber = readonly [row: number]

/**
 * Selects a valid revision of a record by its version, by a point of history, or by both. The results are row numbers
 * of revisions; undefined if there is no such revision.
 */
interface RevisionSelection {
  /** Says whether the record with the row number `rid` existed after the revision `upTo` and was not GONE. */
  wasThere(rid: number, upTo: number): boolean
  /** The newest revision of a version of a record that is not GONE now. */
  ofVersion(kind: Collection, id: Id, version: Version): number | undefined
  /** The newest one, or the newest one of a version, up to the revision `upTo`, if the record is not GONE, then or now. */
  upTo(kind: Collection, id: Id, upTo: number, version: Version | undefined): number | undefined
  /** The same of a schema, which may be GONE now, up to the position `sequence` of the history. */
  ofSchemaUntil(id: Id, sequence: number, version: Version | undefined): number | undefined
}

export function openRevisionSelection(connection: Connection): RevisionSelection {
  const sql = statementsOf(connection)
  const recordNumber = openRecordNumbers(connection)
  const wasThere = (rid: number, upTo: number) => sql.standingUntil.get(rid, upTo)?.[0] === 1

  return {
    wasThere,

    ofVersion(kind, id, version) {
      const [rid] = sql.served.get(kind, id) ?? []
      if (rid === undefined) return undefined
      return sql.ofVersionUpTo.get(rid, version, Number.MAX_SAFE_INTEGER)?.[0]
    },

    upTo(kind, id, upTo, version) {
      const [rid] = sql.served.get(kind, id) ?? []
      if (rid === undefined || !wasThere(rid, upTo)) return undefined
      const row = version === undefined ? sql.upTo.get(rid, upTo) : sql.ofVersionUpTo.get(rid, version, upTo)
      return row?.[0]
    },

    ofSchemaUntil(id, sequence, version) {
      const rid = recordNumber('schema', id)
      if (rid === undefined) return undefined
      const last = sql.until.get(rid, sequence)
      const removed = sql.removedUntil.get(rid, sequence)?.[0] ?? 0
      if (!last || removed > last[1]) return undefined
      return version === undefined ? last[0] : sql.ofVersionUntil.get(rid, version, sequence)?.[0]
    },
  }
}

function statementsOf(connection: Connection) {
  return {
    served: connection.prepare<RowNumber>('SELECT rid FROM newest WHERE kind = ? AND id = ?'),
    standingUntil: connection.prepare<readonly [standing: number]>(
      'SELECT standing FROM revision WHERE rid = ? AND standing <> 0 AND rev <= ? ORDER BY rev DESC LIMIT 1',
    ),
    upTo: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND rev <= ?
       ORDER BY version DESC, sequence DESC LIMIT 1`,
    ),
    ofVersionUpTo: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ? AND rev <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    until: connection.prepare<readonly [rev: number, sequence: number]>(
      `SELECT rev, sequence FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
       ORDER BY version DESC, sequence DESC LIMIT 1`,
    ),
    ofVersionUntil: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ? AND sequence <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    removedUntil: connection.prepare<readonly [sequence: number | null]>(
      'SELECT max(sequence) FROM revision WHERE rid = ? AND standing = 2 AND sequence <= ?',
    ),
  }
}
