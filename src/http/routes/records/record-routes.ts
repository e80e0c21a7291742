import type { Context } from 'koa'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import { type Collection, collectionNames } from '../../../core/records/collection.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { truncate } from '../../../core/value-types.js'
import type { RecordDraft } from '../../../service/updates/record-drafts.js'
import { type FormPart, namedDocument } from '../../forms/form-parts.js'
import { parseJsonPart } from '../../forms/json-part.js'
import { recordCommit } from '../../observability/request-log.js'
import { at } from '../../parameters/at-parameter.js'
import {
  listQuery,
  metadataFilterParameters,
  schemaFilterParameters,
} from '../../parameters/filter-parameters.js'
import { pageParameters, pageRequest } from '../../parameters/page-parameters.js'
import { dryRun, recordIds, versionsOfRecord, versionsOfSchema } from '../../parameters/record-parameters.js'
import type { RequestParameter } from '../../parameters/request-parameter.js'
import { ignoredVersion, version } from '../../parameters/version-parameters.js'
import { changeConditions, readConditions } from '../../request/conditional-headers.js'
import { readRequestedPage } from '../../request/read-requested.js'
import { answerList } from '../../response/list-response.js'
import { answerChange, answerItem } from '../../response/record-response.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import type { ListNarrowing } from '../../route-declaration/list-narrowing.js'
import { changedRecordForm, newRecordForm } from '../../route-declaration/request-form.js'
import { isStrict } from '../../route-declaration/request-names.js'
import {
  changeProblems,
  changeResponses,
  dryRunResponses,
  itemDescription,
  itemProblems,
  itemResponses,
  listProblems,
  listResponses,
  removalProblems,
  removalResponses,
} from '../../route-declaration/response-descriptions.js'
import { type ProblemMeanings, type Route, routesWith } from '../../route-declaration/route.js'

/*
 * The routes that list, create, read, change and delete records: `/schemas` and `/metadata`. What differs between the
 * two kinds of records is in `recordKinds`, below.
 */

const route = routesWith<ApiContext>()

/** The routes of one kind of records in one version of the interface. @see docs/contract.md#order-of-checks */
export function recordRoutes(
  api: DescribedApiVersion,
  kind: Collection,
  narrowing: ListNarrowing<ApiContext> | undefined,
): readonly Route<ApiContext>[] {
  return [
    listRecords(api, kind, narrowing),
    createRecord(api, kind),
    readRecord(api, kind),
    reviseRecord(api, kind),
    deleteRecord(api, kind),
  ]
}

/** Paths of the list of the records, and of one record. */
function pathsOf(kind: Collection) {
  const list = `/${collectionNames[kind]}`
  return { list, listWithSlash: `${list}/`, item: `${list}/{id}` }
}

function listRecords(
  api: DescribedApiVersion,
  kind: Collection,
  narrowing: ListNarrowing<ApiContext> | undefined,
): Route<ApiContext> {
  const { filters, versionsOf, list } = recordKinds[kind]
  const paths = pathsOf(kind)
  return route({
    method: 'get',
    path: paths.list,
    alsoAt: [paths.listWithSlash],
    ...operationIn(api, kind, list.operation),
    summary: list.summary,
    description: list.description,
    access: 'readable-records',
    parameters: {
      ...(narrowing && { narrowedBy: narrowing.parameter }),
      ...{ versionsOf, ...filters, ...pageParameters },
    },
    responses: listResponses(api, kind),
    problems: listProblems(kind, narrowing?.notFound),
    async handle(ctx, context, parameters) {
      const { versionsOf: name, narrowedBy: value } = parameters
      const wanted = () => listQuery(kind, parameters, context.basesOf(ctx).accepted)
      if (narrowing && value !== undefined) {
        const filters = wanted()
        const { page, size, at: point } = parameters
        const list = { kind, value, filters, versionsOf: name, page, size, at: point }
        return await narrowing.answer(ctx, context, list)
      }
      const window = pageRequest(parameters)
      const entries = name ? { versionsOf: name } : { filters: wanted() }
      const found = await readRequestedPage(ctx, context, kind, entries, window, parameters.at)
      await answerList(ctx, context, kind, found)
    },
  })
}

function createRecord(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { create } = recordKinds[kind]
  const paths = pathsOf(kind)
  return route({
    method: 'post',
    path: paths.list,
    alsoAt: [paths.listWithSlash],
    ...operationIn(api, kind, create.operation),
    summary: create.summary,
    description: create.description,
    answers: 'json',
    access: 'create-role',
    parameters: { dryRun },
    form: newRecordForm(api, kind),
    responses: { ...changeResponses(api, kind, 201), ...dryRunResponses },
    problems: changeProblems(201, create.problems),
    async handle(ctx, context, { dryRun: isDryRun }, readForm) {
      const { record, content, include } = await readForm()
      const caller = context.callerOf(ctx)
      const origins = { bases: context.basesOf(ctx).accepted }
      const draft = await readDraft(ctx, context, kind, 'parseNew', record)
      const upload = { ...namedDocument(content), ...(include && { files: include }) }
      const { [kind]: collection } = context.services.collections
      if (isDryRun) {
        await collection.dryRun.create(caller, draft, upload, origins)
        ctx.status = 204
      } else answerChange(ctx, context, await collection.create(caller, draft, upload, origins), 201)
    },
  })
}

