import type Router from '@koa/router'
import type { Context } from 'koa'
import { ProblemError } from '../../../core/problem.js'
import type { ListPage } from '../../../core/records/list-query.js'
import type { Revision } from '../../../core/records/revision.js'
import { formatInstant, parseVersion, type Version } from '../../../core/value-types.js'
import type { Requester } from '../../../service/comparisons/client-processes.js'
import type { Difference, Provenance } from '../../../service/record-history/diff-and-blame.js'
import type { LongLivedResponses } from '../../limits/long-lived-responses.js'
import { differenceUrl, recordUrl } from '../../record-formats/record-urls.js'
import { readRequestedRevision, readRequestedVersions } from '../../request/at-parameter.js'
import { chooseMediaType, requireJsonAccepted } from '../../request/content-negotiation.js'
import { contentRangeOf, parsePageParameters } from '../../request/paging.js'
import { singleParameter, versionParameter } from '../../request/query-parameters.js'
import { pageLinks } from '../../response/pagination-links.js'
import {
  listBody,
  sendJson,
  sendLong,
  withNotFoundMessage,
} from '../../response/record-and-list-responses.js'
import { type ApiContext, apiRootUrl } from '../../route-context.js'

/** What became of a record from version to version. @see docs/history.md */
export function historyRoutes(router: Router, api: ApiContext, waiting: LongLivedResponses): void {
  const { lineage } = api.services

  for (const collection of ['schemas', 'metadata'] as const) {
    const kind = collection === 'schemas' ? 'schema' : 'metadata'

    /** The record, or a version of it, for a caller who may read it. */
    async function read(ctx: Context, version?: Version): Promise<Revision> {
      const { id = '' } = ctx.params
      return await withNotFoundMessage(api.wire, 'record', () =>
        readRequestedRevision(ctx, api, kind, id, version),
      )
    }

    router.get(`/${collection}/:id/versions`, async ctx => {
      requireJsonAccepted(ctx.headers.accept)
      const window = parsePageParameters(ctx.query)
      const { id } = await read(ctx)
      const page = await readRequestedVersions(ctx, api, kind, id, window)
      await answerVersions(ctx, api, page, waiting.requesterOf(ctx))
    })

    router.get(`/${collection}/:id/diff`, async ctx => {
      ctx.vary('Accept')
      const type = chooseMediaType(ctx.headers.accept, [
        'application/json',
        'application/json-patch+json',
        'text/x-diff',
      ])
      const from = await read(ctx, required(ctx, 'from'))
      const to = await read(ctx, required(ctx, 'to'))
      const requester = waiting.requesterOf(ctx)
      if (type === 'text/x-diff') {
        sendLong(ctx, api, await lineage.text(from, to, requester), `${type}; charset=utf-8`)
      } else if (type === 'application/json-patch+json') {
        sendLong(ctx, api, await lineage.patch(from, to, requester), type)
      } else {
        const root = apiRootUrl(api, ctx)
        const shown = (revision: Revision) => api.shown.record(revision, root)
        sendLong(ctx, api, jsonOf(await lineage.difference(from, to, shown, requester)), type)
      }
    })

    router.get(`/${collection}/:id/blame`, async ctx => {
      requireJsonAccepted(ctx.headers.accept)
      const revision = await read(ctx, versionParameter(ctx.query))
      const { members, version, type, cut } = await lineage.blame(revision, waiting.requesterOf(ctx))
      const start = JSON.stringify({ version, type }).replace(/\}$/, ',"members":[')
      const end = cut === undefined ? ']}' : `],"cut":${JSON.stringify(cut)}}`
      const body = await listBody(
        ctx,
        api,
        members,
        ({ path, ...origin }) => ({ path, ...shownOrigin(origin) }),
        [start, end],
      )
      ctx.set('Content-Type', 'application/json')
      ctx.body = body
    })
  }
}

/** The changes are JSON already: there may be many of them. */
function jsonOf({ from, to, record, document, effect, files }: Difference): string {
  const { type, changes } = document
  const members = [
    `"from":${JSON.stringify(shownOrigin(from))}`,
    `"to":${JSON.stringify(shownOrigin(to))}`,
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
  const entries = await api.services.lineage.versions(page.items, requester)
  const shown = entries.map(({ previous, message, recordHash, documentHash, ...origin }, at) => {
    const { kind, id, version } = page.items[at] as Revision
    return {
      ...shownOrigin(origin),
      message,
      recordHash: `sha1:${recordHash}`,
      documentHash: `sha1:${documentHash}`,
      links: {
        version: recordUrl(root, kind, id, version),
        ...(previous && { diff: differenceUrl(root, kind, id, previous, version) }),
      },
    }
  })
  sendJson(ctx, shown, 'application/json')
}

function shownOrigin({ version, commit, time, author }: Provenance) {
  return { version, commit, time: formatInstant(time), author }
}

/** @throws ProblemError `malformed-request` */
function required(ctx: Context, name: string): Version {
  const text = singleParameter(ctx.query, name)
  if (text !== undefined) return parseVersion(text)
  throw new ProblemError(
    'malformed-request',
    `The parameter ${name} is missing: name two versions, as in ?from=1&to=2.`,
  )
}
