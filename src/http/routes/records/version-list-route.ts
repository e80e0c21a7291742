import type { Context } from 'koa'
import type { Client } from '../../../core/access-control.js'
import {
  type Collection,
  collectionLabels,
  collectionNames,
  collections,
} from '../../../core/records/collection.js'
import type { ListPage } from '../../../core/records/list-query.js'
import type { Revision } from '../../../core/records/revision.js'
import { type UnservedVersion, unservedAfter } from '../../../service/record-history/record-log.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { pageParameters, pageRequest } from '../../parameters/page-parameters.js'
import { recordIds } from '../../parameters/record-parameters.js'
import { differenceUrl, recordUrl } from '../../record-formats/record-urls.js'
import { contentRangeOf, pageLinks } from '../../response/list-response.js'
import { sendJson } from '../../response/send-body.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'
import { type DescribedApiVersion, operationIn } from '../../route-declaration/api-version.js'
import { type Route, routesWith } from '../../route-declaration/route.js'
import {
  exampleOrigin,
  notFoundMeaning,
  originMembers,
  readRevision,
  renderOrigin,
} from './history-of-record.js'

const route = routesWith<ApiContext>()

/** The routes that list the versions of a record. @see docs/use/history.md */
export function versionRoutes(api: DescribedApiVersion): readonly Route<ApiContext>[] {
  return collections.map(kind => versionListRoute(api, kind))
}

function versionListRoute(api: DescribedApiVersion, kind: Collection): Route<ApiContext> {
  return route({
    method: 'get',
    path: `/${collectionNames[kind]}/{id}/versions`,
    ...operationIn(api, kind, `versionsOf${collectionLabels[kind]}`),
    summary: 'List versions, and who made them',
    description:
      'Lists every version, newest first, with the commit, time, author and message of its last state. `unserved` has ' +
      'the versions after it that are not served, because their commits break a rule.',
    answers: 'json',
    access: 'READ',
    parameters: { id: recordIds[kind], ...pageParameters },
    schemas: versionSchemas,
    responses: {
      200: {
        description: 'One page of the list.',
        headers: { 'Content-Range': headerRef('ContentRange'), Link: headerRef('PageLinks') },
        content: contentOf(['application/json'], listOf(schemaRef('VersionEntry')), {
          one: [exampleVersion(`http://localhost:8040${api.prefix}/${collectionNames[kind]}/sample`)],
        }),
      },
    },
    problems: { 'not-found': notFoundMeaning, 'not-acceptable': true, 'page-out-of-range': true },
    async handle(ctx, context, parameters) {
      const { services, callerOf } = context
      const window = pageRequest(parameters)
      const { at } = parameters
      const newest = await readRevision(ctx, context, kind, { id: parameters.id, at, version: undefined })
      const caller = callerOf(ctx)
      const point = at && (await services.past.find(caller, at))
      const wanted = { ...window, ...(point && { at: point }) }
      const page = services.collections[kind].versions(caller, newest.id, wanted)
      const unserved = point ? [] : await services.audit.unserved(kind, newest.id, caller.client)
      await answerVersions(ctx, context, page, unserved, context.signals.clientOf(ctx))
    },
  })
}

async function answerVersions(
  ctx: Context,
  api: ApiContext,
  page: ListPage,
  unserved: readonly UnservedVersion[],
  client: Client,
): Promise<void> {
  ctx.set('Content-Range', contentRangeOf(page))
  const root = apiRootUrl(api, ctx)
  const links = pageLinks(api.basesOf(ctx).canonical + ctx.path, ctx.querystring, page)
  if (links !== undefined) ctx.set('Link', links)
  const entries = await api.services.audit.versions(page.items, client)
  const rendered = entries.map(({ previous, message, recordHash, documentHash, ...origin }, index) => {
    const { kind, id, version } = page.items[index] as Revision
    const broken = unservedAfter(unserved, version)
    return {
      ...renderOrigin(origin),
      message,
      recordHash: `sha1:${recordHash}`,
      documentHash: `sha1:${documentHash}`,
      links: {
        version: recordUrl(root, kind, id, version),
        ...(previous && { diff: differenceUrl(root, kind, id, previous, version) }),
      },
      ...(broken.length > 0 && {
        unserved: broken.map(({ findings, ...found }) => ({ ...renderOrigin(found), findings })),
      }),
    }
  })
  sendJson(ctx, rendered, 'application/json')
}

const versionSchemas: Readonly<Record<string, Schema>> = {
  UnservedVersion: closedObject({ ...originMembers, findings: listOf(schemaRef('Finding')) }),
  VersionEntry: closedObject(
    {
      ...originMembers,
      message: { type: 'string', description: 'First line of the commit’s message.' },
      recordHash: { ...schemaRef('Hash'), description: 'Hash of the stored record, `record.json`.' },
      documentHash: schemaRef('Hash'),
      links: closedObject(
        {
          version: { type: 'string', format: 'uri', description: 'The record and its document.' },
          diff: { type: 'string', format: 'uri', description: 'The changes since the previous version.' },
        },
        ['version'],
      ),
      unserved: listOf(schemaRef('UnservedVersion'), {
        minItems: 1,
        description:
          'The versions between this one and the next served one. Their commits, made with git, break a rule.',
      }),
    },
    [...Object.keys(originMembers), 'message', 'recordHash', 'documentHash', 'links'],
  ),
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
