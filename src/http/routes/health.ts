import type Router from '@koa/router'
import { sendJson } from '../answers.js'
import { ofNow } from '../points.js'
import type { Site } from '../site.js'

/** `GET /health`: 200 where requests can be served and stored, else 503; what was looked at either way. */
export function healthRoutes(router: Router, { services, callerOf }: Site): void {
  router.get('/health', ofNow, async ctx => {
    const health = await services.health(callerOf(ctx))
    ctx.set('Cache-Control', 'no-store')
    sendJson(ctx, health, 'application/json', health.status === 'UP' ? 200 : 503)
  })
}
