import { listReadersOf } from '../../core/access-control.js'
import type { StoredRecord } from '../../core/records/record.js'
import type { Connection } from '../database/sqlite-connection.js'

/** Rows of audiences: the sets of subjects that may find a record in lists. Records with equal sets share a row. */
export interface Audiences {
  /** The row number of a record's audience, which is added if it is new. */
  of(record: StoredRecord): number
  /** Says whether some subject is a member of the audience `from` but not of the audience `to`. */
  isNarrowed(from: number, to: number): boolean
  /** Drops cached values, for the end of a transaction. */
  clear(): void
}

/** Limit of the audiences whose row number is cached within a transaction. */
const maxCachedAudiences = 10_000

export function openAudiences(connection: Connection): Audiences {
  const sql = {
    lost: connection.prepare<readonly [sid: string]>(
      `SELECT m.sid FROM member m WHERE m.audience = ?
         AND NOT EXISTS (SELECT 1 FROM member o WHERE o.audience = ? AND o.sid = m.sid) LIMIT 1`,
    ),
    find: connection.prepare<readonly [audience: number]>('SELECT audience FROM audience WHERE sids = ?'),
    insert: connection.prepare('INSERT INTO audience VALUES (NULL, ?)'),
    insertMember: connection.prepare('INSERT INTO member VALUES (?, ?)'),
  }
  const cache = new Map<string, number>()

  return {
    of(record) {
      const members = [...new Set(listReadersOf(record))].sort()
      const sids = JSON.stringify(members)
      const known = cache.get(sids) ?? sql.find.get(sids)?.[0]
      const audience = known ?? sql.insert.run(sids)
      if (known === undefined) for (const sid of members) sql.insertMember.run(audience, sid)
      if (cache.size >= maxCachedAudiences) cache.clear()
      cache.set(sids, audience)
      return audience
    },
    isNarrowed: (from, to) => from !== to && sql.lost.get(from, to) !== undefined,
    clear: () => cache.clear(),
  }
}
