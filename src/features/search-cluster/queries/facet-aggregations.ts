import { truncate } from '../../../core/value-types.js'
import { rangeKindOf } from '../../search/range-bounds.js'
import type { FacetRequest, FacetResult } from '../../search/search-engine.js'
import { singleFields, valueFields } from '../../search/values/record-values.js'
import { fieldWithoutFacet } from '../../search/values/undeclared-field.js'
import { beginningOfShownTerms, splitShownTerm } from '../cluster/declared-values.js'
import type { DeclaredFields } from './declared-fields.js'
import { type ClusterQuery, declaredField, orderedField, queryOf } from './query-of-condition.js'

/** How many more terms `shown` (see declared-values.ts) are read than buckets: a bucket may have several spellings. */
const extraShownTerms = 100
/** How many more buckets each index of the cluster counts than the answer has. With fewer values, counts are exact. */
const extraBuckets = 1000

type Json = Readonly<Record<string, unknown>>
type TermCounts = Extract<FacetRequest['counts'], { readonly type: 'terms' }>

const ordersOfTerms = {
  count: [{ _count: 'desc' }, { _key: 'asc' }],
  value: [{ _key: 'asc' }],
} as const

/** Limit of the buckets of one search, below the cluster's own limit of 65,535. */
const maxBucketsOfSearch = 60_000

/** Divides facets into groups. The facets of a group are counted in one search. */
export function facetGroups(facets: readonly FacetRequest[]): readonly (readonly FacetRequest[])[] {
  const groups: FacetRequest[][] = []
  let left = 0
  for (const facet of facets) {
    const buckets = bucketsOf(facet)
    if (groups.length === 0 || buckets > left) {
      groups.push([])
      left = maxBucketsOfSearch
    }
    groups.at(-1)?.push(facet)
    left -= buckets
  }
  return groups
}

/** Upper limit of the buckets that the cluster returns for a facet. */
function bucketsOf({ counts }: FacetRequest): number {
  switch (counts.type) {
    case 'terms':
      return 2 * counts.size + extraShownTerms
    case 'ranges':
      return counts.ranges.length
    case 'conditions':
      return counts.conditions.length
    case 'extent':
      return 0
  }
}

/**
 * The aggregations of facets. Their names are `f0`, `f1` and so on.
 * @throws ProblemError `malformed-request` for a field without facets
 */
export function facetAggregations(facets: readonly FacetRequest[], fields: DeclaredFields): Json {
  return Object.fromEntries(
    facets.map((facet, index) => {
      const inner = aggregationOf(facet, fields)
      const shown = shownTermsOf(facet, fields)
      return [`f${index}`, { filter: filterOf(facet, fields), aggs: { inner, ...(shown && { shown }) } }]
    }),
  )
}

function filterOf({ filter }: FacetRequest, fields: DeclaredFields): ClusterQuery {
  return filter ? queryOf(filter, fields) : { match_all: {} }
}

function aggregationOf({ field, counts }: FacetRequest, fields: DeclaredFields): Json {
  switch (counts.type) {
    case 'terms':
      return termsOf(fieldOf(field, fields, 'terms'), counts)
    case 'ranges': {
      const ranges = counts.ranges.map(({ range }) => queryOf({ type: 'range', field, range }, fields))
      return { filters: { filters: ranges } }
    }
    case 'conditions':
      return { filters: { filters: counts.conditions.map(({ condition }) => queryOf(condition, fields)) } }
    case 'extent': {
      const name = fieldOf(field, fields, 'extent')
      return hasExtent(field, fields) ? { stats: { field: name } } : { filter: { match_none: {} } }
    }
  }
}

/**
 * The aggregation that finds the spelling to show for each bucket; undefined for fields whose buckets need none. It
 * is separate from the buckets: inside each bucket it would take time for each pair of values of a document.
 */
function shownTermsOf({ field, counts }: FacetRequest, fields: DeclaredFields): Json | undefined {
  if (counts.type !== 'terms') return undefined
  const declared = fields.declared(field)
  if (declared) return termsOf(declaredField(declared, 'shown'), counts, extraShownTerms)
  return valueFields.has(field) ? termsOf(`metastore.shown.${field}`, counts, extraShownTerms) : undefined
}

