import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import { type Id, truncate, type Version } from '../../core/value-types.js'
import { type HtmlPart, html } from '../../http/html-template.js'
import type { FeatureContext } from '../../http/open-feature.js'
import { headerRef } from '../../http/openapi/specification-types.js'
import { at } from '../../http/parameters/at-parameter.js'
import { pathParameter } from '../../http/parameters/request-parameter.js'
import { answerRevalidated, answerUnchanged } from '../../http/response/send-body.js'
import { redirect } from '../../http/route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../http/route-declaration/route.js'
import { pageHeaders } from '../../http/security-headers.js'
import { page } from '../pages/html/html-layout.js'
import { stylesheetHash } from '../pages/html/stylesheet.js'
import {
  aboutPage,
  addressesIn,
  frameOf,
  type PagesState,
  pageResponse,
  problemsAsPages,
} from '../pages/routes/page-responses.js'
import type { Login } from '../web-api/feature.js'
import { type BrowserFiles, contentCodings } from './browser-files.js'

/** What the handlers of the application's routes get. */
export interface WebState extends PagesState {
  /** Undefined: the application was not built. */
  readonly application: BrowserFiles | undefined
  readonly login: Login
}

type WebContext = FeatureContext<WebState>
const route = routesWith<WebContext>()

const notBuilt = 'The browser application was not built. The pages of this server work without it.'
/** Pages of the server for addresses that remain of longer ones, by their path in the application. */
const serverPages = new Map([
  ['metadata', 'metadata-management'],
  ['schemas', 'schema-management'],
])
const tag = { ETag: { description: 'The content.', schema: { type: 'string' } } }

/** The document of the application below `/app/`, and its files. @see docs/use/web-application.md */
export const applicationRoutes: readonly Route<WebContext>[] = [
  route({
    ...aboutPage(
      'application',
      'The browser application',
      'One document for every path: its script shows the page of the path. What the application shows and does uses ' +
        'the other operations of this interface.',
    ),
    method: 'get',
    path: '/app/{path}',
    access: 'none',
    parameters: {
      path: pathParameter('path', {
        description: 'Path of a page of the application; it may contain slashes.',
        schema: { type: 'string', minLength: 1 },
        example: 'metadata/overview-7/versions',
        'x-has-slashes': true,
      }),
      // The script reads it: pages show the repository as it was.
      at,
    },
    responses: {
      200: pageResponse('The document.', tag),
      302: redirect,
      304: {
        description: 'The client has this document already.',
        headers: { 'Cache-Control': headerRef('CacheControl'), ...tag },
      },
    },
    problems: { 'not-found': notBuilt },
    problemsAs: problemsAsPages,
    handle(ctx, site, { path }) {
      const list = serverPages.get(path)
      if (list === undefined) answerDocument(ctx, site)
      else ctx.redirect(`${addressesIn(ctx, site).root}/${list}${ctx.search}`)
    },
  }),
  route({
    ...aboutPage(
      'applicationRoot',
      'Redirect to the dashboard',
      'The dashboard is the first page of the application.',
    ),
    method: 'get',
    path: '/app',
    alsoAt: ['/app/'],
    access: 'none',
    parameters: {},
    responses: { 302: redirect },
    handle: (ctx, site) => ctx.redirect(`${addressesIn(ctx, site).root}/dashboard`),
  }),
  route({
    ...aboutPage(
      'applicationFile',
      'Read a file of the browser application',
      'A script or a style sheet. Its name changes with its content. It is sent compressed if `Accept-Encoding` permits.',
    ),
    method: 'get',
    path: '/assets/{file}',
    access: 'none',
    parameters: {
      file: pathParameter('file', {
        description: 'Name of the file.',
        schema: { type: 'string', minLength: 1 },
        example: 'application-Xy3kZ9.js',
      }),
    },
    responses: {
      200: {
        description: 'The file.',
        headers: {
          'Cache-Control': headerRef('CacheControl'),
          ...tag,
          'Content-Encoding': { description: 'The coding of the bytes.', schema: { type: 'string' } },
        },
        content: { 'text/javascript': { schema: {} }, 'text/css': { schema: {} } },
      },
      304: {
        description: 'The client has the file already.',
        headers: { 'Cache-Control': headerRef('CacheControl'), ...tag },
      },
    },
    problems: { 'not-found': 'The application has no such file, or not any more.' },
    handle: (ctx, { feature }, { file }) => answerFile(ctx, feature.application, file),
  }),
]

function requireApplication(application: BrowserFiles | undefined): BrowserFiles {
  if (application) return application
  throw new ProblemError('not-found', notBuilt)
}

/**
 * The scripts of the page that a path names. The browser reads them at once, in place of each after the one that imports
 * it. The page of `schemas/m/edit` is `schema-edit-page`, or else `edit-page`.
 * @param path below `/app/`
 * @param query with a schema, the page `new` opens its editor at once
 */
