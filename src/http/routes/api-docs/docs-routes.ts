import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { ProblemError } from '../../../core/problem.js'
import { truncate } from '../../../core/value-types.js'
import { contentOf, type Headers, headerRef, type Response } from '../../openapi/specification-types.js'
import { pathParameter } from '../../parameters/request-parameter.js'
import { answerRevalidated } from '../../response/send-body.js'
import type { UnversionedContext } from '../../route-context.js'
import { redirect } from '../../route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../route-declaration/route.js'
import { pageHeaders } from '../../security-headers.js'
import {
  assets,
  descriptionPage,
  initializer,
  pageStyle,
  swaggerContentSecurityPolicy,
} from './swagger-ui.js'

/** The folder with the files of Swagger UI. */
const assetFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Limit of the base URLs whose description is cached: clients choose the base URL with `Host`. */
const maxCachedDescriptions = 20

/** A body that stays the same until the next release, and its ETag. */
interface TaggedBody {
  readonly body: string | Buffer
  readonly tag: string
}

const headers: Headers = {
  ETag: headerRef('ContentTag'),
  'Cache-Control': headerRef('CacheControl'),
}
const unchanged: Response = {
  description: 'The client has it already: `If-None-Match` has its ETag.',
  headers,
}
const common = { method: 'get', tags: ['Description'], access: 'none' } as const
const route = routesWith<UnversionedContext>()

/** The description of the interface, for programs and as a page. @see docs/contract.md#description-of-the-interface */
export function descriptionRoutes(): readonly Route<UnversionedContext>[] {
  return [readDescription(), readDescriptionPage, redirectToDescriptionPage, readDescriptionPageFile]
}

function readDescription(): Route<UnversionedContext> {
  const descriptions = new LRUCache<string, TaggedBody>({ max: maxCachedDescriptions })
  return route({
    ...common,
    path: '/v3/api-docs',
    operationId: 'description',
    summary: 'This description',
    description: 'The whole interface, as OpenAPI 3.1. The first server is the address of the request.',
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
        description = withTag(JSON.stringify(describe(base, mount)))
        descriptions.set(address, description)
      }
      answer(ctx, 'application/json', description)
    },
  })
}

const page = withTag(descriptionPage)

const readDescriptionPage = route({
  ...common,
  path: '/swagger-ui.html',
  operationId: 'descriptionPage',
  summary: 'This description as a page',
  description: 'Swagger UI: shows the description, and sends requests to this server.',
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
})

const redirectToDescriptionPage = route({
  ...common,
  path: '/swagger-ui/index.html',
  operationId: 'descriptionPageElsewhere',
  summary: 'Redirect to that page',
  description: 'The address of the page on other servers of this interface.',
  parameters: {},
  responses: { 302: redirect },
  handle: (ctx, { basesOf, mount }) => ctx.redirect(`${basesOf(ctx).canonical}${mount}/swagger-ui.html`),
})

/** Files of the page, by name. Each is read once. */
const files = new Map([
  ['initializer.js', withTag(initializer)],
  ['page.css', withTag(pageStyle)],
])

const readDescriptionPageFile = route({
  ...common,
  path: '/swagger-ui/{file}',
  operationId: 'descriptionPageFile',
  summary: 'Read a file of that page',
  description: 'Scripts, styles and pictures of the page. The page loads nothing from other servers.',
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
      content: contentOf(
        [...assets.values()].map(type => type.replace(/;.*/, '')),
        {},
      ),
    },
    304: unchanged,
  },
  problems: { 'not-found': 'The page has no such file.' },
  async handle(ctx, _context, { file: name }) {
    const type = assets.get(name)
    if (type === undefined)
      throw new ProblemError('not-found', `There is no file ${truncate(name, 200)} of the page.`)
    let file = files.get(name)
    if (!file) {
      file = withTag(await readFile(join(assetFolder, name)))
      files.set(name, file)
    }
    answer(ctx, type, file)
  },
})

function withTag(body: string | Buffer): TaggedBody {
  return { body, tag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

function answer(ctx: Context, type: string, { body, tag }: TaggedBody): void {
  if (answerRevalidated(ctx, tag)) return
  ctx.set('Content-Type', type)
  ctx.body = body
}
