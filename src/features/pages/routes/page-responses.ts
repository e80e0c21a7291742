import { STATUS_CODES } from 'node:http'
import type { Context } from 'koa'
import type { Client, Principal } from '../../../core/access-control.js'
import type { PointExpression } from '../../../core/history-point.js'
import type { ProblemError } from '../../../core/problem.js'
import type { ListedDescription } from '../../../core/records/document-description.js'
import { type PageWindow, pageWindow } from '../../../core/records/list-page.js'
import type { ListPage } from '../../../core/records/list-query.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { Version } from '../../../core/value-types.js'
import type { HtmlPart } from '../../../http/html-template.js'
import { unversionedMounts } from '../../../http/mounts.js'
import { prefersHtml } from '../../../http/negotiation/content-negotiation.js'
import type { FeatureContext } from '../../../http/open-feature.js'
import { linkPattern } from '../../../http/openapi/response-headers.js'
import {
  type Header,
  type Headers,
  headerRef,
  type Operation,
  type Response,
} from '../../../http/openapi/specification-types.js'
import { type ApiVersionNumber, addressesOf, type PageUrls } from '../../../http/page-urls/page-urls.js'
import { problemAnswer } from '../../../http/problems/problem-details.js'
import { contentRangeOf } from '../../../http/response/list-response.js'
import { problemResponsesAlsoAs } from '../../../http/route-declaration/problem-responses.js'
import { htmlPage, onPagesOnly } from '../../../http/route-declaration/response-descriptions.js'
import type { ProblemRepresentation } from '../../../http/route-declaration/route.js'
import { pageHeaders } from '../../../http/security-headers.js'
import { listedDescription } from '../../exports/datacite/listed-description.js'
import type { ExportsState } from '../../exports/exports.js'
import { readableOrUndefined } from '../../exports/routes/adjacent-versions.js'
import { titleOf } from '../html/display-names.js'
import type { ComparisonAddress, Frame, PageAction, PageLink } from '../html/html-layout.js'
import type { ListedDescriptions, ListView } from '../html/list-pages.js'
import { pageContentSecurityPolicy } from '../html/stylesheet.js'
import { problemPage } from './problem-page.js'
import type { Titles } from './schema-titles-reader.js'

/*
 * What the routes of all pages share: responses with pages, and the parameters of requests for pages.
 */

/** Headers of pages, by name among the components of the OpenAPI description. */
export const pageHeaderComponents: Readonly<Record<string, Header>> = {
  Signposts: {
    description: 'Links for programs (FAIR Signposting): `describedby`, `item`, `license` and others.',
    required: true,
    schema: { type: 'string', pattern: linkPattern('[a-z-]+') },
    example:
      '<http://localhost:8040/api/v1/metadata/overview-7?version=1>; rel="item"; type="application/json"',
  },
  ContentDisposition: {
    description: 'The file name under which a browser saves the document.',
    required: true,
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$' },
    example: 'attachment; filename="overview-7-v1.json"',
  },
}

/** Problems as HTML pages, for browsers. */
export const problemsAsPages: ProblemRepresentation<PageContext> = {
  form: {
    header: 'Accept',
    isFor: ctx => prefersHtml(ctx.headers.accept),
    answer: (ctx, problem, site) => sendProblem(ctx, site, problem),
  },
  responses: meanings => problemResponsesAlsoAs(htmlPage, meanings, onPagesOnly),
}

/** The response with a page, for the OpenAPI description. */
export function pageResponse(description: string, more: Headers = {}): Response {
  return {
    description,
    headers: { 'Cache-Control': headerRef('CacheControl'), ...more },
    content: htmlPage,
  }
}

/** The tags and the texts of a route whose response is a page, for the OpenAPI description. */
export function aboutPage(
  operationId: string,
  summary: string,
  description: string,
): Pick<Operation, 'tags' | 'operationId' | 'summary' | 'description'> {
  return { tags: ['Pages'], operationId, summary, description }
}

/**
 * Answers a `not-found` problem as a page, whatever the path, if the client is a browser.
 * @returns whether it has answered
 */
export function answerMissingAsPage(
  ctx: Context,
  problem: ProblemError,
  site: Omit<PageContext, 'mount'>,
): boolean {
  if (problem.kind !== 'not-found') return false
  ctx.vary('Accept')
  if (!prefersHtml(ctx.headers.accept)) return false
  const mount = unversionedMounts.findLast(each => ctx.path.startsWith(`${each}/`)) ?? ''
  sendProblem(ctx, { ...site, mount }, problem)
  return true
}

