import { ProblemError } from './problem.js'
import { clip, type Oid } from './values.js'

/** A point of the served history, as a request names it. */
export interface Point {
  readonly commit: Oid
}

/**
 * Reads the point of history a request asks for. Whether the history has it is for the catalog to say.
 * @param text the full name of a commit: 40 hex digits
 * @throws ProblemError `malformed-request`
 */
export function parsePoint(text: string): Point {
  if (/^[0-9a-f]{40}$/i.test(text)) return { commit: text.toLowerCase() as Oid }
  throw new ProblemError(
    'malformed-request',
    `The parameter at is "${clip(text)}", not the full name of a commit: write its 40 hex digits.`,
  )
}
