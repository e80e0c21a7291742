import type { DescribedApiVersion } from '../../openapi/api-version.js'
import { problemResponsesFor } from '../../openapi/problem-responses.js'
import { documentToValidate, recordBody, storedDocument } from '../../openapi/request-bodies.js'
import {
  bytesHeaders,
  changeResponses,
  itemResponses,
  listResponses,
  removalResponses,
  unchanged,
} from '../../openapi/responses.js'
import { type Paths, parameterRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'

/** `/schemas` of one version of the interface. @see spec, "Schemas (version 1)"; contract, 3, 4 */
export function schemaPaths(api: DescribedApiVersion): Paths {
  const { version, prefix } = api
  const servers = api.servers ? { servers: api.servers } : {}
  const tags = [`Schemas, version ${version}`]
  const id = (name: string) => `${name}V${version}`
  return {
    [`${prefix}/schemas`]: {
      ...servers,
      'x-also-at': [`${prefix}/schemas/`],
      get: {
        tags,
        operationId: id('listSchemas'),
        summary: 'List schemas',
        description:
          'The newest version of every schema; or with `schemaId` all versions of one, newest first. A ' +
          'list of nothing is an empty array. Parameters that are not named here are ignored.',
        parameters: [
          ...['versionsOfSchema', 'mimeType', 'from', 'until'],
          ...['sortOfSchemas', 'page', 'size', 'at', 'after'],
        ].map(parameterRef),
        responses: listResponses(api, 'schema'),
      },
      post: {
        tags,
        operationId: id('registerSchema'),
        summary: 'Register a schema',
        description:
          'Stores a schema under an id of your choice, as its version 1. The schema must compile; its language is found ' +
          'out by parsing it. A schema that consists of several files is sent with the others as parts `include`.',
        requestBody: recordBody(api, 'schema', 'new'),
        responses: changeResponses(api, 'schema', 201, {
          conflict: 'The id is taken, by a schema or a metadata record.',
          gone: 'The id was that of a schema that has been deleted, and stays taken.',
          unprocessable:
            'The schema does not compile, is not of the `type` the record names, or refers to a file that was not sent.',
        }),
      },
    },
    [`${prefix}/schemas/{id}`]: {
      ...servers,
      parameters: [parameterRef('schemaId')],
      get: {
        tags,
        operationId: id('readSchema'),
        summary: 'Read a schema or its record',
        description: itemResponses(api, 'schema').description,
        parameters: ['version', 'at', 'ifNoneMatch'].map(parameterRef),
        responses: itemResponses(api, 'schema').responses,
      },
      put: {
        tags,
        operationId: id('reviseSchema'),
        summary: 'Change a schema or its record',
        description:
          `A new version is made exactly when the bytes of the schema, or of a file it comes with, change; a change of ` +
          `the record alone is a new state (another \`ETag\`, another \`lastUpdate\`) of the same version. Where nothing ` +
          `changes, nothing is stored, and the answer has the ETag it had. ${api.records.schema.absent} Documents that ` +
          'follow older versions are not looked at.',
        parameters: [parameterRef('ifMatch'), parameterRef('ignoredVersion')],
        requestBody: recordBody(api, 'schema', 'change'),
        responses: changeResponses(api, 'schema', 200, {
          unprocessable: 'The schema does not compile, or is of another language than the `type` says.',
          conflict: 'An identifier in the record is taken by another record.',
          gone: 'An identifier in the record was that of a record that has been deleted.',
        }),
      },
      delete: {
        tags,
        operationId: id('deleteSchema'),
        summary: 'Delete a schema, in two steps',
        description:
          'The first DELETE makes it REVOKED: only callers with ADMINISTRATE still see it, and no document can be ' +
          'stored for it. The second, with the new ETag, makes it GONE: it is not found any more, its files leave the ' +
          'tree, and its id stays taken for ever. The history in Git keeps everything.',
        parameters: [parameterRef('ifMatch')],
        responses: removalResponses({
          conflict: 'There are metadata documents that follow the schema, in whichever version.',
          elsewhere:
            'The path has another name of the schema, by which it is not deleted; `Location` has its id.',
        }),
      },
    },
    [`${prefix}/schemas/{id}/validate`]: {
      ...servers,
      parameters: [parameterRef('schemaId')],
      post: {
        tags,
        operationId: id('validateDocument'),
        summary: 'Validate a document',
        description: 'Checks a document against a version of the schema, and stores nothing.',
        parameters: [parameterRef('version'), parameterRef('at')],
        requestBody: documentToValidate,
        responses: {
          204: { description: 'The document is valid.' },
          ...problemResponsesFor({
            'not-found': 'There is no such schema or version, or was none at the point `at`.',
            'too-large': true,
            'unsupported-media-type': 'The body is no `multipart/form-data`.',
            unprocessable: 'The document is not valid; `findings` say what is wrong and where.',
          }),
        },
      },
    },
    [`${prefix}/schemas/{id}/files`]: {
      ...servers,
      parameters: [parameterRef('schemaId')],
      get: {
        tags,
        operationId: id('listSchemaFiles'),
        summary: 'List the files a schema comes with',
        description: 'The paths of the files that were sent as parts `include`.',
        parameters: ['version', 'at', 'ifNoneMatch'].map(parameterRef),
        responses: {
          200: {
            description: 'The paths, relative to the schema document.',
            headers: bytesHeaders,
            content: { 'application/json': { schema: closedObject({ files: listOf({ type: 'string' }) }) } },
          },
          304: unchanged,
          ...problemResponsesFor({
            'not-found': 'There is no such schema or version, or was none at the point `at`.',
          }),
        },
      },
    },
    [`${prefix}/schemas/{id}/files/{path}`]: {
      ...servers,
      parameters: [parameterRef('schemaId'), parameterRef('path')],
      get: {
        tags,
        operationId: id('readSchemaFile'),
        summary: 'Read a file a schema comes with',
        description:
          'The bytes of a file that was sent as a part `include`, at the path it was sent with: relative references ' +
          'of a schema document lead here.',
        parameters: ['version', 'at', 'ifNoneMatch'].map(parameterRef),
        responses: {
          200: {
            description: 'The file, byte for byte.',
            headers: bytesHeaders,
            content: { ...storedDocument, 'application/octet-stream': { schema: {} } },
          },
          304: unchanged,
          ...problemResponsesFor({
            'not-found': 'There is no such schema, version or file, or was none at the point `at`.',
          }),
        },
      },
    },
  }
}
