import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { requireCreateRole, requireToken } from '../../core/access-control.js'
import type { CallerOf } from '../auth/identify-caller.js'
import { refuseAt } from '../request/at-parameter.js'
import { requireJsonAccepted } from '../request/content-negotiation.js'
import { type FormLimits, receiveForm } from '../request/multipart-form.js'
import type { RequestNames } from '../request/unknown-names.js'
import { namesOfRoute } from './names-of-route.js'
import type { ReadForm, Route } from './route.js'

/** What every route is registered with. */
interface RegistrationContext {
  /** Such as `/metastore/api/v1`. */
  readonly mount: string
  readonly callerOf: CallerOf
  readonly names: RequestNames
  readonly limits: FormLimits
}

/**
 * Hands the requests of each route to its handler. Before that it refuses, in this order: names that are not known, a point of history,
 * parameters that are read first, the caller, `Accept`.
 */
export function registerRoutes<C extends RegistrationContext>(
  router: Router,
  routes: readonly Route<C>[],
  context: C,
): void {
  for (const route of routes) {
    if (route.onlyAtRoot && context.mount !== '') continue
    const paths = [route.path, ...(route.alsoAt ?? [])].map(path => routerPath(path, route))
    const handle = handlerOf(route, context)
    if (route.problemsAs) router[route.method](paths, route.problemsAs.openMiddleware(context), handle)
    else router[route.method](paths, handle)
  }
}

function handlerOf<C extends RegistrationContext>(route: Route<C>, context: C): Middleware {
  const { names, callerOf, limits } = context
  const { query, parts: knownParts } = namesOfRoute(route)
  const takesPoint = query.has('at')
  const changes = route.method !== 'get'
  const readFirst = Object.values(route.parameters).filter(({ isReadFirst }) => isReadFirst)
  return ctx => {
    if (ctx.querystring.length > 0) {
      names.refuseUnknownParameters(ctx, query)
      if (!takesPoint) refuseAt(ctx, { changes })
    }
    const asked = route.ask(ctx)
    for (const parameter of readFirst) parameter.read(ctx)
    if (route.caller === 'with-token') requireToken(callerOf(ctx))
    if (route.caller === 'creator') requireCreateRole(callerOf(ctx))
    if (route.answers === 'json') requireJsonAccepted(ctx.headers.accept)
    return route.handle(ctx, context, asked, admit => readForm(ctx, admit)) as Promise<unknown>
  }

  async function readForm(ctx: Context, admit?: () => Promise<void>): ReturnType<ReadForm> {
    const parts = await receiveForm(ctx, limits, admit)
    if (knownParts) names.refuseUnknownParts(ctx, parts, knownParts)
    return parts
  }
}

/** `/schemas/{id}/files/{path}` is `/schemas/:id/files/*path`: a parameter that may have slashes begins with an asterisk. */
function routerPath<C>(path: string, { parameters }: Route<C>): string {
  const withSlashes = new Set(
    Object.values(parameters).flatMap(({ described }) =>
      described['x-has-slashes'] ? [described.name] : [],
    ),
  )
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (withSlashes.has(name) ? `*${name}` : `:${name}`))
}
