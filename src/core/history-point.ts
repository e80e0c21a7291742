import { ProblemError } from './problem.js'
import { type Instant, type Oid, parseQueryInstant, truncate } from './value-types.js'

/** A point of the served history: a commit of its first-parent chain. */
export interface HistoryPoint {
  readonly commit: Oid
}

/** A point aside of the served history: on another branch, or on a side that was merged. */
export interface UnservedPoint {
  readonly aside: Oid
  /** Where it began: the last commit of the served chain that is on its first-parent chain too. */
  readonly base: Oid
}

/** A point of history as a request names it, before anybody has looked for it. `text` is what the request says. */
export type PointExpression =
  /** The full name of a commit: nothing else is meant by it, whatever is called so. */
  | { readonly by: 'commit'; readonly text: string; readonly commit: Oid }
  /** The name of a tag or a branch; where there is none, the beginning of a commit's name, or a time. */
  | { readonly by: 'name'; readonly text: string; readonly prefix?: string; readonly time?: Instant }
  /** A time that nothing can be named after. */
  | { readonly by: 'time'; readonly text: string; readonly time: Instant }

/** Digits that the beginning of a commit's name has at least. */
export const shortestPrefix = 7

/**
 * Reads the name of a point of history. Whether there is such a point is another question.
 * @throws ProblemError `malformed-request`
 */
export function parsePoint(text: string): PointExpression {
  if (/^[0-9a-f]{40}$/i.test(text)) return { by: 'commit', text, commit: text.toLowerCase() as Oid }
  const time = timeIn(text)
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
  throw new ProblemError(
    'malformed-request',
    `The parameter at is "${truncate(text)}", which can be no point of history: write ${pointSyntaxHint}.`,
  )
}

/** For messages that say what to write. */
export const pointSyntaxHint = `a commit (its 40 hex digits, or the first ${shortestPrefix} or more), a tag, a branch, or a time such as 2026-11-21T05:12:00Z`

function timeIn(text: string): Instant | undefined {
  try {
    return parseQueryInstant(text, 'The parameter at')
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** Longest name of a ref that is looked for: file systems have no longer ones. */
const longestRef = 240

/** Says whether a tag or a branch can have the name. @see git-check-ref-format(1) */
function isRefName(text: string): boolean {
  return (
    text.length <= longestRef &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/.test(text) &&
    text !== '@' &&
    !text.startsWith('-') &&
    text.split('/').every(part => /^[^.](?:.*[^.])?$/u.test(part) && !part.endsWith('.lock'))
  )
}
