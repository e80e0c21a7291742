import { ProblemError } from '../../../core/problem.js'
import { parseVersion } from '../../../core/value-types.js'
import { attachedFiles } from '../../../service/rules/schema-source.js'
import { prefersJson } from '../../negotiation/content-negotiation.js'
import { contentOf, headerRef, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, exampleCommit, listOf } from '../../openapi/value-schemas.js'
import { at } from '../../parameters/at-parameter.js'
import { schemaId, schemaPath } from '../../parameters/record-parameters.js'
import { version, versionInPath } from '../../parameters/version-parameters.js'
import { schemaFolderUrl } from '../../record-formats/record-urls.js'
import { mediaTypeOf } from '../../record-formats/render-json-properties.js'
import { readConditions } from '../../request/conditional-headers.js'
import { readRequestedRevision } from '../../request/read-requested.js'
import { answerBytes, redirectTo } from '../../response/record-response.js'
import { sendJson } from '../../response/send-body.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import { documentToValidate } from '../../route-declaration/request-form.js'
import { bytesHeaders, storedDocument, unchanged } from '../../route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../route-declaration/route.js'

const route = routesWith<ApiContext>()

/**
 * The routes that only schemas have: a document is validated, and the further files are read, to which the schema
 * document refers.
 */
export function schemaRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  return [
    validateDocument(api),
    listSchemaFiles(api),
    readSchemaFile(api),
    readSchemaFolder(api),
    readFileInFolder(api),
  ]
}

function validateDocument(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'post',
    path: '/schemas/{id}/validate',
    ...operationIn(api, 'schema', 'validateDocument'),
    summary: 'Validate a document',
    description:
      'Validates a document against a version of the schema, and stores nothing. A request that prefers ' +
      '`application/json` is told by what the document was judged.',
    access: 'READ',
    parameters: { id: schemaId, version, at },
    form: documentToValidate,
    schemas: {
      Judgement: closedObject({
        valid: { const: true },
        schema: closedObject({ id: schemaRef('Id'), version: schemaRef('Version') }),
        commit: { ...schemaRef('Commit'), description: 'The commit that made this state of the schema.' },
        engine: {
          type: 'string',
          enum: ['ajv', 'libxml2-wasm', 'libxmljs2'],
          description: 'The library that judged.',
        },
      }),
    },
    responses: {
      200: {
        description: 'The document is valid, and the request prefers `application/json`.',
        content: contentOf(['application/json'], schemaRef('Judgement'), {
          one: {
            valid: true,
            schema: { id: 'measurement', version: 1 },
            commit: exampleCommit,
            engine: 'ajv',
          },
        }),
      },
      204: { description: 'The document is valid.' },
    },
    problems: {
      'not-found': 'There is no such schema or version, or there was none at the point `at`.',
      'too-large': true,
      'unsupported-media-type': 'The body is not `multipart/form-data`.',
      unprocessable: 'The document is not valid; `findings` say what is wrong and where.',
    },
    async handle(ctx, { services, callerOf }, parameters, readForm) {
      const { id: name, at: point } = parameters
      const caller = callerOf(ctx)
      const { document, version } = await readForm(() =>
        services.collections.schema.demandUsable(caller, name, parameters.version, point),
      )
      // The part `version` counts if the query has none. @see docs/contract.md#order-of-checks-of-a-validation
      const number = parameters.version ?? (version && parseVersion(version.toString().trim()))
      const judged = await services.collections.schema.validate(caller, name, number, document, point)
      const { findings, schema, engine } = judged
      if (findings.length > 0) {
        const newest = point ? 'the version then' : 'the newest version'
        const which = number === undefined ? newest : `version ${number}`
        throw new ProblemError(
          'unprocessable',
          `The document is not valid against ${which} of schema ${name}.`,
          { findings },
        )
      }
      ctx.status = 204
      if (!prefersJson(ctx.headers.accept)) return
      const { id, version: used, commit } = schema
      sendJson(ctx, { valid: true, schema: { id, version: used }, commit, engine }, 'application/json')
    },
  })
}

function listSchemaFiles(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas/{id}/files',
    ...operationIn(api, 'schema', 'listSchemaFiles'),
    summary: 'List the files of a schema',
    description: 'Lists the paths of the files that were sent as parts `include`.',
    access: 'READ',
    parameters: { id: schemaId, version, at, ...readConditions },
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
    parameters: { id: schemaId, path: schemaPath, version, at, ...readConditions },
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

/** The parameters of a folder of one version: a relative reference in a file keeps the path, and loses the query. */
const inFolder = { id: schemaId, number: versionInPath, ...readConditions }

const folderProblems = {
  'not-found': 'There is no such schema, version or file.',
}

function readSchemaFolder(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas/{id}/versions/{number}/files/',
    ...operationIn(api, 'schema', 'readSchemaFolder'),
    summary: 'Read the schema document of a version, for validators',
    description:
      'The schema document, whatever `Accept` says. Relative references in it lead to the files of the same version. ' +
      'OAI-PMH names this address as the `<schema>` of a format.',
    access: 'READ',
    parameters: inFolder,
    responses: {
      200: { description: 'The document, byte for byte.', headers: bytesHeaders, content: storedDocument },
      304: unchanged,
    },
    problems: folderProblems,
    async handle(ctx, context, { id, number }) {
      const revision = context.services.collections.schema.read(context.callerOf(ctx), id, number)
      await answerBytes(ctx, context, revision, mediaTypeOf[revision.documentType], () =>
        context.services.readDocument(revision),
      )
    },
  })
}

function readFileInFolder(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas/{id}/versions/{number}/files/{path}',
    ...operationIn(api, 'schema', 'readFileInSchemaFolder'),
    summary: 'Read a file of a version of a schema, for validators',
    description:
      'A file that was sent as a part `include`. If there is none at the path, and its last part is the id of another ' +
      'schema, to which a document may refer so, the response leads to that schema: to the `version` of the query, else ' +
      'to the version that was the newest when this one was registered.',
    access: 'READ',
    parameters: { ...inFolder, path: schemaPath, version },
    responses: {
      200: {
        description: 'The file, byte for byte.',
        headers: bytesHeaders,
        content: { ...storedDocument, 'application/octet-stream': { schema: {} } },
      },
      302: { description: 'The path names another schema.', headers: { Location: headerRef('Elsewhere') } },
      304: unchanged,
    },
    problems: folderProblems,
    async handle(ctx, context, parameters) {
      const { path } = parameters
      const { schema } = context.services.collections
      const caller = context.callerOf(ctx)
      const revision = schema.read(caller, parameters.id, parameters.number)
      const name = path.slice(path.lastIndexOf('/') + 1)
      const other = attachedFiles(revision).has(path)
        ? undefined
        : schema.referredTo(caller, revision, name, parameters.version)
      if (!other)
        return await answerBytes(ctx, context, revision, typeOfFile(path), () => schema.file(revision, path))
      redirectTo(ctx, schemaFolderUrl(apiRootUrl(context, ctx), other))
    },
  })
}

function typeOfFile(path: string): string {
  if (/\.json$/i.test(path)) return mediaTypeOf.JSON
  return /\.(?:xsd|xml|dtd)$/i.test(path) ? mediaTypeOf.XML : 'application/octet-stream'
}
