import { ProblemError } from './problem.js'
import type { Oid } from './value-types.js'

/**
 * What `If-Match` or `If-None-Match` names: any state, or those with one of the entity tags (without quotes). The list is
 * empty if no tag of the header can match.
 */
export type NamedStates = { readonly any: true } | { readonly any: false; readonly tags: readonly string[] }

/** The conditions of a change: the states that `If-Match` names may be changed. */
export type Precondition = NamedStates & {
  /** `If-None-Match`: the states that must not be changed. */
  readonly noneMatch?: NamedStates
  /** The request has `If-None-Match` alone. It may be refused for its state, but not change one that it does not name. */
  readonly lacksIfMatch?: true
}

/** The entity tag of a revision: the name of its commit in quotes. @see docs/contract.md#entity-tags */
export function entityTag(commit: Oid): string {
  return `"${commit}"`
}

/** The problem of a change that names no state. */
export function preconditionRequired(message: string): ProblemError {
  return new ProblemError('precondition-required', message)
}

/** Message for a change by a header; a change of a change set has its own. */
export const ifMatchMissing = 'A change needs the header If-Match: read the record and send its ETag.'

/**
 * Checks the precondition of a change against the newest revision of the record.
 * @param current the commit of that revision
 * @throws ProblemError `precondition-failed`; `precondition-required` if only `If-None-Match` is there, and holds
 * @see RFC 9110 §13.1.1, §13.1.2, §13.2.2
 */
export function requireMatch(precondition: Precondition, current: Oid): void {
  if (!includes(precondition, current)) {
    throw new ProblemError(
      'precondition-failed',
      !precondition.any && precondition.tags.length === 0
        ? 'If-Match has no strong entity tag: send the ETag of the response, in its double quotes.'
        : 'The record has changed since you read it. Read it again for its ETag and repeat the change.',
    )
  }
  if (precondition.noneMatch && includes(precondition.noneMatch, current)) {
    throw new ProblemError(
      'precondition-failed',
      'The record is in a state that If-None-Match excludes, so nothing is changed.',
    )
  }
  if (precondition.lacksIfMatch) throw preconditionRequired(ifMatchMissing)
}

function includes(states: NamedStates, tag: string): boolean {
  return states.any || states.tags.includes(tag)
}
