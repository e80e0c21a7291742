import type { Collection } from '../../core/records/collection.js'
import { givenFilters, type SqlQuery } from '../../core/records/list-filters.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Connection } from '../database/sqlite-connection.js'
import {
  type AccessPath,
  audiencesSql,
  currentList,
  fewRecords,
  type KeyOrder,
  type ListSource,
  revokedList,
  totalSql,
  visibleSql,
  withConditions,
} from './list-sql.js'

/** Answers from the tables `tally` and `shown`, which count records by kind, schema and audience. */
export interface ListStatistics {
  /**
   * Chooses how to find the entries: to start from a small selection costs less than to read all records. The time of a
   * request must not depend on records that the caller does not see, because it would reveal their number.
   * @param total number of entries, if it is counted
   */
  accessPath(kind: Collection, query: ListQuery, order: KeyOrder, total?: number): AccessPath
  /** The number of entries of a current list; undefined if the tables do not tell it. */
  total(kind: Collection, query: ListQuery): number | undefined
  /** Whether a list begins from few records, such as those about one resource. */
  isShort(query: ListQuery): boolean
  count(query: SqlQuery): number
}

/** Limit of the entries of a list that the event loop reads to find one page. */
const maxShortList = 64

export function openListStatistics(connection: Connection): ListStatistics {
  const tallyOf = connection.prepare<readonly [number]>(
    'SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ? AND schema = ?',
  )
  const tally = connection.prepare<readonly [number]>('SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ?')
  const seenSql = `SELECT coalesce(sum(n), 0) FROM shown WHERE audience IN (${audiencesSql})`
  const seen = {
    all: connection.prepare<readonly [number]>(seenSql),
    ofKind: connection.prepare<readonly [number]>(`${seenSql} AND kind = ?`),
    ofSchema: connection.prepare<readonly [number]>(`${seenSql} AND kind = ? AND schema = ?`),
  }

  function count({ sql, values }: SqlQuery): number {
    return connection.prepare<readonly [number]>(sql).get(...values)?.[0] ?? 0
  }

  /** The number of metadata records that follow the schema, or of all records of a kind. */
  function recordsOf(kind: Collection, schemaId?: string): number {
    return (schemaId === undefined ? tally.get(kind) : tallyOf.get('metadata', schemaId))?.[0] ?? 0
  }

  /** The number of the records; at most `limit`. */
  function countFew({ sql, values }: SqlQuery, limit: number): number {
    return count({ sql: `SELECT count(*) FROM (${sql} LIMIT ?)`, values: [...values, limit] })
  }

  /** The number of records that the members of audiences see, with these subjects. */
  function seenBy(readableBy: readonly string[], kind: Collection, schemaId: string | undefined): number {
    const sids = JSON.stringify(readableBy)
    const found =
      schemaId === undefined ? seen.ofKind.get(sids, kind) : seen.ofSchema.get(sids, kind, schemaId)
    return found?.[0] ?? 0
  }

  return {
    count,
    accessPath(kind, query, order, total) {
      const { readableBy, readableIds, readsUnrevoked, schemaIds } = query
      const few = fewRecords(query)
      const isSmall = (part: number, of: number) => part * 8 < of
      const [schemaId, second] = schemaIds ?? []
      const isOne = schemaId !== undefined && second === undefined
      const part = total ?? (isOne ? recordsOf(kind, schemaId) : 0)
      const walksIds = order.columns[0] === 'id' && !few && part > 0 && !isSmall(part, recordsOf(kind))
      if (!readableBy || readsUnrevoked) return { walksIds }

      const visible = (seen.all.get(JSON.stringify(readableBy))?.[0] ?? 0) + (readableIds?.length ?? 0)
      const isLess = () => {
        if (few) return visible < countFew(few.records, visible + 1)
        if (schemaIds) return visible < schemaIds.reduce((sum, id) => sum + recordsOf(kind, id), 0)
        return isSmall(visible, recordsOf(kind))
      }
      const seesLittle = isSmall(visible, recordsOf('schema') + recordsOf('metadata'))
      return { seesLittle, gathersSeen: isLess(), walksIds }
    },

    total(kind, query) {
      if (!hasKnownTotal(query)) return undefined
      const { readableBy, readableIds, readsUnrevoked, schemaIds } = query
      const [schemaId] = schemaIds ?? []
      if (!readableBy) return recordsOf(kind, schemaId)
      const filters = schemaIds && { schemaIds }
      if (readsUnrevoked) {
        const hidden = unseen(revokedList(kind, { ...filters }), {
          readableBy,
          ...(readableIds && { readableIds }),
        })
        return recordsOf(kind, schemaId) - count(totalSql(hidden))
      }
      const total = seenBy(readableBy, kind, schemaId)
      if (!readableIds) return total
      const named = { sql: 'n.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(readableIds)] }
      const byIds = { walksIds: true }
      const more = unseen(withConditions(currentList(kind, { ...filters }, byIds), named), { readableBy })
      return total + count(totalSql(more))
    },

    isShort(query) {
      const few = fewRecords(query)
      return few !== undefined && countFew(few.records, maxShortList + 1) <= maxShortList
    },
  }
}

/** The entries of a list that a caller does not see. */
function unseen(list: ListSource, visibility: ListQuery): ListSource {
  const { sql, values } = visibleSql(visibility, 'n', 'n.audience')
  return withConditions(list, { sql: `NOT ${sql}`, values })
}

/** Says whether the tables tell the number of entries of a current list. It depends on which filters are given. */
export function hasKnownTotal(query: ListQuery): boolean {
  return givenFilters(query).every(({ name }) => name === 'schemaIds' && query.schemaIds?.length === 1)
}