function sendProblem(ctx: Context, site: PageContext, problem: ProblemError): void {
  const frame = frameOf(ctx, site)
  const { status, headers } = problemAnswer(problem, ctx.path)
  ctx.set(headers)
  sendPage(ctx, problemPage(frame, status, STATUS_CODES[status] ?? '', problem.message), status)
}

/** Answers with a page. */
export function sendPage(ctx: Context, page: string, status = 200): void {
  ctx.status = status
  ctx.set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pageContentSecurityPolicy,
    ...pageHeaders,
    'Cache-Control': 'no-cache',
  })
  ctx.body = page
}

/** The frame of a page. Its search box has the query of the request, also on a problem page. */
export function frameOf(ctx: Context, { basesOf, mount, build, feature }: PageContext): Frame {
  const query = typeof ctx.query.q === 'string' ? ctx.query.q : ''
  const depth = ctx.path.slice(mount.length + 1).split('/').length - 1
  const search = feature.shown.searchBox
    ? { action: `${'../'.repeat(depth)}search`, query, kept: [] }
    : undefined
  const { actions, pages, loginFor } = feature.shown
  const login = loginFor?.(ctx.path.slice(mount.length), ctx.query)
  return { root: basesOf(ctx).canonical + mount, build, search, actions, pages, login }
}

/** What the documents of listed records say about themselves, as far as they say something. */
export async function describeListed(
  { feature }: FeatureContext<ExportsState>,
  revisions: readonly Revision[],
): Promise<ListedDescriptions> {
  const listed = new Map<Revision, ListedDescription>()
  const pauses = openEventLoopPauses()
  for await (const { revision, description } of feature.exports.describeEach(revisions)) {
    await pauses.ifDue()
    if (description && Object.keys(description).length > 0)
      listed.set(revision, listedDescription(revision, description))
  }
  return listed
}

/** Titles of schemas by id, as far as the caller may read them. @param ids may repeat */
export async function titlesOfSchemas(
  ctx: Context,
  { services, callerOf }: FeatureContext<ExportsState>,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  const caller = callerOf(ctx)
  for (const id of new Set(ids)) {
    const schema = await readableOrUndefined(() => services.collections.schema.read(caller, id))
    if (schema) titles.set(id, titleOf(schema.record))
  }
  return titles
}

/** The URLs for links in the response to a request. @param version of the interface, for links to records */
export function addressesIn(ctx: Context, site: PageContext, version: ApiVersionNumber = 1): PageUrls {
  return addressesOf(site.basesOf(ctx).canonical, site.mount, version)
}

/** What to read for a page of a list (`window`), and what the page shows (`view`). @param size entries of a page */
export function openPage(
  { page, at }: { readonly page: number; readonly at: PointExpression | undefined },
  size: number,
): { readonly window: PageWindow; readonly view: (records: ListPage) => ListView } {
  const window = pageWindow(page - 1, size)
  const view = (records: ListPage) => {
    contentRangeOf(records) // refuses a page past the end
    const { commit } = records
    return {
      records,
      page,
      pages: Math.ceil(records.total / size),
      size,
      ...(at && commit ? { at: { name: at.text, commit } } : {}),
    }
  }
  return { window, view }
}

/** What the handlers of pages get. */
export interface PagesState extends ExportsState {
  readonly findSchemas: FindSchemas
  /** What another feature adds to all pages, once it is open. */
  readonly shown: {
    searchBox: boolean
    /** Undefined: the page of a record has the text of its document only. */
    draw: DrawDocument | undefined
    /** What one can do elsewhere, in the order in which the dashboard and lists offer it. */
    readonly actions: PageAction[]
    /** Pages in the header of every page. */
    readonly pages: PageLink[]
    /**
     * Address, below the root of pages, at which people log in to come back to what a page shows. Absent: there is no login.
     * @param path of the page below the root
     */
    loginFor?: (path: string, query: Context['query']) => string
    /** Address, below the root of pages, of the page that compares two versions. Absent: there is none. */
    comparisonOf?: ComparisonAddress
    /**
     * Address, below the root of pages, at which the browser application compares a version with that of the revision.
     * Absent: there is no application.
     * @param at the point of history of the page; undefined: now
     */
    applicationComparisonOf?: (to: Revision, from: Version, at: string | undefined) => string
  }
}

/**
 * Draws the document of a revision for its page.
 * @param schema the schema that a metadata document follows, if the caller may read it
 * @returns nothing if there is nothing to draw
 */
type DrawDocument = (
  revision: Revision,
  schema: Revision | undefined,
  client: Client | undefined,
) => Promise<HtmlPart>

/** The titles, by id, of the schemas that a person may mean by words or by an id, among those that the caller may read. */
export type FindSchemas = (caller: Principal, typed: string) => Promise<Titles>

export type PageContext = FeatureContext<PagesState>
