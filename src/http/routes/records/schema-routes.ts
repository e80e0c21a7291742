import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { parseVersion, truncate } from '../../../core/value-types.js'
import { namedDocument } from '../../forms/form-parts.js'
import { recordCommit } from '../../observability/request-log.js'
import { at } from '../../parameters/at-parameter.js'
import { listQuery, schemaFilterParameters } from '../../parameters/filter-parameters.js'
import { pageParameters, pageRequest } from '../../parameters/page-parameters.js'
import { schemaId, versionsOfSchema } from '../../parameters/record-parameters.js'
import { ignoredVersion, version } from '../../parameters/version-parameters.js'
import { changeConditions, readConditions } from '../../request/conditional-headers.js'
import { readRequestedPage } from '../../request/read-requested.js'
import { parseDraft } from '../../request/record-draft.js'
import { answerList } from '../../response/list-response.js'
import { answerChange, answerItem } from '../../response/record-response.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import {
  changedSchemaForm,
  documentToValidate,
  newSchemaForm,
} from '../../route-declaration/request-bodies.js'
import {
  changeProblems,
  changeResponses,
  itemDescription,
  itemProblems,
  itemResponses,
  listProblems,
  listResponses,
  removalProblems,
  removalResponses,
} from '../../route-declaration/response-descriptions.js'
import { type Route, routesWith } from '../../route-declaration/route.js'
import { answerListByQuery, queryOfList } from '../search/list-by-query.js'
import { schemaFileRoutes } from './schema-file-routes.js'

const route = routesWith<ApiContext>()

/** `/schemas` of one version of the interface. @see docs/contract.md#order-of-checks */
export function schemaRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  return [
    listSchemas(api),
    registerSchema(api),
    readSchema(api),
    reviseSchema(api),
    deleteSchema(api),
    validateDocument(api),
    ...schemaFileRoutes(api),
  ]
}

function listSchemas(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas',
    alsoAt: ['/schemas/'],
    ...operationIn(api, 'schema', 'listSchemas'),
    summary: 'List schemas',
    description:
      'Lists the newest version of every schema; or, with `schemaId`, all versions of one schema, newest first. A list ' +
      'without records is an empty array. Unknown parameters are ignored.',
    access: 'readable-records',
    parameters: { queryOfList, versionsOfSchema, ...schemaFilterParameters, ...pageParameters },
    responses: listResponses(api, 'schema'),
    problems: listProblems('schema'),
    async handle(ctx, context, parameters) {
      const { versionsOfSchema: versionsOf } = parameters
      const filters = () => listQuery('schema', parameters, [])
      if (parameters.queryOfList !== '')
        return await answerListByQuery(ctx, context, 'schema', parameters, filters(), versionsOf)
      const window = pageRequest(parameters)
      const entries = versionsOf ? { versionsOf } : { filters: filters() }
      await answerList(
        ctx,
        context,
        'schema',
        await readRequestedPage(ctx, context, 'schema', entries, window, parameters.at),
      )
    },
  })
}

function registerSchema(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'post',
    path: '/schemas',
    alsoAt: ['/schemas/'],
    ...operationIn(api, 'schema', 'registerSchema'),
    summary: 'Register a schema',
    description:
      'Stores a schema under an id of your choice, as version 1. The schema must compile; the server detects its ' +
      'language by parsing it. If the schema consists of several files, send the further ones as parts `include`.',
    answers: 'json',
    access: 'create-role',
    parameters: {},
    form: newSchemaForm(api),
    responses: changeResponses(api, 'schema', 201),
    problems: changeProblems(201, {
      conflict: 'The id belongs to another schema or metadata record.',
      gone: 'The id belonged to a deleted record, and cannot be used again.',
      unprocessable:
        'The schema does not compile, does not have the `type` of the record, or refers to a file that was not sent.',
    }),
    async handle(ctx, context, _asked, readForm) {
      const { services, recordFormat } = context
      const { accepted: bases } = context.basesOf(ctx)
      const { record, schema, include } = await readForm()
      const revision = await services.collections.schema.register(
        context.callerOf(ctx),
        await parseDraft(context, ctx, 'schema', record, recordFormat.parseNewSchema),
        { ...namedDocument(schema), ...(include && { files: include }) },
        { bases },
      )
      answerChange(ctx, context, revision, 201)
    },
  })
}

