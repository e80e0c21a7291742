import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'

/** Mounts (path prefixes) of the routes without an interface version. */
export const unversionedMounts = ['', '/metastore'] as const
/** Mounts (path prefixes) of the versions of the interface. @see docs/contract.md#mounts */
export const version1Mounts = ['/api/v1', '/metastore/api/v1'] as const
export const version2Mounts = ['/api/v2', '/metastore/api/v2', '/repository/api/v2'] as const

/** The pattern of a whole path below one of the mounts. @param rest pattern of what follows the mount and a slash */
export function pathBelow(mounts: readonly string[], rest: string): RegExp {
  // regexp-time: linear, as the mounts are literal texts, and each part of the rests here ends at a slash or the end.
  return new RegExp(`^(?:${mounts.join('|')})/${rest}$`)
}

/** Whether git clients use the path. */
export function isGitPath(path: string): boolean {
  return unversionedMounts.some(mount => path.startsWith(`${mount}/repository.git/`))
}

/** A mount without the path of its server in the OpenAPI description: `/api/v1` for `/metastore/api/v1`. */
export function describedMount(mount: string): string {
  return mount.replace(/^\/(?:metastore|repository)(?=\/|$)/, '')
}

/** The methods of the routes at the path of a request; empty if there are none. Call it after the routers ran. */
export function methodsAt(ctx: Context): ReadonlySet<string> {
  const { matched = [] } = ctx as Context & {
    readonly matched?: readonly { readonly methods: readonly string[] }[]
  }
  return new Set(matched.flatMap(({ methods }) => methods))
}

/**
 * Passes a request only to the router of its mount, because a router compares the path with all its routes. The first
 * request of a mount opens its router: most servers are asked at few mounts, and a router takes 5 ms.
 * @param routers by mount, such as `/metastore/api/v1`; the longest mount with which the path begins counts
 */
export function dispatchByMount(routers: ReadonlyMap<string, () => Router>): Middleware {
  const longestFirst = [...routers]
    .map(([mount, open]) => ({ prefix: `${mount}/`, open }))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  const handlers = new Map<string, Middleware>()
  return (ctx, next) => {
    const { path } = ctx
    const found = longestFirst.find(({ prefix }) => path.startsWith(prefix))
    if (!found) return next()
    const handle = handlers.get(found.prefix) ?? (found.open().routes() as Middleware)
    handlers.set(found.prefix, handle)
    return handle(ctx, next)
  }
}
