import { malformedRequest } from '../../../core/problem.js'
import { rangeKindOf } from '../../search/range-bounds.js'
import { isRecordField, type SearchCondition } from '../../search/search-condition.js'
import { type FacetRequest, type FacetResult, maxBuckets } from '../../search/search-engine.js'
import { type ClauseBudget, compileQuery } from '../queries/compile-query.js'
import { oneField } from '../queries/field-names.js'
import {
  type JsonMembers,
  readList,
  readMembers,
  readOnlyMember,
  readScalar,
  readString,
  readWholeNumber,
  requireMeaning,
  shortenedName,
} from '../queries/read-json.js'
import { bucketRange, requireBoundFormat } from '../queries/value-conditions.js'

/** The results of facets by their names. */
export type FacetsByName = ReadonlyMap<string, FacetResult>

/** An aggregation of a request: the facets to count, and the answer with their counts. */
export interface PlannedAggregation {
  readonly name: string
  readonly facets: readonly FacetRequest[]
  /** Further facets to count, which depend on these results. Called again with each new result, until none is new. */
  furtherFacets(results: FacetsByName): readonly FacetRequest[]
  render(results: FacetsByName): object
}

/** Formats of times that requests may name, because answers have this format. */
export const usualFormats = ['strict_date_optional_time', 'date_optional_time']
/** Number of buckets of a `terms` aggregation without `size`, as in Elasticsearch. */
const defaultBuckets = 10

export interface AggregationPlace {
  readonly type: string
  readonly facetName: string
  readonly filter: SearchCondition | undefined
  readonly budget: ClauseBudget
}

export type Planned = Omit<PlannedAggregation, 'name'>

/** Functions that compile aggregations without others inside, by type. They throw ProblemError `malformed-request`. */
export const typedAggregations: Readonly<
  Record<string, (place: AggregationPlace, body: unknown) => Planned>
> = {
  terms: compileTermsAggregation,
  filters: compileFiltersAggregation,
  range: compileRangeAggregation,
  date_range: compileRangeAggregation,
  min: compileExtent,
  max: compileExtent,
}

const noFurtherFacets = () => []

/** The facet of an aggregation. */
export function facetOf(
  { facetName, filter }: Pick<AggregationPlace, 'facetName' | 'filter'>,
  field: string,
  counts: FacetRequest['counts'],
): FacetRequest {
  return { name: facetName, field, ...(filter && { filter }), counts }
}

function compileTermsAggregation(place: AggregationPlace, body: unknown): Planned {
  const what = '[terms] aggregation'
  const members = readMembers(body, what, [
    'field',
    'size',
    'order',
    'min_doc_count',
    'shard_size',
    'show_term_doc_count_error',
  ])
  const field = fieldOf(members, what)
  const size =
    members.size === undefined
      ? defaultBuckets
      : readWholeNumber(members.size, `[size] of ${what}`, 1, 65_536)
  if (members.min_doc_count !== undefined)
    readWholeNumber(members.min_doc_count, `[min_doc_count] of ${what}`, 0, 1)
  const { by, isReverse } = orderOf(members.order, what)
  const shownSize = Math.min(size, maxBuckets)
  return {
    facets: [facetOf(place, field, { type: 'terms', size: isReverse ? maxBuckets : shownSize, order: by })],
    furtherFacets: noFurtherFacets,
    render(results) {
      const { buckets = [], more = 0, tooMany, atLeast, missed = 0 } = results.get(place.facetName) ?? {}
      const ordered = isReverse ? buckets.toReversed() : buckets
      const hidden = ordered.slice(shownSize).reduce((sum, bucket) => sum + bucket.count, more)
      return {
        // -1: unknown.
        doc_count_error_upper_bound: tooMany || atLeast ? -1 : missed,
        sum_other_doc_count: hidden,
        buckets: ordered.slice(0, shownSize).map(({ value, count }) => ({ key: value, doc_count: count })),
      }
    },
  }
}

