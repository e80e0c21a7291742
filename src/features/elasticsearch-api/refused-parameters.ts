import type { ParsedUrlQuery } from 'node:querystring'
import { malformedRequest } from '../../core/problem.js'

/**
 * Parameters by which Elasticsearch finds other hits or answers in another shape. Parameters about its work, such as
 * `preference`, do not change the answer and are ignored.
 * @see https://www.elastic.co/guide/en/elasticsearch/reference/8.17/search-search.html#search-search-api-query-params
 */
const refused = [
  ...['q', 'from', 'scroll', 'terminate_after', 'track_total_hits', 'filter_path', 'format'],
  ...['_source', '_source_includes', '_source_excludes', 'stored_fields', 'docvalue_fields'],
  ...['suggest_field', 'suggest_mode', 'suggest_size', 'suggest_text'],
]
/** Further parameters to refuse. With the value `false` they have no effect, and are accepted. */
const refusedUnlessFalse = [
  'explain',
  'version',
  'seq_no_primary_term',
  'rest_total_hits_as_int',
  'typed_keys',
]

/** Elasticsearch writes `id:asc`. Clients of existing servers send `sort=id,asc`, which these servers ignore. */
const isElasticsearchOrder = (sort: string) => sort.includes(':')

/** Parameters that Elasticsearch also accepts as members of the body, with the same name. */
const members = new Set(['from', 'sort', '_source', 'track_total_hits'])
const insteadOf: Readonly<Record<string, string>> = {
  q: 'a query of the type [query_string] in the body',
  scroll: '[from] and [size] in the body',
  _source_includes: '[_source] in the body',
  _source_excludes: '[_source] in the body',
  suggest_text: '[suggest] in the body',
}

/**
 * Refuses parameters that Elasticsearch has and these routes do not. Ignored, they would give other hits than the client
 * asks for.
 * @throws ProblemError `malformed-request`
 */
export function refuseElasticsearchParameters(query: ParsedUrlQuery): void {
  const sort = [query.sort ?? []].flat()
  const name =
    (sort.some(isElasticsearchOrder) ? 'sort' : undefined) ??
    refused.find(each => query[each] !== undefined) ??
    refusedUnlessFalse.find(each => query[each] !== undefined && query[each] !== 'false')
  if (name === undefined) return
  const instead = members.has(name) ? `[${name}] in the body` : insteadOf[name]
  const advice = instead === undefined ? '' : `: send ${instead}`
  throw malformedRequest(`the parameter [${name}] of the address is not supported${advice}`)
}
