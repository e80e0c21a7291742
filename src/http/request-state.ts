import type { Context } from 'koa'
import type { Client, Principal } from '../core/access-control.js'
import type { ProblemError } from '../core/problem.js'
import type { Oid } from '../core/value-types.js'
import type { BaseUrls } from './proxies/request-addresses.js'

/**
 * What is known about a request, in Koa's `ctx.state`: what was determined from its headers once, and what handlers and
 * middleware note for the log. The values of its parameters are with its route. @see ParameterValues
 */
interface RequestState {
  /** Id of the request: the value of `X-Request-Id` in the response and the log. */
  requestId?: string
  /** Base URLs for the request, once the server has determined them. */
  bases?: BaseUrls
  /** Whether the client wants an error for unknown names, once `Prefer` is parsed. */
  isStrict?: boolean
  /** The caller and its client, once authentication is done. */
  identified?: Principal & { readonly client: Client }
  /** The caller, once a handler has asked for it. */
  caller?: Principal
  /** Path of the route that handles the request, as in the OpenAPI description: `/api/v1/metadata/{id}`. */
  route?: string
  /** The commit that the request made. */
  commit?: Oid
  /** The problem that was answered in another form than problem details. */
  answeredProblem?: ProblemError
  /** Called when the response is closed. @see onResponseClose */
  closeListeners?: (() => void)[]
}

/**
 * What is known about a request. It is not an entry of a WeakMap, because short-lived keys cost the garbage collector
 * more than the request itself.
 */
export function requestState(ctx: Context): RequestState {
  return ctx.state as RequestState
}

/** Why a signal of a request aborts. One for all, because it costs a stack trace. */
export const responseClosed = new DOMException('The response is closed.', 'AbortError')

/**
 * Calls a listener when the response is sent or its connection is closed; at once if that has happened already.
 *
 * All listeners share one event listener of the response: Node.js warns if there are more than ten, and a body that is
 * a stream needs six of its own.
 */
export function onResponseClose(ctx: Context, listener: () => void): void {
  const { res } = ctx
  // A closed response emits no further event.
  if (res.closed) {
    listener()
    return
  }
  const state = requestState(ctx)
  if (state.closeListeners) {
    state.closeListeners.push(listener)
    return
  }
  const listeners = [listener]
  state.closeListeners = listeners
  res.once('close', () => {
    for (const each of listeners) each()
  })
}
