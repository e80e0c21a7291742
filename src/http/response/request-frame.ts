import type { Context, Middleware } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { assignRequestId, requestIdOf } from '../observability/request-log.js'
import { type IsBehind, problemDuringLag, refuseAbsenceDuringLag } from '../problems/catalog-lag.js'
import { problemAnswer } from '../problems/problem-details.js'
import { removeHeadersOfResult } from '../problems/problem-forms.js'
import { requestState } from '../request-state.js'
import { setSecurityHeaders } from '../security-headers.js'

/**
 * Receives unexpected errors: bugs, and failures of the machine.
 * @param doing what the server was doing
 * @param request id of the request
 */
export type ReportError = (error: unknown, doing: string, request?: string) => void

interface RequestFrameOptions {
  readonly report: ReportError
  /** Called for every response, with the start of its request by `performance.now()`. */
  readonly recordRequest: (ctx: Context, started: number) => void
  /** Answers a problem in another form if the client expects it, and returns whether it has. */
  readonly answerInOtherForm: (ctx: Context, problem: ProblemError) => boolean
  readonly isBehind: IsBehind
}

/**
 * The outermost middleware: gives every request an id and every response the security headers, turns errors into
 * responses, reports errors that an operator has to see, and records the request. It is one middleware, because each
 * middleware costs every request a promise.
 */
export function openRequestFrame(options: RequestFrameOptions): Middleware {
  const { report, recordRequest, answerInOtherForm, isBehind } = options

  function reportFault(ctx: Context, { kind }: ProblemError, thrown: unknown): void {
    if (kind === 'internal' || kind === 'damaged')
      report(thrown, `${ctx.method} ${ctx.path}`, requestIdOf(ctx))
  }

  function answerError(ctx: Context, thrown: unknown): void {
    const cause = thrown instanceof ProblemError ? thrown : internal(thrown)
    const problem = problemDuringLag(ctx, cause, isBehind)
    reportFault(ctx, problem, thrown)
    const answer = problemAnswer(problem, ctx.path)
    removeHeadersOfResult(ctx)
    ctx.set(answer.headers)
    if (answerInOtherForm(ctx, problem)) return
    ctx.status = answer.status
    ctx.body = answer.body
  }

  return async (ctx, next) => {
    const started = performance.now()
    assignRequestId(ctx)
    setSecurityHeaders(ctx.res)
    try {
      await next()
      if (isOfAbsence(ctx)) refuseAbsenceDuringLag(ctx, isBehind)
      const { answeredProblem } = requestState(ctx)
      if (answeredProblem) reportFault(ctx, answeredProblem, answeredProblem)
    } catch (thrown) {
      answerError(ctx, thrown)
    }
    recordRequest(ctx, started)
  }
}

/** Whether a response says that something is missing. */
function isOfAbsence(ctx: Context): boolean {
  return ctx.status === 404 || String(ctx.res.getHeader('Content-Range') ?? '').startsWith('*/')
}

function internal(thrown: unknown): ProblemError {
  return new ProblemError('internal', 'The server failed; its log says why.', {}, { cause: thrown })
}
