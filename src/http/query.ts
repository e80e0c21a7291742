import type { ParsedUrlQuery } from 'node:querystring'
import { ProblemError } from '../core/problem.js'
import { parseVersion, type Version } from '../core/values.js'

/** @throws ProblemError `malformed-request` where the parameter is there twice */
export function single(query: ParsedUrlQuery, name: string): string | undefined {
  const value = query[name]
  if (Array.isArray(value)) {
    throw new ProblemError('malformed-request', `The parameter ${name} may be given once only.`)
  }
  return value
}

/** Every value of a repeatable parameter; empty ones ask for nothing and are left out. */
export function several(query: ParsedUrlQuery, name: string): readonly string[] {
  const value = query[name]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).filter(text => text !== '')
}

export function versionOf(query: ParsedUrlQuery): Version | undefined {
  const text = single(query, 'version')
  return text === undefined ? undefined : parseVersion(text)
}
