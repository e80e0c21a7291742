import { entityTag } from '../../../core/precondition.js'
import { collections } from '../../../core/records/collection.js'
import type { AppliedRecord } from '../../../service/change-sets/apply-change-set.js'
import { recordCommit } from '../../observability/request-log.js'
import { contentOf, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, exampleCommit, listOf } from '../../openapi/value-schemas.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import { sendJson } from '../../response/send-body.js'
import type { UnversionedContext } from '../../route-context.js'
import { isStrict } from '../../route-declaration/request-names.js'
import { routesWith } from '../../route-declaration/route.js'
import { maxChangesPerSet, maxMessageLength, parseChangeSet } from './change-set-form.js'

const kind: Schema = { type: 'string', enum: collections }
const bytes: Schema = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

const changeSetSchemas: Readonly<Record<string, Schema>> = {
  ChangeSet: closedObject(
    {
      message: {
        type: 'string',
        maxLength: maxMessageLength,
        description: 'The subject of the commit, one line. Default: the service writes one.',
      },
      interface: {
        type: 'integer',
        enum: [1, 2],
        default: 2,
        description:
          'The version of the interface in which the records are written, and to which `location` leads.',
      },
      changes: listOf(schemaRef('WantedChange'), { minItems: 1, maxItems: maxChangesPerSet }),
    },
    ['changes'],
  ),
  WantedChange: closedObject(
    {
      kind,
      action: { type: 'string', enum: ['create', 'update', 'delete'] },
      id: {
        type: 'string',
        description: 'To update or delete: the id of the record, or another of its names.',
      },
      ifMatch: {
        type: 'string',
        description: 'To update or delete: the ETag of the record, as in `If-Match`; `*` matches any state.',
        examples: [`"${exampleCommit}"`],
      },
      record: {
        type: ['object', 'string'],
        description: 'The record as in a POST or PUT, or the name of the part with the record.',
      },
      document: { type: 'string', description: 'The name of the part with the document or the schema.' },
      files: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'For a schema: names of the parts with its further files, by path.',
      },
    },
    ['kind', 'action'],
  ),
  AppliedChangeSet: closedObject(
    {
      commit: { ...schemaRef('Commit'), description: 'Absent if nothing changes.' },
      records: listOf(schemaRef('AppliedChange'), { description: 'In the order of the changes.' }),
    },
    ['records'],
  ),
  AppliedChange: {
    anyOf: [
      closedObject({
        kind,
        id: schemaRef('Id'),
        change: { type: 'string', enum: ['created', 'updated', 'unchanged'] },
        version: schemaRef('Version'),
        etag: { type: 'string', pattern: '^"[0-9a-f]{40}"$', description: 'The ETag of the record.' },
        location: { type: 'string', format: 'uri', description: 'Address of the version.' },
      }),
      closedObject({ kind, id: schemaRef('Id'), change: { const: 'deleted' } }),
    ],
  },
}
const exampleSet = {
  interface: 1,
  changes: [
    { kind: 'schema', action: 'update', id: 'station-v1', ifMatch: '*', record: { label: 'Stations' } },
    { kind: 'metadata', action: 'update', id: 'reading-v1', ifMatch: '*', record: { licenseUri: null } },
  ],
}
const applied = {
  commit: exampleCommit,
  records: [
    {
      kind: 'metadata',
      id: 'overview-7',
      change: 'updated',
      version: 2,
      etag: `"${exampleCommit}"`,
      location: 'http://localhost:8040/api/v2/metadata/overview-7?version=2',
    },
  ],
}

const route = routesWith<UnversionedContext>()

export const changeSetRoutes = [
  route({
    method: 'post',
    path: '/api/changesets',
    tags: ['Changes'],
    operationId: 'applyChangeSet',
    summary: 'Apply several changes as one commit',
    description:
      'Each change is the equivalent of a POST, PUT or DELETE: with the same rules and permissions, and its own ' +
      'precondition. The changes are checked together: a document may follow a schema of the same set, in any order. ' +
      'Two changes must not be about the same record. If one change is refused, nothing is stored, and `change` of the ' +
      'problem is its index.',
    answers: 'json',
    access: 'token',
    parameters: {},
    form: {
      described: {
        description:
          'The part `changeset` lists the changes. The other parts are records, documents and files, with names of your ' +
          'choice; each must be named by a change.',
        required: true,
        content: {
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: { changeset: { ...schemaRef('ChangeSet'), examples: [exampleSet] } },
              required: ['changeset'],
              additionalProperties: bytes,
            },
            encoding: { changeset: { contentType: 'application/json' } },
          },
        },
      },
      read: parts => parts,
    },
    schemas: changeSetSchemas,
    responses: {
      200: {
        description: 'The records after the changes.',
        content: contentOf(['application/json'], schemaRef('AppliedChangeSet'), { applied }),
      },
    },
    problems: {
      'not-found': 'There is no such record to change, or the caller may not know of it.',
      'not-acceptable': '`Accept` excludes every JSON type.',
      conflict:
        'A name or resource belongs to a stored record or to another one of the set; or two changes exclude each other.',
      gone: 'The id of a new record belonged to a deleted record.',
      'precondition-failed': true,
      'precondition-required': 'A change of a stored record has no `ifMatch`.',
      'too-large': true,
      'unsupported-media-type': true,
      unprocessable: true,
      'no-space': true,
    },
    async handle(ctx, { services, callerOf, basesOf, limits, names, mount }, _asked, readForm) {
      const caller = callerOf(ctx)
      const { canonical, accepted } = basesOf(ctx)
      const { changes, message, recordFormat } = await parseChangeSet(await readForm(), {
        limits,
        names,
        bases: accepted,
        strict: isStrict(ctx),
      })
      const { commit: made, records } = await services.changeSets.apply(caller, changes, message)
      recordCommit(ctx, made)
      const root = `${canonical}${mount}/api/v${recordFormat.version}`
      const body = { ...(made && { commit: made }), records: records.map(each => renderApplied(each, root)) }
      sendJson(ctx, body, 'application/json')
    },
  }),
]

function renderApplied({ state, ...change }: AppliedRecord, root: string): object {
  if (!state) return change
  const { version } = state
  const location = recordUrl(root, change.kind, change.id, version)
  return { ...change, version, etag: entityTag(state.commit), location }
}