/** Reads `{"_count": "desc"}`, `{"_key": "asc"}`, or the reverse of them. @throws ProblemError `malformed-request` */
export function orderOf(
  sent: unknown,
  what: string,
): { readonly by: 'count' | 'value'; readonly isReverse: boolean } {
  if (sent === undefined || sent === null) return { by: 'count', isReverse: false }
  const [first = {}] = Array.isArray(sent) ? readList(sent, `[order] of ${what}`, 2) : [sent]
  const [key, direction] = readOnlyMember(first, `[order] of ${what}`)
  if (key !== '_count' && key !== '_key' && key !== '_term')
    throw malformedRequest(`[order] of ${what} must be by [_count] or [_key], not [${shortenedName(key)}]`)
  if (direction !== 'asc' && direction !== 'desc')
    throw malformedRequest(`[order] of ${what} must be [asc] or [desc]`)
  const by = key === '_count' ? 'count' : 'value'
  return { by, isReverse: direction !== (by === 'count' ? 'desc' : 'asc') }
}

function compileFiltersAggregation(place: AggregationPlace, body: unknown): Planned {
  const what = '[filters] aggregation'
  const { filters } = readMembers(body, what, ['filters'])
  const isList = Array.isArray(filters)
  const entries = isList
    ? readList(filters, `[filters] of ${what}`, maxBuckets).map(
        (entry, index) => [String(index), entry] as const,
      )
    : Object.entries(readMembers(filters ?? {}, `[filters] of ${what}`))
  const conditions = entries.map(([key, query]) => ({ key, condition: compileQuery(query, place.budget) }))
  return {
    facets: [facetOf(place, '', { type: 'conditions', conditions })],
    furtherFacets: noFurtherFacets,
    render(results) {
      const counts = countsOf(results, place.facetName)
      const buckets = conditions.map(({ key }) => [key, { doc_count: counts.get(key) ?? 0 }] as const)
      return { buckets: isList ? buckets.map(([, bucket]) => bucket) : Object.fromEntries(buckets) }
    },
  }
}

function compileRangeAggregation(place: AggregationPlace, body: unknown): Planned {
  const what = `[${place.type}] aggregation`
  const members = readMembers(body, what, ['field', 'ranges', 'keyed', 'format'])
  requireBoundFormat(members.format, what)
  const field = fieldOf(members, what)
  const isKeyed = members.keyed === true
  const ranges = readList(members.ranges, `[ranges] of ${what}`, maxBuckets).map(entry => {
    const { key, from, to } = readMembers(entry, `a range of ${what}`, ['key', 'from', 'to'])
    const bound = (value: unknown) =>
      value === undefined || value === null ? undefined : readScalar(value, `a bound of ${what}`)
    const [low, high] = [bound(from), bound(to)]
    return {
      key: key === undefined ? `${low ?? '*'}-${high ?? '*'}` : readString(key, `[key] of ${what}`),
      range: bucketRange(field, low, high),
      shown: { ...(low !== undefined && { from: low }), ...(high !== undefined && { to: high }) },
    }
  })
  return {
    facets: [facetOf(place, field, { type: 'ranges', ranges })],
    furtherFacets: noFurtherFacets,
    render(results) {
      const counts = countsOf(results, place.facetName)
      const buckets = ranges.map(({ key, shown: bounds }) => ({
        key,
        ...bounds,
        doc_count: counts.get(key) ?? 0,
      }))
      if (!isKeyed) return { buckets }
      return { buckets: Object.fromEntries(buckets.map(({ key, ...bucket }) => [key, bucket])) }
    },
  }
}

function compileExtent(place: AggregationPlace, body: unknown): Planned {
  const what = `[${place.type}] aggregation`
  const members = readMembers(body, what, ['field', 'format'])
  requireMeaning(members.format, `[format] of ${what}`, usualFormats)
  const field = fieldOf(members, what)
  if (isRecordField(field) && rangeKindOf(field) === undefined)
    throw malformedRequest(
      `${what} needs a field with numbers or times, not [${shortenedName(String(members.field))}]`,
    )
  return {
    facets: [facetOf(place, field, { type: 'extent' })],
    furtherFacets: noFurtherFacets,
    render(results) {
      const { min, max, isTime } = results.get(place.facetName) ?? {}
      const end = place.type === 'min' ? min : max
      if (end === undefined) return { value: null }
      const value = Number(end)
      if (Number.isNaN(value)) return { value: null, value_as_string: end }
      return { value, ...(isTime && { value_as_string: new Date(value).toISOString() }) }
    },
  }
}

export function fieldOf({ field }: JsonMembers, what: string): string {
  return oneField(readString(field, `[field] of ${what}`), what)
}

function countsOf(results: FacetsByName, name: string): ReadonlyMap<string, number> {
  return new Map((results.get(name)?.buckets ?? []).map(({ value, count }) => [value, count]))
}
