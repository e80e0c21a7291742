import { STATUS_CODES } from 'node:http'
import type { ProblemError } from '../../core/problem.js'
import { isGitPath } from '../mounts.js'
import { statusByKind } from './problem-status.js'

export const problemMediaType = 'application/problem+json'

/** The response for a problem, for Koa and for requests that do not reach Koa. */
interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The response for a problem. `type` is `about:blank`, as on existing servers: the kinds of problems say hardly more
 * than `status` and `findings`, so clients would gain nothing from URLs of our own, which would have to stay stable.
 * @param instance path of the request
 * @see RFC 9457 §3.1, §4.2.1
 */
export function problemAnswer(problem: ProblemError, instance: string): ProblemAnswer {
  const status = statusByKind[problem.kind]
  const { findings, change, retryAfter, total, allow, location, badToken } = problem.extra
  return {
    status,
    headers: {
      'Content-Type': problemMediaType,
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
      ...(total === undefined ? {} : { 'Content-Range': `*/${total}` }),
      ...(location === undefined ? {} : { Location: location }),
      ...(allow === undefined ? {} : { Allow: allow.join(', ') }),
      ...(problem.kind === 'unauthenticated'
        ? { 'WWW-Authenticate': wwwAuthenticate(instance, badToken === true) }
        : {}),
    },
    body: problemBody(status, problem.message, { instance, change, findings }),
  }
}

/** Problem details as JSON text. @param more further members; undefined ones are left out */
export function problemBody(status: number, detail: string, more: object = {}): string {
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...more })
}

/**
 * The value of the header `WWW-Authenticate` of a response with the status 401.
 * @param path of the request
 * @param bad whether the request has a token, which is not valid
 * @see RFC 6750 §3; RFC 7617 §2: Git prompts for a password only after a Basic challenge
 */
function wwwAuthenticate(path: string, bad: boolean): string {
  const bearer = `Bearer realm="git-metastore"${bad ? ', error="invalid_token"' : ''}`
  return isGitPath(path) ? `Basic realm="git-metastore", charset="UTF-8", ${bearer}` : bearer
}
