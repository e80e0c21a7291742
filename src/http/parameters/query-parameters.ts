import type { ParsedUrlQuery } from 'node:querystring'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

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

/**
 * Makes a function that parses the value of a parameter, which a query has at most once. The function returns undefined
 * if the query does not have the parameter.
 */
export function parsedBy<T>(
  parse: (text: string, name: string) => T,
): (query: ParsedUrlQuery, name: string) => T | undefined {
  return (query, name) => {
    const text = singleParameter(query, name)
    return text === undefined ? undefined : parse(text, name)
  }
}

/** The values of a repeatable parameter, without empty ones. */
export function repeatedParameter(query: ParsedUrlQuery, name: string): readonly string[] {
  const value = query[name]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).filter(text => text !== '')
}

/**
 * The value of a parameter that is on or off. A name without a value, such as `?dryRun`, means on.
 * @throws ProblemError `malformed-request`
 */
export function flagParameter(query: ParsedUrlQuery, name: string): boolean {
  const text = singleParameter(query, name)
  if (text === undefined || text === 'false') return false
  if (text === '' || text === 'true') return true
  throw malformedRequest(`The parameter ${name} is "${truncate(text)}": write true or false.`)
}

/** Schema of a {@link flagParameter}. */
export const flagSchema = { type: ['boolean', 'string'], enum: [true, false, ''], default: false } as const
