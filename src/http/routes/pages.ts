import { STATUS_CODES } from 'node:http'
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Listed, Revision } from '../../catalog/catalog.js'
import type { Caller } from '../../core/access.js'
import { type Window, windowOf } from '../../core/page.js'
import { ProblemError } from '../../core/problem.js'
import { type Id, type Kind, toVersion, type Version } from '../../core/values.js'
import { furtherFiles } from '../../service/references.js'
import type { Services } from '../../service/services.js'
import { answerBytes, sendJson } from '../answers.js'
import { metadataFilters } from '../filters.js'
import { prefersPage } from '../negotiation.js'
import { type Addresses, addressesOf, type Interface } from '../pages/addresses.js'
import { readableText } from '../pages/document.js'
import type { Frame } from '../pages/layout.js'
import { dashboardPage, type ListView, metadataPage, schemasPage } from '../pages/list-pages.js'
import { problemPage } from '../pages/problem-page.js'
import { recordPage } from '../pages/record-page.js'
import { linkHeader, type Neighbours, signpostsOf } from '../pages/signposting.js'
import { contentSecurityPolicy } from '../pages/style.js'
import { rangeOf, wholeNumber } from '../paging.js'
import { problemAnswer } from '../problems.js'
import { single, versionOf } from '../query.js'
import type { Site } from '../site.js'
import { mimeTypeOf } from '../wire/render.js'

/** Records, and versions of a record, that a page lists. */
const listed = { records: 20, versions: 100, glance: 10 }

/** The pages for people: landing pages, lists and an entry page, and documents as files. @see contract, 7 */
export function pageRoutes(router: Router, site: Site): void {
  const { services } = site

  for (const version of [1, 2] as const) {
    const suffix = version === 1 ? '' : '-v2'
    for (const kind of ['schema', 'metadata'] as const) {
      router.get(`/${kind}-landing-page${suffix}`, readable(site), ctx =>
        answerRecord(ctx, site, kind, version),
      )
    }
  }

  for (const [collection, kind] of [
    ['schemas', 'schema'],
    ['metadata', 'metadata'],
  ] as const) {
    router.get(`/download/${collection}/:id`, readable(site), async ctx => {
      const { id: name = '' } = ctx.params
      const revision = recordsOf(services, kind).read(site.identify(ctx), name, versionAsked(ctx))
      const { id, documentType, version } = revision
      const ending = documentType === 'JSON' ? 'json' : kind === 'schema' ? 'xsd' : 'xml'
      ctx.set('Content-Disposition', `attachment; filename="${id}-v${version}.${ending}"`)
      await answerBytes(ctx, revision, mimeTypeOf[documentType], () => services.document(revision))
    })
  }

  router.get('/schema-management', readable(site), ctx => {
    const { window, view } = windowIn(ctx)
    const records = services.schemas.list(site.identify(ctx), {}, window)
    send(ctx, schemasPage(frameOf(ctx, site), addresses(ctx, site), view(records)))
  })

  router.get('/metadata-management', readable(site), ctx => {
    const { window, view } = windowIn(ctx)
    // the form sends fields that are empty
    const schemaId = single(ctx.query, 'schemaId')?.trim() ?? ''
    const resourceId = single(ctx.query, 'resourceId')?.trim() ?? ''
    const filters = metadataFilters({ schemaId, resourceId }, site.basesOf(ctx).all)
    const records = services.metadata.list(site.identify(ctx), filters, window)
    const narrowing = { schemaId, resourceId }
    send(ctx, metadataPage(frameOf(ctx, site), addresses(ctx, site), view(records), narrowing))
  })

  router.get('/dashboard', readable(site), ctx => answerDashboard(ctx, site))
  // where somebody begins who knows the address of the service alone
  router.get('/', readable(site), async ctx => {
    if (prefersPage(ctx.headers.accept)) return await answerDashboard(ctx, site)
    sendJson(ctx, { ...site.build, links: entryLinks(ctx, site) }, 'application/json')
  })
}

/** A problem on one of these addresses is a page too where a browser asks. */
function readable(site: Site): Middleware {
  return async (ctx, next) => {
    ctx.vary('Accept')
    const frame = frameOf(ctx, site)
    try {
      await next()
    } catch (error) {
      if (!(error instanceof ProblemError) || !prefersPage(ctx.headers.accept)) throw error
      const { status, headers } = problemAnswer(error, ctx.path)
      ctx.remove('Content-Disposition')
      ctx.set(headers)
      send(ctx, problemPage(frame, status, STATUS_CODES[status] ?? '', error.message), status)
    }
  }
}

function send(ctx: Context, page: string, status = 200): void {
  ctx.status = status
  ctx.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  })
  ctx.body = page
}

function frameOf(ctx: Context, { basesOf, mount, build }: Site): Frame {
  return { root: basesOf(ctx).own + mount, build }
}

function addresses(ctx: Context, site: Site, version: Interface = 1): Addresses {
  return addressesOf(site.basesOf(ctx).own, site.mount, version)
}

function recordsOf(services: Services, kind: Kind): Services['schemas'] | Services['metadata'] {
  return kind === 'schema' ? services.schemas : services.metadata
}

