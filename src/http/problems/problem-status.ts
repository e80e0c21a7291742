import type { ProblemKind } from '../../core/problem.js'

/** Status of the response for each kind of problem. {@link kindOfStatus} returns the first kind with a status. */
export const statusByKind = {
  'malformed-request': 400,
  unauthenticated: 401,
  forbidden: 403,
  elsewhere: 303,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  gone: 410,
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'page-out-of-range': 416,
  misdirected: 421,
  unprocessable: 422,
  'precondition-required': 428,
  'too-many-requests': 429,
  internal: 500,
  damaged: 500,
  unavailable: 503,
  'unusable-repository': 503,
  'no-space': 507,
} satisfies Record<ProblemKind, number>

/**
 * The first kind of problem that has a status, for clients that get only the status.
 * @returns undefined if no problem has the status
 */
export function kindOfStatus(status: number): ProblemKind | undefined {
  const kinds = Object.keys(statusByKind) as ProblemKind[]
  return kinds.find(kind => statusByKind[kind] === status)
}