function scriptsOfPage({ pages }: BrowserFiles, path: string, query: Context['query']): ReadonlySet<string> {
  const [first, second, last = 'record'] = path.split('/')
  const schemaPage = `schema-${path === 'schemas/new' ? 'new' : last}-page`
  const ownPage = second === undefined ? `${first}-page` : `${last}-page`
  const found = [...(first === 'schemas' ? [schemaPage] : []), ownPage].find(name =>
    Object.hasOwn(pages, name),
  )
  const names = path === 'new' && query.schema !== undefined ? [found, 'new-document-editor'] : [found]
  return new Set(names.flatMap(name => (name === undefined ? [] : (pages[name] ?? []))))
}

/**
 * The document has the frame and the style of the server's pages. It names its files relative to its own address, so
 * that it works below every mount and every path of a proxy. It tells the limits of requests and how one logs in.
 */
function answerDocument(ctx: Context, site: WebContext): void {
  const { application, login } = site.feature
  const files = requireApplication(application)
  const { script, imports, style } = files
  const { document, request, parts } = site.limits
  const path = ctx.path.slice(site.mount.length + 1)
  const depth = path.split('/').length - 1
  const root = '../'.repeat(depth)
  const assets = `${root}assets/`
  const body = page(
    // The script adds the links of the header, and the login.
    { ...frameOf(ctx, site), pages: [], login: undefined },
    'Application',
    html`<div id="application" data-login="${JSON.stringify(login)}" data-max-document="${document}" data-max-request="${request}" data-max-parts="${parts}"></div>
<noscript><h1>This page needs JavaScript</h1>
<p>Reading and downloading work without it: ${plainPage(ctx, site, root)}${html`<a href="${root}dashboard">go to the dashboard</a>`}.</p></noscript>`,
    html`<link rel="stylesheet" href="${assets}${style}">
<script type="module" src="${assets}${script}"></script>
${[...imports, ...scriptsOfPage(files, path.slice('app/'.length), ctx.query)].map(
  name => html`<link rel="modulepreload" href="${assets}${name}">
`,
)}`,
  )
  ctx.set({ 'Content-Security-Policy': contentSecurityPolicy(login), ...pageHeaders })
  if (answerRevalidated(ctx, `"${createHash('sha256').update(body).digest('base64url')}"`)) return
  ctx.set('Content-Type', 'text/html; charset=utf-8')
  ctx.body = body
}

/** Parameters that the page of results has under another name. */
const plainNames = new Map([
  ['schema', 'schemaId'],
  ['author', 'creator'],
])

/** A link to the same on the page that needs no script, if there is one. @param root of pages, relative to the address */
function plainPage({ path, query, querystring }: Context, site: WebContext, root: string): HtmlPart {
  const { shown } = site.feature
  const [, name, id, page = 'record'] = path.slice(site.mount.length + 1).split('/')
  if (name === 'search' && shown.searchBox) {
    const plain = new URLSearchParams()
    // Without JavaScript nobody is logged in.
    for (const [parameter, value] of new URLSearchParams(querystring))
      if (parameter !== 'mine') plain.append(plainNames.get(parameter) ?? parameter, value)
    return html`<a href="${root}search?${plain.toString()}">see what is found</a>, or `
  }
  const kind = name === 'schemas' ? 'schema' : name
  if (id === undefined || (kind !== 'schema' && kind !== 'metadata')) return undefined
  const record = decodeURIComponent(id) as Id
  const at = typeof query.at === 'string' ? `&at=${encodeURIComponent(query.at)}` : ''
  const [from, to] = [query.from, query.to].map(Number)
  if (page === 'compare' && from && to && shown.comparisonOf)
    return html`<a href="${root}${shown.comparisonOf(kind, record, from as Version, to as Version)}${at}">see the changes</a>, or `
  if (!['record', 'versions', 'compare'].includes(page)) return undefined
  const landing = `${kind}-landing-page?${kind === 'schema' ? 'schemaId' : 'id'}=${encodeURIComponent(record)}`
  return html`<a href="${root}${landing}${at}${page === 'record' ? '' : '#versions'}">read it, with its versions</a>, or `
}

/**
 * The application runs its own scripts only, and no text ever becomes markup. Besides the service it asks the issuer at
 * which people log in. The hash allows the style of all pages.
 */
function contentSecurityPolicy({ issuer, clientId }: Login): string {
  const asked = issuer !== undefined && clientId !== undefined ? ` ${new URL(issuer).origin}` : ''
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${stylesheetHash}`,
    `connect-src 'self'${asked}`,
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

function answerFile(ctx: Context, application: BrowserFiles | undefined, name: string): void {
  const file = requireApplication(application).byName.get(name)
  if (!file) {
    const detail = `The application has no file ${truncate(name, 200)}. After an upgrade, load the page anew.`
    throw new ProblemError('not-found', detail)
  }
  ctx.vary('Accept-Encoding')
  const coding = contentCodings.find(each => ctx.acceptsEncodings(each)) ?? 'identity'
  // Each coding is a representation with its own strong tag. @see RFC 9110 §8.8.3.3
  ctx.set({
    ETag: `"${file.hash}-${coding}"`,
    'Cache-Control': 'public, max-age=31536000, immutable',
  })
  if (answerUnchanged(ctx, `"${file.hash}-${coding}"`)) return
  if (coding !== 'identity') ctx.set('Content-Encoding', coding)
  ctx.set('Content-Type', file.mediaType)
  ctx.body = file.bytes.get(coding)
}
