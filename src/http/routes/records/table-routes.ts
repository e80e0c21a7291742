import type Router from '@koa/router'
import type { Context } from 'koa'
import type { LongList } from '../../../catalog/read/long-list-reader.js'
import { ProblemError } from '../../../core/problem.js'
import { defaultPageSize, type PageWindow, pageWindow } from '../../../core/records/list-page.js'
import type { ListPage } from '../../../core/records/list-query.js'
import { pageAsked } from '../../request/at-parameter.js'
import { chooseListType, tableTypes } from '../../request/content-negotiation.js'
import { integerParameter } from '../../request/paging.js'
import { singleParameter } from '../../request/query-parameters.js'
import { pageBody } from '../../response/record-and-list-responses.js'
import type { ApiContext } from '../../route-context.js'

/** `/ui/schemas` and `/ui/metadata`: lists for tables of existing frontends, whose pages begin at 1. @see contract, 7 */
export function tableRoutes(router: Router, api: ApiContext): void {
  router.get('/ui/schemas', async ctx => {
    const window = windowFrom(ctx)
    await answerTable(ctx, api, await pageAsked(ctx, api, 'schema', { filters: {} }, window))
  })

  router.get('/ui/metadata', async ctx => {
    const window = windowFrom(ctx)
    const id = singleParameter(ctx.query, 'id')
    const all = () => pageAsked(ctx, api, 'metadata', { filters: {} }, window)
    await answerTable(ctx, api, await (id ? named(ctx, api, id, window) : all()))
  })
}

/** Page 0 is the first too, as existing servers have it. */
function windowFrom({ query }: Context): PageWindow {
  const page = integerParameter(query, 'page', 0, 1)
  return pageWindow(Math.max(page - 1, 0), integerParameter(query, 'size', 1, defaultPageSize))
}

/** The documents of a schema, or the versions of a document; of an unknown name nothing. */
async function named(
  ctx: Context,
  api: ApiContext,
  id: string,
  window: PageWindow,
): Promise<ListPage | LongList> {
  const ofSchema = await pageAsked(ctx, api, 'metadata', { filters: { schemaIds: [id] } }, window)
  if (ofSchema.total > 0) return ofSchema
  try {
    return await pageAsked(ctx, api, 'metadata', { versionsOf: id }, window)
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'not-found') return ofSchema
    throw error
  }
}

async function answerTable(ctx: Context, api: ApiContext, page: ListPage | LongList): Promise<void> {
  const start = `{"last_page":${Math.ceil(page.total / page.limit)}`
  const body =
    page.items.length === 0 ? `${start}}` : await pageBody(ctx, api, page, [`${start},"data":[`, ']}'])
  ctx.vary('Accept')
  ctx.status = 200
  ctx.set('Content-Type', chooseListType(ctx.headers.accept, tableTypes))
  ctx.body = body
}
