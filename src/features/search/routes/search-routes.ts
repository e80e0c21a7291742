import { malformedRequest } from '../../../core/problem.js'
import type { Sort } from '../../../core/records/list-query.js'
import { chooseMediaType } from '../../../http/negotiation/content-negotiation.js'
import type { FeatureApiContext } from '../../../http/open-feature.js'
import { contentOf, headerRef, schemaRef } from '../../../http/openapi/specification-types.js'
import { at } from '../../../http/parameters/at-parameter.js'
import { singleParameter } from '../../../http/parameters/query-parameters.js'
import { queryParameter } from '../../../http/parameters/request-parameter.js'
import { sendJson } from '../../../http/response/send-body.js'
import type { DescribedApiVersion } from '../../../http/route-declaration/api-version.js'
import type { ListNarrowing } from '../../../http/route-declaration/list-narrowing.js'
import { type Route, routesWith } from '../../../http/route-declaration/route.js'
import type { SearchState } from '../open-search.js'
import { narrowingOf, narrowingOfList, requireSearch, runSearch, waitForCommit } from './run-search.js'
import { answerFoundRecords, answerSearch, describeHits } from './search-answer.js'
import { kind, maxDescribed, searchParameters } from './search-parameters.js'
import {
  answerSchemaName,
  exampleAnswer,
  linksOfHits,
  rangeOfHits,
  searchMediaType,
  searchSchemas,
  suggestionsMediaType,
} from './search-schemas.js'

type SearchRoute = Route<FeatureApiContext<SearchState | undefined>>
const route = routesWith<FeatureApiContext<SearchState | undefined>>()

/** Limit of the titles in a response of `suggest`. */
const maxSuggestions = 8

const beginning = queryParameter(
  'q',
  {
    description:
      'The beginning of a word. If there are several words, the last one is the beginning. Empty: no titles.',
    schema: { type: 'string', examples: ['ste'] },
  },
  (query, name) => singleParameter(query, name) ?? '',
)

const noSearch = 'The server has no search (`--search none`)'

/** Search with the text of a search box. @see docs/use/search.md */
export function searchRoutes(api: DescribedApiVersion): readonly SearchRoute[] {
  return [searchRoute(api), suggestRoute(api)]
}

function searchRoute(api: DescribedApiVersion): SearchRoute {
  return route({
    method: 'get',
    path: '/search',
    tags: ['Search'],
    operationId: `searchV${api.recordFormat.version}`,
    summary: 'Search records and documents',
    description:
      'Finds the newest versions of records, by words of the record or the document, by fields, and by paths into ' +
      'the document. Totals, facets and passages cover only records that the caller may read now. The index is up to ' +
      'date within a second; the answer says which commit it reflects. With `at`, all of it ' +
      'is of the records as they were, and nothing has a score.',
    access: 'readable-records',
    parameters: { ...searchParameters, at },
    schemas: searchSchemas(api),
    responses: {
      200: {
        description: 'One page of results, as JSON. `Accept` chooses between the two media types.',
        headers: {
          'Content-Range': rangeOfHits,
          Link: linksOfHits,
          'Cache-Control': headerRef('CacheControl'),
        },
        content: contentOf(['application/json', searchMediaType], schemaRef(answerSchemaName(api)), {
          page: exampleAnswer(api),
        }),
      },
    },
    problems: {
      'not-found': `${noSearch}, no point of history \`at\`, or no commit \`since\`.`,
      'page-out-of-range': true,
      unavailable:
        'The index does not have the commit `since` within `wait` seconds; or there is no index at present. `Retry-After` says when to try again.',
    },
    async handle(ctx, context, parameters) {
      requireSearch(context.feature)
      const { q, kind: kinds, sort, page, after, facets, facetSize, highlight, at: point } = parameters
      const { since, wait, titles, descriptions } = parameters
      const size = descriptions ? Math.min(parameters.size, maxDescribed) : parameters.size
      const narrowing = narrowingOf(ctx, context, parameters)
      if (since !== undefined) await waitForCommit(ctx, context, since, wait)
      const found = await runSearch(ctx, context, {
        ...{ q, narrowing, kinds, sort, page, size, after, facets, facetSize, at: point },
        highlight: highlight !== 'false',
      })
      const described = await describeHits(context.feature, found, { titles, descriptions })
      await answerSearch(ctx, context, found, { highlight, described })
    },
  })
}

function suggestRoute(api: DescribedApiVersion): SearchRoute {
  return route({
    method: 'get',
    path: '/search/suggest',
    tags: ['Search'],
    operationId: `suggestV${api.recordFormat.version}`,
    summary: 'Suggest titles while a person types',
    description:
      `At most ${maxSuggestions} titles of records that the caller may read, in the format of OpenSearch suggestions: ` +
      'the beginning from the request, and the list. A search with the same `kind` finds their records.',
    access: 'readable-records',
    parameters: { q: beginning, kind },
    responses: {
      200: {
        description: 'The titles.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: contentOf(['application/json', suggestionsMediaType], schemaRef('Suggestions'), {
          titles: ['ste', ['Steel rod 7', 'Steel rod 8']],
        }),
      },
    },
    problems: {
      'not-found': `${noSearch}.`,
      'not-acceptable': '`Accept` names other types only.',
      unavailable: 'There is no index at present.',
    },
    async handle(ctx, { feature, callerOf }, { q, kind: kinds }) {
      const search = requireSearch(feature)
      const type = chooseMediaType(ctx.headers.accept, [suggestionsMediaType, 'application/json'])
      const request = { beginning: q, limit: maxSuggestions, kinds: kinds ?? ['metadata'] } as const
      const titles = q.trim() === '' ? [] : await search.suggest(callerOf(ctx), request)
      const typed = q.trim().toLowerCase()
      ctx.vary('Accept')
      ctx.set('Cache-Control', 'no-cache')
      // What was typed already is no help.
      sendJson(ctx, [q, titles.filter(title => title.toLowerCase() !== typed)], type)
    },
  })
}

/** The parameter `q` of a list of a collection: the answer has the form of the list. An empty value has no effect. */
export const listSearch: ListNarrowing<FeatureApiContext<SearchState | undefined>> = {
  parameter: queryParameter(
    'q',
    {
      component: 'queryOfList',
      isCut: true,
      description:
        'Only records that match this query (see `GET …/search`). If `sort` is absent, the best come first. The links to ' +
        'other pages are then those of a search.',
      schema: { type: 'string', examples: ['steel -draft'] },
    },
    (query, name) => singleParameter(query, name)?.trim() || undefined,
  ),
  notFound: '`q` is asked of a server without a search',
  async answer(ctx, context, { kind, value: q, filters, versionsOf, page, size, at }) {
    if (versionsOf !== undefined) {
      throw malformedRequest(
        'The parameter q searches the newest versions: ask for the versions of a record without it.',
      )
    }
    const found = await runSearch(ctx, context, {
      q,
      narrowing: narrowingOfList(filters),
      kinds: [kind],
      sort: filters.sort && sortKey(filters.sort),
      // The cursor of a search has another form than the cursor of a list.
      ...{ page, size, at, after: singleParameter(ctx.query, 'after') },
    })
    await answerFoundRecords(ctx, context, found, context.recordFormat.recordTypes[kind])
  },
}

function sortKey({ by, direction }: Sort) {
  return { field: by === 'lastUpdate' ? 'updated' : by, order: direction }
}
