import { malformedRequest } from '../../../core/problem.js'
import type { ValueRange } from '../../search/search-condition.js'
import { type FacetRequest, maxBuckets } from '../../search/search-engine.js'
import { readMembers, readWholeNumber, requireMeaning } from '../queries/read-json.js'
import {
  type AggregationPlace,
  type FacetsByName,
  facetOf,
  fieldOf,
  orderOf,
  type Planned,
  usualFormats,
} from './bucket-aggregations.js'
import { tooManyBuckets } from './error-answer.js'

/** The last year that an answer can name: years have four digits. */
const lastYear = 9999

/** Years from the first to the last one, both included. */
interface Span {
  readonly first: number
  readonly last: number
}

/**
 * Plans a bucket for each year from the first to the last one, or only for years with records (`min_doc_count`). A
 * first search finds the first and the last year. If there are too many years to count at once, a second search counts
 * longer periods, and a third one the years of those periods that have records.
 */
export function compileYearsAggregation(place: AggregationPlace, body: unknown): Planned {
  const { facetName, filter } = place
  const what = '[date_histogram] aggregation'
  const members = readMembers(body, what, [
    'field',
    'calendar_interval',
    'interval',
    'format',
    'min_doc_count',
    'order',
  ])
  const field = fieldOf(members, what)
  const interval = members.calendar_interval ?? members.interval
  if (interval !== 'year' && interval !== '1y')
    throw malformedRequest(`[calendar_interval] of ${what} must be [year]`)
  requireMeaning(members.format, `[format] of ${what}`, usualFormats)
  const least = readWholeNumber(
    members.min_doc_count ?? 0,
    `[min_doc_count] of ${what}`,
    0,
    Number.MAX_SAFE_INTEGER,
  )
  const order = orderOf(members.order ?? { _key: 'asc' }, what)
  const parts = `${facetName} parts`
  const years = (index: number) => `${facetName} years ${index}`

  function countsOf(name: string, spans: readonly Span[], isTime: boolean): FacetRequest {
    const ranges = spans.map(span => ({ key: keyOf(span), range: rangeOf(span, isTime) }))
    return facetOf({ facetName: name, filter }, field, { type: 'ranges', ranges })
  }

  function yearsIn(spans: readonly Span[], isTime: boolean): readonly FacetRequest[] {
    const all = spans.flatMap(span => partsOf(span, 1))
    const facets = Array.from({ length: Math.ceil(all.length / maxBuckets) }, (_, index) =>
      all.slice(index * maxBuckets, (index + 1) * maxBuckets),
    )
    return facets.map((ofFacet, index) => countsOf(years(index), ofFacet, isTime))
  }

  return {
    facets: [facetOf(place, field, { type: 'extent' })],
    furtherFacets(results) {
      const { min, max, isTime = false } = results.get(facetName) ?? {}
      const span = spanOf(min, max, isTime, what)
      if (span === undefined) return []
      const count = span.last - span.first + 1
      if (count <= maxBuckets) return yearsIn([span], isTime)
      if (least === 0)
        throw tooManyBuckets(
          `${what} would have ${count} buckets, more than ${maxBuckets} buckets: narrow the search, or leave out empty buckets by [min_doc_count]`,
        )
      const counted = results.get(parts)
      const spans = partsOf(span, Math.ceil(count / maxBuckets))
      if (!counted) return [countsOf(parts, spans, isTime)]
      return yearsIn(
        spans.filter((_, index) => (counted.buckets[index]?.count ?? 0) > 0),
        isTime,
      )
    },
    render(results) {
      const buckets = bucketsOf(results, years).filter(({ count }) => count >= least)
      if (buckets.length > maxBuckets)
        throw tooManyBuckets(
          `${what} would have ${buckets.length} buckets, more than ${maxBuckets} buckets: narrow the search`,
        )
      const ordered = order.by === 'count' ? buckets.toSorted((a, b) => b.count - a.count) : buckets
      return {
        buckets: (order.isReverse ? ordered.toReversed() : ordered).map(({ value, count }) => {
          const start = `${value}-01-01T00:00:00.000Z`
          return { key_as_string: start, key: Date.parse(start), doc_count: count }
        }),
      }
    },
  }
}

function bucketsOf(results: FacetsByName, name: (index: number) => string) {
  const found: { readonly value: string; readonly count: number }[] = []
  for (let index = 0; ; index++) {
    const facet = results.get(name(index))
    if (!facet) return found
    found.push(...facet.buckets)
  }
}

/**
 * The years from the least to the greatest value; undefined if there is no value.
 * @throws ProblemError `malformed-request` for years that an answer cannot name
 */
function spanOf(
  min: string | undefined,
  max: string | undefined,
  isTime: boolean,
  what: string,
): Span | undefined {
  const [first, last] = [yearOf(min, isTime), yearOf(max, isTime)]
  if (first === undefined || last === undefined) return undefined
  if (first >= 0 && last <= lastYear) return { first, last }
  throw malformedRequest(`${what} has values beyond the years 0000 to ${lastYear}: narrow the search`)
}

function partsOf({ first, last }: Span, width: number): readonly Span[] {
  return Array.from({ length: Math.ceil((last - first + 1) / width) }, (_, index) => {
    const start = first + index * width
    return { first: start, last: Math.min(last, start + width - 1) }
  })
}

const fourDigits = (year: number) => String(year).padStart(4, '0')
const keyOf = ({ first }: Span) => fourDigits(first)

function rangeOf({ first, last }: Span, isTime: boolean): ValueRange {
  const [from, until] = isTime
    ? [`${fourDigits(first)}-01-01T00:00:00Z`, `${fourDigits(last)}-12-31T23:59:59.999Z`]
    : [String(first), String(last + 1)]
  return { from: { value: from, inclusive: true }, until: { value: until, inclusive: isTime } }
}

/** The year of a time in milliseconds since 1970, or of a number such as `2024`; undefined for other values. */
function yearOf(value: string | undefined, isTime: boolean): number | undefined {
  const number = Number(value)
  if (value === undefined || !Number.isFinite(number)) return undefined
  return isTime ? new Date(number).getUTCFullYear() : Math.floor(number)
}
