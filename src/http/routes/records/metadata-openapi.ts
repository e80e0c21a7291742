import type { DescribedApiVersion } from '../../openapi/api-version.js'
import { recordBody } from '../../openapi/request-bodies.js'
import { changeResponses, itemResponses, listResponses, removalResponses } from '../../openapi/responses.js'
import { type Paths, parameterRef } from '../../openapi/specification-types.js'

/** `/metadata` of one version of the interface. @see spec, "Metadata records (version 1)"; contract, 5 */
export function metadataPaths(api: DescribedApiVersion): Paths {
  const { version, prefix } = api
  const servers = api.servers ? { servers: api.servers } : {}
  const tags = [`Metadata, version ${version}`]
  const id = (name: string) => `${name}V${version}`
  const same = 'The resource has a document of this schema already (in whichever version), or an id is taken.'
  return {
    [`${prefix}/metadata`]: {
      ...servers,
      'x-also-at': [`${prefix}/metadata/`],
      get: {
        tags,
        operationId: id('listMetadata'),
        summary: 'List metadata records',
        description:
          'The newest version of every record; or with `id` all versions of one, newest ' +
          'first. Filters of different names all have to hold. Parameters that are not named here are ignored.',
        parameters: [
          ...['versionsOfRecord', 'resourceId', 'resoureId', 'schemaOfRecord'],
          ...['from', 'until', 'sortOfMetadata', 'page', 'size', 'at', 'after'],
        ].map(parameterRef),
        responses: listResponses(api, 'metadata'),
      },
      post: {
        tags,
        operationId: id('createMetadata'),
        summary: 'Store a document with its record',
        description:
          'Validates the document against the schema version the record names, and stores both as version 1. A ' +
          'resource has one document per schema.',
        requestBody: recordBody(api, 'metadata', 'new'),
        responses: changeResponses(api, 'metadata', 201, {
          conflict: same,
          gone: 'An id was that of a record that has been deleted, and stays taken.',
          unprocessable:
            'The document is not valid against the schema version (`findings` say where), or there is no such schema or version.',
        }),
      },
    },
    [`${prefix}/metadata/{id}`]: {
      ...servers,
      parameters: [parameterRef('metadataId')],
      get: {
        tags,
        operationId: id('readMetadata'),
        summary: 'Read a document or its record',
        description: itemResponses(api, 'metadata').description,
        parameters: ['version', 'at', 'ifNoneMatch'].map(parameterRef),
        responses: itemResponses(api, 'metadata').responses,
      },
      put: {
        tags,
        operationId: id('reviseMetadata'),
        summary: 'Change a document or its record',
        description:
          'Every change of the document or the record makes a new version; older ones stay readable. The document (the ' +
          'one sent, else the one stored) must be valid against the schema version the record names then. Where nothing ' +
          `changes, nothing is stored, and the answer has the version and the ETag it had. ${api.records.metadata.absent}`,
        parameters: [parameterRef('ifMatch'), parameterRef('ignoredVersion')],
        requestBody: recordBody(api, 'metadata', 'change'),
        responses: changeResponses(api, 'metadata', 200, {
          conflict: same,
          gone: 'An identifier in the record was that of a record that has been deleted.',
          unprocessable:
            'The document is not valid against the schema version (`findings` say where), or there is no such schema or version.',
        }),
      },
      delete: {
        tags,
        operationId: id('deleteMetadata'),
        summary: 'Delete a document and its record, in two steps',
        description:
          'The first DELETE makes the record REVOKED, which is a version of its own: only callers with ADMINISTRATE ' +
          'still see it. The second, with the new ETag, makes it GONE: it is not found any more, its files leave the ' +
          'tree, and its id stays taken for ever. The history in Git keeps everything.',
        parameters: [parameterRef('ifMatch')],
        responses: removalResponses({}),
      },
    },
  }
}
