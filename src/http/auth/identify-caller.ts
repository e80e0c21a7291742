import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { type Client, type Principal, selfPrincipal } from '../../core/access-control.js'

/** Tells who sent a request. @throws ProblemError `unauthenticated` for a token that is there and bad */
export type Identify = (ctx: Context) => Principal | Promise<Principal>

/** Who sent a request, once that is known. */
export type CallerOf = (ctx: Context) => Principal

/** Which client sent a request, once its caller is known. */
export type ClientOf = (ctx: Context) => Client

export interface Callers {
  /** Determines the caller of a request, once, before anything else is done with the request. */
  readonly know: Middleware
  readonly callerOf: CallerOf
  readonly clientOf: ClientOf
}

/** @param addressOf address of the client, or its network */
export function openCallerIdentification(
  identify: Identify,
  addressOf: (request: IncomingMessage) => string,
): Callers {
  // Not in a WeakMap by the request: short-lived keys cost the garbage collector more than the request itself.
  const known = (ctx: Context) => ctx.state as { identified?: Principal & { readonly client: Client } }

  function identified(ctx: Context) {
    const caller = known(ctx).identified
    if (!caller) throw new Error('The request has not been identified.')
    return caller
  }

  return {
    async know(ctx, next) {
      if (identify !== withoutAuthentication) ctx.vary('Authorization')
      const caller = await identify(ctx)
      known(ctx).identified = { ...caller, client: newClient(ctx, caller, addressOf) }
      await next()
    },
    callerOf: identified,
    clientOf: ctx => identified(ctx).client,
  }
}

function newClient(
  { req, res }: Context,
  caller: Principal,
  addressOf: (request: IncomingMessage) => string,
): Client {
  const { anonymous = false, sid } = caller
  let gone: AbortController | undefined
  return {
    key: anonymous || caller === selfPrincipal ? `address ${addressOf(req)}` : `token ${sid}`,
    isKnown: !anonymous,
    // Made only for the few requests that look at it.
    get signal() {
      if (gone) return gone.signal
      const controller = new AbortController()
      gone = controller
      if (res.destroyed) controller.abort()
      else res.once('close', () => controller.abort())
      return controller.signal
    },
  }
}

/**
 * The service without authentication: an `Authorization` header is not looked at.
 * @see docs/contract.md#without-authentication
 */
export const withoutAuthentication: Identify = () => selfPrincipal
