import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { type ListSource, totalSql } from '../../../catalog/lists/list-sql.js'
import type { ListStatistics } from '../../../catalog/lists/list-statistics.js'
import type { HarvestQuery } from './harvest-query.js'
import type { ListPart } from './list-parts.js'

/** Counts the entries of lists. */
interface HarvestTotals {
  /**
   * The number of entries of a list.
   * @param past number of the last revision up to the point, if the list is read as it was at the point
   * @param isSeen says whether the caller saw the record at the point
   */
  total(
    query: HarvestQuery,
    past: number | undefined,
    parts: readonly ListPart[],
    isSeen: (rid: number) => boolean,
  ): number
}

export function openHarvestTotals(connection: Connection, statistics: ListStatistics): HarvestTotals {
  const ridsOf = ({ from, where, values }: ListSource) =>
    connection
      .prepare<readonly [rid: number]>(`SELECT n.rid FROM ${from} WHERE ${where.join(' AND ')}`)
      .all(...values)
      .map(([rid]) => rid)

  function count(source: ListSource): number {
    const { sql, values } = totalSql(source)
    return connection.prepare<readonly [n: number]>(sql).get(...values)?.[0] ?? 0
  }

  /** The number of current records in the list; undefined if the statistics do not tell it. */
  function knownTotal(query: HarvestQuery, past: number | undefined): number | undefined {
    const isFiltered = past !== undefined || query.id !== undefined || query.storedSets?.only !== undefined
    return isFiltered ? undefined : statistics.total('metadata', query)
  }

  return {
    total(query, past, parts, isSeen) {
      const sourcesOf = (sort: ListPart['sort']) =>
        parts.filter(part => part.sort === sort).map(({ source }) => source)
      return (
        (knownTotal(query, past) ?? sum(sourcesOf('live').map(count))) +
        sum(sourcesOf('deleted').map(count)) +
        sum(sourcesOf('shown again').map(source => ridsOf(source).filter(isSeen).length))
      )
    },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}
