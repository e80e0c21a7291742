import { accessDenied } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { metricsMediaType } from '../../observability/prometheus-metrics.js'
import { headerRef } from '../../openapi/specification-types.js'
import type { UnversionedContext } from '../../route-context.js'
import { routesWith } from '../../route-declaration/route.js'

const route = routesWith<UnversionedContext>()

/** `GET /metrics`, for Prometheus. */
export const metricsRoutes = [
  route({
    method: 'get',
    path: '/metrics',
    tags: ['Operation'],
    operationId: 'metrics',
    summary: 'Read the metrics',
    description:
      'Requests, the queue, flushes, validations, the lag of the lists, packs, faults and the process, in the text ' +
      'format of Prometheus. Metrics contain no names of records or callers. With authentication, only administrators ' +
      'may read them.',
    access: 'administrator',
    parameters: {},
    responses: {
      200: {
        description: 'All metrics.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: { 'text/plain': { schema: { type: 'string', pattern: '^# HELP ' } } },
      },
    },
    problems: {
      unauthenticated: true,
      forbidden: 'The caller is not an administrator.',
      'not-found': 'The server has no metrics: see the option `--metrics`.',
    },
    async handle(ctx, { services, metrics, callerOf }) {
      const caller = callerOf(ctx)
      // The metrics also count records that other callers may not read.
      if (!caller.administrator) {
        throw accessDenied(caller, 'Only an administrator may read the metrics.')
      }
      if (metrics === undefined) {
        throw new ProblemError('not-found', 'This server has no metrics: see the option --metrics.')
      }
      const text = await metrics.text(await services.gauges())
      ctx.set({ 'Content-Type': metricsMediaType, 'Cache-Control': 'no-store' })
      ctx.body = text
    },
  }),
]
