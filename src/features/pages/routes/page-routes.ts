import { extname } from 'node:path'
import type { Context } from 'koa'
import type { PointExpression } from '../../../core/history-point.js'
import { malformedRequest } from '../../../core/problem.js'
import {
  type Collection,
  collectionNames,
  contentNames,
  documentFileNames,
} from '../../../core/records/collection.js'
import type { PageRequest } from '../../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../../core/records/list-query.js'
import type { Revision } from '../../../core/records/revision.js'
import { unversionedMounts } from '../../../http/mounts.js'
import { prefersHtml } from '../../../http/negotiation/content-negotiation.js'
import { contentOf, headerRef, type Responses, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject } from '../../../http/openapi/value-schemas.js'
import { at } from '../../../http/parameters/at-parameter.js'
import {
  listQuery,
  metadataFilterParameters,
  schemaFilterParameters,
} from '../../../http/parameters/filter-parameters.js'
import { pageFrom1, size } from '../../../http/parameters/page-parameters.js'
import { singleParameter } from '../../../http/parameters/query-parameters.js'
import { recordIds } from '../../../http/parameters/record-parameters.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import { versionOrNone } from '../../../http/parameters/version-parameters.js'
import { mediaTypeOf } from '../../../http/record-formats/render-json-properties.js'
import { readConditions } from '../../../http/request/conditional-headers.js'
import { readRequestedRevision } from '../../../http/request/read-requested.js'
import { answerBytes } from '../../../http/response/record-response.js'
import { sendJson } from '../../../http/response/send-body.js'
import {
  bytesHeaders,
  htmlPage,
  onPagesOnly,
  redirect,
  storedDocument,
  unchanged,
} from '../../../http/route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import { dashboardPage } from '../html/dashboard-page.js'
import { type ListView, maxListSize, metadataPage, schemaAddress, schemasPage } from '../html/list-pages.js'
import {
  aboutPage,
  addressesIn,
  describeListed,
  frameOf,
  openPage,
  type PageContext,
  pageResponse,
  problemsAsPages,
  sendPage,
  titlesOfSchemas,
} from './page-responses.js'
import { readRecords, schemaChoices } from './schemas-by-title.js'

/** Number of the records of each collection on the dashboard. */
const latestRecords = 10

const { schemaOfRecord, resourceId } = metadataFilterParameters

const schemaTitle = queryParameter(
  'schemaTitle',
  {
    description:
      'Words of the title of a schema, or its id. If one schema has them, the response redirects to the list with its `schemaId`; else the page names those that have them.',
    schema: { type: 'string' },
  },
  singleParameter,
)

const route = routesWith<PageContext>()

const listPage: Responses = { 200: pageResponse('The page.') }
const listProblems = { 'not-found': 'There is no point of history `at`.', 'page-out-of-range': true } as const

/** Response of `/` for programs. */
const entrySchema = closedObject(
  {
    name: { type: 'string' },
    version: { type: 'string' },
    links: { type: 'object', additionalProperties: { type: 'string', format: 'uri' } },
  },
  ['name', 'links'],
)

