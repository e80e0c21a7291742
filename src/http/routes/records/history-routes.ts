import type { Context } from 'koa'
import type { PointExpression } from '../../../core/history-point.js'
import type { Collection } from '../../../core/records/collection.js'
import type { PageRequest } from '../../../core/records/list-page.js'
import type { ListPage } from '../../../core/records/list-query.js'
import type { Revision } from '../../../core/records/revision.js'
import { formatInstant } from '../../../core/value-types.js'
import type { Requester } from '../../../service/comparisons/client-processes.js'
import type { Provenance } from '../../../service/record-history/provenance.js'
import type { Difference } from '../../../service/record-history/revision-difference.js'
import { chooseMediaType } from '../../negotiation/content-negotiation.js'
import { headerRef, schemaRef } from '../../openapi/specification-types.js'
import { exampleCommit, listOf } from '../../openapi/value-schemas.js'
import { differenceUrl, recordUrl } from '../../record-formats/record-urls.js'
import { at } from '../../request/at-parameter.js'
import { pageParameters, pageRequest } from '../../request/page-parameters.js'
import { type RequestedVersion, readRequestedRevision } from '../../request/read-requested.js'
import { metadataId, schemaId } from '../../request/record-parameters.js'
import { fromVersion, toVersion, version } from '../../request/version-parameters.js'
import { listBody } from '../../response/list-response.js'
import { contentRangeOf, pageLinks } from '../../response/pagination-headers.js'
import { withNotFoundMessage } from '../../response/record-response.js'
import { sendJson, sendLong } from '../../response/send-body.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import { type Route, routesWith } from '../../route-declaration/route.js'
import { historySchemas } from './history-schemas.js'

const route = routesWith<ApiContext>()

/** The versions of a record, the difference of two, and who changed each part last. @see docs/history.md */
export function historyRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  const kinds: readonly Collection[] = ['schema', 'metadata']
  return kinds.flatMap(kind => [
    listVersions(api, kind),
    compareVersions(api, kind),
    blameDocument(api, kind),
  ])
}

const collections = {
  schema: { path: 'schemas', name: 'Schema', id: schemaId, resource: 'Schemas', document: 'the schema' },
  metadata: {
    path: 'metadata',
    name: 'Metadata',
    id: metadataId,
    resource: 'Metadata',
    document: 'the document',
  },
} as const

const notFoundMeaning =
  'There is no such record or version, or there was none at the point `at`; or it is REVOKED and the caller may not read it.'

function listVersions(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { path, name, id, resource } = collections[kind]
  return route({
    method: 'get',
    path: `/${path}/{id}/versions`,
    ...operationIn(api, resource, `versionsOf${name}`),
    summary: 'List versions, and who made them',
    description:
      'Lists every version, newest first, with the commit, time, author and message of its last state.',
    answers: 'json',
    parameters: { id, ...pageParameters },
    schemas: historySchemas,
    responses: {
      200: {
        description: 'One page of the list.',
        headers: { 'Content-Range': headerRef('ContentRange'), Link: headerRef('PageLinks') },
        content: {
          'application/json': {
            schema: listOf(schemaRef('VersionEntry')),
            examples: {
              one: { value: [exampleVersion(`http://localhost:8040${api.prefix}/${path}/sample`)] },
            },
          },
        },
      },
    },
    problems: { 'not-found': notFoundMeaning, 'not-acceptable': true, 'page-out-of-range': true },
    async handle(ctx, context, parameters) {
      const window = pageRequest(parameters)
      const newest = { id: parameters.id, at: parameters.at, version: undefined }
      const { id: recordId } = await readRevision(ctx, context, kind, newest)
      const page = await readVersions(ctx, context, kind, recordId, window, parameters.at)
      await answerVersions(ctx, context, page, context.signals.requesterOf(ctx))
    },
  })
}

function compareVersions(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { path, name, id, resource, document } = collections[kind]
  return route({
    method: 'get',
    path: `/${path}/{id}/diff`,
    ...operationIn(api, resource, `diffOf${name}`),
    summary: 'Compare two versions',
    description:
      `\`Accept\` chooses the format: \`application/json\` has the changes of the record and of each part of ${document}; ` +
      `\`application/json-patch+json\` has the changes of ${document} only, which must be JSON; \`text/x-diff\` has all ` +
      'files as a unified diff.' +
      (kind === 'schema' ? ' Each change of a schema has its effect on documents that follow it.' : ''),
    parameters: { id, fromVersion, toVersion, at },
    responses: {
      200: {
        description: 'The changes; an empty list if the versions are equal.',
        content: {
          'application/json': { schema: schemaRef('Difference') },
          'application/json-patch+json': { schema: listOf(schemaRef('Operation')) },
          'text/x-diff': { schema: { type: 'string' } },
        },
      },
    },
    problems: {
      'not-found': notFoundMeaning,
      'not-acceptable':
        '`Accept` names none of the types, or it asks for a JSON Patch and the document is XML.',
      'too-large':
        'The document is too large for a comparison of its parts, or the files are too large for a diff.',
      unprocessable: undecodable,
    },
    async handle(ctx, context, parameters) {
      const { diffAndBlame } = context.services
      ctx.vary('Accept')
      const type = chooseMediaType(ctx.headers.accept, [
        'application/json',
        'application/json-patch+json',
        'text/x-diff',
      ])
      const read = (version: RequestedVersion['version']) =>
        readRevision(ctx, context, kind, { id: parameters.id, at: parameters.at, version })
      const from = await read(parameters.fromVersion)
      const to = await read(parameters.toVersion)
      const requester = context.signals.requesterOf(ctx)
      if (type === 'text/x-diff') {
        sendLong(
          ctx,
          context.responseMemory,
          await diffAndBlame.text(from, to, requester),
          `${type}; charset=utf-8`,
        )
      } else if (type === 'application/json-patch+json') {
        sendLong(ctx, context.responseMemory, await diffAndBlame.patch(from, to, requester), type)
      } else {
        const root = apiRootUrl(context, ctx)
        const render = (revision: Revision) => context.renderer.record(revision, root)
        sendLong(
          ctx,
          context.responseMemory,
          renderDifference(await diffAndBlame.difference(from, to, render, requester)),
          type,
        )
      }
    },
  })
}

