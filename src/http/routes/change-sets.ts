import type Router from '@koa/router'
import { entityTag } from '../../core/precondition.js'
import type { AppliedRecord } from '../../service/change-sets.js'
import { sendJson } from '../answers.js'
import { editorIn } from '../api.js'
import { parseChangeSet } from '../change-set-form.js'
import { noteCommit } from '../exchange.js'
import { demandJson } from '../negotiation.js'
import { refusePoint } from '../points.js'
import { isStrict } from '../prefer.js'
import type { Site } from '../site.js'
import { receiveParts } from '../upload.js'
import { itemUrl } from '../wire/urls.js'

/** Several changes in one commit, or none of them. */
export function changeSetRoutes(
  router: Router,
  { services, callerOf, basesOf, limits, names, mount }: Site,
): void {
  router.post('/api/changesets', async ctx => {
    refusePoint(ctx.query)
    const caller = editorIn({ callerOf }, ctx)
    demandJson(ctx.headers.accept)
    const { own, all: bases } = basesOf(ctx)
    const parts = await receiveParts(ctx, limits)
    const { changes, message, wire } = await parseChangeSet(parts, {
      limits,
      names,
      services,
      caller,
      bases,
      strict: isStrict(ctx),
    })
    const { commit, records } = await services.changeSets.apply(caller, changes, message)
    noteCommit(ctx, commit)
    const root = `${own}${mount}/api/v${wire.version}`
    sendJson(
      ctx,
      { ...(commit && { commit }), records: records.map(record => shown(record, root)) },
      'application/json',
    )
  })
}

function shown({ kind, id, change, state }: AppliedRecord, root: string): object {
  if (!state) return { kind, id, change }
  const { version, commit } = state
  const location = itemUrl(root, kind, id, version)
  return { kind, id, change, version, etag: entityTag(commit), location }
}
