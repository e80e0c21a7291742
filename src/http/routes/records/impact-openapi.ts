import { maxConcurrentAssessments, maxFindingsPerDocument } from '../../../service/records/schema-impact.js'
import type { DescribedApiVersion } from '../../openapi/api-version.js'
import { problemResponsesFor } from '../../openapi/problem-responses.js'
import { changedSchema } from '../../openapi/request-bodies.js'
import {
  headerRef,
  type Paths,
  parameterRef,
  type Schema,
  schemaRef,
} from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { impactLimit } from './impact-routes.js'

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

export const impactSchemas: Readonly<Record<string, Schema>> = {
  Impact: closedObject({
    schema: closedObject({ id: schemaRef('Id'), version: schemaRef('Version') }, ['id', 'version'], {
      description: 'The schema as it is.',
    }),
    commit: { ...schemaRef('Commit'), description: 'The documents are those of this commit.' },
    checked: count('Documents that follow the schema, in whatever version, and that the caller may read.'),
    breaking: count('Those that are valid, and would not be.'),
    invalidBefore: count('Those that would not be valid, and are not valid as it is.'),
    documents: listOf(schemaRef('AffectedDocument'), {
      description: 'What is counted in `breaking` and `invalidBefore`, by id, up to the limit.',
    }),
    more: { type: 'boolean', description: 'There are more than are listed.' },
  }),
  AffectedDocument: closedObject({
    id: schemaRef('Id'),
    version: schemaRef('Version'),
    schemaVersion: { ...schemaRef('Version'), description: 'The version of the schema it follows.' },
    validBefore: { type: 'boolean', description: 'It is valid against that version.' },
    findings: listOf(schemaRef('Finding'), {
      description: `What the new schema finds wrong: the first ${maxFindingsPerDocument}.`,
    }),
    links: closedObject({
      version: { type: 'string', format: 'uri', description: 'The record and its document.' },
    }),
  }),
}

const example = {
  schema: { id: 'measurement', version: 1 },
  commit: '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
  checked: 420,
  breaking: 1,
  invalidBefore: 0,
  documents: [
    {
      id: 'overview-7',
      version: 2,
      schemaVersion: 1,
      validBefore: true,
      findings: [{ message: 'must have the member "operator"', path: '', schemaPath: '#/required' }],
      links: { version: 'http://localhost:8040/api/v1/metadata/overview-7?version=2' },
    },
  ],
  more: false,
}

/** What a change of a schema would break. */
export function impactPaths(api: DescribedApiVersion): Paths {
  const { version, prefix } = api
  return {
    [`${prefix}/schemas/{id}/impact`]: {
      ...(api.servers ? { servers: api.servers } : {}),
      parameters: [parameterRef('schemaId')],
      post: {
        tags: [`Schemas, version ${version}`],
        operationId: `impactOfSchemaV${version}`,
        summary: 'Ask what a change would break',
        description:
          'Checks every document that follows the schema, in whatever version, against a new schema, and stores nothing: the ' +
          'newest version of each that the caller may read, as of one commit. With `Accept: text/event-stream` the ' +
          'answer is a stream of server-sent events: `progress` (`checked`, `total`, `breaking`, `invalidBefore`), ' +
          '`document` for every document that would not be valid, then `result`, which is what is answered otherwise; or ' +
          '`problem`, with problem details. It ends when the client goes.',
        parameters: [
          {
            name: 'limit',
            in: 'query',
            description: `Documents that the result lists. More than ${impactLimit.most} are taken as ${impactLimit.most}; the numbers are right in any case.`,
            schema: { type: 'integer', minimum: 0, default: impactLimit.usual },
          },
        ],
        requestBody: changedSchema,
        responses: {
          200: {
            description: 'How many documents it would break, which, and why.',
            headers: {
              'Cache-Control': headerRef('CacheControl'),
              'X-Accel-Buffering': {
                description: 'With a stream: proxies are to pass on each event at once.',
                schema: { const: 'no' },
              },
            },
            content: {
              'application/json': { schema: schemaRef('Impact'), examples: { one: { value: example } } },
              'text/event-stream': { schema: { type: 'string', pattern: '^event: progress\\n' } },
            },
          },
          ...problemResponsesFor({
            unauthenticated: true,
            forbidden: true,
            'not-found': 'There is no such schema, or it is REVOKED and the caller may not see it.',
            'not-acceptable': '`Accept` excludes JSON, and prefers no stream of events.',
            'too-large': true,
            'unsupported-media-type': 'The body is no `multipart/form-data`.',
            unprocessable:
              'The new schema does not compile, is of the other language, refers to what is not there, or takes too long to check.',
            unavailable: `An assessment for this client is under way, or ${maxConcurrentAssessments} of all clients; or the server stops.`,
          }),
        },
      },
    },
  }
}
