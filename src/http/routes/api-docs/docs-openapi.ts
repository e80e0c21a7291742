import { problemResponsesFor } from '../../openapi/problem-responses.js'
import { redirect } from '../../openapi/responses.js'
import { type Headers, headerRef, type Paths, type Response } from '../../openapi/specification-types.js'
import { problemPagesOf } from '../html-pages/page-openapi.js'
import { assets } from './swagger-ui.js'

const headers: Headers = {
  ETag: headerRef('ContentTag'),
  'Cache-Control': headerRef('CacheControl'),
}
const unchanged: Response = { description: 'The client has it already, by its `If-None-Match`.', headers }

/** This description itself. */
export const descriptionPaths: Paths = {
  '/v3/api-docs': {
    get: {
      tags: ['Description'],
      operationId: 'description',
      summary: 'This description',
      description:
        'Everything that is served, as OpenAPI 3.1. Its servers are named by the address it was asked for at.',
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
        ...problemResponsesFor({}),
      },
    },
  },
  '/swagger-ui.html': {
    get: {
      tags: ['Description'],
      operationId: 'descriptionPage',
      summary: 'This description as a page',
      description: 'To read, and to try out requests to this server.',
      responses: {
        200: {
          description: 'The page.',
          headers,
          content: { 'text/html': { schema: { type: 'string', pattern: '^<!DOCTYPE html>' } } },
        },
        304: unchanged,
        ...problemResponsesFor({}),
      },
    },
  },
  '/swagger-ui/index.html': {
    get: {
      tags: ['Description'],
      operationId: 'descriptionPageElsewhere',
      summary: 'Redirects to that page',
      description: 'The address that the page has in other servers of this interface.',
      responses: {
        302: redirect,
        ...problemResponsesFor({}),
      },
    },
  },
  '/swagger-ui/{file}': {
    get: {
      tags: ['Description'],
      operationId: 'descriptionPageFile',
      summary: 'A file of that page',
      description: 'Scripts, styles and pictures of the page; all of them come from here.',
      parameters: [
        {
          name: 'file',
          in: 'path',
          description: 'Name of the file.',
          required: true,
          schema: { type: 'string', enum: [...assets.keys()] },
        },
      ],
      responses: {
        200: {
          description: 'The file.',
          headers,
          content: Object.fromEntries(
            [...assets.values()].map(type => [type.replace(/;.*/, ''), { schema: {} }]),
          ),
        },
        304: unchanged,
        ...problemPagesOf({ 'not-found': 'The page has no such file.' }),
      },
    },
  },
}
