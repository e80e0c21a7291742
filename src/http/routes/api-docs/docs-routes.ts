import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type Router from '@koa/router'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { ProblemError } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'
import { refuseAtOnCurrentOnly } from '../../request/at-parameter.js'
import { matchesIfNoneMatch } from '../../request/conditional-headers.js'
import { pageHeaders } from '../../response/security-headers.js'
import type { UnversionedContext } from '../../route-context.js'
import { problemsAsPages } from '../html-pages/page-responses.js'
import { buildOpenApiDocument } from './openapi-document.js'
import { assets, descriptionPage, initializer, swaggerContentSecurityPolicy } from './swagger-ui.js'

/** Where the files of the page's package are. */
const assetFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Bases for which the description is remembered: what a request says of its host is up to the client. */
const rememberedBases = 10

/** What changes with another release of ours only. */
interface Kept {
  readonly body: string | Buffer
  readonly tag: string
}

/** The description of the interface, for programs and as a page. @see contract, 7 */
export function descriptionRoutes(router: Router, site: UnversionedContext): void {
  const { basesOf, mount, limits } = site
  const descriptions = new LRUCache<string, Kept>({
    max: rememberedBases,
    memoMethod: base => keep(JSON.stringify(buildOpenApiDocument({ base, mount, limits }))),
  })
  const page = keep(descriptionPage)
  const files = new Map([['initializer.js', keep(initializer)]])

  router.get('/v3/api-docs', refuseAtOnCurrentOnly, ctx => {
    answer(ctx, 'application/json', descriptions.memo(basesOf(ctx).canonical))
  })

  router.get('/swagger-ui.html', refuseAtOnCurrentOnly, ctx => {
    ctx.set({ 'Content-Security-Policy': swaggerContentSecurityPolicy, ...pageHeaders })
    answer(ctx, 'text/html; charset=utf-8', page)
  })

  // The address that the page has in other servers of this interface.
  router.get('/swagger-ui/index.html', refuseAtOnCurrentOnly, ctx => {
    ctx.redirect(`${basesOf(ctx).canonical}${mount}/swagger-ui.html`)
  })

  router.get('/swagger-ui/:asset', problemsAsPages(site), refuseAtOnCurrentOnly, async ctx => {
    const { asset = '' } = ctx.params
    const type = assets.get(asset)
    if (type === undefined) {
      throw new ProblemError('not-found', `There is no file ${truncate(asset, 200)} of the page.`)
    }
    let file = files.get(asset)
    if (!file) {
      file = keep(await readFile(join(assetFolder, asset)))
      files.set(asset, file)
    }
    answer(ctx, type, file)
  })
}

function keep(body: string | Buffer): Kept {
  return { body, tag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** Kept by whoever has it, and asked about each time. */
function answer(ctx: Context, type: string, { body, tag }: Kept): void {
  ctx.set({ ETag: tag, 'Cache-Control': 'no-cache' })
  if (matchesIfNoneMatch(ctx.headers['if-none-match'], tag)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', type)
  ctx.body = body
}