function readSchema(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/schemas/{id}',
    ...operationIn(api, 'schema', 'readSchema'),
    summary: 'Read a schema or its record',
    description: itemDescription(api, 'schema'),
    access: 'READ',
    parameters: { id: schemaId, version, at, ...readConditions },
    responses: itemResponses(api, 'schema'),
    problems: itemProblems(api, 'schema'),
    handle: (ctx, context, parameters) => answerItem(ctx, context, 'schema', parameters),
  })
}

function reviseSchema(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'put',
    path: '/schemas/{id}',
    ...operationIn(api, 'schema', 'reviseSchema'),
    summary: 'Change a schema or its record',
    description:
      'The schema gets a new version if its bytes, or those of its further files, change. If only the record changes, ' +
      'the version gets a new state (another `ETag`, another `lastUpdate`). If nothing changes, nothing is stored, and ' +
      `the \`ETag\` stays the same. ${api.records.schema.absent} Documents of older versions are not checked.`,
    answers: 'json',
    access: 'WRITE',
    parameters: { id: schemaId, ...changeConditions, ignoredVersion },
    form: changedSchemaForm(api),
    responses: changeResponses(api, 'schema', 200),
    problems: changeProblems(200, {
      unprocessable: 'The schema does not compile, or is not in the language of `type`.',
      conflict: 'An identifier in the record belongs to another record.',
      gone: 'An identifier in the record belonged to a deleted record.',
    }),
    async handle(ctx, context, parameters, readForm) {
      const { services, recordFormat } = context
      const { id: name, ifMatch: precondition } = parameters
      const caller = context.callerOf(ctx)
      const { accepted: bases } = context.basesOf(ctx)
      const { record, schema, include } = await readForm(() =>
        services.collections.schema.demandChangeable(caller, name, precondition),
      )
      if (!record && !schema && !include)
        throw malformedRequest('The request changes nothing: send a part record, schema or include.')
      const draft =
        record && (await parseDraft(context, ctx, 'schema', record, recordFormat.parseSchemaChange))
      const change = {
        ...(draft && { draft }),
        ...(schema && namedDocument(schema)),
        ...(include && { files: include }),
      }
      const revision = await services.collections.schema.revise(caller, name, precondition, change, { bases })
      answerChange(ctx, context, revision, 200)
    },
  })
}

function deleteSchema(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'delete',
    path: '/schemas/{id}',
    ...operationIn(api, 'schema', 'deleteSchema'),
    summary: 'Delete a schema, in two steps',
    description:
      'The first DELETE makes the schema REVOKED: only callers with ADMINISTRATE can read it, and no document can be ' +
      'stored for it. The second DELETE, with the new ETag, makes it GONE: it cannot be read any more, its files leave the Git ' +
      'tree, and its id cannot be used again. The Git history keeps everything.',
    access: 'ADMINISTRATE',
    parameters: { id: schemaId, ...changeConditions },
    responses: removalResponses,
    problems: removalProblems({
      conflict: 'Metadata documents follow a version of the schema.',
      elsewhere:
        'The path has another name of the schema. Send the request to the address in `Location`, which has its id.',
    }),
    async handle(ctx, context, { id: name, ifMatch: precondition }) {
      refuseOtherName(ctx, context, name)
      recordCommit(
        ctx,
        await context.services.collections.schema.remove(context.callerOf(ctx), name, precondition),
      )
      ctx.status = 204
    },
  })
}

function validateDocument(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'post',
    path: '/schemas/{id}/validate',
    ...operationIn(api, 'schema', 'validateDocument'),
    summary: 'Validate a document',
    description: 'Validates a document against a version of the schema, and stores nothing.',
    access: 'READ',
    parameters: { id: schemaId, version, at },
    form: documentToValidate,
    responses: { 204: { description: 'The document is valid.' } },
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
      const findings = await services.collections.schema.validate(caller, name, number, document, point)
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
    },
  })
}

/** Refuses every name but the id. @throws ProblemError `elsewhere` @see docs/contract.md#names-of-a-record */
function refuseOtherName(ctx: Context, api: ApiContext, name: string): void {
  const id = api.services.collections.schema.idOf(api.callerOf(ctx), name)
  if (id === undefined || id === name) return
  throw new ProblemError('elsewhere', `"${truncate(name, 200)}" is another name of the schema "${id}".`, {
    location: `${apiRootUrl(api, ctx)}/schemas/${id}`,
  })
}
