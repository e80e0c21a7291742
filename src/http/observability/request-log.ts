import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Oid } from '../../core/value-types.js'
import type { CallerOf } from '../auth/identify-caller.js'
import { onResponseClose, requestState } from '../request-state.js'

/** The entry of a request and its response. It contains no body, no query and no header that may hold a secret. */
export interface RequestLogEntry {
  /** Value of the header `X-Request-Id` of the response. */
  readonly request: string
  readonly method: string
  /** The path as the client sent it, without the query. */
  readonly path: string
  /** Path of the route in the OpenAPI description, such as `/api/v1/metadata/{id}`; undefined: no route. */
  readonly route: string | undefined
  readonly status: number
  /** Time until the response was ready; for a stream, until its end. */
  readonly milliseconds: number
  /** Bytes of the body of the response; for a stream, of the headers too. */
  readonly bytes: number
  /** `sid` of the caller; undefined if the handler did not ask for the caller. */
  readonly caller: string | undefined
  /** The commit that the request made; undefined: none. */
  readonly commit: Oid | undefined
}

/** Receives answered requests. */
export interface RequestLog {
  /** Whether responses with this status are logged. If not, no entry needs to be made. */
  isEnabled(status: number): boolean
  write(exchange: RequestLogEntry): void
}

/** Counts a response. @param route as in {@link RequestLogEntry} */
export type CountRequest = (
  route: string | undefined,
  method: string,
  status: number,
  milliseconds: number,
) => void

const idPrefix = randomBytes(6).toString('hex')
let lastNumber = 0

const loggableId = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/**
 * The id that the client or a proxy gave the request; a new id if none of these is safe in a log.
 * @see https://www.w3.org/TR/trace-context/ 3.2: the second field of `traceparent` is the id of the trace
 */
function chooseRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  if (typeof given === 'string' && loggableId.test(given)) return given
  const parent = headers.traceparent
  const trace = typeof parent === 'string' ? traceparent.exec(parent)?.[1] : undefined
  if (trace !== undefined && !/^0+$/.test(trace)) return trace
  lastNumber += 1
  return `${idPrefix}-${lastNumber.toString(36)}`
}

/** Gives the request an id, and sets `X-Request-Id` of the response. */
export function assignRequestId(ctx: Context): void {
  const id = chooseRequestId(ctx.req)
  requestState(ctx).requestId = id
  ctx.res.setHeader('X-Request-Id', id)
}

export function requestIdOf(ctx: Context): string {
  return requestState(ctx).requestId ?? ''
}

/** Wraps `callerOf` so that the request log contains the caller. */
export function recordingCaller(callerOf: CallerOf): CallerOf {
  return ctx => {
    const caller = callerOf(ctx)
    requestState(ctx).caller = caller
    return caller
  }
}

/** Notes the commit that a request made, for the request log. */
export function recordCommit(ctx: Context, commit: Oid | undefined): void {
  if (commit !== undefined) requestState(ctx).commit = commit
}

/** Returns a function that logs and counts a response: a stream when it has ended, another response at once. */
export function openRequestRecorder(
  journal: RequestLog | undefined,
  count: CountRequest | undefined,
): (ctx: Context, started: number) => void {
  function record(ctx: Context, started: number, bytes: () => number): void {
    const milliseconds = performance.now() - started
    const { method, status } = ctx
    const { requestId = '', route, caller, commit } = requestState(ctx)
    count?.(route, method, status, milliseconds)
    if (!journal?.isEnabled(status)) return
    journal.write({
      request: requestId,
      method,
      path: ctx.path,
      route,
      status,
      milliseconds,
      bytes: bytes(),
      caller: caller?.sid,
      commit,
    })
  }

  return (ctx, started) => {
    if (ctx.body instanceof Readable) {
      const { socket } = ctx
      const before = socket.bytesWritten
      onResponseClose(ctx, () => record(ctx, started, () => socket.bytesWritten - before))
    } else record(ctx, started, () => (ctx.method === 'HEAD' ? 0 : (ctx.length ?? 0)))
  }
}
