import type { Precondition } from '../../core/precondition.js'
import { ProblemError } from '../../core/problem.js'
import { headerParameter } from './request-parameter.js'

interface EntityTag {
  readonly weak: boolean
  /** Without its quotes. */
  readonly tag: string
}

const entityTagList = /^[\t ]*(?:(?:W\/)?"[^"]*"[\t ]*(?:,[\t ]*|$))+$/

/** A list that is not well-formed names nothing: it asks for a state we never had. */
function entityTags(header: string): readonly EntityTag[] {
  if (!entityTagList.test(header)) return []
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, tag = '']) => ({
    weak: weak !== undefined,
    tag,
  }))
}

const headerMissing = 'A change needs the header If-Match: read the record and send back its ETag.'

/**
 * What `If-Match` asks. Weak tags never match.
 * @param header undefined or empty where the request has none
 * @param missing what to say then
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
 * Says whether the client has this state already, by its `If-None-Match`.
 * @param tag entity tag with its quotes
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
      'The ETag of the state that is to be changed, in its double quotes; several are alternatives, `*` is any.',
    required: true,
    schema: { type: 'string' },
    example: '"5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a"',
  },
  value => parseIfMatch(value),
)

/** The answer to a read compares it with its own ETag. @see matchesIfNoneMatch */
export const ifNoneMatch = headerParameter(
  'If-None-Match',
  {
    component: 'ifNoneMatch',
    description: 'ETags of states the client has: where it is one of them, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
  value => value,
)
