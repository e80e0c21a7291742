import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Revision } from '../../catalog/catalog.js'
import { defaultPageSize, type Page, type Window, windowOf } from '../../core/page.js'
import { ProblemError } from '../../core/problem.js'
import type { Kind } from '../../core/values.js'
import { sendJson } from '../answers.js'
import { type Api, rootOf } from '../api.js'
import { listTypeOf, tableTypes } from '../negotiation.js'
import { wholeNumber } from '../paging.js'
import { listAsked, versionsAsked } from '../points.js'
import { single } from '../query.js'

/** `/ui/schemas` and `/ui/metadata`: lists for tables of existing frontends, whose pages begin at 1. @see contract, 7 */
export function uiRoutes(router: Router, api: Api): void {
  router.get('/ui/schemas', async ctx => {
    const window = windowFrom(ctx)
    answerTable(ctx, api, 'schema', await listAsked(ctx, api, 'schema', {}, window), window)
  })

  router.get('/ui/metadata', async ctx => {
    const window = windowFrom(ctx)
    const id = single(ctx.query, 'id')
    const page = id ? await named(ctx, api, id, window) : await listAsked(ctx, api, 'metadata', {}, window)
    answerTable(ctx, api, 'metadata', page, window)
  })
}

/** Page 0 is the first too, as existing servers have it. */
function windowFrom({ query }: Context): Window {
  const page = wholeNumber(query, 'page', 0, 1)
  return windowOf(Math.max(page - 1, 0), wholeNumber(query, 'size', 1, defaultPageSize))
}

/** The documents of a schema, or the versions of a document; of an unknown name nothing. */
async function named(ctx: Context, api: Api, id: string, window: Window): Promise<Page<Revision>> {
  const ofSchema = await listAsked(ctx, api, 'metadata', { schemaIds: [id] }, window)
  if (ofSchema.total > 0) return ofSchema
  try {
    return await versionsAsked(ctx, api, 'metadata', id, window)
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'not-found') return ofSchema
    throw error
  }
}

function answerTable(ctx: Context, api: Api, kind: Kind, page: Page<Revision>, { limit }: Window): void {
  const root = rootOf(api, ctx)
  const render = kind === 'schema' ? api.wire.renderSchema : api.wire.renderMetadata
  const data = page.items.map(revision => render(revision, root))
  ctx.vary('Accept')
  sendJson(
    ctx,
    { last_page: Math.ceil(page.total / limit), ...(data.length > 0 ? { data } : {}) },
    listTypeOf(ctx.headers.accept, tableTypes),
  )
}
