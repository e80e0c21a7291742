import type Router from '@koa/router'
import type { Context } from 'koa'
import type { Listed, Revision } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import { formatInstant, parseVersion, type Version } from '../../core/values.js'
import type { Origin } from '../../service/services.js'
import { reworded, sendJson, smallBody } from '../answers.js'
import { type Api, rootOf } from '../api.js'
import { pageLinks } from '../links.js'
import { demandJson, typeOf } from '../negotiation.js'
import { parseWindow, rangeOf } from '../paging.js'
import { revisionAsked, versionsAsked } from '../points.js'
import { single, versionOf } from '../query.js'
import type { Waiting } from '../waiting.js'
import { differenceUrl, itemUrl } from '../wire/urls.js'

/** What became of a record from version to version. @see docs/history.md */
export function lineageRoutes(router: Router, api: Api, waiting: Waiting): void {
  const { lineage } = api.services

  for (const collection of ['schemas', 'metadata'] as const) {
    const kind = collection === 'schemas' ? 'schema' : 'metadata'

    /** The record, or a version of it, for a caller who may read it. */
    async function read(ctx: Context, version?: Version): Promise<Revision> {
      const { id = '' } = ctx.params
      return await reworded(api.wire, 'record', () => revisionAsked(ctx, api, kind, id, version))
    }

    router.get(`/${collection}/:id/versions`, async ctx => {
      demandJson(ctx.headers.accept)
      const window = parseWindow(ctx.query)
      const { id } = await read(ctx)
      await answerVersions(ctx, api, await versionsAsked(ctx, api, kind, id, window))
    })

    router.get(`/${collection}/:id/diff`, async ctx => {
      ctx.vary('Accept')
      const type = typeOf(ctx.headers.accept, [
        'application/json',
        'application/json-patch+json',
        'text/x-diff',
      ])
      const from = await read(ctx, required(ctx, 'from'))
      const to = await read(ctx, required(ctx, 'to'))
      if (type === 'text/x-diff') {
        const text = await lineage.text(from, to, waiting.attend(ctx))
        if (text.length > smallBody) api.answerRoom.enter(ctx)(text.length)
        ctx.set('Content-Type', `${type}; charset=utf-8`)
        ctx.body = text
      } else if (type === 'application/json-patch+json') sendJson(ctx, await lineage.patch(from, to), type)
      else {
        const root = rootOf(api, ctx)
        const difference = await lineage.difference(from, to, each =>
          JSON.parse(api.shown.record(each, root)),
        )
        const origins = { from: shownOrigin(difference.from), to: shownOrigin(difference.to) }
        sendJson(ctx, { ...difference, ...origins }, type)
      }
    })

    router.get(`/${collection}/:id/blame`, async ctx => {
      demandJson(ctx.headers.accept)
      const blame = await lineage.blame(await read(ctx, versionOf(ctx.query)))
      const members = blame.members.map(({ path, ...origin }) => ({ path, ...shownOrigin(origin) }))
      sendJson(ctx, { ...blame, members }, 'application/json')
    })
  }
}

async function answerVersions(ctx: Context, api: Api, page: Listed): Promise<void> {
  ctx.set('Content-Range', rangeOf(page))
  const root = rootOf(api, ctx)
  const links = pageLinks(api.basesOf(ctx).own + ctx.path, ctx.querystring, page)
  if (links !== undefined) ctx.set('Link', links)
  const entries = await api.services.lineage.versions(page.items)
  const shown = entries.map(({ previous, message, recordHash, documentHash, ...origin }, at) => {
    const { kind, id, version } = page.items[at] as Revision
    return {
      ...shownOrigin(origin),
      message,
      recordHash: `sha1:${recordHash}`,
      documentHash: `sha1:${documentHash}`,
      links: {
        version: itemUrl(root, kind, id, version),
        ...(previous && { diff: differenceUrl(root, kind, id, previous, version) }),
      },
    }
  })
  sendJson(ctx, shown, 'application/json')
}

function shownOrigin({ version, commit, time, author }: Origin) {
  return { version, commit, time: formatInstant(time), author }
}

/** @throws ProblemError `malformed-request` */
function required(ctx: Context, name: string): Version {
  const text = single(ctx.query, name)
  if (text !== undefined) return parseVersion(text)
  throw new ProblemError(
    'malformed-request',
    `The parameter ${name} is missing: name two versions, as in ?from=1&to=2.`,
  )
}
