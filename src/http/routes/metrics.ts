import type Router from '@koa/router'
import { ProblemError } from '../../core/problem.js'
import { metricsType } from '../metrics.js'
import { ofNow } from '../points.js'
import type { Site } from '../site.js'

/** `GET /metrics`, for Prometheus. */
export function metricsRoutes(router: Router, { services, metrics }: Site): void {
  router.get('/metrics', ofNow, async ctx => {
    if (metrics === undefined) {
      throw new ProblemError('not-found', 'Nothing is measured here: see the option --metrics.')
    }
    const text = await metrics.text(await services.figures())
    ctx.set({ 'Content-Type': metricsType, 'Cache-Control': 'no-store' })
    ctx.body = text
  })
}
