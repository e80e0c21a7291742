import type { ParsedUrlQuery } from 'node:querystring'
import { ProblemError } from '../../core/problem.js'
import { parseVersion, truncate, type Version } from '../../core/value-types.js'

/** Characters that the name and the value of a parameter may have. A filter may name many resources at once. */
const longestName = 100
const longestValue = 8192

/**
 * Refuses parameters that are too long before anything parses them.
 * @throws ProblemError `malformed-request`
 */
export function refuseLongParameters(query: ParsedUrlQuery): void {
  for (const [name, value] of Object.entries(query)) {
    const longest = Array.isArray(value) ? Math.max(...value.map(text => text.length)) : (value?.length ?? 0)
    if (name.length > longestName) {
      throw new ProblemError(
        'malformed-request',
        `The name of the parameter ${truncate(name)} has ${name.length} characters; at most ${longestName} are taken.`,
      )
    }
    if (longest > longestValue) {
      throw new ProblemError(
        'malformed-request',
        `The parameter ${name} has ${longest} characters; at most ${longestValue} are taken. Ask in several requests.`,
      )
    }
  }
}

/** @throws ProblemError `malformed-request` where the parameter is there twice */
export function singleParameter(query: ParsedUrlQuery, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value)) {
    throw new ProblemError('malformed-request', `The parameter ${name} may be given once only.`)
  }
  return value
}

/** Every value of a repeatable parameter; empty ones ask for nothing and are left out. */
export function repeatedParameter(query: ParsedUrlQuery, name: string): readonly string[] {
  const value = query[name]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).filter(text => text !== '')
}

export function versionParameter(query: ParsedUrlQuery): Version | undefined {
  const text = singleParameter(query, 'version')
  return text === undefined ? undefined : parseVersion(text)
}
