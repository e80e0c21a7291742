import { malformedRequest } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import { allOf, everything, type SearchCondition } from '../../search/search-condition.js'
import { maxSearchWindow, type SearchRequest, type SortKey } from '../../search/search-engine.js'
import { type ClauseBudget, compileQuery, openClauseBudget } from '../queries/compile-query.js'
import { oneField } from '../queries/field-names.js'
import {
  readList,
  readMembers,
  readOnlyMember,
  readString,
  readWholeNumber,
  requireMeaning,
  shortenedName,
} from '../queries/read-json.js'
import { compileAggregations } from './aggregations.js'
import type { PlannedAggregation } from './bucket-aggregations.js'
import { type PlannedHighlight, readHighlight } from './highlighting.js'
import { readSourceFilter, type SourceFilter } from './source-filter.js'
import { compileSuggesters, type PlannedSuggester } from './suggesters.js'

/** A compiled search of the Elasticsearch query language. */
export interface ElasticsearchSearch {
  readonly request: SearchRequest
  readonly source: SourceFilter
  readonly highlight: PlannedHighlight | undefined
  readonly aggregations: readonly PlannedAggregation[]
  readonly suggesters: readonly PlannedSuggester[]
  /** False: the answer has no total. */
  readonly countsHits: boolean
}

/** Limit of the hits of one answer. */
const maxHits = 2000
/** Number of hits of an answer if the body has `from` alone. */
const defaultHits = 10
const maxSortKeys = 10
/** Only metadata records are in these indices, and no schemas. */
const kinds: readonly Collection[] = ['metadata']

const topMembers = [
  'query',
  'from',
  'size',
  'sort',
  '_source',
  'highlight',
  'post_filter',
  'track_total_hits',
  'track_scores',
  'aggs',
  'aggregations',
  'suggest',
  'timeout',
] as const

/** Query parameters `page` and `size`, which apply if the body has neither `from` nor `size`. Pages count from 0. */
interface AddressPaging {
  readonly page: number
  readonly size: number
}

/**
 * Compiles the body of a search.
 * @param within restricts the search to the indices that the path of the request names
 * @throws ProblemError `malformed-request` that names the unsupported part
 * @see docs/use/search-cluster.md#what-the-routes-understand
 */
export function compileSearch(
  body: unknown,
  within: SearchCondition,
  paging: AddressPaging,
): ElasticsearchSearch {
  const members = readMembers(body, 'the request body', topMembers)
  const budget = openClauseBudget()
  const aggregations = compileAggregations(members.aggs ?? members.aggregations, budget)
  const highlight = readHighlight(members.highlight)
  const filter = optionalQuery(members.post_filter, budget)
  return {
    request: {
      condition: allOf([within, optionalQuery(members.query, budget) ?? everything]),
      ...(filter && { filter }),
      kinds,
      sort: sortOf(members.sort),
      window: windowOf(members.from, members.size, paging),
      facets: aggregations.flatMap(aggregation => aggregation.facets),
      highlight: highlight?.fields ?? false,
    },
    source: readSourceFilter(members._source),
    highlight,
    aggregations,
    suggesters: compileSuggesters(members.suggest, { kinds, condition: within }),
    countsHits: members.track_total_hits !== false,
  }
}

function optionalQuery(value: unknown, budget: ClauseBudget): SearchCondition | undefined {
  return value === undefined || value === null ? undefined : compileQuery(value, budget)
}

function windowOf(from: unknown, size: unknown, paging: AddressPaging) {
  const isInBody = from !== undefined || size !== undefined
  const limit = isInBody
    ? readWholeNumber(size ?? defaultHits, '[size]', 0, maxHits)
    : Math.min(paging.size, maxHits)
  const offset = isInBody
    ? readWholeNumber(from ?? 0, '[from]', 0, Number.MAX_SAFE_INTEGER)
    : paging.page * limit
  if (offset + limit > maxSearchWindow) {
    throw malformedRequest(
      `Result window is too large, from + size must be less than or equal to: [${maxSearchWindow}] but was [${offset + limit}]`,
    )
  }
  return { offset, limit }
}

/** The order of hits; by default, the best hits come first. @throws ProblemError `malformed-request` */
function sortOf(value: unknown): readonly SortKey[] {
  if (value === undefined || value === null) return [{ field: 'score', order: 'desc' }]
  const sent = Array.isArray(value) ? readList(value, '[sort]', maxSortKeys) : [value]
  const keys = sent.flatMap(sortKeys)
  return keys.length === 0 ? [{ field: 'score', order: 'desc' }] : keys
}

function sortKeys(sent: unknown): readonly SortKey[] {
  if (typeof sent === 'string') return sortKey(sent, sent === '_score' ? 'desc' : 'asc')
  const [name, value] = readOnlyMember(sent, '[sort]')
  if (typeof value === 'string') return sortKey(name, value)
  const what = `[sort] by [${shortenedName(name)}]`
  const members = readMembers(value, what, ['order', 'missing', 'unmapped_type', 'mode', 'format'])
  const { order, missing, mode } = members
  const keys = sortKey(
    name,
    order === undefined ? (name === '_score' ? 'desc' : 'asc') : readString(order, '[order]'),
  )
  requireMeaning(missing, `[missing] of ${what}`, ['_last'])
  // Of several values in one record, the one that comes first in the order counts.
  for (const key of keys) requireMeaning(mode, `[mode] of ${what}`, [key.order === 'asc' ? 'min' : 'max'])
  return keys
}

function sortKey(name: string, order: string): readonly SortKey[] {
  const direction = order.toLowerCase()
  if (direction !== 'asc' && direction !== 'desc')
    throw malformedRequest(
      `[sort] by [${shortenedName(name)}] must be [asc] or [desc], not [${shortenedName(order)}]`,
    )
  // `_doc` is the order of storage. Without a key, hits are newest first.
  if (name === '_doc') return []
  return [{ field: name === '_score' ? 'score' : oneField(name, '[sort]'), order: direction }]
}
