import type { ParsedUrlQuery } from 'node:querystring'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

/** Limits of the characters of the name and the value of a parameter. The value of a filter may name many resources. */
const maxNameLength = 100
const maxValueLength = 8192

/**
 * Refuses parameters that are too long before anything parses them.
 * @throws ProblemError `malformed-request`
 */
export function refuseLongParameters(query: ParsedUrlQuery): void {
  for (const [name, value] of Object.entries(query)) {
    const longest = Array.isArray(value) ? Math.max(...value.map(text => text.length)) : (value?.length ?? 0)
    if (name.length > maxNameLength) {
      throw malformedRequest(
        `The name of the parameter ${truncate(name)} has ${name.length} characters; the limit is ${maxNameLength}.`,
      )
    }
    if (longest > maxValueLength) {
      throw malformedRequest(
        `The parameter ${name} has ${longest} characters; the limit is ${maxValueLength}. Send several requests.`,
      )
    }
  }
}

/**
 * The value of a parameter that a query has at most once.
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
