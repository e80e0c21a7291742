import { recordFromText } from '../../store/records/record-json.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { SetNumber } from '../lists/membership-sql.js'
import { openAudiences } from '../write/audiences.js'

/** A revision of metadata that is valid. */
export interface ComparedRevision {
  readonly rev: number
  readonly rid: number
  /** Whether the commit removes the record. */
  readonly isRemoval: boolean
}

/** The rows that say which records are in stored sets, and when harvesters lost one of them. */
export interface MembershipRows {
  /**
   * Updates the rows of a set for the next revision of a record. The caller has opened a transaction.
   * @param isMember whether the revision is in the set
   */
  put(number: SetNumber, revision: ComparedRevision, isMember: boolean): void
  /** Drops cached values, for the end of a transaction. */
  clear(): void
}

/** Columns of the table `departure`: of a former revision that was in a set. */
type FormerRow = readonly [id: string, schema: string, type: string, audience: number]

/** Prepares the statements for the rows. @param connection for writing to the catalog that has the revisions */
export function openMembershipRows(connection: Connection): MembershipRows {
  const sql = {
    open: connection.prepare<readonly [first: number]>(
      'SELECT first FROM membership WHERE rid = ? AND number = ? AND until IS NULL',
    ),
    enter: connection.prepare('INSERT INTO membership VALUES (?, ?, ?, NULL)'),
    leave: connection.prepare('UPDATE membership SET until = ? WHERE rid = ? AND number = ? AND first = ?'),
    withdrawn: connection.prepare<FormerRow>(
      'SELECT id, schema, type, audience FROM withdrawn WHERE rid = ? AND rev = ?',
    ),
    former: connection.prepare<readonly [id: string, type: string, json: string]>(
      `SELECT c.id, r.type, b.json FROM revision r CROSS JOIN record c ON c.rid = r.rid CROSS JOIN body b ON b.body = r.body
       WHERE r.rid = ? AND r.standing = 1 AND r.rev < ? ORDER BY r.rev DESC LIMIT 1`,
    ),
    depart: connection.prepare(
      `INSERT INTO departure SELECT ?1, ?2, ?3, -time, ?4, ?5, ?6, ?7 FROM revision WHERE rev = ?3`,
    ),
  }

  const audiences = openAudiences(connection)

  /** The values of the valid revision before a revision; undefined if there is none. */
  function formerRow(rid: number, rev: number): FormerRow | undefined {
    const [id, type, json] = sql.former.get(rid, rev) ?? []
    if (id === undefined || type === undefined || json === undefined) return undefined
    const record = recordFromText(json)
    return [id, record.schema?.schemaId ?? '', type, audiences.of(record)]
  }

  return {
    put(number, { rev, rid, isRemoval }, isMember) {
      const [first] = sql.open.get(rid, number) ?? []
      const stays = isMember && !isRemoval
      if (first === undefined) {
        if (stays) sql.enter.run(rid, number, rev)
        return
      }
      if (!stays) sql.leave.run(rev, rid, number, first)
      const lost = sql.withdrawn.get(rid, rev) ?? (stays ? undefined : formerRow(rid, rev))
      if (lost) sql.depart.run(number, rid, rev, ...lost)
    },
    clear: audiences.clear,
  }
}
