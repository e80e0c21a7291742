import { audiencesSql, visibleSql } from '../../../catalog/lists/list-sql.js'
import type { OpenRowReader } from '../../../catalog/read/row-readers.js'
import type { HistoryPoint } from '../../../core/history-point.js'
import type { Collection } from '../../../core/records/collection.js'
import type { Visibility } from '../../../core/records/list-query.js'

/** A number of records that have these values in common. */
export interface RecordCount {
  readonly kind: Collection
  /** Id of the schema; empty for schemas. */
  readonly schema: string
  readonly state: string
  /** The year in which the records were served first. */
  readonly year: number
  readonly count: number
}

/** Whose records are counted, and when. */
export interface CountsQuery {
  readonly visibility: Visibility
  /** A point of the served history; undefined: now. */
  readonly at?: HistoryPoint
}

type CountRow = readonly [kind: string, schema: string, state: string, year: number, count: number]

/**
 * Counts the records that a caller sees. The catalog keeps the numbers of now, so that the cost depends on the number of
 * schemas, years and audiences; only the records that a token names, and those that have changed since a point, are read
 * one by one. It is the script of a reader of the catalog.
 */
export const openReader: OpenRowReader<CountsQuery, readonly RecordCount[]> = rows => {
  const { connection, snapshots, snapshot } = rows
  const columns = 'kind, schema, state, year'
  const identity = connection.prepare<readonly [identity: string]>('SELECT identity FROM state')
  const all = connection.prepare<CountRow>(`SELECT ${columns}, n FROM tally WHERE n <> 0`)
  const ofAudiences = `SELECT ${columns}, sum(n) FROM shown WHERE audience IN (${audiencesSql})`
  const group = `GROUP BY ${columns}`
  const seen = connection.prepare<CountRow>(`${ofAudiences} ${group}`)
  // A record that is REVOKED is seen by its audience only.
  const unrevoked = connection.prepare<CountRow>(
    `SELECT ${columns}, n FROM tally WHERE state <> 'REVOKED' AND n <> 0
     UNION ALL SELECT * FROM (${ofAudiences} AND state = 'REVOKED' ${group})`,
  )
  const named = connection.prepare<CountRow>(
    `SELECT kind, coalesce(schema, ''), state, year, count(*) FROM newest
     WHERE kind IN ('schema', 'metadata') AND id IN (SELECT value FROM json_each(?2))
       AND audience NOT IN (SELECT audience FROM member WHERE sid IN (SELECT value FROM json_each(?1)))
       AND (?3 = 0 OR state = 'REVOKED')
     GROUP BY 1, 2, 3, 4`,
  )

  function rowsFor({ readableBy, readableIds, readsUnrevoked }: Visibility): readonly CountRow[] {
    if (!readableBy) return all.all()
    const subjects = JSON.stringify(readableBy)
    return [
      ...(readsUnrevoked ? unrevoked : seen).all(subjects),
      ...(readableIds ? named.all(subjects, JSON.stringify(readableIds), readsUnrevoked ? 1 : 0) : []),
    ]
  }

  /** What is to be added to the numbers of now for those at a point. @param upTo the last revision up to the point */
  function changesSince(upTo: number, visibility: Visibility): readonly CountRow[] {
    const { sql, values } = visibleSql(visibility, 't', 't.audience')
    const since = `n.upto = ? AND t.rev > n.upto AND ${sql} GROUP BY 1, 2, 3, 4`
    const isNow = connection.prepare<CountRow>(
      `SELECT t.kind, coalesce(t.schema, ''), t.state, t.year, -count(*)
       FROM past n CROSS JOIN newest t ON t.rid = n.rid WHERE ${since}`,
    )
    const wasThen = connection.prepare<CountRow>(
      `SELECT n.kind, coalesce(n.schema, ''), coalesce(json_extract(b.json, '$.state'), 'VOLATILE'), t.year, count(*)
       FROM past n CROSS JOIN newest t ON t.rid = n.rid CROSS JOIN revision r ON r.rev = n.rev
         CROSS JOIN body b ON b.body = r.body
       WHERE n.kind IS NOT NULL AND ${since}`,
    )
    return [...isNow.all(upTo, ...values), ...wasThen.all(upTo, ...values)]
  }

  function rowsAt({ visibility, at }: CountsQuery): readonly CountRow[] {
    const now = rowsFor(visibility)
    if (!at) return now
    const upTo = snapshots.revisionAt(at)
    const isPast = snapshots.prepare(upTo, identity.get()?.[0] ?? '')
    return isPast ? [...now, ...changesSince(upTo, visibility)] : now
  }

  return query =>
    snapshot(() => rowsAt(query)).map(([kind, schema, state, year, count]) => ({
      kind: kind as Collection,
      schema,
      state,
      year,
      count,
    }))
}
