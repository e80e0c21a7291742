import type { Context } from 'koa'
import { collectionNames } from '../../core/records/collection.js'
import type { FeatureApiContext } from '../../http/open-feature.js'
import { contentOf, headerRef, type RequestBody, schemaRef } from '../../http/openapi/specification-types.js'
import { page, size } from '../../http/parameters/page-parameters.js'
import { pathParameter } from '../../http/parameters/request-parameter.js'
import { apiRootUrl } from '../../http/route-context.js'
import type { DescribedApiVersion } from '../../http/route-declaration/api-version.js'
import { type Route, routesWith } from '../../http/route-declaration/route.js'
import type { SearchState } from '../search/open-search.js'
import { requireSearch } from '../search/routes/run-search.js'
import type { SearchRequest, SearchResult } from '../search/search-engine.js'
import { answerElasticsearchSearch } from './answers/answer-search.js'
import { compileSearch } from './answers/compile-search.js'
import { indexCondition } from './answers/index-expressions.js'
import { problemsAsElasticsearch } from './elasticsearch-problems.js'
import { elasticsearchSchemas, exampleOfAnswer, exampleOfSearch } from './elasticsearch-schemas.js'
import { openSourceWriter } from './index-entry-source.js'
import { readJsonBody } from './json-body.js'
import { refuseElasticsearchParameters } from './refused-parameters.js'

/** Limits of the body of a search. */
const bodyLimits = { maxBytes: 2 ** 20, maxDepth: 50, maxValues: 20_000 }

const index = pathParameter('index', {
  description:
    'Index: `metastore-<schemaId>` has the documents of a schema; several are joined by commas; `metastore-*` has all documents.',
  schema: { type: 'string', minLength: 1 },
  example: 'metastore-measurement',
})

const body: RequestBody = {
  description:
    'A search in a subset of the Elasticsearch query language. A refusal names the unsupported part. Empty: all documents.',
  required: false,
  content: contentOf(['application/json'], { type: 'object' }, { search: exampleOfSearch }),
}

type SearchRouteContext = FeatureApiContext<SearchState | undefined>
const route = routesWith<SearchRouteContext>()

const common = {
  method: 'post',
  isSearch: true,
  tags: ['Frontends'],
  access: 'readable-records',
  description:
    'For frontends that search with the Elasticsearch query language. Hits, totals, aggregations and suggestions cover ' +
    'only records that the caller may read. `page` and `size` apply if the body has neither `from` nor `size`.',
  body,
  schemas: elasticsearchSchemas,
  responses: {
    200: {
      description: 'The answer, in the shape of Elasticsearch.',
      headers: { 'Cache-Control': headerRef('CacheControl') },
      content: contentOf(['application/json'], schemaRef('ElasticsearchAnswer'), { answer: exampleOfAnswer }),
    },
  },
  problems: {
    'malformed-request': 'The query is malformed, or has a part that is not supported. `reason` names it.',
    'not-found': 'There is no such index, or the server runs without search.',
    'too-large': 'The query or the documents of the answer are too large.',
    'unsupported-media-type': 'The body is not sent as JSON.',
    unavailable: 'The search cannot be answered at present. Try again after `Retry-After` seconds.',
  },
  problemsAs: problemsAsElasticsearch,
} as const

/**
 * The routes on which existing frontends search in the Elasticsearch query language.
 * @see docs/contract.md#search-routes-of-existing-frontends
 */
export function searchProxyRoutes({
  recordFormat: { version },
}: DescribedApiVersion): readonly Route<SearchRouteContext>[] {
  const inAll = { ...common, parameters: { page, size } }
  const inIndex = { ...common, parameters: { index, page, size } }
  return [
    route({
      ...inAll,
      path: '/metadata/search',
      ...(version === 1 && { alsoAt: ['/search'] }),
      operationId: `searchDocumentsV${version}`,
      summary: 'Search all documents',
      handle: (ctx, context, { page: pageIndex, size: limit }) =>
        answerSearchOfIndices(ctx, context, 'metastore-*', { page: pageIndex, size: limit }),
    }),
    route({
      ...inIndex,
      path: '/metadata/{index}/search',
      ...(version === 1 && { alsoAt: ['/{index}/_search'] }),
      operationId: `searchDocumentsOfSchemaV${version}`,
      summary: 'Search the documents of schemas',
      handle: (ctx, context, { index: name, page: pageIndex, size: limit }) =>
        answerSearchOfIndices(ctx, context, name, { page: pageIndex, size: limit }),
    }),
  ]
}

async function answerSearchOfIndices(
  ctx: Context,
  context: SearchRouteContext,
  indices: string,
  paging: { readonly page: number; readonly size: number },
): Promise<void> {
  const { services, callerOf, limits, responseMemory, feature } = context
  const service = requireSearch(feature)
  refuseElasticsearchParameters(ctx.query)
  const caller = callerOf(ctx)
  const sent = await readJsonBody(ctx, { ...bodyLimits, memory: limits.memory })
  const search = (request: SearchRequest) => service.search(caller, request)
  const within = await indexCondition(indices, () => schemasWithDocuments(search))
  const plan = compileSearch(sent ?? {}, within, paging)
  const root = apiRootUrl(context, ctx).replace(/\/v1$/, '/v2')
  const reserve = responseMemory.enter(ctx)
  const json = await answerElasticsearchSearch(plan, {
    search,
    suggest: request => service.suggest(caller, request),
    idOf: ({ kind, id }) => `${root}/${collectionNames[kind]}/${id}`,
    sourceOf: openSourceWriter({ readDocument: services.readDocument, root, reserve }),
  })
  ctx.status = 200
  ctx.set({ 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  ctx.body = json
}

/** Limit of the schemas that a name with an asterisk is compared with. */
const maxSchemas = 2000

/** The ids of the schemas of all documents that the caller may read; undefined if they are too many to count. */
async function schemasWithDocuments(
  search: (request: SearchRequest) => Promise<SearchResult>,
): Promise<readonly string[] | undefined> {
  const { facets } = await search({
    condition: { type: 'all' },
    kinds: ['metadata'],
    sort: [],
    window: { offset: 0, limit: 0 },
    facets: [
      { name: 'schemas', field: 'schema', counts: { type: 'terms', size: maxSchemas, order: 'count' } },
    ],
    highlight: false,
  })
  const found = facets.get('schemas')
  return found?.tooMany ? undefined : found?.buckets.map(({ value }) => value)
}
