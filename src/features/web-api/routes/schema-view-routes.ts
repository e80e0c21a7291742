import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, schemaRef } from '../../../http/openapi/specification-types.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { schemaId } from '../../../http/parameters/record-parameters.js'
import { version } from '../../../http/parameters/version-parameters.js'
import { readConditions } from '../../../http/request/conditional-headers.js'
import { answerRevalidated, sendLong } from '../../../http/response/send-body.js'
import { type DescribedApiVersion, operationIn } from '../../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'
import { maxSchemaBytes } from '../outline/schema-views.js'
import { outlineExample, outlineSchemas } from './outline-schemas.js'

const route = routesWith<FeatureApiContext<WebApi>>()

const headers = { ETag: headerRef('ContentTag'), 'Cache-Control': headerRef('CacheControl') }
const unchanged = {
  description: 'The client has this content already: `If-None-Match` has its ETag.',
  headers,
}
const notFound = 'There is no such schema or version, or there was none at the point `at`.'
const tooLarge = `The schema has more than ${maxSchemaBytes / 2 ** 20} MiB with all its files.`

/** What documents of a schema may have, as data. @see docs/use/interface.md#for-applications */
export function outlineRoute(api: DescribedApiVersion): Route<FeatureApiContext<WebApi>> {
  return route({
    method: 'get',
    path: '/schemas/{id}/outline',
    ...operationIn(api, 'schema', 'outlineOfSchema'),
    summary: 'Read what documents of a schema may have',
    description:
      'Elements, attributes and members with their documentation, types, permitted values and how often they occur, for ' +
      'forms and completion. References to further files and to registered schemas are followed. Types that contain ' +
      'themselves are told once, by a key. A long outline ends at a limit, and `complete` is false; so it is if the ' +
      'schema refers to another one that the caller may not read.',
    answers: 'json',
    access: 'READ',
    parameters: { id: schemaId, version, at, ...readConditions },
    schemas: outlineSchemas,
    responses: {
      200: {
        description: 'The outline.',
        headers,
        content: contentOf(['application/json'], schemaRef('SchemaOutline'), { one: outlineExample }),
      },
      304: unchanged,
    },
    problems: {
      'not-found': notFound,
      'not-acceptable': true,
      'too-large': tooLarge,
      unprocessable: 'A file of the schema cannot be read as a schema.',
      unavailable: 'Many schemas are waiting to be read.',
    },
    async handle(ctx, context, { id, version: number, at: point }) {
      const { feature, callerOf, responseMemory } = context
      const { text, digest } = await feature.views.outline(callerOf(ctx), id, number, point)
      if (!answerRevalidated(ctx, `"${digest}"`)) sendLong(ctx, responseMemory, text, 'application/json')
    },
  })
}

/** A JSON Schema of several files as one document. */
export function bundleRoute(api: DescribedApiVersion): Route<FeatureApiContext<WebApi>> {
  return route({
    method: 'get',
    path: '/schemas/{id}/bundle',
    ...operationIn(api, 'schema', 'bundleOfSchema'),
    summary: 'Read a JSON Schema with all its files as one document',
    description:
      'The further files and registered schemas stand in the definitions, and each `$ref` is a JSON Pointer into this ' +
      'document. It is for programs that read one file. Whether a document is valid, the server decides with the original.',
    answers: 'json',
    access: 'READ',
    parameters: { id: schemaId, version, at, ...readConditions },
    responses: {
      200: {
        description: 'The JSON Schema.',
        headers,
        content: contentOf(
          ['application/json'],
          { type: 'object' },
          {
            one: {
              $schema: 'https://json-schema.org/draft/2020-12/schema',
              properties: { width: { type: 'number' } },
              $defs: { 'units.json': { $defs: { length: { type: 'number', minimum: 0 } } } },
            },
          },
        ),
      },
      304: unchanged,
    },
    problems: {
      forbidden: 'The caller may not read the schema, or one that it refers to.',
      'not-found': notFound,
      'not-acceptable': true,
      'too-large': tooLarge,
      unprocessable:
        'It is an XML schema; or one document cannot express it: its files are of several drafts, or a `$dynamicRef` may lead to several schemas.',
      unavailable: 'Many schemas are waiting to be read.',
    },
    async handle(ctx, context, { id, version: number, at: point }) {
      const { feature, callerOf, responseMemory } = context
      const { text, digest } = await feature.views.bundle(callerOf(ctx), id, number, point)
      if (!answerRevalidated(ctx, `"${digest}"`)) sendLong(ctx, responseMemory, text, 'application/json')
    },
  })
}