/** The dashboard, lists as pages, and documents as downloads. @see docs/contract.md#pages-for-people */
export const pageRoutes: readonly Route<PageContext>[] = [
  download('schema'),
  download('metadata'),
  route({
    ...aboutPage(
      'schemaManagement',
      'Schemas as a page',
      `Lists all schemas, page by page; a page has at most ${maxListSize}.`,
    ),
    method: 'get',
    path: '/schema-management',
    access: 'readable-records',
    parameters: { page: pageFrom1, size, sort: schemaFilterParameters.sort, at },
    responses: listPage,
    problems: listProblems,
    problemsAs: problemsAsPages,
    async handle(ctx, site, parameters) {
      const { sort } = parameters
      const { window, view } = openPage(parameters, listSize(parameters.size))
      const records = await readList(ctx, site, 'schema', sort ? { sort } : {}, window, parameters.at)
      sendPage(
        ctx,
        schemasPage(frameOf(ctx, site), addressesIn(ctx, site), {
          ...view(records),
          ...ofToday(ctx, site, 'schema', {}, parameters.at),
          sort,
        }),
      )
    },
  }),
  route({
    ...aboutPage(
      'metadataManagement',
      'Metadata records as a page',
      `Lists all metadata records, page by page; a page has at most ${maxListSize}.`,
    ),
    method: 'get',
    path: '/metadata-management',
    access: 'readable-records',
    parameters: {
      ...{ schemaOfRecord, schemaTitle, resourceId, page: pageFrom1, size, at },
      sort: metadataFilterParameters.sort,
    },
    responses: { ...listPage, 302: redirect },
    problems: listProblems,
    problemsAs: problemsAsPages,
    async handle(ctx, site, parameters) {
      const { sort } = parameters
      const { window, view } = openPage(parameters, listSize(parameters.size))
      const frame = frameOf(ctx, site)
      const typed = parameters.schemaTitle?.trim() ?? ''
      const found = typed === '' ? undefined : await site.feature.findSchemas(site.callerOf(ctx), typed)
      const [only] = found?.size === 1 ? found.keys() : []
      if (only !== undefined) {
        return ctx.redirect(schemaAddress(frame, ctx.query, only))
      }
      const narrowing = {
        schemaId: fieldOf('schemaId', parameters.schemaOfRecord),
        resourceId: fieldOf('resourceId', parameters.resourceId),
      }
      const filters = listQuery(
        'metadata',
        { schemaOfRecord: [narrowing.schemaId], resourceId: [narrowing.resourceId], sort },
        site.basesOf(ctx).accepted,
      )
      const records = await readList(ctx, site, 'metadata', filters, window, parameters.at)
      sendPage(
        ctx,
        metadataPage(
          frame,
          addressesIn(ctx, site),
          {
            ...view(records),
            ...ofToday(ctx, site, 'metadata', filters, parameters.at),
            described: await describeListed(site, records.items),
            ...(parameters.at ? {} : await schemasOfToday(ctx, site, records.items)),
            sort,
          },
          { ...narrowing, ...(found && { found: { typed, schemas: found } }) },
        ),
      )
    },
  }),
  route({
    ...aboutPage('dashboard', 'Dashboard', 'Shows the latest records and the state of the service.'),
    method: 'get',
    path: '/dashboard',
    access: 'readable-records',
    parameters: {},
    responses: { 200: pageResponse('The page.') },
    problemsAs: problemsAsPages,
    handle: answerDashboard,
  }),
  // The address that people try first.
  route({
    ...aboutPage(
      'entry',
      'Entry point',
      'Browsers get the dashboard, programs the addresses of lists and descriptions.',
    ),
    method: 'get',
    path: '/',
    access: 'readable-records',
    parameters: {},
    schemas: { Entry: entrySchema },
    responses: {
      200: {
        description: 'The dashboard for `text/html`, else the addresses.',
        headers: onPagesOnly,
        content: {
          ...contentOf(['application/json'], schemaRef('Entry'), {
            entry: { name: 'git-metastore', links: { schemas: 'http://localhost:8040/api/v1/schemas' } },
          }),
          ...htmlPage,
        },
      },
    },
    problemsAs: problemsAsPages,
    async handle(ctx, site) {
      if (prefersHtml(ctx.headers.accept)) return await answerDashboard(ctx, site)
      sendJson(ctx, { ...site.build, links: entryLinks(ctx, site) }, 'application/json')
    },
  }),
  ...unversionedMounts.slice(1).map(below =>
    route({
      ...aboutPage(
        'entryBelow',
        'Redirect to the entry point',
        'Redirects to the same address with a slash at its end.',
      ),
      method: 'get',
      path: below,
      onlyAtRoot: true,
      access: 'none',
      parameters: {},
      responses: { 302: redirect },
      handle: (ctx, { basesOf }) => ctx.redirect(`${basesOf(ctx).canonical}${below}/`),
    }),
  ),
]

