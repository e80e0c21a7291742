import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { type Caller, self } from '../core/access.js'
import type { Client } from '../core/shares.js'

/** Tells who sent a request. @throws ProblemError `unauthenticated` for a token that is there and bad */
export type Identify = (ctx: Context) => Caller | Promise<Caller>

/** Who sent a request, once that is known. */
export type CallerOf = (ctx: Context) => Caller

/** Which client sent a request, once its caller is known. */
export type ClientOf = (ctx: Context) => Client

/** @param addressOf address of the client, or its network */
export function openClientOf(callerOf: CallerOf, addressOf: (request: IncomingMessage) => string): ClientOf {
  return ctx => {
    const caller = callerOf(ctx)
    if (caller.anonymous || caller === self)
      return { key: `address ${addressOf(ctx.req)}`, isKnown: !caller.anonymous }
    return { key: `token ${caller.sid}`, isKnown: true }
  }
}

/** Has every request's caller told once, before anything else is made of the request. */
export function openCallers(identify: Identify): { readonly know: Middleware; readonly callerOf: CallerOf } {
  // Not in a WeakMap by the request: what is there for a moment costs the garbage collector more in one than all else of it.
  const known = (ctx: Context) => ctx.state as { identified?: Caller }
  return {
    async know(ctx, next) {
      if (identify !== withoutAuthentication) ctx.vary('Authorization')
      known(ctx).identified = await identify(ctx)
      await next()
    },
    callerOf(ctx) {
      const caller = known(ctx).identified
      if (!caller) throw new Error('Nobody has asked who sent the request.')
      return caller
    },
  }
}

/** The service without authentication: an `Authorization` header is not looked at. @see contract, 6.1 */
export const withoutAuthentication: Identify = () => self
