import { type HitSource, hitsSql } from './hits-sql.js'
import type { HitTotal, IndexState } from './opened-index.js'

/** The totals of searches, by their SQL, until index or catalog change: the next pages need not count again. */
export interface KnownTotals {
  /** The total of a search that was counted before; 0 for a search that was not. */
  get(state: IndexState, source: HitSource): number
  getOrCount(state: IndexState, source: HitSource, count: () => HitTotal): HitTotal
}

const maxTotals = 500

export function openKnownTotals(): KnownTotals {
  const totals = new Map<string, HitTotal>()
  let countedVersion = ''

  function totalKey({ version }: IndexState, source: HitSource): string {
    if (countedVersion !== version) totals.clear()
    countedVersion = version
    const { sql, values } = hitsSql('count(*)', source)
    return JSON.stringify([sql, values])
  }

  return {
    get: (state, source) => totals.get(totalKey(state, source))?.total ?? 0,
    getOrCount(state, source, count) {
      const key = totalKey(state, source)
      const total = totals.get(key) ?? count()
      if (totals.size >= maxTotals) totals.clear()
      totals.set(key, total)
      return total
    },
  }
}
