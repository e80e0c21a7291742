import type { Context } from 'koa'
import type { LongList } from '../../../catalog/read/long-list-reader.js'
import type { PointExpression } from '../../../core/history-point.js'
import { ProblemError } from '../../../core/problem.js'
import { type PageWindow, pageWindow } from '../../../core/records/list-page.js'
import type { ListPage } from '../../../core/records/list-query.js'
import { chooseListType, tableTypes } from '../../negotiation/content-negotiation.js'
import { contentOf, type Responses, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import { at } from '../../parameters/at-parameter.js'
import { pageOfTable, size } from '../../parameters/page-parameters.js'
import { recordsOf } from '../../parameters/record-parameters.js'
import { readRequestedPage } from '../../request/read-requested.js'
import { pageBody } from '../../response/list-response.js'
import type { ApiContext } from '../../route-context.js'
import type { DescribedApiVersion } from '../../route-declaration/api-version.js'
import { type Route, routesWith } from '../../route-declaration/route.js'

const route = routesWith<ApiContext>()

const common = {
  method: 'get',
  tags: ['Frontends'],
  access: 'readable-records',
  description:
    'The newest version of each record, as one page of a table. Pages count from 1. A page past the end has no `data`.',
  problems: { 'not-found': 'There is no point of history `at`.' },
} as const

/**
 * Lists for the tables of existing frontends, whose pages count from 1.
 * @see docs/contract.md#tables-of-existing-frontends
 */
export function tableRoutes({ records }: DescribedApiVersion): readonly Route<ApiContext>[] {
  return [
    route({
      ...common,
      path: '/ui/schemas',
      operationId: 'tableOfSchemas',
      summary: 'Schemas as a table',
      parameters: { page: pageOfTable, size, at },
      schemas: { SchemaTable: table('SchemaRecord') },
      responses: tableResponses('SchemaTable', records.schema.responseExample),
      async handle(ctx, context, parameters) {
        const window = windowOf(parameters)
        const found = readRequestedPage(ctx, context, 'schema', { filters: {} }, window, parameters.at)
        await answerTable(ctx, context, await found)
      },
    }),
    route({
      ...common,
      path: '/ui/metadata',
      operationId: 'tableOfMetadata',
      summary: 'Metadata records as a table',
      parameters: { recordsOf, page: pageOfTable, size, at },
      schemas: { MetadataTable: table('MetadataRecord') },
      responses: tableResponses('MetadataTable', records.metadata.responseExample),
      async handle(ctx, context, parameters) {
        const window = windowOf(parameters)
        const { recordsOf: id, at: point } = parameters
        const found = id
          ? recordsNamed(ctx, context, id, window, point)
          : readRequestedPage(ctx, context, 'metadata', { filters: {} }, window, point)
        await answerTable(ctx, context, await found)
      },
    }),
  ]
}

function table(record: string): Schema {
  return closedObject(
    {
      last_page: { type: 'integer', minimum: 0, description: 'Number of pages.' },
      data: listOf(schemaRef(record), { minItems: 1, description: 'Absent if the page is empty.' }),
    },
    ['last_page'],
    { description: 'One page of a table (Tabulator).' },
  )
}

function tableResponses(name: string, example: unknown): Responses {
  return {
    200: {
      description: 'The page. Its media type is the one in `Accept`, else JSON.',
      content: contentOf(['application/json', ...tableTypes], schemaRef(name), {
        page: { last_page: 1, data: [example] },
      }),
    },
  }
}

function windowOf({ page, size }: { readonly page: number; readonly size: number }): PageWindow {
  return pageWindow(page - 1, size)
}

/** The documents of the schema with this name, else the versions of the document; empty if there is neither. */
async function recordsNamed(
  ctx: Context,
  context: ApiContext,
  id: string,
  window: PageWindow,
  point: PointExpression | undefined,
): Promise<ListPage | LongList> {
  const filters = { schemaIds: [id] }
  const ofSchema = await readRequestedPage(ctx, context, 'metadata', { filters }, window, point)
  if (ofSchema.total > 0) return ofSchema
  try {
    return await readRequestedPage(ctx, context, 'metadata', { versionsOf: id }, window, point)
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'not-found') return ofSchema
    throw error
  }
}

async function answerTable(ctx: Context, api: ApiContext, page: ListPage | LongList): Promise<void> {
  const start = `{"last_page":${Math.ceil(page.total / page.limit)}`
  const body =
    page.items.length === 0 ? `${start}}` : await pageBody(ctx, api, page, [`${start},"data":[`, ']}'])
  ctx.vary('Accept')
  ctx.status = 200
  ctx.set('Content-Type', chooseListType(ctx.headers.accept, tableTypes))
  ctx.body = body
}