/** Whether the field has a least and a greatest value: only numbers and times do. */
function hasExtent(field: string, fields: DeclaredFields): boolean {
  const kind = fields.declared(field)?.as ?? rangeKindOf(field)
  return kind === 'number' || kind === 'date'
}

/** The aggregation that counts the values of a field. @param extra buckets in addition to those that are asked for */
function termsOf(field: string, { size: wanted, order }: TermCounts, extra = 0): Json {
  const size = Math.max(1, wanted) + extra
  return { terms: { field, size, shard_size: size + extraBuckets, order: ordersOfTerms[order] } }
}

/**
 * The name of the cluster's field with the values of a facet.
 * @throws ProblemError `malformed-request` if it has no facet
 */
function fieldOf(field: string, fields: DeclaredFields, counts: 'terms' | 'extent'): string {
  if (field === 'id' || rangeKindOf(field) || singleFields.has(field) || valueFields.has(field))
    return counts === 'terms' && rangeKindOf(field) !== 'date'
      ? `metastore.values.${field}`
      : orderedField(field)
  const declared = fields.declared(field)
  if (declared && (declared.isFacet || counts === 'extent'))
    return declaredField(declared, counts === 'terms' ? 'folded' : undefined)
  throw fieldWithoutFacet(field)
}

interface AnsweredExtent {
  readonly count?: number
  readonly min?: number | null
  readonly max?: number | null
}

interface AnsweredBucket {
  readonly key?: string | number
  readonly doc_count: number
}

/** A facet in the answer of the cluster. */
export interface AnsweredFacet {
  readonly inner: {
    readonly buckets?: readonly AnsweredBucket[]
    readonly sum_other_doc_count?: number
    readonly doc_count_error_upper_bound?: number
  } & AnsweredExtent
  /** The spellings to show, for a field whose buckets are values in lower case. */
  readonly shown?: { readonly buckets: readonly { readonly key: string }[] }
}

/** The results of facets by name. */
export function facetResults(
  facets: readonly FacetRequest[],
  answered: Readonly<Record<string, AnsweredFacet>> | undefined,
  fields: DeclaredFields,
): ReadonlyMap<string, FacetResult> {
  return new Map(
    facets.map((facet, index) => {
      return [facet.name, resultOf(facet, answered?.[`f${index}`] ?? { inner: {} }, fields)]
    }),
  )
}

function resultOf(
  { field, counts }: FacetRequest,
  { inner, shown }: AnsweredFacet,
  fields: DeclaredFields,
): FacetResult {
  const { buckets = [], sum_other_doc_count: more = 0, doc_count_error_upper_bound: missed = 0 } = inner
  const keyed = (keys: readonly { readonly key: string }[]) => ({
    buckets: keys.map(({ key }, index) => ({ value: key, count: buckets[index]?.doc_count ?? 0 })),
    more: 0,
  })
  switch (counts.type) {
    case 'terms': {
      const showKey = openShownKeys(shown?.buckets)
      return {
        buckets: buckets.map(({ key, doc_count: count }) => ({ value: showKey(String(key)), count })),
        more,
        ...(missed > 0 && { missed }),
      }
    }
    case 'ranges':
      return keyed(counts.ranges)
    case 'conditions':
      return keyed(counts.conditions)
    case 'extent': {
      const { count = 0, min, max } = inner
      if (count === 0 || min == null || max == null) return { buckets: [], more: 0 }
      const isTime = (fields.declared(field)?.as ?? rangeKindOf(field)) === 'date'
      return { buckets: [], more: 0, min: String(min), max: String(max), ...(isTime && { isTime }) }
    }
  }
}

/**
 * Returns a function from the key of a bucket to the value as documents write it; of several spellings, the one that
 * the embedded index shows.
 */
function openShownKeys(terms: readonly { readonly key: string }[] = []): (key: string) => string {
  const values = new Map<string, string>()
  for (const { key } of terms) {
    const { beginning, shown } = splitShownTerm(key)
    const other = values.get(beginning)
    if (other === undefined || shown < other) values.set(beginning, shown)
  }
  return key => values.get(beginningOfShownTerms(key)) ?? key
}

/** Sentences about facets with counts that may be too low. */
export function facetNotes(results: ReadonlyMap<string, FacetResult>): readonly string[] {
  return [...results].flatMap(([name, { missed }]) =>
    missed === undefined
      ? []
      : [`The field "${truncate(name)}" has very many values: each count may be too low by up to ${missed}.`],
  )
}
