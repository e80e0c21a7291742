import type Router from '@koa/router'
import { entityTag } from '../../../core/precondition.js'
import type { AppliedRecord } from '../../../service/updates/apply-change-set.js'
import { recordCommit } from '../../observability/request-log.js'
import { recordUrl } from '../../record-formats/record-urls.js'
import { refuseAtOnChange } from '../../request/at-parameter.js'
import { requireJsonAccepted } from '../../request/content-negotiation.js'
import { receiveForm } from '../../request/multipart-form.js'
import { isStrict } from '../../request/prefer-header.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import type { UnversionedContext } from '../../route-context.js'
import { callerWithToken } from '../../route-context.js'
import { parseChangeSet } from './change-set-form.js'

/** Several changes in one commit, or none of them. */
export function changeSetRoutes(
  router: Router,
  { services, callerOf, basesOf, limits, names, mount }: UnversionedContext,
): void {
  router.post('/api/changesets', async ctx => {
    refuseAtOnChange(ctx.query)
    const caller = callerWithToken({ callerOf }, ctx)
    requireJsonAccepted(ctx.headers.accept)
    const { canonical, accepted } = basesOf(ctx)
    const parts = await receiveForm(ctx, limits)
    const { changes, message, wire } = await parseChangeSet(parts, {
      limits,
      names,
      services,
      caller,
      bases: accepted,
      strict: isStrict(ctx),
    })
    const { commit, records } = await services.changeSets.apply(caller, changes, message)
    recordCommit(ctx, commit)
    const root = `${canonical}${mount}/api/v${wire.version}`
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
  const location = recordUrl(root, kind, id, version)
  return { kind, id, change, version, etag: entityTag(commit), location }
}
