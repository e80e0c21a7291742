import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { anonymousPrincipal, type Client, type Principal, selfPrincipal } from '../../core/access-control.js'
import { onResponseClose, requestState, responseClosed } from '../request-state.js'

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
 * @param isSearch whether a request has a search in its body
 */
export function openCallerIdentification(
  identify: Identify,
  addressOf: (request: IncomingMessage) => string,
  isSearch: (ctx: Context) => boolean,
): Callers {
  function callerOf(ctx: Context): Principal & { readonly client: Client } {
    const { identified } = requestState(ctx)
    if (!identified) throw new Error('The request has not been identified.')
    return identified
  }

  return {
    identifyCaller(ctx, next) {
      if (identify !== withoutAuthentication) ctx.vary('Authorization')
      const begin = (caller: Principal): Promise<unknown> => {
        const address = caller.anonymous || caller === selfPrincipal ? addressOf(ctx.req) : undefined
        requestState(ctx).identified = { ...caller, client: new RequestClient(ctx, caller, address) }
        return next()
      }
      const isAnonymous = identify !== withoutAuthentication && isSearch(ctx) && hasApiKey(ctx)
      const caller = isAnonymous ? anonymousPrincipal : identify(ctx)
      return caller instanceof Promise ? caller.then(begin) : begin(caller)
    },
    callerOf,
    clientOf: ctx => callerOf(ctx).client,
  }
}

/**
 * Whether the header `Authorization` has an API key of an Elasticsearch cluster. Frontends that search a cluster send
 * one, or `ApiKey undefined` if they have none. It is no token of this service, so the caller is anonymous.
 */
function hasApiKey({ req }: Context): boolean {
  const [header = '', ...others] = req.headersDistinct.authorization ?? []
  return others.length === 0 && /^ApiKey(?: |$)/i.test(header)
}

/**
 * The client of a request. It is a class, because V8 keeps a hidden class, with all that the getter refers to, for every
 * object with an own getter: until the next full collection, it kept each request and its response.
 */
class RequestClient implements Client {
  readonly key: string
  readonly isKnown: boolean
  readonly #ctx: Context
  #disconnected: AbortController | undefined

  constructor(ctx: Context, { anonymous, sid }: Principal, address: string | undefined) {
    this.key = address === undefined ? `token ${sid}` : `address ${address}`
    this.isKnown = !anonymous
    this.#ctx = ctx
  }

  /** Created on first use: few requests need it. */
  get signal(): AbortSignal {
    if (this.#disconnected) return this.#disconnected.signal
    const controller = new AbortController()
    this.#disconnected = controller
    onResponseClose(this.#ctx, () => controller.abort(responseClosed))
    return controller.signal
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
