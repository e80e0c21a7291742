import type Router from '@koa/router'
import { entityTag } from '../../../core/precondition.js'
import type { AppliedRecord } from '../../../service/updates/apply-change-set.js'
import { noteCommit } from '../../observability/request-log.js'
import { itemUrl } from '../../record-formats/record-urls.js'
import { refusePoint } from '../../request/at-parameter.js'
import { demandJson } from '../../request/content-negotiation.js'
import { receiveParts } from '../../request/multipart-form.js'
import { isStrict } from '../../request/prefer-header.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import type { Site } from '../../route-context.js'
import { editorIn } from '../../route-context.js'
import { parseChangeSet } from './change-set-form.js'

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
