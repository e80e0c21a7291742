import type { Context } from 'koa'
import {
  ifMatchMissing,
  type NamedStates,
  type Precondition,
  preconditionRequired,
} from '../../core/precondition.js'
import { ProblemError } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { exampleCommit } from '../openapi/value-schemas.js'
import { headerParameter } from '../parameters/request-parameter.js'

interface EntityTag {
  readonly weak: boolean
  /** Without the double quotes. */
  readonly tag: string
}

/**
 * The entity tags in a header. Elements of the list may be empty, and a tag may have commas.
 * @returns undefined if the header is not well-formed
 * @see RFC 9110 §5.6.1.2, §8.8.3
 */
function entityTags(header: string): readonly EntityTag[] | undefined {
  const element = /[\t ]*(?:(W\/)?"([^"]*)"[\t ]*)?(?:,|$)/y
  const tags: EntityTag[] = []
  while (element.lastIndex < header.length) {
    const found = element.exec(header)
    if (!found) return undefined
    const [, weak, tag] = found
    if (tag !== undefined) tags.push({ weak: weak !== undefined, tag })
  }
  return tags
}

/**
 * Parses `If-Match`. Weak tags never match, and a header that is not well-formed matches no state.
 * @param header undefined or empty if the request has none
 * @param missing message of the problem in that case
 * @throws ProblemError `precondition-required`
 * @see RFC 9110 §13.1.1, RFC 6585 §3
 */
export function parseIfMatch(header: string | undefined, missing = ifMatchMissing): NamedStates {
  const text = header?.trim()
  if (!text) throw preconditionRequired(missing)
  if (text === '*') return { any: true }
  const strong = (entityTags(text) ?? []).filter(({ weak }) => !weak)
  return { any: false, tags: strong.map(({ tag }) => tag) }
}

/** Parses `If-None-Match` of a change. A header that is not well-formed excludes every state, so that nothing changes. */
function excludedStates(header: string): NamedStates {
  const tags = header.trim() === '*' ? undefined : entityTags(header)
  return tags ? { any: false, tags: tags.map(({ tag }) => tag) } : { any: true }
}

/**
 * The precondition of a change.
 * @throws ProblemError `precondition-required` if the request has no condition
 */
function readPrecondition(ctx: Context): Precondition {
  const ifMatch = ctx.get('If-Match').trim()
  const excluded = ctx.get('If-None-Match').trim()
  if (excluded === '') return parseIfMatch(ifMatch)
  const noneMatch = excludedStates(excluded)
  return ifMatch === ''
    ? { any: true, lacksIfMatch: true, noneMatch }
    : { ...parseIfMatch(ifMatch), noneMatch }
}

/**
 * Whether `If-None-Match` has the tag, so that the client has this state already.
 * @param tag with the double quotes
 * @see RFC 9110 §13.1.2: the comparison is weak
 */
export function matchesIfNoneMatch(header: string | undefined, tag: string): boolean {
  if (!header) return false
  return header.trim() === '*' || (entityTags(header)?.some(known => `"${known.tag}"` === tag) ?? false)
}

/**
 * Checks `If-Match` of a read.
 * @param tag ETag of the answer, with the double quotes; undefined: the answer has none, and only `*` matches it
 * @throws ProblemError `precondition-failed`
 * @see RFC 9110 §13.1.1
 */
export function requireIfMatch(header: string | undefined, tag: string | undefined): void {
  if (!header?.trim()) return
  const wanted = parseIfMatch(header)
  if (wanted.any || wanted.tags.some(known => `"${known}"` === tag)) return
  const has = tag === undefined ? 'no ETag' : `the ETag ${tag}`
  throw new ProblemError('precondition-failed', `The answer has ${has}; If-Match is ${truncate(header)}.`)
}

/** The conditions of a change: both headers are in the value of `ifMatch`. */
export const changeConditions = {
  ifMatch: {
    ...headerParameter(
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
      () => undefined,
    ),
    read: readPrecondition,
  },
  ifNoneMatch: headerParameter(
    'If-None-Match',
    {
      component: 'ifNoneMatchOfChange',
      description:
        'ETags of states that must not be changed, or `*` for any state. If one is the current ETag, the response is 412.',
      schema: { type: 'string' },
    },
    value => value,
  ),
}

/** The conditions of a read. {@link requireIfMatch} and {@link matchesIfNoneMatch} compare them with the ETag of the response. */
export const readConditions = {
  ifMatch: headerParameter(
    'If-Match',
    {
      component: 'ifMatchOfRead',
      description:
        'ETags of the states that the client wants. If none is the current ETag, the response is 412; `*` matches any.',
      schema: { type: 'string' },
    },
    value => value,
  ),
  ifNoneMatch: headerParameter(
    'If-None-Match',
    {
      component: 'ifNoneMatch',
      description:
        'ETags of states that the client has. If one is the current ETag, the response is 304 without a body.',
      schema: { type: 'string' },
    },
    value => value,
  ),
}
