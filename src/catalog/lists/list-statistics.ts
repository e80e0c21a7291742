import type { Collection } from '../../core/records/collection.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Connection } from '../database/sqlite-connection.js'
import { metadataOnly } from './list-filter.js'
import { type AccessPath, audiencesSql, type KeyOrder } from './list-sql.js'

/** Answers from the tables `tally` and `shown`, which count records by kind, schema and audience. */
export interface ListStatistics {
  /**
   * Chooses how to find the entries: to start from a small selection costs less than to read all records. The time of a
   * request must not depend on records that the caller does not see, because it would reveal their number.
   */
  accessPath(kind: Collection, query: ListQuery, order: KeyOrder): AccessPath
  /** The number of entries of a current list; undefined if the tables do not tell it. */
  total(kind: Collection, query: ListQuery): number | undefined
  /** Whether a list has few entries before other filters are applied, because it is one of few resources. */
  isShort(kind: Collection, query: ListQuery): boolean
}

/** Limit of the entries of a list that the event loop reads to find one page. */
const maxShortList = 64

export function openListStatistics(connection: Connection): ListStatistics {
  const tallyOf = connection.prepare<readonly [number]>('SELECT n FROM tally WHERE kind = ? AND schema = ?')
  const tally = connection.prepare<readonly [number]>('SELECT coalesce(sum(n), 0) FROM tally WHERE kind = ?')
  const seenSql = `SELECT coalesce(sum(n), 0) FROM shown WHERE audience IN (${audiencesSql})`
  const seen = {
    all: connection.prepare<readonly [number]>(seenSql),
    ofKind: connection.prepare<readonly [number]>(`${seenSql} AND kind = ?`),
    ofSchema: connection.prepare<readonly [number]>(`${seenSql} AND kind = ? AND schema = ?`),
  }
  const describingSql = (resources: string) =>
    connection.prepare<readonly [number]>(
      `SELECT count(*) FROM (SELECT 1 FROM resource WHERE resource ${resources} LIMIT ?)`,
    )
  const describing = {
    one: describingSql('= ?'),
    any: describingSql('IN (SELECT value FROM json_each(?))'),
  }

  /** The number of metadata records that follow the schema, or of all records of a kind. */
  function count(kind: Collection, schemaId?: string): number {
    return (schemaId === undefined ? tally.get(kind) : tallyOf.get('metadata', schemaId))?.[0] ?? 0
  }

  /** The number of records that describe one of the resources; at most `limit`. */
  function countDescribing(resources: readonly string[], limit: number): number {
    const [only, second] = resources
    const found =
      only !== undefined && second === undefined
        ? describing.one.get(only, limit)
        : describing.any.get(JSON.stringify(resources), limit)
    return found?.[0] ?? 0
  }

  return {
    accessPath(kind, query, order) {
      const { readableBy, readableIds, readsUnrevoked } = query
      const { schemaIds, resources } = metadataOnly(kind, query)
      const isSmall = (part: number, of: number) => part * 8 < of
      const all = count(kind)
      const byId = order.columns[0] === 'id' && !resources && schemaIds?.length === 1
      const walksIds = byId && !isSmall(count(kind, schemaIds[0]), all)
      if (!readableBy || readsUnrevoked) return { walksIds }

      const visible = (seen.all.get(JSON.stringify(readableBy))?.[0] ?? 0) + (readableIds?.length ?? 0)
      const isLess = () => {
        if (resources) return visible < countDescribing(resources, visible + 1)
        if (schemaIds) return visible < schemaIds.reduce((sum, id) => sum + count(kind, id), 0)
        return isSmall(visible, all)
      }
      const seesLittle = isSmall(visible, count('schema') + count('metadata'))
      return { seesLittle, gathersSeen: isLess(), walksIds }
    },

    total(kind, query) {
      if (!hasKnownTotal(kind, query)) return undefined
      const [schemaId] = metadataOnly(kind, query).schemaIds ?? []
      if (!query.readableBy) return count(kind, schemaId)
      const sids = JSON.stringify(query.readableBy)
      const found =
        schemaId === undefined ? seen.ofKind.get(sids, kind) : seen.ofSchema.get(sids, kind, schemaId)
      return found?.[0] ?? 0
    },

    isShort(kind, query) {
      const { resources } = metadataOnly(kind, query)
      return resources !== undefined && countDescribing(resources, maxShortList + 1) <= maxShortList
    },
  }
}

/** Says whether the tables tell the number of entries of a current list. It depends on which filters are given. */
export function hasKnownTotal(kind: Collection, query: ListQuery): boolean {
  const { documentTypes, from, until, readableIds, readsUnrevoked } = query
  if (documentTypes || from !== undefined || until !== undefined || readableIds || readsUnrevoked)
    return false
  const { resources, schemaIds } = metadataOnly(kind, query)
  return !resources && (!schemaIds || schemaIds.length === 1)
}
