import type Router from '@koa/router'
import type { Context } from 'koa'
import { pageWindow } from '../../../core/records/list-page.js'
import { dashboardPage, metadataPage, schemasPage } from '../../html-pages/dashboard-and-list-pages.js'
import { mediaTypeOf } from '../../record-formats/render-json-properties.js'
import {
  readRecords,
  readRequestedList,
  readRequestedRevision,
  refuseAtOnCurrentOnly,
} from '../../request/at-parameter.js'
import { prefersHtml } from '../../request/content-negotiation.js'
import { metadataFilters } from '../../request/filter-parameters.js'
import { singleParameter } from '../../request/query-parameters.js'
import { answerBytes, sendJson } from '../../response/record-and-list-responses.js'
import type { UnversionedContext } from '../../route-context.js'
import {
  addressesIn,
  frameOf,
  pageParameter,
  problemsAsPages,
  sendPage,
  versionAsked,
} from './page-responses.js'

/** Records a page lists, and the entry page of each kind. */
const listed = { page: 20, glance: 10 }

/** The entry page and lists for people, and documents as files. @see contract, 7 */
export function pageRoutes(router: Router, site: UnversionedContext): void {
  const { services } = site

  for (const [collection, kind] of [
    ['schemas', 'schema'],
    ['metadata', 'metadata'],
  ] as const) {
    router.get(`/download/${collection}/:id`, problemsAsPages(site), async ctx => {
      const { id: name = '' } = ctx.params
      const revision = await readRequestedRevision(ctx, site, kind, name, versionAsked(ctx))
      const { id, documentType, version } = revision
      const ending = documentType === 'JSON' ? 'json' : kind === 'schema' ? 'xsd' : 'xml'
      ctx.set('Content-Disposition', `attachment; filename="${id}-v${version}.${ending}"`)
      await answerBytes(ctx, site, revision, mediaTypeOf[documentType], () => services.readDocument(revision))
    })
  }

  router.get('/schema-management', problemsAsPages(site), async ctx => {
    const { window, view } = pageParameter(ctx, listed.page)
    const records = await readRequestedList(ctx, site, 'schema', {}, window)
    sendPage(ctx, schemasPage(frameOf(ctx, site), addressesIn(ctx, site), view(records)))
  })

  router.get('/metadata-management', problemsAsPages(site), async ctx => {
    const { window, view } = pageParameter(ctx, listed.page)
    // the form sends fields that are empty
    const schemaId = singleParameter(ctx.query, 'schemaId')?.trim() ?? ''
    const resourceId = singleParameter(ctx.query, 'resourceId')?.trim() ?? ''
    const filters = metadataFilters({ schemaId, resourceId }, site.basesOf(ctx).accepted)
    const records = await readRequestedList(ctx, site, 'metadata', filters, window)
    const narrowing = { schemaId, resourceId }
    sendPage(ctx, metadataPage(frameOf(ctx, site), addressesIn(ctx, site), view(records), narrowing))
  })

  router.get('/dashboard', problemsAsPages(site), refuseAtOnCurrentOnly, ctx => answerDashboard(ctx, site))
  // where somebody begins who knows the address of the service alone
  router.get('/', problemsAsPages(site), refuseAtOnCurrentOnly, async ctx => {
    if (prefersHtml(ctx.headers.accept)) return await answerDashboard(ctx, site)
    sendJson(ctx, { ...site.build, links: entryLinks(ctx, site) }, 'application/json')
  })
}

async function answerDashboard(ctx: Context, site: UnversionedContext): Promise<void> {
  const { services } = site
  const caller = site.callerOf(ctx)
  const window = pageWindow(0, listed.glance)
  const view = {
    schemas: services.schemas.list(caller, {}, window),
    metadata: services.metadata.list(caller, {}, window),
    health: await services.health(caller),
  }
  await readRecords([...view.schemas.items, ...view.metadata.items])
  sendPage(ctx, dashboardPage(frameOf(ctx, site), addressesIn(ctx, site), view))
}

function entryLinks(ctx: Context, site: UnversionedContext): Readonly<Record<string, string>> {
  const { root, api } = addressesIn(ctx, site)
  return {
    schemas: `${api}/schemas`,
    metadata: `${api}/metadata`,
    dashboard: `${root}/dashboard`,
    health: `${root}/health`,
    description: `${root}/v3/api-docs`,
  }
}
