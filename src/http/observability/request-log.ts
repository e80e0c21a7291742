import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { Principal } from '../../core/access-control.js'
import type { Oid } from '../../core/value-types.js'
import type { CallerOf } from '../auth/identify-caller.js'
import { routeOf, withoutMount } from '../mounts.js'

/** A request and how it was answered. Nothing of a body, of a query or of a header that may hold a secret. */
export interface RequestLogEntry {
  /** As the header `X-Request-Id` of the answer has it. */
  readonly request: string
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  /** As the description of the interface names it, such as `/api/v1/metadata/{id}`; undefined: there is none. */
  readonly route: string | undefined
  readonly status: number
  /** Until the answer was ready; of one that is streamed, until its end. */
  readonly milliseconds: number
  /** Of the body; of one that is streamed, with the headers before it. */
  readonly bytes: number
  /** Subject of who asked, where that was looked at. */
  readonly caller: string | undefined
  /** The commit a change led to. */
  readonly commit: Oid | undefined
}

/** Is told of requests that were answered. */
export interface RequestLog {
  /** Whether one with this status is to be told: saying it takes time. */
  isEnabled(status: number): boolean
  write(exchange: RequestLogEntry): void
}

/** Counts what was answered. @param route as in {@link RequestLogEntry} */
export type CountRequest = (
  route: string | undefined,
  method: string,
  status: number,
  milliseconds: number,
) => void

/** What is known of a request beside Koa's context. */
interface Known {
  requestId?: string
  caller?: Principal
  commit?: Oid
}

function known(ctx: Context): Known {
  return ctx.state as Known
}

// ── the name of a request ────────────────────────────────────────────────────────────────────────────────────────

const ofThisProcess = randomBytes(6).toString('hex')
let made = 0

const usable = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}$/
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/**
 * The name the client or a proxy before us gave the request; where there is none that can stand in a log, one of our own.
 * @see https://www.w3.org/TR/trace-context/ 3.2: the second field of `traceparent` names the trace
 */
function nameOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  if (typeof given === 'string' && usable.test(given)) return given
  const parent = headers.traceparent
  const trace = typeof parent === 'string' ? traceparent.exec(parent)?.[1] : undefined
  if (trace !== undefined && !/^0+$/.test(trace)) return trace
  made += 1
  return `${ofThisProcess}-${made.toString(36)}`
}

/** Gives the request its name, and the answer too. */
export function assignRequestId(ctx: Context): void {
  const name = nameOf(ctx.req)
  known(ctx).requestId = name
  ctx.res.setHeader('X-Request-Id', name)
}

/** The name of a request that was given one. */
export function requestIdOf(ctx: Context): string {
  return known(ctx).requestId ?? ''
}

// ── what became of it ────────────────────────────────────────────────────────────────────────────────────────────

/** Notes who asks, for the journal. */
export function recordingCaller(callerOf: CallerOf): CallerOf {
  return ctx => {
    const caller = callerOf(ctx)
    known(ctx).caller = caller
    return caller
  }
}

/** Notes the commit a request led to, for the journal. */
export function recordCommit(ctx: Context, commit: Oid | undefined): void {
  if (commit !== undefined) known(ctx).commit = commit
}

/** Tells of an answer that is ready; of one that is streamed when it has ended. */
export function openRequestRecorder(
  journal: RequestLog | undefined,
  count: CountRequest | undefined,
): (ctx: Context, started: number) => void {
  const routes = new Map<string, string>()

  /** `/metastore/api/v1/metadata/:id` is `/api/v1/metadata/{id}`. */
  function describedRoute(ctx: Context): string | undefined {
    const matched = routeOf(ctx)
    if (matched === undefined) return undefined
    let route = routes.get(matched)
    if (route === undefined) {
      route = withoutMount(matched)
        .replace(/[:*](\w+)/g, '{$1}')
        .replace(/(?<=.)\/$/, '')
      if (route === '') route = '/'
      routes.set(matched, route)
    }
    return route
  }

  function told(ctx: Context, started: number, bytes: () => number): void {
    const milliseconds = performance.now() - started
    const { method, status } = ctx
    count?.(describedRoute(ctx), method, status, milliseconds)
    if (!journal?.isEnabled(status)) return
    const { requestId = '', caller, commit } = known(ctx)
    journal.write({
      request: requestId,
      method,
      path: ctx.path,
      route: describedRoute(ctx),
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
      ctx.res.once('close', () => told(ctx, started, () => socket.bytesWritten - before))
    } else told(ctx, started, () => (ctx.method === 'HEAD' ? 0 : (ctx.length ?? 0)))
  }
}
