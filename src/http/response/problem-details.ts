import { STATUS_CODES } from 'node:http'
import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { wwwAuthenticate } from '../auth/challenge.js'
import { assignRequestId, requestIdOf } from '../observability/request-log.js'
import { requestState } from '../request-state.js'
import { statusByKind } from './problem-status.js'
import { setSecurityHeaders } from './security-headers.js'
import { catalogLags, reportsAbsence } from './unavailable-while-catalog-lags.js'

export const problemMediaType = 'application/problem+json'

/** The response for a problem, for Koa and for requests that do not reach Koa. */
export interface ProblemAnswer {
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
      ...(status === statusByKind.unauthenticated
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
 * Receives unexpected errors: bugs, and failures of the machine.
 * @param doing what the server was doing
 * @param request id of the request
 */
export type ReportError = (error: unknown, doing: string, request?: string) => void

/**
 * Answers problems in another form than problem details.
 * @param isFor whether the client of the request gets this form
 */
export function answerProblems(
  isFor: (ctx: Context, problem: ProblemError) => boolean,
  answer: (ctx: Context, problem: ProblemError) => void,
): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ProblemError) || !isFor(ctx, error)) throw error
      answer(ctx, error)
      requestState(ctx).answeredProblem = error
    }
  }
}

/**
 * Turns errors into responses, and reports those that an operator has to see. While the catalog lacks commits of the branch, a missing record
 * or an empty page may be wrong, so the response is 503 instead.
 * @param recordRequest called for every response, with the start of its request by `performance.now()`
 * @param answerAsPage answers a problem as a page if the client is a browser, and returns whether it has
 * @param isBehind whether the catalog may lack commits
 */
export function handleErrors(
  report: ReportError,
  recordRequest: (ctx: Context, started: number) => void,
  answerAsPage: (ctx: Context, problem: ProblemError) => boolean,
  isBehind: () => boolean,
): Middleware {
  function reportFault(ctx: Context, { kind }: ProblemError, thrown: unknown): void {
    if (kind === 'internal' || kind === 'damaged')
      report(thrown, `${ctx.method} ${ctx.path}`, requestIdOf(ctx))
  }

  return async (ctx, next) => {
    const started = performance.now()
    assignRequestId(ctx)
    setSecurityHeaders(ctx.res)
    try {
      await next()
      if (isBehind() && reportsAbsence(ctx)) throw catalogLags()
      const { answeredProblem } = requestState(ctx)
      if (answeredProblem) reportFault(ctx, answeredProblem, answeredProblem)
    } catch (thrown) {
      const cause = thrown instanceof ProblemError ? thrown : internal(thrown)
      const problem = isBehind() && reportsAbsence(ctx, cause) ? catalogLags() : cause
      reportFault(ctx, problem, thrown)
      const answer = problemAnswer(problem, ctx.path)
      // Removes the headers of the response that failed.
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
    recordRequest(ctx, started)
  }
}

/** Headers that do not depend on the result: the request id, cross-origin access, rate limits. */
function isOfEveryAnswer(name: string): boolean {
  return /^(?:x-request-id|vary|access-control-.*|ratelimit.*)$/.test(name)
}

function internal(thrown: unknown): ProblemError {
  return new ProblemError('internal', 'The server failed; its log says why.', {}, { cause: thrown })
}
