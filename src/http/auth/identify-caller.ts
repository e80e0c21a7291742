import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { anonymousPrincipal, type Client, type Principal, selfPrincipal } from '../../core/access-control.js'
import { requestState } from '../request-state.js'
import { onResponseClose, responseClosed } from '../response-close.js'

/** Determines the caller of a request. @throws ProblemError `unauthenticated` for an invalid token */
export type Identify = (ctx: Context) => Principal | Promise<Principal>

/** Returns the caller of a request, after {@link Callers.identifyCaller} has run. */
export type CallerOf = (ctx: Context) => Principal

/** Returns the client that sent a request, after {@link Callers.identifyCaller} has run. */
export type ClientOf = (ctx: Context) => Client

export interface Callers {
  /** Determines the caller of a request once, before the handler of a route runs. */
  readonly identifyCaller: Middleware
  readonly callerOf: CallerOf
  readonly clientOf: ClientOf
}

/**
 * Identifies the caller and the client of each request. Clients take turns. A client is the subject of a token, or an
 * address if the requests have no token.
 * @param addressOf returns the address from which a request came, or the network of that address
 */
export function openCallerIdentification(
  identify: Identify,
  addressOf: (request: IncomingMessage) => string,
): Callers {
  function callerOf(ctx: Context): Principal & { readonly client: Client } {
    const { identified } = requestState(ctx)
    if (!identified) throw new Error('The request has not been identified.')
    return identified
  }

  return {
    async identifyCaller(ctx, next) {
      if (identify !== withoutAuthentication) ctx.vary('Authorization')
      const caller = await identify(ctx)
      requestState(ctx).identified = { ...caller, client: newClient(ctx, caller, addressOf) }
      await next()
    },
    callerOf,
    clientOf: ctx => callerOf(ctx).client,
  }
}

function newClient(ctx: Context, caller: Principal, addressOf: (request: IncomingMessage) => string): Client {
  const { anonymous = false, sid } = caller
  let disconnected: AbortController | undefined
  return {
    key: anonymous || caller === selfPrincipal ? `address ${addressOf(ctx.req)}` : `token ${sid}`,
    isKnown: !anonymous,
    // Created on first use: few requests need it.
    get signal() {
      if (disconnected) return disconnected.signal
      const controller = new AbortController()
      disconnected = controller
      onResponseClose(ctx, () => controller.abort(responseClosed))
      return controller.signal
    },
  }
}

/**
 * Identifies every caller as `SELF`, for a server without authentication. It ignores `Authorization` headers.
 * @see docs/contract.md#without-authentication
 */
export const withoutAuthentication: Identify = () => selfPrincipal

/**
 * The caller without a token: what this caller may read is public. On a server without authentication, that is every
 * record that is not REVOKED, because every caller may read those.
 */
export function publicCallerOf(identify: Identify): Principal {
  return identify === withoutAuthentication
    ? { ...anonymousPrincipal, everywhere: 'READ' }
    : anonymousPrincipal
}
