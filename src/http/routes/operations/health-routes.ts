import type Router from '@koa/router'
import type { Context } from 'koa'
import { anonymousPrincipal } from '../../../core/access-control.js'
import { formatInstant } from '../../../core/value-types.js'
import type { Health } from '../../../service/operations/health-check.js'
import { refuseAtOnCurrentOnly } from '../../request/at-parameter.js'
import { sendJson } from '../../response/record-and-list-responses.js'
import type { UnversionedContext } from '../../route-context.js'

/**
 * `GET /health`: 200 where requests can be served and stored, else 503; what was looked at either way. For programs that
 * start and stop servers, `/health/live`: the process answers; and `/health/ready`: it can be sent all kinds of requests.
 */
export function healthRoutes(router: Router, { services, callerOf }: UnversionedContext): void {
  router.get('/health', refuseAtOnCurrentOnly, async ctx => {
    const health = await services.health(callerOf(ctx))
    send(ctx, { ...health, undone: health.undone.map(undoneShown) }, health.status === 'UP')
  })

  router.get('/health/live', refuseAtOnCurrentOnly, ctx => send(ctx, { status: 'UP' }, true))

  router.get('/health/ready', refuseAtOnCurrentOnly, async ctx => {
    const readiness = readinessIn(await services.health(anonymousPrincipal))
    send(ctx, readiness, readiness.status === 'UP')
  })
}

function undoneShown({
  isMissing: _isMissing,
  blobs: _blobs,
  time,
  ...update
}: Health['undone'][number]): object {
  return { ...update, time: formatInstant(time) }
}

function send(ctx: Context, body: object, good: boolean): void {
  ctx.set('Cache-Control', 'no-store')
  sendJson(ctx, body, 'application/json', good ? 200 : 503)
}

interface Readiness {
  /** `READ_ONLY`: what is stored can be read, and no update is taken or no new commit seen. */
  readonly status: Health['status'] | 'READ_ONLY'
  readonly checks: Readonly<Record<keyof Health['checks'], boolean>>
  /** Files of the Git directory that keep updates from being taken. */
  readonly locks?: Health['locks']
}

/** Which checks hold, and which locks do not let them; other details may name commits, and are for those who ask for all. */
function readinessIn({ status, checks, locks }: Health): Readiness {
  const { repository, writable, catalog } = checks
  return {
    status: status === 'UP' || !repository.ok ? status : 'READ_ONLY',
    checks: { repository: repository.ok, writable: writable.ok, catalog: catalog.ok },
    ...(locks && { locks }),
  }
}
