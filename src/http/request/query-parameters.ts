import type { ParsedUrlQuery } from 'node:querystring'
import { malformedRequest } from '../../core/problem.js'

/**
 * The value of a parameter that a query has at most once; undefined if the query does not have it.
 * @throws ProblemError `malformed-request` if the query has the parameter more than once
 */
export function singleParameter(query: ParsedUrlQuery, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value)) {
    throw malformedRequest(`The parameter ${name} may appear only once.`)
  }
  return value
}

/** The values of a repeatable parameter, without empty ones. */
export function repeatedParameter(query: ParsedUrlQuery, name: string): readonly string[] {
  const value = query[name]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).filter(text => text !== '')
}
