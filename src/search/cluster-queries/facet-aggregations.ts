import { truncate } from '../../core/value-types.js'
import type { DeclaredFields } from '../declared-fields/declared-fields.js'
import { fieldWithoutFacet } from '../declared-fields/undeclared-field.js'
import { foldValue } from '../index/fold-words.js'
import { rangeKindOf } from '../range-bounds.js'
import { isRecordField } from '../search-condition.js'
import type { FacetRequest, FacetResult } from '../search-engine.js'
import { type ClusterQuery, declaredField, orderedField, queryOf } from './query-of-condition.js'

/** Values that are read for a bucket of folded values, to show one of them. Records of the bucket may have others too. */
const maxSpellings = 20
/** Buckets that each index counts in addition to those of the answer: with fewer values, counts are exact. */
const extraBuckets = 1000

type Json = Readonly<Record<string, unknown>>

/**
 * The aggregations of facets. Their names are `f0`, `f1` and so on.
 * @throws ProblemError `malformed-request` for a field without facets
 */
export function facetAggregations(facets: readonly FacetRequest[], fields: DeclaredFields): Json {
  return Object.fromEntries(
    facets.map((facet, at) => {
      return [`f${at}`, { filter: filterOf(facet, fields), aggs: { inner: aggregationOf(facet, fields) } }]
    }),
  )
}

function filterOf({ filter }: FacetRequest, fields: DeclaredFields): ClusterQuery {
  return filter ? queryOf(filter, fields) : { match_all: {} }
}

function aggregationOf({ field, counts }: FacetRequest, fields: DeclaredFields): Json {
  switch (counts.type) {
    case 'terms': {
      const order = counts.order === 'count' ? [{ _count: 'desc' }, { _key: 'asc' }] : [{ _key: 'asc' }]
      const size = Math.max(1, counts.size)
      const name = fieldOf(field, fields, 'terms')
      const terms = { field: name, size, shard_size: size + extraBuckets, order }
      const declared = fields.declared(field)
      if (!declared) return { terms }
      const shown = { terms: { field: declaredField(declared, 'keyword'), size: maxSpellings } }
      return { terms, aggs: { shown } }
    }
    case 'ranges': {
      const ranges = counts.ranges.map(({ range }) => queryOf({ type: 'range', field, range }, fields))
      return { filters: { filters: ranges } }
    }
    case 'conditions':
      return { filters: { filters: counts.conditions.map(({ condition }) => queryOf(condition, fields)) } }
    case 'extent':
      return { stats: { field: fieldOf(field, fields, 'extent') } }
  }
}

/** The field with the values of a facet. @throws ProblemError `malformed-request` if it may not be counted */
function fieldOf(field: string, fields: DeclaredFields, counts: 'terms' | 'extent'): string {
  if (isRecordField(field)) return counts === 'terms' ? `metastore.values.${field}` : orderedField(field)
  const declared = fields.declared(field)
  if (declared && (declared.isFacet || counts === 'extent'))
    return declaredField(declared, counts === 'terms' ? 'folded' : declared.as)
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
  /** Of a declared field: values of the records of the bucket. */
  readonly shown?: { readonly buckets: readonly { readonly key: string }[] }
}

/** A facet in the answer of the cluster. */
export interface AnsweredFacet {
  readonly inner: {
    readonly buckets?: readonly AnsweredBucket[]
    readonly sum_other_doc_count?: number
    readonly doc_count_error_upper_bound?: number
  } & AnsweredExtent
}

/** The results of facets by name. */
export function facetResults(
  facets: readonly FacetRequest[],
  answered: Readonly<Record<string, AnsweredFacet>> | undefined,
  fields: DeclaredFields,
): ReadonlyMap<string, FacetResult> {
  return new Map(
    facets.map((facet, at) => {
      return [facet.name, resultOf(facet, answered?.[`f${at}`] ?? { inner: {} }, fields)]
    }),
  )
}

function resultOf(
  { field, counts }: FacetRequest,
  { inner }: AnsweredFacet,
  fields: DeclaredFields,
): FacetResult {
  const { buckets = [], sum_other_doc_count: more = 0, doc_count_error_upper_bound: missed = 0 } = inner
  const keyed = (keys: readonly { readonly key: string }[]) => ({
    buckets: keys.map(({ key }, at) => ({ value: key, count: buckets[at]?.doc_count ?? 0 })),
    more: 0,
  })
  switch (counts.type) {
    case 'terms':
      return {
        buckets: buckets.map(bucket => ({ value: shownKey(bucket), count: bucket.doc_count })),
        more,
        ...(missed > 0 && { missed }),
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

/** The value of a bucket as documents write it; of several spellings, the one that the own index shows. */
function shownKey({ key, shown }: AnsweredBucket): string {
  const spellings = (shown?.buckets ?? []).map(bucket => bucket.key).filter(text => foldValue(text) === key)
  return spellings.toSorted()[0] ?? String(key)
}

/** Sentences about facets with counts that may be too low. */
export function facetNotes(results: ReadonlyMap<string, FacetResult>): readonly string[] {
  return [...results].flatMap(([name, { missed }]) =>
    missed === undefined
      ? []
      : [`The field "${truncate(name)}" has very many values: each count may be too low by up to ${missed}.`],
  )
}
