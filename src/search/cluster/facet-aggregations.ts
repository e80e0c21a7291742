import { isRecordField } from '../search-condition.js'
import type { FacetRequest, FacetResult } from '../search-engine.js'
import { dateField, isTimeField, orderedField, queryOf, valueField } from './query-of-condition.js'

/** Buckets that each index counts in addition to those of the answer, so that counts over all indices are exact. */
const spare = 1000

type Json = Readonly<Record<string, unknown>>

/** The aggregations of facets. Their names are `f0`, `f1` and so on. */
export function facetAggregations(facets: readonly FacetRequest[]): Json {
  return Object.fromEntries(
    facets.map((facet, at) => {
      const aggs = { inner: aggregationOf(facet), ...timesOf(facet) }
      return [`f${at}`, { filter: facet.filter ? queryOf(facet.filter) : { match_all: {} }, aggs }]
    }),
  )
}

function aggregationOf({ field, counts }: FacetRequest): Json {
  switch (counts.type) {
    case 'terms': {
      const order = counts.order === 'count' ? [{ _count: 'desc' }, { _key: 'asc' }] : [{ _key: 'asc' }]
      const size = Math.max(1, counts.size)
      return { terms: { field: valueField(field), size, shard_size: size + spare, order } }
    }
    case 'ranges':
      return {
        filters: {
          filters: counts.ranges.map(({ range }) => queryOf({ type: 'range', field, range })),
        },
      }
    case 'conditions':
      return { filters: { filters: counts.conditions.map(({ condition }) => queryOf(condition)) } }
    case 'extent':
      return { stats: { field: orderedField(field, true) } }
  }
}

/** The extent of the times of a path into documents, and how many documents have a time that is no number. */
function timesOf({ field, counts }: FacetRequest): Json {
  if (counts.type !== 'extent' || isRecordField(field)) return {}
  const [times, numbers] = [dateField(field), orderedField(field, true)]
  const dated = { filter: [{ exists: { field: times } }], must_not: [{ exists: { field: numbers } }] }
  return { times: { stats: { field: times } }, dated: { filter: { bool: dated } } }
}

interface AnsweredExtent {
  readonly count?: number
  readonly min?: number | null
  readonly max?: number | null
}

/** A facet in the answer of the cluster. */
export interface AnsweredFacet {
  readonly times?: AnsweredExtent
  readonly dated?: { readonly doc_count: number }
  readonly inner: {
    readonly buckets?: readonly { readonly key?: string | number; readonly doc_count: number }[]
    readonly sum_other_doc_count?: number
  } & AnsweredExtent
}

/** The results of facets by name. */
export function facetResults(
  facets: readonly FacetRequest[],
  answered: Readonly<Record<string, AnsweredFacet>> | undefined,
): ReadonlyMap<string, FacetResult> {
  return new Map(
    facets.map((facet, at) => {
      return [facet.name, resultOf(facet, answered?.[`f${at}`] ?? { inner: {} })]
    }),
  )
}

function resultOf({ field, counts }: FacetRequest, { inner, times, dated }: AnsweredFacet): FacetResult {
  const { buckets = [], sum_other_doc_count: more = 0 } = inner
  const keyed = (keys: readonly { readonly key: string }[]) => ({
    buckets: keys.map(({ key }, at) => ({ value: key, count: buckets[at]?.doc_count ?? 0 })),
    more: 0,
  })
  switch (counts.type) {
    case 'terms':
      return {
        buckets: buckets.map(({ key, doc_count }) => ({ value: String(key), count: doc_count })),
        more,
      }
    case 'ranges':
      return keyed(counts.ranges)
    case 'conditions':
      return keyed(counts.conditions)
    case 'extent': {
      const isDated = times !== undefined && dated !== undefined && dated.doc_count > 0
      const { count = 0, min, max } = isDated ? times : inner
      if (count === 0 || min == null || max == null) return { buckets: [], more: 0 }
      const isTime = isDated || isTimeField(field)
      return { buckets: [], more: 0, least: String(min), most: String(max), ...(isTime && { isTime }) }
    }
  }
}
