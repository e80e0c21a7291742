import type { FeatureContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { sendJson } from '../../../http/response/send-body.js'
import { routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'
import { maxListedSchemas } from '../statistics/statistics.js'

const route = routesWith<FeatureContext<WebApi>>()

const count: Schema = { type: 'integer', minimum: 0 }
/** Records that are GONE are in no list. */
const byState: Schema = closedObject({ VOLATILE: count, FIXED: count, REVOKED: count }, [])

/** How many records there are, for the first page of an application. */
export const statisticsRoute = route({
  method: 'get',
  path: '/api/stats',
  tags: ['Applications'],
  operationId: 'stats',
  summary: 'Count records',
  description:
    'The numbers of the records that the caller may read: by kind, by schema, by state, and by the year in which they ' +
    'were stored first. They are those of the lists, now or at the point `at`.',
  access: 'readable-records',
  parameters: { at },
  schemas: {
    Statistics: closedObject({
      kinds: closedObject({ schema: count, metadata: count }),
      schemas: listOf(closedObject({ id: schemaRef('Id'), count }), {
        maxItems: maxListedSchemas,
        description: 'Metadata records by the schema that they follow, the most used first.',
      }),
      more: { type: 'boolean', description: 'Whether there are more schemas than are listed.' },
      states: closedObject({ schema: byState, metadata: byState }),
      years: listOf(closedObject({ year: { type: 'integer' }, schema: count, metadata: count }), {
        description: 'By the year (UTC) in which the records were stored first, the newest year first.',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The numbers.',
      headers: { 'Cache-Control': headerRef('CacheControl') },
      content: contentOf(['application/json'], schemaRef('Statistics'), {
        one: {
          kinds: { schema: 1, metadata: 12 },
          schemas: [{ id: 'measurement', count: 12 }],
          more: false,
          states: { schema: { VOLATILE: 1 }, metadata: { VOLATILE: 10, FIXED: 2 } },
          years: [
            { year: 2026, schema: 0, metadata: 9 },
            { year: 2025, schema: 1, metadata: 3 },
          ],
        },
      }),
    },
  },
  problems: { 'not-found': 'There is no point of history `at`.' },
  async handle(ctx, { feature, callerOf }, { at: point }) {
    const statistics = await feature.statistics(callerOf(ctx), point)
    ctx.set('Cache-Control', 'no-store')
    sendJson(ctx, statistics, 'application/json')
  },
})
