import { STATUS_CODES } from 'node:http'
import type { Middleware } from 'koa'
import { ProblemError, type ProblemKind } from '../core/problem.js'
import { challengeFor } from './auth/challenge.js'

export const statusOf = {
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
  unprocessable: 422,
  'precondition-required': 428,
  internal: 500,
  unavailable: 503,
  'unusable-repository': 503,
  'no-space': 507,
} satisfies Record<ProblemKind, number>

export const problemType = 'application/problem+json'

/** An error as an answer: for Koa below, and for the sockets Koa never sees. */
export interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * `type` is `about:blank`, as existing servers send it: our kinds say hardly more than the status, so addresses of
 * our own would be one more thing to keep stable and nothing a client could not read from `status` and `findings`.
 * @param instance path of the request
 * @see RFC 9457 §3.1, §4.2.1
 */
export function problemAnswer(problem: ProblemError, instance: string): ProblemAnswer {
  const status = statusOf[problem.kind]
  const { findings, change, retryAfter, total, allow, location, badToken } = problem.extra
  return {
    status,
    headers: {
      'Content-Type': problemType,
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
      ...(total === undefined ? {} : { 'Content-Range': `*/${total}` }),
      ...(location === undefined ? {} : { Location: location }),
      ...(allow === undefined ? {} : { Allow: allow.join(', ') }),
      ...(status === statusOf.unauthenticated
        ? { 'WWW-Authenticate': challengeFor(instance, badToken === true) }
        : {}),
    },
    body: JSON.stringify({
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      detail: problem.message,
      instance,
      ...(change === undefined ? {} : { change }),
      ...(findings === undefined ? {} : { findings }),
    }),
  }
}

/** Told of everything that is nobody's request's fault: a bug, or a failing machine. */
export type Report = (error: unknown, request: string) => void

/** The one place where what was thrown becomes an answer. */
export function problems(report: Report): Middleware {
  return async (ctx, next) => {
    const before = new Set(Object.keys(ctx.response.headers))
    try {
      await next()
    } catch (thrown) {
      const problem = thrown instanceof ProblemError ? thrown : internal(thrown)
      if (problem.kind === 'internal') report(thrown, `${ctx.method} ${ctx.path}`)
      const answer = problemAnswer(problem, ctx.path)
      // What was said of an answer that could not be given in the end.
      if (answer.status >= 500) {
        for (const name of Object.keys(ctx.response.headers)) if (!before.has(name)) ctx.remove(name)
      }
      ctx.status = answer.status
      ctx.set(answer.headers)
      ctx.body = answer.body
    }
  }
}

function internal(thrown: unknown): ProblemError {
  return new ProblemError('internal', 'The server failed; its log says why.', {}, { cause: thrown })
}
