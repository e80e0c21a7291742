import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'

/** Everything that is not of the interface itself is served at the root and below `/metastore`. */
export const unversionedMounts = ['', '/metastore'] as const

/** The path of the route that answers a request, such as `/metastore/api/v1/metadata/:id`; undefined where none does. */
export function routeOf(ctx: Context): string | undefined {
  const { matched = [] } = ctx as Context & {
    readonly matched?: readonly { readonly path: string; readonly methods: readonly string[] }[]
  }
  return matched.findLast(({ methods }) => methods.includes(ctx.method))?.path
}

/** The path of a route as the description has it, without what it is below. */
export function withoutMount(route: string): string {
  return route.replace(/^\/(?:metastore|repository)(?=\/|$)/, '')
}

/**
 * Hands a request to the router of its mount alone: one that is asked tries every one of its routes.
 * @param routers by mount, such as `/metastore/api/v1`; the longest one a path is below has it
 */
export function dispatchByMount(
  routers: ReadonlyMap<string, Router>,
): Middleware & { readonly routers: readonly Router[] } {
  const longestFirst = [...routers]
    .map(([mount, router]) => ({ beginning: `${mount}/`, handle: router.routes() as Middleware }))
    .sort((a, b) => b.beginning.length - a.beginning.length)
  const handle: Middleware = (ctx, next) => {
    const { path } = ctx
    const found = longestFirst.find(({ beginning }) => path.startsWith(beginning))
    return found ? found.handle(ctx, next) : next()
  }
  return Object.assign(handle, { routers: [...routers.values()] })
}