function download(kind: Collection): Route<PageContext> {
  const what = contentNames[kind]
  const disposition = { 'Content-Disposition': headerRef('ContentDisposition') }
  return route({
    ...aboutPage(
      `${kind}AsFile`,
      `Download a ${what}`,
      `The bytes of a ${what}, with a file name under which a browser saves them.`,
    ),
    method: 'get',
    path: `/download/${collectionNames[kind]}/{id}`,
    access: 'READ',
    parameters: { id: recordIds[kind], version: versionOrNone, at, ...readConditions },
    responses: {
      200: {
        description: `The ${what}, byte for byte.`,
        headers: { ...bytesHeaders, ...disposition },
        content: storedDocument,
      },
      304: { ...unchanged, headers: { ...unchanged.headers, ...disposition } },
    },
    problems: { 'not-found': 'There is no such record or version, or there was none at the point `at`.' },
    problemsAs: problemsAsPages,
    async handle(ctx, site, parameters) {
      const revision = await readRequestedRevision(ctx, site, kind, parameters.id, parameters)
      const { id, documentType, version } = revision
      const ending = extname(documentFileNames[kind][documentType])
      ctx.set('Content-Disposition', `attachment; filename="${id}-v${version}${ending}"`)
      await answerBytes(ctx, site, revision, mediaTypeOf[documentType], () =>
        site.services.readDocument(revision),
      )
    },
  })
}

/** The value of a filter: the form has one field for it. @throws ProblemError `malformed-request` for several values */
function fieldOf(name: string, values: readonly string[]): string {
  if (values.length > 1) throw malformedRequest(`The parameter ${name} may appear only once.`)
  return values[0]?.trim() ?? ''
}

async function answerDashboard(ctx: Context, site: PageContext): Promise<void> {
  const { services } = site
  const caller = site.callerOf(ctx)
  const schemas = services.collections.schema.latest(caller, latestRecords)
  const metadata = services.collections.metadata.latest(caller, latestRecords)
  await readRecords([...schemas.items, ...metadata.items])
  const view = {
    isBroken: services.audit.brokenRecords(),
    schemas,
    metadata,
    authors: await services.audit.authors(
      [...schemas.items, ...metadata.items].map(({ commit }) => commit),
      caller.client,
    ),
    described: await describeListed(site, metadata.items),
    health: await services.health(caller),
  }
  sendPage(ctx, dashboardPage(frameOf(ctx, site), addressesIn(ctx, site), view))
}

function entryLinks(ctx: Context, site: PageContext): Readonly<Record<string, string>> {
  const { root, api } = addressesIn(ctx, site)
  return {
    schemas: `${api}/schemas`,
    metadata: `${api}/metadata`,
    ...(site.feature.shown.searchBox && { search: `${api}/search` }),
    dashboard: `${root}/dashboard`,
    health: `${root}/health`,
    description: `${root}/v3/api-docs`,
  }
}

/**
 * The records of a short page: today's, or those at a point of history.
 * @throws ProblemError `malformed-request`, `not-found`
 */
async function readList(
  ctx: Context,
  { services, callerOf }: PageContext,
  kind: Collection,
  filters: ListQuery,
  window: PageRequest,
  point: PointExpression | undefined,
): Promise<ListPage> {
  const page = await services.pages.list(callerOf(ctx), kind, filters, window, '', point)
  const list = 'revisions' in page ? { ...page, items: page.revisions() } : page
  await readRecords(list.items)
  return list
}

function listSize(asked: number): number {
  return Math.min(asked, maxListSize)
}

/** Titles of schemas, which a list of a former state does not show: they are those of today. */
async function schemasOfToday(
  ctx: Context,
  site: PageContext,
  documents: readonly Revision[],
): Promise<Pick<ListView, 'schemas' | 'choices'>> {
  const choices = await schemaChoices(ctx, site)
  const ids = documents.flatMap(({ record }) => record.schema?.schemaId ?? [])
  const others = await titlesOfSchemas(
    ctx,
    site,
    ids.filter(id => !choices?.has(id)),
  )
  return { schemas: choices ? new Map([...choices, ...others]) : others, choices }
}

/** What the page of a list shows of today's records only. */
function ofToday(
  ctx: Context,
  { services, callerOf }: PageContext,
  kind: Collection,
  filters: ListQuery,
  point: PointExpression | undefined,
): Pick<ListView, 'isBroken' | 'revoked'> {
  if (point) return {}
  return {
    isBroken: services.audit.brokenRecords(),
    revoked: services.collections[kind].countRevoked(callerOf(ctx), filters),
  }
}