function readRecord(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { read } = recordKinds[kind]
  return route({
    method: 'get',
    path: pathsOf(kind).item,
    ...operationIn(api, kind, read.operation),
    summary: read.summary,
    description: itemDescription(api, kind),
    access: 'READ',
    parameters: { id: recordIds[kind], version, at, ...readConditions },
    responses: itemResponses(api, kind),
    problems: itemProblems(api, kind),
    handle: (ctx, context, parameters) => answerItem(ctx, context, kind, parameters),
  })
}

function reviseRecord(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { revise } = recordKinds[kind]
  return route({
    method: 'put',
    path: pathsOf(kind).item,
    ...operationIn(api, kind, revise.operation),
    summary: revise.summary,
    description: revise.describe(api.records[kind].absent),
    answers: 'json',
    access: 'WRITE',
    parameters: { id: recordIds[kind], ...changeConditions, ignoredVersion, dryRun },
    form: changedRecordForm(api, kind),
    responses: { ...changeResponses(api, kind, 200), ...dryRunResponses },
    problems: changeProblems(200, revise.problems),
    async handle(ctx, context, { id: name, ifMatch: precondition, dryRun: isDryRun }, readForm) {
      const caller = context.callerOf(ctx)
      const origins = { bases: context.basesOf(ctx).accepted }
      const { [kind]: collection } = context.services.collections
      const { record, content, include } = await readForm(() =>
        collection.demandChangeable(caller, name, precondition),
      )
      if (!record && !content && !include) throw malformedRequest(revise.nothingSent)
      const draft = record && (await readDraft(ctx, context, kind, 'parseChange', record))
      const update = {
        ...(draft && { draft }),
        ...(content && namedDocument(content)),
        ...(include && { files: include }),
      }
      if (isDryRun) {
        await collection.dryRun.revise(caller, name, precondition, update, origins)
        ctx.status = 204
      } else
        answerChange(ctx, context, await collection.revise(caller, name, precondition, update, origins), 200)
    },
  })
}

function deleteRecord(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { remove } = recordKinds[kind]
  return route({
    method: 'delete',
    path: pathsOf(kind).item,
    ...operationIn(api, kind, remove.operation),
    summary: remove.summary,
    description: remove.description,
    access: 'ADMINISTRATE',
    parameters: { id: recordIds[kind], ...changeConditions },
    responses: removalResponses,
    problems: removalProblems(remove.problems),
    async handle(ctx, context, { id: name, ifMatch: precondition }) {
      if (remove.isByIdOnly) refuseOtherName(ctx, context, name)
      const { [kind]: collection } = context.services.collections
      recordCommit(ctx, await collection.remove(context.callerOf(ctx), name, precondition))
      ctx.status = 204
    },
  })
}

/** Bytes of a record from which on parsing it takes milliseconds. */
const longRecord = 64 * 1024

/**
 * Reads the record of a request, and refuses misspelled members. Pauses for other requests if the record is long.
 * @throws ProblemError
 */
async function readDraft(
  ctx: Context,
  { recordFormat, limits, names, basesOf }: ApiContext,
  kind: Collection,
  parse: 'parseNew' | 'parseChange',
  part: FormPart,
): Promise<RecordDraft> {
  const pauses = openEventLoopPauses()
  if (part.bytes.length > longRecord) await pauses.now()
  const json = parseJsonPart(part, limits)
  await pauses.ifDue()
  names.refuseUnknownMembers(json, recordFormat.version, kind, isStrict(ctx))
  await pauses.ifDue()
  const draft = recordFormat[parse][kind](json, basesOf(ctx).accepted)
  await pauses.ifDue()
  return draft
}

/** Refuses every name but the id. @throws ProblemError `elsewhere` @see docs/contract.md#names-of-a-record */
function refuseOtherName(ctx: Context, api: ApiContext, name: string): void {
  const id = api.services.collections.schema.idOf(api.callerOf(ctx), name)
  if (id === undefined || id === name) return
  throw new ProblemError('elsewhere', `"${truncate(name, 200)}" is another name of the schema "${id}".`, {
    location: `${apiRootUrl(api, ctx)}/schemas/${id}`,
  })
}

/** The name and the texts of a route in the OpenAPI description. */
interface Described {
  /** The operation id, without the version. */
  readonly operation: string
  readonly summary: string
  readonly description: string
  /** Problems that only this kind of records has, or that have another meaning for it. */
  readonly problems: ProblemMeanings
}

