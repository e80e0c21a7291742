import { accessDenied } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { metricsMediaType } from '../../observability/prometheus-metrics.js'
import { headerRef } from '../../openapi/specification-types.js'
import { routesWith } from '../../route/route.js'
import type { UnversionedContext } from '../../route-context.js'

const route = routesWith<UnversionedContext>()

/** `GET /metrics`, for Prometheus. */
export const metricsRoutes = [
  route({
    method: 'get',
    path: '/metrics',
    tags: ['Operation'],
    operationId: 'metrics',
    summary: 'What the server counts and measures',
    description:
      'Requests, the queue, flushes, validations, how far the listings are behind, packs, faults and the process, in the ' +
      'text format of Prometheus. Numbers only, without names of records or callers. With authentication they are for ' +
      'administrators.',
    parameters: {},
    responses: {
      200: {
        description: 'All of them.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: { 'text/plain': { schema: { type: 'string', pattern: '^# HELP ' } } },
      },
    },
    problems: {
      unauthenticated: true,
      forbidden: 'The caller is no administrator.',
      'not-found': 'The server does not measure: see `--metrics`.',
    },
    async handle(ctx, { services, metrics, callerOf }) {
      const caller = callerOf(ctx)
      // The numbers tell how many records there are that a caller may not read.
      if (!caller.administrator) {
        throw accessDenied(caller, 'Only an administrator may see what the server measures.')
      }
      if (metrics === undefined) {
        throw new ProblemError('not-found', 'Nothing is measured here: see the option --metrics.')
      }
      const text = await metrics.text(await services.figures())
      ctx.set({ 'Content-Type': metricsMediaType, 'Cache-Control': 'no-store' })
      ctx.body = text
    },
  }),
]
