import type { Context } from 'koa'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import { html } from '../../http/html-template.js'
import type { FeatureContext } from '../../http/open-feature.js'
import { headerRef } from '../../http/openapi/specification-types.js'
import { at } from '../../http/parameters/at-parameter.js'
import { type ParameterValues, type Route, routesWith } from '../../http/route-declaration/route.js'
import { readableOrUndefined } from '../exports/routes/adjacent-versions.js'
import { openSearchMediaType, openSearchPath } from '../pages/html/html-layout.js'
import {
  aboutPage,
  addressesIn,
  describeListed,
  frameOf,
  type PagesState,
  pageResponse,
  problemsAsPages,
  sendPage,
  titlesOfSchemas,
} from '../pages/routes/page-responses.js'
import type { SearchState } from '../search/open-search.js'
import { cutQueryText } from '../search/query-text/parse-query-text.js'
import type { Narrowing, NarrowingField } from '../search/requests/narrowed-search.js'
import { type FoundPage, narrowingOf, requireSearch, runSearch } from '../search/routes/run-search.js'
import { parameterOfField, searchPageParameters } from '../search/routes/search-parameters.js'
import { suggestionsMediaType } from '../search/routes/search-schemas.js'
import { documentPrefix, isRecordField } from '../search/search-condition.js'
import type { SortKey } from '../search/search-engine.js'
import { resultsOfPage, type SearchView, searchPage } from './search-page.js'

/** Facets of the page, in the order that they are shown. */
const facets = ['kind', 'schema', 'year', 'creator', 'licence', 'language', 'state', 'type'] as const
const facetSize = 10

const bothKinds: readonly Collection[] = ['metadata', 'schema']

/** What the handlers of the search page get. */
export interface SearchPageState extends PagesState {
  /** Undefined: the server runs with `--search none`. */
  readonly search: SearchState | undefined
}

type SearchPageContext = FeatureContext<SearchPageState>
const route = routesWith<SearchPageContext>()

/** The page with search results, and the description by which browsers search here. @see docs/use/search.md */
export const searchPageRoutes: readonly Route<SearchPageContext>[] = [
  route({
    ...aboutPage(
      'searchPage',
      'Search results as a page',
      'What a search finds among schemas and documents, with facets as links. It needs no script.',
    ),
    method: 'get',
    path: '/search',
    access: 'readable-records',
    parameters: { ...searchPageParameters, at },
    responses: { 200: pageResponse('The page.') },
    problems: {
      'not-found': 'The server has no search (`--search none`), or there is no point of history `at`.',
      'page-out-of-range': true,
      unavailable: 'There is no index at present.',
    },
    problemsAs: problemsAsPages,
    async handle(ctx, site, parameters) {
      requireSearch(site.feature.search)
      const { q, sort, page, at: point } = parameters
      const found = await explainFailure(() => findForPage(ctx, site, parameters))
      const unnarrowed = await unnarrowedFacets(ctx, site, parameters)
      const view: SearchView = {
        ...found,
        notes: found.notesOnQuery,
        ...(point ? {} : { isBroken: site.services.audit.brokenRecords() }),
        unnarrowed,
        // Titles are those of today.
        schemas: await titlesOfSchemas(
          ctx,
          site,
          point ? [] : schemasIn(found, unnarrowed, parameters.schemaOfRecord),
        ),
        described: await describeListed(
          site,
          found.hits.map(({ revision }) => revision),
        ),
        // Only the part of the text that was searched: every link of the page repeats it.
        ...{ query: cutQueryText(q), page, next: found.next, offset: found.window.offset },
        // The address does not name the usual order, nor an order by scores where nothing has a score.
        sort: sort && nameOfOrder(sort, found.isScored && point === undefined),
        isScored: found.isScored && point === undefined,
        isRankedByNewest: found.ranked === 'newest',
        pages: Math.ceil(found.total / resultsOfPage),
        narrowing: narrowingIn(ctx),
        parameterOf: facet => parameterOfField[facet as NarrowingField],
        at: point && { name: point.text, commit: found.commit },
      }
      sendPage(ctx, searchPage(frameOf(ctx, site), addressesIn(ctx, site), view))
    },
  }),
  route({
    ...aboutPage(
      'openSearchDescription',
      'How browsers search here',
      'An OpenSearch description: browsers that know it offer a search from their address bar.',
    ),
    method: 'get',
    path: openSearchPath,
    access: 'none',
    parameters: {},
    responses: {
      200: {
        description: 'The description.',
        headers: { 'Cache-Control': headerRef('CacheControl') },
        content: { [openSearchMediaType]: { schema: { type: 'string', pattern: '^<\\?xml ' } } },
      },
    },
    problems: { 'not-found': 'The server has no search (`--search none`).' },
    handle(ctx, site) {
      requireSearch(site.feature.search)
      ctx.status = 200
      ctx.set({ 'Content-Type': openSearchMediaType, 'Cache-Control': 'no-cache' })
      ctx.body = openSearchDescription(frameOf(ctx, site).root, site.build.name)
    },
  }),
]

