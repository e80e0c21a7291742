import type { ParsedUrlQuery } from 'node:querystring'
import type { Context } from 'koa'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'

/**
 * Refuses an address with broken percent-encoding, or with parameters that are too long. Each route calls this function
 * itself, so that the problem has the form of the route's problems.
 * @param cut parameters that may be long, because the text after a limit is ignored
 * @throws ProblemError `malformed-request`
 */
export function refuseMalformedAddress(ctx: Context, cut: ReadonlySet<string> = new Set()): void {
  for (const part of [ctx.path, ctx.querystring]) {
    if (part.includes('%') && !isDecodable(part))
      throw malformedRequest(`The percent-encoding of "${truncate(part)}" is broken.`)
  }
  if (ctx.querystring.length > 0) refuseLongParameters(ctx.query, cut)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

/** Limits of the characters of a parameter's name and value. The value of a filter may name many resources. */
const maxNameLength = 100
const maxValueLength = 8192

/**
 * Refuses parameters that are too long before anything parses them.
 * @param cut names of parameters whose value may have any length
 * @throws ProblemError `malformed-request`
 */
function refuseLongParameters(query: ParsedUrlQuery, cut: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(query)) {
    const longest = Array.isArray(value) ? Math.max(...value.map(text => text.length)) : (value?.length ?? 0)
    if (name.length > maxNameLength) {
      throw malformedRequest(
        `The name of the parameter ${truncate(name)} has ${name.length} characters; the limit is ${maxNameLength}.`,
      )
    }
    if (longest > maxValueLength && !cut.has(name)) {
      throw malformedRequest(
        `The parameter ${name} has ${longest} characters; the limit is ${maxValueLength}. Send several requests.`,
      )
    }
  }
}
