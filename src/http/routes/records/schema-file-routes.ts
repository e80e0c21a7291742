import { attachedFiles } from '../../../service/rules/schema-source.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { at } from '../../parameters/at-parameter.js'
import { schemaId, schemaPath } from '../../parameters/record-parameters.js'
import { version } from '../../parameters/version-parameters.js'
import { mediaTypeOf } from '../../record-formats/render-json-properties.js'
import { ifNoneMatch } from '../../request/conditional-headers.js'
import { readRequestedRevision } from '../../request/read-requested.js'
import { answerBytes } from '../../response/record-response.js'
import type { ApiContext } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import { bytesHeaders, storedDocument, unchanged } from '../../route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../route-declaration/route.js'

const route = routesWith<ApiContext>()

/** The further files of a schema, which its document refers to. */
export function schemaFileRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  return [listSchemaFiles(api), readSchemaFile(api)]
}

function listSchemaFiles(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas/{id}/files',
    ...operationIn(api, 'schema', 'listSchemaFiles'),
    summary: 'List the files of a schema',
    description: 'Lists the paths of the files that were sent as parts `include`.',
    access: 'READ',
    parameters: { id: schemaId, version, at, ifNoneMatch },
    responses: {
      200: {
        description: 'The paths, relative to the schema document.',
        headers: bytesHeaders,
        content: { 'application/json': { schema: closedObject({ files: listOf({ type: 'string' }) }) } },
      },
      304: unchanged,
    },
    problems: { 'not-found': 'There is no such schema or version, or there was none at the point `at`.' },
    async handle(ctx, context, parameters) {
      const revision = await readRequestedRevision(ctx, context, 'schema', parameters.id, parameters)
      const files = [...attachedFiles(revision).keys()]
      await answerBytes(ctx, context, revision, mediaTypeOf.JSON, async () =>
        Buffer.from(JSON.stringify({ files })),
      )
    },
  })
}

function readSchemaFile(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas/{id}/files/{path}',
    ...operationIn(api, 'schema', 'readSchemaFile'),
    summary: 'Read a file of a schema',
    description:
      'A file that was sent as a part `include`, at the path it was sent with. Relative references in a schema document ' +
      'lead to these addresses.',
    access: 'READ',
    parameters: { id: schemaId, path: schemaPath, version, at, ifNoneMatch },
    responses: {
      200: {
        description: 'The file, byte for byte.',
        headers: bytesHeaders,
        content: { ...storedDocument, 'application/octet-stream': { schema: {} } },
      },
      304: unchanged,
    },
    problems: {
      'not-found': 'There is no such schema, version or file, or there was none at the point `at`.',
    },
    async handle(ctx, context, parameters) {
      const { path } = parameters
      const revision = await readRequestedRevision(ctx, context, 'schema', parameters.id, parameters)
      await answerBytes(ctx, context, revision, typeOfFile(path), () =>
        context.services.collections.schema.file(revision, path),
      )
    },
  })
}

function typeOfFile(path: string): string {
  if (/\.json$/i.test(path)) return mediaTypeOf.JSON
  return /\.(?:xsd|xml|dtd)$/i.test(path) ? mediaTypeOf.XML : 'application/octet-stream'
}
