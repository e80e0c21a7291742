import type Router from '@koa/router'
import type { Context } from 'koa'
import { windowOf } from '../../../core/records/list-page.js'
import { dashboardPage, metadataPage, schemasPage } from '../../html-pages/dashboard-and-list-pages.js'
import { mimeTypeOf } from '../../record-formats/render-json-properties.js'
import { listAsked, ofNow, readRecords, revisionAsked } from '../../request/at-parameter.js'
import { prefersPage } from '../../request/content-negotiation.js'
import { metadataFilters } from '../../request/filter-parameters.js'
import { single } from '../../request/query-parameters.js'
import { answerBytes, sendJson } from '../../response/record-and-list-responses.js'
import type { Site } from '../../route-context.js'
import { addressesIn, frameOf, readable, send, versionAsked, windowIn } from './page-responses.js'

/** Records a page lists, and the entry page of each kind. */
const listed = { page: 20, glance: 10 }

/** The entry page and lists for people, and documents as files. @see contract, 7 */
export function pageRoutes(router: Router, site: Site): void {
  const { services } = site

  for (const [collection, kind] of [
    ['schemas', 'schema'],
    ['metadata', 'metadata'],
  ] as const) {
    router.get(`/download/${collection}/:id`, readable(site), async ctx => {
      const { id: name = '' } = ctx.params
      const revision = await revisionAsked(ctx, site, kind, name, versionAsked(ctx))
      const { id, documentType, version } = revision
      const ending = documentType === 'JSON' ? 'json' : kind === 'schema' ? 'xsd' : 'xml'
      ctx.set('Content-Disposition', `attachment; filename="${id}-v${version}.${ending}"`)
      await answerBytes(ctx, site, revision, mimeTypeOf[documentType], () => services.document(revision))
    })
  }

  router.get('/schema-management', readable(site), async ctx => {
    const { window, view } = windowIn(ctx, listed.page)
    const records = await listAsked(ctx, site, 'schema', {}, window)
    send(ctx, schemasPage(frameOf(ctx, site), addressesIn(ctx, site), view(records)))
  })

  router.get('/metadata-management', readable(site), async ctx => {
    const { window, view } = windowIn(ctx, listed.page)
    // the form sends fields that are empty
    const schemaId = single(ctx.query, 'schemaId')?.trim() ?? ''
    const resourceId = single(ctx.query, 'resourceId')?.trim() ?? ''
    const filters = metadataFilters({ schemaId, resourceId }, site.basesOf(ctx).all)
    const records = await listAsked(ctx, site, 'metadata', filters, window)
    const narrowing = { schemaId, resourceId }
    send(ctx, metadataPage(frameOf(ctx, site), addressesIn(ctx, site), view(records), narrowing))
  })

  router.get('/dashboard', readable(site), ofNow, ctx => answerDashboard(ctx, site))
  // where somebody begins who knows the address of the service alone
  router.get('/', readable(site), ofNow, async ctx => {
    if (prefersPage(ctx.headers.accept)) return await answerDashboard(ctx, site)
    sendJson(ctx, { ...site.build, links: entryLinks(ctx, site) }, 'application/json')
  })
}

async function answerDashboard(ctx: Context, site: Site): Promise<void> {
  const { services } = site
  const caller = site.callerOf(ctx)
  const window = windowOf(0, listed.glance)
  const view = {
    schemas: services.schemas.list(caller, {}, window),
    metadata: services.metadata.list(caller, {}, window),
    health: await services.health(caller),
  }
  await readRecords([...view.schemas.items, ...view.metadata.items])
  send(ctx, dashboardPage(frameOf(ctx, site), addressesIn(ctx, site), view))
}

function entryLinks(ctx: Context, site: Site): Readonly<Record<string, string>> {
  const { root, api } = addressesIn(ctx, site)
  return {
    schemas: `${api}/schemas`,
    metadata: `${api}/metadata`,
    dashboard: `${root}/dashboard`,
    health: `${root}/health`,
    description: `${root}/v3/api-docs`,
  }
}
