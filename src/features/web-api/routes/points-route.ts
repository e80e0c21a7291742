import { malformedRequest } from '../../../core/problem.js'
import { formatInstant, truncate } from '../../../core/value-types.js'
import type { FeatureContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, exampleCommit, listOf } from '../../../http/openapi/value-schemas.js'
import { limitParameter } from '../../../http/parameters/page-parameters.js'
import { parsedBy } from '../../../http/parameters/query-parameters.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import { sendJson } from '../../../http/response/send-body.js'
import { routesWith } from '../../../http/route-declaration/route.js'
import type { WebApi } from '../open-web-api.js'

const route = routesWith<FeatureContext<WebApi>>()

/** Bounds of the parameter `limit`, in tags and branches. */
const limits = { min: 1, usual: 100, max: 1000 }

const afterRef = queryParameter(
  'after',
  {
    description: 'The full name after which the part begins: `next` of the part before.',
    schema: { type: 'string', pattern: '^refs/(heads|tags)/', examples: ['refs/tags/2026-spring'] },
  },
  parsedBy(text => {
    if (/^refs\/(?:heads|tags)\//.test(text)) return text
    throw malformedRequest(
      `The parameter after is "${truncate(text)}", not the full name of a tag or branch.`,
    )
  }),
)

/** The tags and branches that the parameter `at` takes. @see docs/use/points.md */
export const pointsRoute = route({
  method: 'get',
  path: '/api/refs',
  tags: ['Applications'],
  operationId: 'namedPoints',
  summary: 'List tags and branches',
  description:
    'The points of history that have a name, which the parameter `at` takes. A caller who may not read everything gets ' +
    'the last commit up to a point, and its time, that changed something which the caller may read; and of branches ' +
    'outside the served history only the name.',
  access: 'readable-records',
  parameters: {
    after: afterRef,
    limit: limitParameter(
      'limit',
      `Tags and branches in the response. More than ${limits.max} count as ${limits.max}.`,
      limits,
    ),
  },
  schemas: {
    Refs: closedObject(
      {
        items: listOf(schemaRef('NamedPoint'), {
          description: 'Branches, then tags, in the order of their names.',
        }),
        next: { type: 'string', description: 'The next `after`. Absent: this is the last part.' },
      },
      ['items'],
    ),
    NamedPoint: closedObject(
      {
        kind: { type: 'string', enum: ['branch', 'tag'] },
        name: { type: 'string' },
        at: { type: 'string', description: 'The value for the parameter `at`.' },
        served: { type: 'boolean', description: 'Whether it is the branch that is served.' },
        commit: schemaRef('Commit'),
        time: schemaRef('Instant'),
      },
      ['kind', 'name', 'at', 'served'],
    ),
  },
  responses: {
    200: {
      description: 'The tags and branches.',
      headers: { 'Cache-Control': headerRef('CacheControl') },
      content: contentOf(['application/json'], schemaRef('Refs'), {
        one: {
          items: [
            {
              kind: 'tag',
              name: '2026-spring',
              at: '2026-spring',
              served: false,
              commit: exampleCommit,
              time: '2026-03-14T09:26:53.59Z',
            },
          ],
        },
      }),
    },
  },
  async handle(ctx, { feature, callerOf }, { after, limit }) {
    const { items, next } = await feature.points.list(callerOf(ctx), after, limit)
    ctx.set('Cache-Control', 'no-store')
    const rendered = items.map(({ time, ...item }) => ({
      ...item,
      ...(time !== undefined && { time: formatInstant(time) }),
    }))
    sendJson(ctx, { items: rendered, ...(next !== undefined && { next }) }, 'application/json')
  },
})
