import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { ProblemError } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'
import { type Headers, headerRef, type Response } from '../../openapi/specification-types.js'
import { matchesIfNoneMatch } from '../../request/conditional-headers.js'
import { pathParameter } from '../../request/request-parameter.js'
import { pageHeaders } from '../../response/security-headers.js'
import { redirect } from '../../route/responses.js'
import { type Route, routesWith } from '../../route/route.js'
import type { UnversionedContext } from '../../route-context.js'
import { problemsAsPages } from '../html-pages/page-responses.js'
import { assets, descriptionPage, initializer, swaggerContentSecurityPolicy } from './swagger-ui.js'

/** Where the files of the page's package are. */
const assetFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Addresses for which the description is remembered: what a request says of its host is up to the client. */
const rememberedAddresses = 20

/** What changes with another release of ours only. */
interface Kept {
  readonly body: string | Buffer
  readonly tag: string
}

const headers: Headers = {
  ETag: headerRef('ContentTag'),
  'Cache-Control': headerRef('CacheControl'),
}
const unchanged: Response = { description: 'The client has it already, by its `If-None-Match`.', headers }
const common = { method: 'get', tags: ['Description'] } as const
const route = routesWith<UnversionedContext>()

/** The description of the interface, for programs and as a page. @see docs/contract.md#description-of-the-interface */
export function descriptionRoutes(): readonly Route<UnversionedContext>[] {
  const descriptions = new LRUCache<string, Kept>({ max: rememberedAddresses })
  const page = keep(descriptionPage)
  const files = new Map([['initializer.js', keep(initializer)]])
  return [
    route({
      ...common,
      path: '/v3/api-docs',
      operationId: 'description',
      summary: 'This description',
      description:
        'Everything that is served, as OpenAPI 3.1. Its servers are named by the address it was parameters for at.',
      parameters: {},
      responses: {
        200: {
          description: 'The description.',
          headers,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  openapi: { const: '3.1.0' },
                  info: { type: 'object', properties: { title: { type: 'string', pattern: '^MetaStore' } } },
                },
                required: ['openapi', 'info', 'servers', 'paths', 'components'],
              },
            },
          },
        },
        304: unchanged,
      },
      handle(ctx, { basesOf, mount, describe }) {
        const { canonical: base } = basesOf(ctx)
        const address = `${base} ${mount}`
        let description = descriptions.get(address)
        if (!description) {
          description = keep(JSON.stringify(describe(base, mount)))
          descriptions.set(address, description)
        }
        answer(ctx, 'application/json', description)
      },
    }),
    route({
      ...common,
      path: '/swagger-ui.html',
      operationId: 'descriptionPage',
      summary: 'This description as a page',
      description: 'To read, and to try out requests to this server.',
      parameters: {},
      responses: {
        200: {
          description: 'The page.',
          headers,
          content: { 'text/html': { schema: { type: 'string', pattern: '^<!DOCTYPE html>' } } },
        },
        304: unchanged,
      },
      handle(ctx) {
        ctx.set({ 'Content-Security-Policy': swaggerContentSecurityPolicy, ...pageHeaders })
        answer(ctx, 'text/html; charset=utf-8', page)
      },
    }),
    route({
      ...common,
      path: '/swagger-ui/index.html',
      operationId: 'descriptionPageElsewhere',
      summary: 'Redirects to that page',
      description: 'The address that the page has in other servers of this interface.',
      parameters: {},
      responses: { 302: redirect },
      handle: (ctx, { basesOf, mount }) => ctx.redirect(`${basesOf(ctx).canonical}${mount}/swagger-ui.html`),
    }),
    route({
      ...common,
      path: '/swagger-ui/{file}',
      operationId: 'descriptionPageFile',
      summary: 'A file of that page',
      description: 'Scripts, styles and pictures of the page; all of them come from here.',
      parameters: {
        file: pathParameter('file', {
          description: 'Name of the file.',
          schema: { type: 'string', enum: [...assets.keys()] },
        }),
      },
      responses: {
        200: {
          description: 'The file.',
          headers,
          content: Object.fromEntries(
            [...assets.values()].map(type => [type.replace(/;.*/, ''), { schema: {} }]),
          ),
        },
        304: unchanged,
      },
      problems: { 'not-found': 'The page has no such file.' },
      problemsAs: problemsAsPages,
      async handle(ctx, _context, { file: name }) {
        const type = assets.get(name)
        if (type === undefined) {
          throw new ProblemError('not-found', `There is no file ${truncate(name, 200)} of the page.`)
        }
        let file = files.get(name)
        if (!file) {
          file = keep(await readFile(join(assetFolder, name)))
          files.set(name, file)
        }
        answer(ctx, type, file)
      },
    }),
  ]
}

function keep(body: string | Buffer): Kept {
  return { body, tag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** Kept by whoever has it, and asked about each time. */
function answer(ctx: Context, type: string, { body, tag }: Kept): void {
  ctx.set({ ETag: tag, 'Cache-Control': 'no-cache' })
  if (matchesIfNoneMatch(ctx.headers['if-none-match'], tag)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', type)
  ctx.body = body
}
