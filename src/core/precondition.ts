import { ProblemError } from './problem.js'
import type { Oid } from './value-types.js'

/**
 * The condition of `If-Match`: any revision, or a revision with one of the entity tags (without quotes). The list is
 * empty if the header was malformed or had only weak tags.
 */
export type Precondition = { readonly any: true } | { readonly any: false; readonly tags: readonly string[] }

/** The entity tag of a revision: the name of its commit in quotes. @see docs/contract.md#entity-tags */
export function entityTag(commit: Oid): string {
  return `"${commit}"`
}

/**
 * Checks the precondition of a change against the newest revision of the record.
 * @param current the commit of that revision
 * @throws ProblemError `precondition-failed`
 * @see RFC 9110 §13.1.1
 */
export function requireMatch(precondition: Precondition, current: Oid): void {
  if (precondition.any || precondition.tags.includes(current)) return
  if (precondition.tags.length === 0) {
    throw new ProblemError(
      'precondition-failed',
      'If-Match has no strong entity tag: send the ETag of the response, in its double quotes.',
    )
  }
  throw new ProblemError(
    'precondition-failed',
    'The record has changed since you read it. Read it again for its ETag and repeat the change.',
  )
}
