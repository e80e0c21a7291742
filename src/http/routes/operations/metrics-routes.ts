import type Router from '@koa/router'
import { accessDenied } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { metricsMediaType } from '../../observability/prometheus-metrics.js'
import { refuseAtOnCurrentOnly } from '../../request/at-parameter.js'
import type { UnversionedContext } from '../../route-context.js'

/** `GET /metrics`, for Prometheus. */
export function metricsRoutes(router: Router, { services, metrics, callerOf }: UnversionedContext): void {
  router.get('/metrics', refuseAtOnCurrentOnly, async ctx => {
    const caller = callerOf(ctx)
    // How much there is and what others do is nobody else's business.
    if (!caller.administrator) {
      throw accessDenied(caller, 'Only an administrator may see what the server measures.')
    }
    if (metrics === undefined) {
      throw new ProblemError('not-found', 'Nothing is measured here: see the option --metrics.')
    }
    const text = await metrics.text(await services.figures())
    ctx.set({ 'Content-Type': metricsMediaType, 'Cache-Control': 'no-store' })
    ctx.body = text
  })
}
