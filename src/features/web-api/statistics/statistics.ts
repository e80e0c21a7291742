import type { CoreParts } from '../../../compose/compose.js'
import type { Principal } from '../../../core/access-control.js'
import type { PointExpression } from '../../../core/history-point.js'
import { type Collection, collections } from '../../../core/records/collection.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'
import type { CountsQuery, RecordCount } from './record-counts-reader.js'

/** The numbers of the records that a caller sees. */
export interface Statistics {
  readonly kinds: Readonly<Record<Collection, number>>
  /** Metadata by the schema that they follow, the most used first. */
  readonly schemas: readonly { readonly id: string; readonly count: number }[]
  /** Whether there are more schemas than are listed. */
  readonly more: boolean
  readonly states: Readonly<Record<Collection, Readonly<Record<string, number>>>>
  /** By the year (UTC) in which the records were stored first, the newest year first. */
  readonly years: readonly ({ readonly year: number } & Readonly<Record<Collection, number>>)[]
}

/**
 * Counts the records that the caller may read.
 * @param at point of history; permissions are those of today, and the records that are GONE today are not counted
 * @throws ProblemError `not-found`; `malformed-request` for a point outside the served history
 */
export type ReadStatistics = (caller: Principal, at?: PointExpression) => Promise<Statistics>

/** Limit of the schemas that are listed. */
export const maxListedSchemas = 1000

const script = new URL('./record-counts-reader.js', import.meta.url)

export function openStatistics({ catalog, past }: CoreParts): ReadStatistics {
  return async (caller, at) => {
    const point = at && (await past.find(caller, at, adviseBase))
    const visibility = visibilityOf(catalog.committed, caller)
    const query: CountsQuery = { visibility, ...(point && { at: point }) }
    const counts = (await catalog.rows.read(script, query, caller.client)) as readonly RecordCount[]
    return statisticsOf(counts)
  }
}

const adviseBase = (base: string) =>
  `Records are not counted there. Count them where the branch began with at=${base}.`

function statisticsOf(counts: readonly RecordCount[]): Statistics {
  const ofKind = (kind: Collection) => counts.filter(each => each.kind === kind)
  const byKind = <T>(value: (of: readonly RecordCount[]) => T) =>
    Object.fromEntries(collections.map(kind => [kind, value(ofKind(kind))])) as Record<Collection, T>
  const schemas = [...sumsBy(ofKind('metadata'), ({ schema }) => schema)]
    .map(([id, count]) => ({ id, count }))
    .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1))
  const years = [...sumsBy(counts, ({ year }) => String(year)).keys()].map(Number).sort((a, b) => b - a)
  return {
    kinds: byKind(sum),
    schemas: schemas.slice(0, maxListedSchemas),
    more: schemas.length > maxListedSchemas,
    states: byKind(of => Object.fromEntries(sumsBy(of, ({ state }) => state))),
    years: years.map(year => ({ year, ...byKind(of => sum(of.filter(each => each.year === year))) })),
  }
}

function sum(counts: readonly RecordCount[]): number {
  return counts.reduce((total, { count }) => total + count, 0)
}

function sumsBy(
  counts: readonly RecordCount[],
  keyOf: (count: RecordCount) => string,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const each of counts) sums.set(keyOf(each), (sums.get(keyOf(each)) ?? 0) + each.count)
  return new Map([...sums].filter(([, count]) => count !== 0))
}
