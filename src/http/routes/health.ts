import type Router from '@koa/router'
import type { Services } from '../../service/services.js'
import { sendJson } from '../answers.js'
import { ofNow } from '../points.js'

/** `GET /health`: 200 where requests can be served and stored, else 503; what was looked at either way. */
export function healthRoutes(router: Router, services: Services): void {
  router.get('/health', ofNow, async ctx => {
    const health = await services.health()
    ctx.set('Cache-Control', 'no-store')
    sendJson(ctx, health, 'application/json', health.status === 'UP' ? 200 : 503)
  })
}
