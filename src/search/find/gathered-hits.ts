import type { Connection } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'
import { matchedRows, rowsSql } from './conditions/row-sets.js'
import type { FindLimits } from './find-limits.js'
import { gatheredHits, type HitSource, hitsSql, newestRev, type RevRange, withoutScores } from './hits-sql.js'

/*
 * Gathers the hits of a search in a table of their own, in memory: their row numbers in the index (`rev`) and in the
 * catalog (`newest`), and the columns of `indexed` that conditions, facets and orders read. So the condition and the
 * access lists are read once for a search, and not again for the total, each facet and the page.
 */

const columns = [
  'rid',
  'kind',
  'id',
  'schema',
  'year',
  'state',
  'language',
  'type',
  'created',
  'updated',
] as const

/** Replaces the gathered hits by those of a part of the index. @returns their number */
export function gatherRange(connection: Connection, source: HitSource, range: RevRange): number {
  clearHits(connection)
  return addHits(connection, source, range)
}

/** Adds hits to the gathered ones. @param range absent: all hits @returns their number */
export function addHits(connection: Connection, source: HitSource, range: RevRange = {}): number {
  const selected = ['f.rev', newestRev(source), ...columns.map(name => `f.${name}`)].join(', ')
  const { sql, values } = hitsSql(selected, withoutScores(source), range)
  connection.prepare(`INSERT INTO temp.hit ${sql}`).run(...values)
  return connection.prepare<readonly [number]>('SELECT changes()').get()?.[0] ?? 0
}

export function clearHits(connection: Connection): void {
  connection.exec(
    `CREATE TEMP TABLE IF NOT EXISTS hit (rev INTEGER PRIMARY KEY, newest INTEGER, ${columns.join(', ')})`,
  )
  connection.prepare('DELETE FROM temp.hit').run()
}

/**
 * Gathers all hits, unless they are very many.
 * @param last the last row of the index
 * @returns their number; undefined if there are too many, or probably too many
 */
export function gatherHits(
  connection: Connection,
  source: HitSource,
  last: number,
  { gathered, slice }: Pick<FindLimits, 'gathered' | 'slice'>,
): number | undefined {
  if (gathered === 0) return undefined
  clearHits(connection)
  const rows = lowestRowCount(connection, source, last, Math.max(gathered, slice))
  if (rows > gathered && isSimple(source)) return undefined
  if (rows <= slice) {
    const total = addHits(connection, source)
    if (total <= gathered) return total
    clearHits(connection)
    return undefined
  }
  let total = 0
  for (let max = last; max > 0; max -= slice) {
    total += addHits(connection, source, { min: max - slice + 1, max })
    const share = Math.min(1, (last - max + slice) / last)
    if (total <= gathered && total / share <= 2 * gathered) continue
    clearHits(connection)
    return undefined
  }
  return total
}

/** Whether nearly all rows of one table are hits: there is no further condition, and the caller sees all records. */
function isSimple(source: HitSource): boolean {
  const { match, sets, rest } = withoutScores(source).condition
  const tables = sets.length + (match === undefined ? 0 : 1)
  return tables <= 1 && rest.sql === '1' && source.visibility.readableBy === undefined
}

/** The number of rows that the narrowest part of the condition finds, or `max` + 1 if there are more. */
function lowestRowCount(connection: Connection, source: HitSource, last: number, max: number): number {
  const { match, sets } = withoutScores(source).condition
  const counts = [...(match === undefined ? [] : [matchedRows(match)]), ...sets].map(set => {
    const { sql, values } = rowsSql(set, { sql: ' LIMIT ?', values: [max + 1] })
    return connection.prepare<readonly [number]>(`SELECT count(*) FROM (${sql})`).get(...values)?.[0] ?? 0
  })
  return Math.min(max + 1, last, ...counts)
}

/** Removes the gathered hits that do not meet a condition. @returns the number of the others */
export function keepMatchingHits(connection: Connection, condition: SqlQuery): number {
  connection
    .prepare(`DELETE FROM temp.hit AS f WHERE NOT coalesce(${condition.sql}, 0)`)
    .run(...condition.values)
  const count = connection.prepare<readonly [number]>(`SELECT count(*) FROM ${gatheredHits}`).get()
  return count?.[0] ?? 0
}