/** What differs between the routes of the two kinds of records. */
interface RecordKind {
  readonly list: Omit<Described, 'problems'>
  readonly versionsOf: RequestParameter<string | undefined>
  /** The parameters that filter and order the list. */
  readonly filters: Readonly<Record<string, RequestParameter<unknown>>>
  readonly create: Described
  readonly read: Pick<Described, 'operation' | 'summary'>
  readonly revise: Omit<Described, 'description'> & {
    /** @param absent what happens to members that the sent record lacks */
    describe(absent: string): string
    /** Message of the problem if the form has no part. */
    readonly nothingSent: string
  }
  readonly remove: Described & {
    /** Only the id is accepted in the path, no other name. */
    readonly isByIdOnly: boolean
  }
}

const secondDocument =
  'The resource has a document of this schema already (of any version), or an id belongs to another record.'
const invalidDocument =
  'The document is not valid against the schema version (`findings` say where), or there is no such schema or version.'

const recordKinds: Readonly<Record<Collection, RecordKind>> = {
  schema: {
    list: {
      operation: 'listSchemas',
      summary: 'List schemas',
      description:
        'Lists the newest version of every schema; or, with `schemaId`, all versions of one schema, newest first. A list ' +
        'without records is an empty array. Unknown parameters are ignored.',
    },
    versionsOf: versionsOfSchema,
    filters: schemaFilterParameters,
    create: {
      operation: 'registerSchema',
      summary: 'Register a schema',
      description:
        'Stores a schema under an id of your choice, as version 1. The schema must compile; the server detects its ' +
        'language by parsing it. If the schema consists of several files, send the further ones as parts `include`.',
      problems: {
        conflict: 'The id belongs to another schema or metadata record.',
        gone: 'The id belonged to a deleted record, and cannot be used again.',
        unprocessable:
          'The schema does not compile, does not have the `type` of the record, or refers to a file that was not sent.',
      },
    },
    read: { operation: 'readSchema', summary: 'Read a schema or its record' },
    revise: {
      operation: 'reviseSchema',
      summary: 'Change a schema or its record',
      describe: absent =>
        'The schema gets a new version if its bytes, or those of its further files, change. If only the record changes, ' +
        'the version gets a new state (another `ETag`, another `lastUpdate`). If nothing changes, nothing is stored, and ' +
        `the \`ETag\` stays the same. ${absent} Documents of older versions are not checked.`,
      nothingSent: 'The request changes nothing: send a part record, schema or include.',
      problems: {
        unprocessable: 'The schema does not compile, or is not in the language of `type`.',
        conflict: 'An identifier in the record belongs to another record.',
        gone: 'An identifier in the record belonged to a deleted record.',
      },
    },
    remove: {
      operation: 'deleteSchema',
      summary: 'Delete a schema, in two steps',
      description:
        'The first DELETE makes the schema REVOKED: only callers with ADMINISTRATE can read it, and no document can be ' +
        'stored for it. The second DELETE, with the new ETag, makes it GONE: it cannot be read any more, its files leave the Git ' +
        'tree, and its id cannot be used again. The Git history keeps everything.',
      isByIdOnly: true,
      problems: {
        conflict: 'Metadata documents follow a version of the schema.',
        elsewhere:
          'The path has another name of the schema. Send the request to the address in `Location`, which has its id.',
      },
    },
  },
  metadata: {
    list: {
      operation: 'listMetadata',
      summary: 'List metadata records',
      description:
        'Lists the newest version of every record; or, with `id`, all versions of one record, newest first. A record is ' +
        'listed if it passes all filters. Unknown parameters are ignored.',
    },
    versionsOf: versionsOfRecord,
    filters: metadataFilterParameters,
    create: {
      operation: 'createMetadata',
      summary: 'Store a document with its record',
      description:
        'Validates the document against the schema version that the record names, and stores both as version 1. A ' +
        'resource has one document for each schema.',
      problems: {
        conflict: secondDocument,
        gone: 'An id belonged to a deleted record, and cannot be used again.',
        unprocessable: invalidDocument,
      },
    },
    read: { operation: 'readMetadata', summary: 'Read a document or its record' },
    revise: {
      operation: 'reviseMetadata',
      summary: 'Change a document or its record',
      describe: absent =>
        'Every change of the document or the record makes a new version; older versions stay readable. After the change, ' +
        'the document must be valid against the schema version that the record names. If nothing changes, nothing is ' +
        `stored, and version and \`ETag\` stay the same. ${absent}`,
      nothingSent: 'The request changes nothing: send a part record or document.',
      problems: {
        conflict: secondDocument,
        gone: 'An identifier in the record belonged to a deleted record.',
        unprocessable: invalidDocument,
      },
    },
    remove: {
      operation: 'deleteMetadata',
      summary: 'Delete a document and its record, in two steps',
      description:
        'The first DELETE makes the record REVOKED, as a new version: only callers with ADMINISTRATE can read it. The ' +
        'second DELETE, with the new ETag, makes it GONE: it cannot be read any more, its files leave the Git tree, and its id ' +
        'cannot be used again. The Git history keeps everything.',
      isByIdOnly: false,
      problems: {},
    },
  },
}
