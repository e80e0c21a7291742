import { malformedRequest } from '../../../core/problem.js'
import { recordCommit } from '../../observability/request-log.js'
import { at } from '../../parameters/at-parameter.js'
import { listQuery, metadataFilterParameters } from '../../parameters/filter-parameters.js'
import { pageParameters, pageRequest } from '../../parameters/page-parameters.js'
import { metadataId, versionsOfRecord } from '../../parameters/record-parameters.js'
import { ignoredVersion, version } from '../../parameters/version-parameters.js'
import { changeConditions, readConditions } from '../../request/conditional-headers.js'
import { readRequestedPage } from '../../request/read-requested.js'
import { parseDraft, parseMetadataDraft } from '../../request/record-draft.js'
import { answerList } from '../../response/list-response.js'
import { answerChange, answerItem } from '../../response/record-response.js'
import type { ApiContext } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import { changedMetadataForm, newMetadataForm } from '../../route-declaration/request-bodies.js'
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

const route = routesWith<ApiContext>()

/** `/metadata` of one version of the interface. @see docs/contract.md#order-of-checks */
export function metadataRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  return [listMetadata(api), createMetadata(api), readMetadata(api), reviseMetadata(api), deleteMetadata(api)]
}

function listMetadata(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/metadata',
    alsoAt: ['/metadata/'],
    ...operationIn(api, 'metadata', 'listMetadata'),
    summary: 'List metadata records',
    description:
      'Lists the newest version of every record; or, with `id`, all versions of one record, newest first. A record is ' +
      'listed if it passes all filters. Unknown parameters are ignored.',
    access: 'readable-records',
    parameters: { queryOfList, versionsOfRecord, ...metadataFilterParameters, ...pageParameters },
    responses: listResponses(api, 'metadata'),
    problems: listProblems('metadata'),
    async handle(ctx, context, parameters) {
      const { versionsOfRecord: versionsOf } = parameters
      const filters = () => listQuery('metadata', parameters, context.basesOf(ctx).accepted)
      if (parameters.queryOfList !== '')
        return await answerListByQuery(ctx, context, 'metadata', parameters, filters(), versionsOf)
      const window = pageRequest(parameters)
      const entries = versionsOf ? { versionsOf } : { filters: filters() }
      const found = await readRequestedPage(ctx, context, 'metadata', entries, window, parameters.at)
      await answerList(ctx, context, 'metadata', found)
    },
  })
}

function createMetadata(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'post',
    path: '/metadata',
    alsoAt: ['/metadata/'],
    ...operationIn(api, 'metadata', 'createMetadata'),
    summary: 'Store a document with its record',
    description:
      'Validates the document against the schema version that the record names, and stores both as version 1. A ' +
      'resource has one document for each schema.',
    answers: 'json',
    access: 'create-role',
    parameters: {},
    form: newMetadataForm(api),
    responses: changeResponses(api, 'metadata', 201),
    problems: changeProblems(201, {
      conflict: conflictMeaning,
      gone: 'An id belonged to a deleted record, and cannot be used again.',
      unprocessable: invalidMeaning,
    }),
    async handle(ctx, context, _asked, readForm) {
      const { services, recordFormat } = context
      const { accepted: bases } = context.basesOf(ctx)
      const { record, document } = await readForm()
      const draft = await parseDraft(context, ctx, 'metadata', record, json =>
        recordFormat.parseNewMetadata(json, bases),
      )
      const revision = await services.collections.metadata.create(context.callerOf(ctx), draft, document)
      answerChange(ctx, context, revision, 201)
    },
  })
}

function readMetadata(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'get',
    path: '/metadata/{id}',
    ...operationIn(api, 'metadata', 'readMetadata'),
    summary: 'Read a document or its record',
    description: itemDescription(api, 'metadata'),
    access: 'READ',
    parameters: { id: metadataId, version, at, ...readConditions },
    responses: itemResponses(api, 'metadata'),
    problems: itemProblems(api, 'metadata'),
    handle: (ctx, context, parameters) => answerItem(ctx, context, 'metadata', parameters),
  })
}

function reviseMetadata(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'put',
    path: '/metadata/{id}',
    ...operationIn(api, 'metadata', 'reviseMetadata'),
    summary: 'Change a document or its record',
    description:
      'Every change of the document or the record makes a new version; older versions stay readable. After the change, ' +
      'the document must be valid against the schema version that the record names. If nothing changes, nothing is ' +
      `stored, and version and \`ETag\` stay the same. ${api.records.metadata.absent}`,
    answers: 'json',
    access: 'WRITE',
    parameters: { id: metadataId, ...changeConditions, ignoredVersion },
    form: changedMetadataForm(api),
    responses: changeResponses(api, 'metadata', 200),
    problems: changeProblems(200, {
      conflict: conflictMeaning,
      gone: 'An identifier in the record belonged to a deleted record.',
      unprocessable: invalidMeaning,
    }),
    async handle(ctx, context, parameters, readForm) {
      const { services, recordFormat } = context
      const { id: name, ifMatch: precondition } = parameters
      const caller = context.callerOf(ctx)
      const { record, document } = await readForm(() =>
        services.collections.metadata.demandChangeable(caller, name, precondition),
      )
      if (!record && !document) {
        throw malformedRequest('The request changes nothing: send a part record or document.')
      }
      const reading = { recordFormat, services, caller, bases: context.basesOf(ctx).accepted }
      const draft =
        record &&
        (await parseDraft(context, ctx, 'metadata', record, json => parseMetadataDraft(json, name, reading)))
      const revision = await services.collections.metadata.revise(caller, name, precondition, {
        ...(draft && { draft }),
        ...(document && { document }),
      })
      answerChange(ctx, context, revision, 200)
    },
  })
}

function deleteMetadata(api: DescribedApiVersion): Route<ApiContext> {
  return route({
    method: 'delete',
    path: '/metadata/{id}',
    ...operationIn(api, 'metadata', 'deleteMetadata'),
    summary: 'Delete a document and its record, in two steps',
    description:
      'The first DELETE makes the record REVOKED, as a new version: only callers with ADMINISTRATE can read it. The ' +
      'second DELETE, with the new ETag, makes it GONE: it cannot be read any more, its files leave the Git tree, and its id ' +
      'cannot be used again. The Git history keeps everything.',
    access: 'ADMINISTRATE',
    parameters: { id: metadataId, ...changeConditions },
    responses: removalResponses,
    problems: removalProblems({}),
    async handle(ctx, { services, callerOf }, { id: name, ifMatch: precondition }) {
      recordCommit(ctx, await services.collections.metadata.remove(callerOf(ctx), name, precondition))
      ctx.status = 204
    },
  })
}

const conflictMeaning =
  'The resource has a document of this schema already (of any version), or an id belongs to another record.'
const invalidMeaning =
  'The document is not valid against the schema version (`findings` say where), or there is no such schema or version.'
