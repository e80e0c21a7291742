import { malformedRequest } from './problem.js'
import { type Instant, type Oid, queryInstantOf, truncate } from './value-types.js'

/** A point of the served history: a commit of its first-parent chain. */
export interface HistoryPoint {
  readonly commit: Oid
}

/** A point outside the served history: on another branch, or on a merged side branch. */
export interface UnservedPoint {
  readonly unserved: Oid
  /** The last commit of the served chain that is also on the first-parent chain of the point. */
  readonly base: Oid
}

/** A parsed but unresolved point of history. `text` is the text in the request. */
export type PointExpression =
  /** The full name of a commit, even if a ref has the same name. */
  | { readonly by: 'commit'; readonly text: string; readonly commit: Oid }
  /** The name of a tag or branch; if there is none, the prefix of a commit's name, or a time. */
  | { readonly by: 'name'; readonly text: string; readonly prefix?: string; readonly time?: Instant }
  /** A time that cannot be the name of a ref. */
  | { readonly by: 'time'; readonly text: string; readonly time: Instant }

/** The smallest number of digits of a prefix of a commit's name. */
export const shortestPrefix = 7

/**
 * Parses the name of a point of history. It does not check that the point exists.
 * @throws ProblemError `malformed-request`
 */
export function parsePoint(text: string): PointExpression {
  if (/^[0-9a-f]{40}$/i.test(text)) return { by: 'commit', text, commit: text.toLowerCase() as Oid }
  const time = queryInstantOf(text)
  if (isRefName(text)) {
    const prefix = /^[0-9a-f]+$/i.test(text) && text.length >= shortestPrefix && text.length < 40
    return {
      by: 'name',
      text,
      ...(prefix && { prefix: text.toLowerCase() }),
      ...(time !== undefined && { time }),
    }
  }
  if (time !== undefined) return { by: 'time', text, time }
  throw malformedRequest(
    `The parameter at is "${truncate(text)}", which is not a point of history: write ${pointSyntaxHint}.`,
  )
}

/** The ways to write a point of history, for messages. */
export const pointSyntaxHint = `a commit (its 40 hex digits, or the first ${shortestPrefix} or more), a tag, a branch, or a time such as 2026-11-21T05:12:00Z`

/** Limit of the name of a ref, in characters: file systems do not support longer names. */
const maxRefLength = 240

/** Says whether a tag or a branch can have the name. @see git-check-ref-format(1) */
function isRefName(text: string): boolean {
  return (
    text.length <= maxRefLength &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/.test(text) &&
    text !== '@' &&
    !text.startsWith('-') &&
    text.split('/').every(part => /^[^.](?:.*[^.])?$/u.test(part) && !part.endsWith('.lock'))
  )
}
