import { STATUS_CODES } from 'node:http'
import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { wwwAuthenticate } from '../auth/challenge.js'
import { assignRequestId, requestIdOf } from '../observability/request-log.js'
import { statusByKind } from './problem-status.js'
import { setSecurityHeaders } from './security-headers.js'
import { isDenied, uncertain } from './unavailable-while-catalog-lags.js'

export const problemMediaType = 'application/problem+json'

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
      ...(status === statusByKind.unauthenticated
        ? { 'WWW-Authenticate': wwwAuthenticate(instance, badToken === true) }
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

/**
 * Receives errors that no request caused: bugs and failing machines.
 * @param doing what the server was at
 * @param request name of the request it was for
 */
export type ReportError = (error: unknown, doing: string, request?: string) => void

/**
 * The one place where what was thrown becomes an answer.
 * @param tell told of every answer, and when its request came, by `performance.now()`
 * @param answerAsPage answers a problem as a page where that is wanted, and says whether it has
 * @param isBehind whether there may be records that the catalog does not know
 */
export function handleErrors(
  report: ReportError,
  tell: (ctx: Context, started: number) => void,
  answerAsPage: (ctx: Context, problem: ProblemError) => boolean,
  isBehind: () => boolean,
): Middleware {
  return async (ctx, next) => {
    const started = performance.now()
    assignRequestId(ctx)
    setSecurityHeaders(ctx.res)
    try {
      await next()
      if (isBehind() && isDenied(ctx)) throw uncertain()
    } catch (thrown) {
      const told = thrown instanceof ProblemError ? thrown : internal(thrown)
      const problem = isBehind() && isDenied(ctx, told) ? uncertain() : told
      if (problem.kind === 'internal' || problem.kind === 'damaged')
        report(thrown, `${ctx.method} ${ctx.path}`, requestIdOf(ctx))
      const answer = problemAnswer(problem, ctx.path)
      // What was said of an answer that could not be given in the end.
      if (answer.status >= 500) {
        for (const name of Object.keys(ctx.response.headers)) if (!isOfEveryAnswer(name)) ctx.remove(name)
        setSecurityHeaders(ctx.res)
      }
      ctx.set(answer.headers)
      if (!answerAsPage(ctx, problem)) {
        ctx.status = answer.status
        ctx.body = answer.body
      }
    }
    tell(ctx, started)
  }
}

/** What is said whatever comes of a request: its name, who may read the answer, what is left of a share. */
function isOfEveryAnswer(name: string): boolean {
  return /^(?:x-request-id|vary|access-control-.*|ratelimit.*)$/.test(name)
}

function internal(thrown: unknown): ProblemError {
  return new ProblemError('internal', 'The server failed; its log says why.', {}, { cause: thrown })
}
