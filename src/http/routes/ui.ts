import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Revision } from '../../catalog/catalog.js'
import type { Caller } from '../../core/access.js'
import { defaultPageSize, type Page, type Window, windowOf } from '../../core/page.js'
import { ProblemError } from '../../core/problem.js'
import type { Kind } from '../../core/values.js'
import { sendJson } from '../answers.js'
import { type Api, rootOf } from '../api.js'
import { listTypeOf } from '../negotiation.js'
import { wholeNumber } from '../paging.js'
import { single } from '../query.js'

/** What the table of existing frontends asks for. @see https://tabulator.info/docs/6.3/page#remote */
const tableTypes = ['application/tabulator+json']

/** `/ui/schemas` and `/ui/metadata`: lists for tables of existing frontends, whose pages begin at 1. @see contract, 7 */
export function uiRoutes(router: Router, api: Api): void {
  const { services } = api

  router.get('/ui/schemas', ctx => {
    const window = windowFrom(ctx)
    answerTable(ctx, api, 'schema', services.schemas.list(api.identify(ctx), {}, window), window)
  })

  router.get('/ui/metadata', ctx => {
    const window = windowFrom(ctx)
    const caller = api.identify(ctx)
    const id = single(ctx.query, 'id')
    const page = id ? named(api, caller, id, window) : services.metadata.list(caller, {}, window)
    answerTable(ctx, api, 'metadata', page, window)
  })
}

/** Page 0 is the first too, as existing servers have it. */
function windowFrom({ query }: Context): Window {
  const page = wholeNumber(query, 'page', 0, 1)
  return windowOf(Math.max(page - 1, 0), wholeNumber(query, 'size', 1, defaultPageSize))
}

/** The documents of a schema, or the versions of a document; of an unknown name nothing. */
function named({ services }: Api, caller: Caller, id: string, window: Window): Page<Revision> {
  const ofSchema = services.metadata.list(caller, { schemaIds: [id] }, window)
  if (ofSchema.total > 0) return ofSchema
  try {
    return services.metadata.versions(caller, id, window)
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