/** `version=` without a number asks for none: templates of landing pages leave it so. */
function versionAsked(ctx: Context): Version | undefined {
  return single(ctx.query, 'version') === '' ? undefined : versionOf(ctx.query)
}

/** The page a list is asked for, from 1, and what to show of it. */
function windowIn(
  ctx: Context,
  size = listed.records,
): { readonly window: Window; readonly view: (records: Listed) => ListView } {
  const page = wholeNumber(ctx.query, 'page', 1, 1)
  const window = windowOf(page - 1, size)
  const view = (records: Listed) => {
    rangeOf(records) // refuses a page past the end
    return { records, page, pages: Math.ceil(records.total / size) }
  }
  return { window, view }
}

async function answerDashboard(ctx: Context, site: Site): Promise<void> {
  const { services } = site
  const caller = site.identify(ctx)
  const window = windowOf(0, listed.glance)
  const view = {
    schemas: services.schemas.list(caller, {}, window),
    metadata: services.metadata.list(caller, {}, window),
    health: await services.health(),
  }
  send(ctx, dashboardPage(frameOf(ctx, site), addresses(ctx, site), view))
}

function entryLinks(ctx: Context, site: Site): Readonly<Record<string, string>> {
  const { root, api } = addresses(ctx, site)
  return {
    schemas: `${api}/schemas`,
    metadata: `${api}/metadata`,
    dashboard: `${root}/dashboard`,
    health: `${root}/health`,
  }
}

/** The page of a record: of one version, or of the newest with a list of all. */
async function answerRecord(ctx: Context, site: Site, kind: Kind, version: Interface): Promise<void> {
  const { services } = site
  const records = recordsOf(services, kind)
  const caller = site.identify(ctx)
  const newest = newestAsked(ctx, site, caller, kind, version)
  const { id } = newest
  const asked = versionAsked(ctx)
  const revision = asked === undefined ? newest : records.read(caller, id, asked)
  const neighbours = neighboursOf(services, caller, revision)
  const all = addresses(ctx, site, version)
  const bytes = await services.document(revision)
  const signposts = signpostsOf(revision, all, neighbours)
  const followed = revision.record.schema
  const schema = followed && found(() => services.schemas.read(caller, followed.schemaId, followed.version))
  const page = recordPage(frameOf(ctx, site), all, {
    revision,
    newest,
    neighbours,
    document: { size: bytes.length, text: readableText(bytes, revision.documentType) },
    files: kind === 'schema' ? [...furtherFiles(revision.files).keys()] : [],
    ...(schema ? { schema } : {}),
    ...(kind === 'schema' ? { followers: followersOf(services, caller, id) } : {}),
    ...(asked === undefined ? { versions: await versionsOf(ctx, services, caller, newest) } : {}),
    signposts,
  })
  ctx.set('Link', linkHeader(signposts))
  send(ctx, page)
}

/**
 * The record a landing page is asked for, by whatever name, as it is today.
 * @throws ProblemError `not-found`, `forbidden`; `malformed-request` without a name, and on pages of version 1 for a
 *   record of the other kind
 * @see contract, "Errors"
 */
function newestAsked(
  ctx: Context,
  { services }: Site,
  caller: Caller,
  kind: Kind,
  version: Interface,
): Revision {
  const parameter = kind === 'schema' ? 'schemaId' : 'id'
  const name = single(ctx.query, parameter) || single(ctx.query, 'id')
  if (!name) throw new ProblemError('malformed-request', `Say which record by the parameter ${parameter}.`)
  try {
    return recordsOf(services, kind).read(caller, name)
  } catch (error) {
    if (version !== 1 || !(error instanceof ProblemError) || error.kind !== 'not-found') throw error
    const other = kind === 'schema' ? 'metadata' : 'schema'
    const misplaced = found(() => recordsOf(services, other).read(caller, name))
    if (!misplaced) throw error
    const page = `/${other}-landing-page`
    throw new ProblemError(
      'malformed-request',
      `"${misplaced.id}" is a ${other} record: its page is ${page}.`,
    )
  }
}

/** What a service finds; undefined for what is not there or not the caller's to read. */
function found<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof ProblemError && (error.kind === 'not-found' || error.kind === 'forbidden'))
      return undefined
    throw error
  }
}

function neighboursOf(services: Services, caller: Caller, { kind, id, version }: Revision): Neighbours {
  const there = (number: number) =>
    number >= 1 &&
    found(() => recordsOf(services, kind).read(caller, id, toVersion(number)))?.version === number
  return {
    ...(there(version - 1) ? { previous: toVersion(version - 1) } : {}),
    ...(there(version + 1) ? { next: toVersion(version + 1) } : {}),
  }
}

function followersOf(services: Services, caller: Caller, schemaId: Id): number {
  return services.metadata.list(caller, { schemaIds: [schemaId] }, windowOf(0, 1)).total
}

async function versionsOf(
  ctx: Context,
  services: Services,
  caller: Caller,
  { kind, id }: Revision,
): Promise<NonNullable<Parameters<typeof recordPage>[2]['versions']>> {
  const { window, view } = windowIn(ctx, listed.versions)
  const { records, ...place } = view(recordsOf(services, kind).versions(caller, id, window))
  const authors = await services.audit.authors(records.items.map(({ commit }) => commit))
  return { listed: records, ...place, authors }
}
