import { Readable } from 'node:stream'
import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { escapeXml } from '../../../core/text/xml-text.js'
import { formatSecond } from '../../../core/value-types.js'
import { unversionedMounts } from '../../../http/mounts.js'
import type { FeatureContext } from '../../../http/open-feature.js'
import { addressesOf } from '../../../http/page-urls/page-urls.js'
import { parsedBy } from '../../../http/parameters/query-parameters.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import { readConditions } from '../../../http/request/conditional-headers.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { ExportsState } from '../exports.js'
import { answerUnchangedSince, publicHeaders } from './public-responses.js'

/*
 * The files that search engines read first.
 * @see https://www.sitemaps.org/protocol.html, RFC 9309
 */

/** Limit of the addresses of one file, a limit of the protocol. */
const maxAddresses = 50_000

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

const part = queryParameter(
  'part',
  {
    description: `Number of a part with the addresses of at most ${maxAddresses} pages. Absent: the list of the parts.`,
    schema: { type: 'integer', minimum: 1 },
  },
  parsedBy(text => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
    throw malformedRequest('The parameter part must be a whole number from 1.')
  }),
)

const route = routesWith<FeatureContext<ExportsState>>()

/** `GET /sitemap.xml`, for search engines. @see docs/use/exports.md#search-engines */
export const sitemapRoutes: readonly Route<FeatureContext<ExportsState>>[] = [
  route({
    method: 'get',
    path: '/sitemap.xml',
    tags: ['Pages'],
    operationId: 'sitemap',
    summary: 'Addresses of all public pages',
    description:
      'The landing pages of the records that callers without a token may read: a list of parts, and each part.',
    access: 'public-records',
    parameters: { part, ...readConditions },
    responses: {
      200: {
        description: 'The list of the parts, or one of them.',
        headers: publicHeaders,
        content: { 'application/xml': { schema: { type: 'string' } } },
      },
      304: { description: 'The client has this state already.', headers: publicHeaders },
    },
    problems: { 'not-found': 'There is no such part.' },
    async handle(ctx, site, parameters) {
      const { feature, publicCaller } = site
      const { total, state } = await feature.exports.walk.page(publicCaller, 0, 1)
      const parts = Math.max(1, Math.ceil(total / maxAddresses))
      const number = parameters.part
      if (number !== undefined && number > parts) {
        throw new ProblemError('not-found', `The sitemap has ${parts} parts, and no part ${number}.`)
      }
      if (answerUnchangedSince(ctx, state)) return
      ctx.status = 200
      ctx.set('Content-Type', 'application/xml')
      ctx.body =
        number === undefined
          ? sitemapIndex(`${site.basesOf(ctx).canonical}${site.mount}/sitemap.xml`, parts)
          : Readable.from(sitemapPart(ctx, site, number), { objectMode: false })
    },
  }),
  route({
    method: 'get',
    path: '/robots.txt',
    tags: ['Pages'],
    operationId: 'robots',
    summary: 'Rules for search engines',
    description:
      'They may read pages, and not the interface for programs. If no record is public, they may read nothing. Search ' +
      'engines read these rules at the root of a host.',
    access: 'public-records',
    parameters: { ...readConditions },
    responses: {
      200: {
        description: 'The rules.',
        headers: publicHeaders,
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      304: { description: 'The client has this state already.', headers: publicHeaders },
    },
    async handle(ctx, site) {
      const { total, state } = await site.feature.exports.walk.page(site.publicCaller, 0, 1)
      if (answerUnchangedSince(ctx, state)) return
      ctx.status = 200
      ctx.set('Content-Type', 'text/plain; charset=utf-8')
      ctx.body = robots(site.basesOf(ctx).canonical, site.mount, total > 0)
    },
  }),
]

function sitemapIndex(url: string, parts: number): string {
  const entries = Array.from(
    { length: parts },
    (_, index) => `<sitemap><loc>${escapeXml(`${url}?part=${index + 1}`)}</loc></sitemap>\n`,
  )
  return `${declaration}<sitemapindex xmlns="${namespace}">\n${entries.join('')}</sitemapindex>\n`
}

async function* sitemapPart(
  ctx: Context,
  site: FeatureContext<ExportsState>,
  number: number,
): AsyncGenerator<string, void> {
  const { page } = addressesOf(site.basesOf(ctx).canonical, site.mount, 1)
  const { walk } = site.feature.exports
  yield `${declaration}<urlset xmlns="${namespace}">\n`
  for await (const portion of walk.portions(site.publicCaller, (number - 1) * maxAddresses, maxAddresses)) {
    yield portion
      .map(({ kind, id, time }) => {
        const location = escapeXml(page(kind, id))
        return `<url><loc>${location}</loc><lastmod>${formatSecond(time)}</lastmod></url>\n`
      })
      .join('')
  }
  yield '</urlset>\n'
}

/** Paths that are not pages, below the root of the service. */
const forPrograms = [
  ...unversionedMounts.flatMap(mount =>
    ['/api/', '/repository.git/', '/oaipmh', '/search?'].map(path => `${mount}${path}`),
  ),
  '/repository/api/',
]

function robots(base: string, mount: string, isPublic: boolean): string {
  const prefix = new URL(base).pathname.replace(/\/$/, '')
  if (!isPublic) return `User-agent: *\nDisallow: ${prefix}/\n`
  const rules = forPrograms.map(path => `Disallow: ${prefix}${path}\n`)
  return `User-agent: *\n${rules.join('')}Allow: ${prefix}/\n\nSitemap: ${base}${mount}/sitemap.xml\n`
}
