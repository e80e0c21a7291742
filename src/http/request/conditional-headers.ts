import type { Precondition } from '../../core/precondition.js'
import { ProblemError } from '../../core/problem.js'
import { exampleCommit } from '../openapi/value-schemas.js'
import { headerParameter } from '../parameters/request-parameter.js'

interface EntityTag {
  readonly weak: boolean
  /** Without the double quotes. */
  readonly tag: string
}

const entityTagList = /^[\t ]*(?:(?:W\/)?"[^"]*"[\t ]*(?:,[\t ]*|$))+$/

/** The entity tags in a header; empty if the header is not well-formed, so that it matches no state. */
function entityTags(header: string): readonly EntityTag[] {
  if (!entityTagList.test(header)) return []
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag = '']) => ({
    weak: weak !== undefined,
    tag,
  }))
}

const headerMissing = 'A change needs the header If-Match: read the record and send its ETag.'

/**
 * Parses `If-Match`. Weak tags never match.
 * @param header undefined or empty if the request has none
 * @param missing message of the problem in that case
 * @throws ProblemError `precondition-required`
 * @see RFC 9110 §13.1.1, RFC 6585 §3
 */
export function parseIfMatch(header: string | undefined, missing = headerMissing): Precondition {
  const text = header?.trim()
  if (!text) {
    throw new ProblemError('precondition-required', missing)
  }
  if (text === '*') return { any: true }
  return {
    any: false,
    tags: entityTags(text)
      .filter(({ weak }) => !weak)
      .map(({ tag }) => tag),
  }
}

/**
 * Whether `If-None-Match` has the tag, so that the client has this state already.
 * @param tag with the double quotes
 * @see RFC 9110 §13.1.2: the comparison is weak
 */
export function matchesIfNoneMatch(header: string | undefined, tag: string): boolean {
  if (!header) return false
  return header.trim() === '*' || entityTags(header).some(known => `"${known.tag}"` === tag)
}

export const ifMatch = headerParameter(
  'If-Match',
  {
    component: 'ifMatch',
    isReadFirst: true,
    description:
      'The ETag of the record that the request changes, with its double quotes. One of several ETags must match; `*` matches any.',
    required: true,
    schema: { type: 'string' },
    example: `"${exampleCommit}"`,
  },
  value => parseIfMatch(value),
)

/** The handler compares it with the ETag of the response. @see matchesIfNoneMatch */
export const ifNoneMatch = headerParameter(
  'If-None-Match',
  {
    component: 'ifNoneMatch',
    description:
      'ETags of states that the client has. If one is the current ETag, the response is 304 without a body.',
    schema: { type: 'string' },
  },
  value => value,
)