function blameDocument(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  const { path, name, id, resource, document } = collections[kind]
  return route({
    method: 'get',
    path: `/${path}/{id}/blame`,
    ...operationIn(api, resource, `blameOf${name}`),
    summary: 'Find who changed each part last',
    description: `For each member of ${document}: the version that changed it last, its commit, time and author.`,
    answers: 'json',
    parameters: { id, version, at },
    responses: {
      200: {
        description: 'The members in the order of the document.',
        content: {
          'application/json': {
            schema: schemaRef('Blame'),
            examples: {
              one: { value: { version: 2, type: 'JSON', members: [{ path: '/title', ...exampleOrigin }] } },
            },
          },
        },
      },
    },
    problems: {
      'not-found': notFoundMeaning,
      'not-acceptable': true,
      'too-large': 'The document is too large, or has too many parts.',
      unprocessable: undecodable,
    },
    async handle(ctx, context, parameters) {
      const revision = await readRevision(ctx, context, kind, parameters)
      const requester = context.signals.requesterOf(ctx)
      const blame = await context.services.diffAndBlame.blame(revision, requester)
      const start = JSON.stringify({ version: blame.version, type: blame.type }).replace(
        /\}$/,
        ',"members":[',
      )
      const end = blame.cut === undefined ? ']}' : `],"cut":${JSON.stringify(blame.cut)}}`
      const body = await listBody(
        ctx,
        context,
        blame.members,
        ({ path: member, ...origin }) => JSON.stringify({ path: member, ...renderOrigin(origin) }),
        [start, end],
      )
      ctx.set('Content-Type', 'application/json')
      ctx.body = body
    },
  })
}

/** A version of the record, if the caller may read it. */
function readRevision(
  ctx: Context,
  context: ApiContext,
  kind: Collection,
  requested: RequestedVersion & { readonly id: string },
): Promise<Revision> {
  return withNotFoundMessage(context.recordFormat, 'record', () =>
    readRequestedRevision(ctx, context, kind, requested.id, requested),
  )
}

/**
 * A page of the versions of a record: today's, or those at a point of history.
 * @throws ProblemError `malformed-request`, `not-found`, `forbidden`
 */
async function readVersions(
  ctx: Context,
  { services, callerOf }: ApiContext,
  kind: Collection,
  name: string,
  window: PageRequest,
  point: PointExpression | undefined,
): Promise<ListPage> {
  const caller = callerOf(ctx)
  const wanted = point ? { ...window, at: await services.past.find(caller, point) } : window
  return services.collections[kind].versions(caller, name, wanted)
}

/** JSON text. The changes are JSON text already: parsing and rendering many of them again would take long. */
function renderDifference({ from, to, record, document, effect, files }: Difference): string {
  const { type, changes } = document
  const members = [
    `"from":${JSON.stringify(renderOrigin(from))}`,
    `"to":${JSON.stringify(renderOrigin(to))}`,
    `"record":${record}`,
    `"document":{"type":"${type}"${changes === undefined ? '' : `,"changes":${changes}`}}`,
    ...(effect === undefined ? [] : [`"effect":"${effect}"`]),
    ...(files === undefined ? [] : [`"files":${JSON.stringify(files)}`]),
  ]
  return `{${members.join()}}`
}

async function answerVersions(
  ctx: Context,
  api: ApiContext,
  page: ListPage,
  requester: Requester,
): Promise<void> {
  ctx.set('Content-Range', contentRangeOf(page))
  const root = apiRootUrl(api, ctx)
  const links = pageLinks(api.basesOf(ctx).canonical + ctx.path, ctx.querystring, page)
  if (links !== undefined) ctx.set('Link', links)
  const entries = await api.services.diffAndBlame.versions(page.items, requester)
  const rendered = entries.map(({ previous, message, recordHash, documentHash, ...origin }, at) => {
    const { kind, id, version } = page.items[at] as Revision
    return {
      ...renderOrigin(origin),
      message,
      recordHash: `sha1:${recordHash}`,
      documentHash: `sha1:${documentHash}`,
      links: {
        version: recordUrl(root, kind, id, version),
        ...(previous && { diff: differenceUrl(root, kind, id, previous, version) }),
      },
    }
  })
  sendJson(ctx, rendered, 'application/json')
}

function renderOrigin({ version, commit, time, author }: Provenance) {
  return { version, commit, time: formatInstant(time), author }
}

const exampleOrigin = {
  version: 2,
  commit: exampleCommit,
  time: '2026-03-14T09:26:53.59Z',
  author: 'SELF',
}
const exampleHash = 'sha1:400dd55bc0a4a2d10ab5dc1c3bf0af46a5ba8efa'

function exampleVersion(url: string): object {
  return {
    ...exampleOrigin,
    message: 'Update metadata sample to version 2 (measurement, version 1)',
    recordHash: exampleHash,
    documentHash: exampleHash,
    links: { version: `${url}?version=2`, diff: `${url}/diff?from=1&to=2` },
  }
}

const undecodable = 'The server cannot decode the encoding of the XML document.'
