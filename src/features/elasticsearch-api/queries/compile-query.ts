import { malformedRequest } from '../../../core/problem.js'
import { allOf, everything, nothing, type SearchCondition } from '../../search/search-condition.js'
import { compileQueryString } from './compile-query-string.js'
import { compileMatch, compileMultiMatch, compilePrefix } from './compile-text-query.js'
import { anyOf } from './condition-builders.js'
import { readMembers, readOnlyMember, shortenedName } from './read-json.js'
import { compileExists, compileIds, compileRange, compileTerm, compileTerms } from './value-conditions.js'

/** Limit of the queries in one request, as by default in Elasticsearch. */
const maxClauses = 1024

/** How many more queries the request may have. */
export interface ClauseBudget {
  left: number
}

export function openClauseBudget(): ClauseBudget {
  return { left: maxClauses }
}

const leaves: Readonly<Record<string, (value: unknown) => SearchCondition>> = {
  match_all: value => {
    readMembers(value, '[match_all] query', ['boost', '_name'])
    return everything
  },
  match_none: value => {
    readMembers(value, '[match_none] query', ['_name'])
    return nothing
  },
  match: value => compileMatch('match', 'words', value),
  match_phrase: value => compileMatch('match_phrase', 'phrase', value),
  match_phrase_prefix: value => compileMatch('match_phrase_prefix', 'phrase_prefix', value),
  match_bool_prefix: value => compileMatch('match_bool_prefix', 'bool_prefix', value),
  multi_match: compileMultiMatch,
  query_string: value => compileQueryString('query_string', value),
  simple_query_string: value => compileQueryString('simple_query_string', value),
  prefix: compilePrefix,
  term: compileTerm,
  terms: compileTerms,
  ids: compileIds,
  range: compileRange,
  exists: compileExists,
}

/**
 * Compiles a query of the Elasticsearch query language.
 * @param budget shared by all queries of a request
 * @throws ProblemError `malformed-request` that names what is not supported
 * @see docs/use/search-cluster.md#what-the-routes-understand
 */
export function compileQuery(value: unknown, budget: ClauseBudget): SearchCondition {
  if (--budget.left < 0)
    throw malformedRequest(`too_many_clauses: the request has more than ${maxClauses} queries`)
  const [name, body] = readOnlyMember(value, 'a query')
  if (name === 'bool') return compileBool(body, budget)
  if (name === 'constant_score') {
    const { filter } = readMembers(body, '[constant_score] query', ['filter', 'boost'])
    return compileQuery(filter, budget)
  }
  const compile = Object.hasOwn(leaves, name) ? leaves[name] : undefined
  if (!compile) throw malformedRequest(`unknown query [${shortenedName(name)}]`)
  return compile(body)
}

const boolMembers = [
  'must',
  'filter',
  'should',
  'must_not',
  'minimum_should_match',
  'boost',
  '_name',
  'adjust_pure_negative',
]

/**
 * Compiles a `bool` query. With `must` or `filter`, `should` changes only scores, unless `minimum_should_match` is set.
 */
function compileBool(value: unknown, budget: ClauseBudget): SearchCondition {
  const what = '[bool] query'
  const members = readMembers(value, what, boolMembers)
  const compileAll = (sent: unknown) => clausesOf(sent).map(clause => compileQuery(clause, budget))
  const required = [...compileAll(members.must), ...compileAll(members.filter)]
  const optional = compileAll(members.should)
  const forbidden = compileAll(members.must_not)
  const needed = requiredMatches(members.minimum_should_match, optional.length, required.length)
  return allOf([
    ...required,
    ...(needed === 'all' ? optional : needed === 'one' ? [anyOf(optional)] : []),
    ...forbidden.map(condition => ({ type: 'not', condition }) as const),
  ])
}

function clausesOf(sent: unknown): readonly unknown[] {
  if (sent === undefined || sent === null) return []
  return Array.isArray(sent) ? sent : [sent]
}

/** How many of the `should` queries must match. @throws ProblemError `malformed-request` for another number */
function requiredMatches(sent: unknown, optional: number, required: number): 'none' | 'one' | 'all' {
  const isAbsent = sent === undefined || sent === null
  const wanted = isAbsent ? (required === 0 ? 1 : 0) : sent === '100%' ? optional : Number(sent)
  if (optional === 0 || wanted === 0) return 'none'
  if (wanted === optional) return 'all'
  if (wanted === 1) return 'one'
  throw malformedRequest(
    `[minimum_should_match] of [bool] query must be 0, 1, or the number of [should] queries, not [${shortenedName(String(sent))}]`,
  )
}
