import type Router from '@koa/router'
import { refused } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { metricsType } from '../../observability/prometheus-metrics.js'
import { ofNow } from '../../request/at-parameter.js'
import type { Site } from '../../route-context.js'

/** `GET /metrics`, for Prometheus. */
export function metricsRoutes(router: Router, { services, metrics, callerOf }: Site): void {
  router.get('/metrics', ofNow, async ctx => {
    const caller = callerOf(ctx)
    // How much there is and what others do is nobody else's business.
    if (!caller.administrator) {
      throw refused(caller, 'Only an administrator may see what the server measures.')
    }
    if (metrics === undefined) {
      throw new ProblemError('not-found', 'Nothing is measured here: see the option --metrics.')
    }
    const text = await metrics.text(await services.figures())
    ctx.set({ 'Content-Type': metricsType, 'Cache-Control': 'no-store' })
    ctx.body = text
  })
}
