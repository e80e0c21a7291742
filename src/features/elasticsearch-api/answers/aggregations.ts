import { malformedRequest } from '../../../core/problem.js'
import type { SearchCondition } from '../../search/search-condition.js'
import type { FacetRequest } from '../../search/search-engine.js'
import { type ClauseBudget, compileQuery } from '../queries/compile-query.js'
import { readMembers, readOnlyMember, shortenedName } from '../queries/read-json.js'
import { type PlannedAggregation, typedAggregations } from './bucket-aggregations.js'
import { compileYearsAggregation } from './years-aggregation.js'

/** Limit of the aggregations of one request, nested ones included. */
const maxAggregations = 100
const compilers: typeof typedAggregations = { ...typedAggregations, date_histogram: compileYearsAggregation }

/**
 * Plans the aggregations of a request. Those in a `filter` aggregation count the records that its condition matches.
 * @param value the value of `aggs`
 * @param budget as for {@link compileQuery}
 * @throws ProblemError `malformed-request` that names the unsupported part
 */
export function compileAggregations(value: unknown, budget: ClauseBudget): readonly PlannedAggregation[] {
  const counter = { left: maxAggregations }
  return compileLevel(value, '', undefined, budget, counter)
}

/**
 * Compiles the aggregations of one level, and those nested in a filter.
 * @param filter of the aggregation around these; undefined: they are at the top
 */
function compileLevel(
  value: unknown,
  path: string,
  filter: SearchCondition | undefined,
  budget: ClauseBudget,
  counter: { left: number },
): readonly PlannedAggregation[] {
  if (value === undefined || value === null) return []
  return Object.entries(readMembers(value, '[aggs]')).map(([name, sent]) => {
    if (--counter.left < 0)
      throw malformedRequest(`the request has more than ${maxAggregations} aggregations`)
    const what = `the aggregation [${shortenedName(name)}]`
    const { aggs, aggregations, meta: _, ...typed } = readMembers(sent, what)
    const [type, body] = readOnlyMember(typed, what)
    const nested = aggs ?? aggregations
    const facetName = `${path}${name}`
    if (type === 'filter') {
      if (filter) throw malformedRequest(`${what} is nested more than one level deep`)
      const condition = compileQuery(body, budget)
      const inner = compileLevel(nested, `${facetName}>`, condition, budget, counter)
      return filterAggregation(name, facetName, condition, inner)
    }
    if (nested !== undefined && nested !== null && Object.keys(readMembers(nested, '[aggs]')).length > 0)
      throw malformedRequest(`${what}: only [filter] aggregations take others, not [${shortenedName(type)}]`)
    const compile = Object.hasOwn(compilers, type) ? compilers[type] : undefined
    if (!compile) throw malformedRequest(`unknown aggregation type [${shortenedName(type)}]`)
    return { name, ...compile({ type, facetName, filter, budget }, body) }
  })
}

/** A bucket for the records that match the condition, with the aggregations in it. */
function filterAggregation(
  name: string,
  facetName: string,
  condition: SearchCondition,
  inner: readonly PlannedAggregation[],
): PlannedAggregation {
  const own: FacetRequest = {
    name: facetName,
    field: '',
    counts: { type: 'conditions', conditions: [{ key: 'filter', condition }] },
  }
  return {
    name,
    facets: [own, ...inner.flatMap(aggregation => aggregation.facets)],
    furtherFacets: results => inner.flatMap(aggregation => aggregation.furtherFacets(results)),
    render: results => ({
      ...Object.fromEntries(inner.map(aggregation => [aggregation.name, aggregation.render(results)])),
      doc_count: results.get(facetName)?.buckets[0]?.count ?? 0,
    }),
  }
}