function nameOfOrder({ field, order }: SortKey, isScored: boolean): string | undefined {
  if (field === 'score' && (order === 'desc' || !isScored)) return undefined
  return `${field === 'updated' ? 'lastUpdate' : field},${order}`
}

async function findForPage(
  ctx: Context,
  site: SearchPageContext,
  parameters: ParameterValues<typeof searchPageParameters & { at: typeof at }>,
): Promise<FoundPage> {
  const { q, sort, after, page, at: point, kindOfPage } = parameters
  const context = { ...site, feature: site.feature.search }
  const narrowing = narrowingOf(ctx, context, parameters)
  const values = new Map([...narrowing.values, ['kind', kindOfPage] as const])
  const find = (names: readonly string[]) =>
    runSearch(ctx, context, {
      ...{ q, sort, after, at: point, page: page - 1, size: resultsOfPage },
      ...{ facets: names, facetSize, highlight: true, kinds: bothKinds },
      narrowing: { ...narrowing, values },
    })
  const declared = await declaredFacets(ctx, site, narrowing)
  if (declared.length === 0) return await find(facets)
  try {
    return await find([...facets, ...declared])
  } catch (error) {
    // The index knows a declared field only when a document with that field is indexed.
    if (!(error instanceof ProblemError) || error.kind !== 'malformed-request') throw error
    return await find(facets)
  }
}

/** The facets of the same query without narrowing; undefined if the search is not narrowed, or of a former state. */
async function unnarrowedFacets(
  ctx: Context,
  site: SearchPageContext,
  { q, at: point }: ParameterValues<typeof searchPageParameters & { at: typeof at }>,
): Promise<SearchView['unnarrowed']> {
  if (point || narrowingIn(ctx).length === 0) return undefined
  const found = await runSearch(
    ctx,
    { ...site, feature: site.feature.search },
    {
      ...{ q, sort: undefined, after: undefined, page: 0, size: 1 },
      ...{ facets, facetSize, highlight: false, kinds: bothKinds, narrowing: { values: new Map() } },
    },
  )
  return found.facets
}

/** The ids of schemas that the page names. */
function schemasIn(
  { hits, facets: counted }: FoundPage,
  unnarrowed: SearchView['unnarrowed'],
  chosen: readonly string[],
): readonly string[] {
  const counts = [counted.get('schema'), unnarrowed?.get('schema')]
  return [
    ...hits.flatMap(({ revision }) => revision.record.schema?.schemaId ?? []),
    ...counts.flatMap(each => each?.buckets ?? []).map(({ value }) => value),
    ...chosen,
  ]
}

/** Facets that schemas declare, if the search is narrowed to these schemas. */
async function declaredFacets(
  ctx: Context,
  { services, callerOf }: SearchPageContext,
  { values }: Narrowing,
): Promise<readonly string[]> {
  const names = (values.get('schema') ?? []).slice(0, maxSchemas)
  const schemas = await Promise.all(
    names.map(name => readableOrUndefined(() => services.collections.schema.read(callerOf(ctx), name))),
  )
  const paths = schemas.flatMap(schema => {
    const fields = schema?.record.search?.fields ?? []
    return fields.flatMap(({ path, facet }) => (facet ? [facetOfPath(path)] : []))
  })
  return [...new Set(paths)].slice(0, maxDeclared)
}

/** The name of the facet of a path. It has a prefix if the path has the same name as a field of records. */
function facetOfPath(path: string): string {
  return isRecordField(path) || path.startsWith(documentPrefix) ? documentPrefix + path : path
}

/** Limits of the schemas whose facets are shown, and of these facets: each facet costs a query. */
const maxSchemas = 3
const maxDeclared = 10

/** Adds to the problem of a failed search that everything else works. */
async function explainFailure<T>(search: () => Promise<T>): Promise<T> {
  try {
    return await search()
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'unavailable') throw error
    const { kind, message, extra } = error
    const rest = 'Everything else works: the lists and the pages of records are shown as usual.'
    throw new ProblemError(kind, `${message} ${rest}`, extra, { cause: error })
  }
}

/** The parameters that narrow the search, as the request has them. */
function narrowingIn({ query }: Context): SearchView['narrowing'] {
  const names = [...Object.values(parameterOfField), 'declared', 'from', 'until']
  return names.flatMap(name =>
    [query[name] ?? []].flat().flatMap(value => (value === '' ? [] : [[name, value] as const])),
  )
}

/** Limit of the characters of the short name. @see https://github.com/dewitt/opensearch */
const maxShortNameLength = 16

/** How browsers search. @see https://github.com/dewitt/opensearch/blob/master/opensearch-1-1-draft-6.md */
function openSearchDescription(root: string, name: string): string {
  const results = `${root}/search?q={searchTerms}&page={startPage?}`
  return html`<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>${name.slice(0, maxShortNameLength)}</ShortName>
<Description>Schemas and metadata documents of ${root}</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="${results}"/>
<Url type="${suggestionsMediaType}" template="${root}/api/v1/search/suggest?q={searchTerms}&amp;kind=both"/>
<Url type="${openSearchMediaType}" rel="self" template="${root}${openSearchPath}"/>
</OpenSearchDescription>
`.markup
}
