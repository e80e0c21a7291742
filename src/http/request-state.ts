import type { Context } from 'koa'
import type { Client, Principal } from '../core/access-control.js'
import type { ProblemError } from '../core/problem.js'
import type { Oid } from '../core/value-types.js'
import type { BaseUrls } from './proxies/base-url.js'

/**
 * What is known about a request, in Koa's `ctx.state`: what was determined from its headers once, and what handlers and
 * middleware note for the log. The values of its parameters are with its route. @see ParameterValues
 */
export interface RequestState {
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
