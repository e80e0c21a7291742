import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { SearchHit, SearchRequest, SearchResult, SuggestionRequest } from '../../search/search-engine.js'
import type { FacetsByName, PlannedAggregation } from './bucket-aggregations.js'
import type { ElasticsearchSearch } from './compile-search.js'
import { renderHighlights } from './highlighting.js'
import { indexOfSchema } from './index-expressions.js'
import type { SourceFilter } from './source-filter.js'

/** The parts that an answer needs in addition to the result. */
interface AnswerParts {
  search(request: SearchRequest): Promise<SearchResult>
  suggest(request: SuggestionRequest): Promise<readonly string[]>
  /** The `_id` of a hit. */
  idOf(revision: Revision): string
  /** The members of the index entry that the filter selects, as JSON. @throws ProblemError `too-large` */
  sourceOf(revision: Revision, filter: SourceFilter): Promise<string>
}

/**
 * Searches, and answers as Elasticsearch does.
 * @returns JSON
 * @throws ProblemError of the search engine
 * @see https://www.elastic.co/guide/en/elasticsearch/reference/8.17/search-search.html#search-search-api-response-body
 */
export async function answerElasticsearchSearch(
  plan: ElasticsearchSearch,
  parts: AnswerParts,
): Promise<string> {
  const started = performance.now()
  const result = await parts.search(plan.request)
  const facets = await allFacets(plan, result, parts)
  const suggest = await suggestions(plan, parts)
  const hits = await renderHits(plan, result, parts)
  const total = { value: result.total, relation: result.totalIs === 'exact' ? 'eq' : 'gte' }
  const frame = {
    took: Math.round(performance.now() - started),
    // For clients of Elasticsearch, a result that lacks the counts of a facet is a partial one.
    timed_out: [...facets.values()].some(({ tooMany }) => tooMany === true),
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
  }
  const rest = {
    ...(plan.aggregations.length > 0 && { aggregations: renderAll(plan.aggregations, facets) }),
    ...(suggest && { suggest }),
  }
  const scores = result.hits.flatMap(hit => scoreOf(plan, hit) ?? [])
  const hitsHead = {
    ...(plan.countsHits && { total }),
    max_score: scores.length === 0 ? null : scores.reduce((best, score) => Math.max(best, score)),
  }
  const members = [
    JSON.stringify(frame).slice(1, -1),
    `"hits":${JSON.stringify(hitsHead).slice(0, -1)},"hits":[${hits.join(',')}]}`,
    ...Object.entries(rest).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
  ]
  return `{${members.join(',')}}`
}

/** The results of all facets. Some facets to count are known only when others have been counted. */
async function allFacets(
  { request, aggregations }: ElasticsearchSearch,
  { facets }: SearchResult,
  { search }: AnswerParts,
): Promise<FacetsByName> {
  let known: FacetsByName = facets
  for (;;) {
    const further = aggregations
      .flatMap(aggregation => aggregation.furtherFacets(known))
      .filter(({ name }) => !known.has(name))
    if (further.length === 0) return known
    const counted = await search({
      ...request,
      facets: further,
      highlight: false,
      window: { offset: 0, limit: 0 },
    })
    known = new Map([...known, ...counted.facets])
  }
}

function renderAll(aggregations: readonly PlannedAggregation[], facets: FacetsByName): object {
  return Object.fromEntries(aggregations.map(({ name, render }) => [name, render(facets)]))
}

async function suggestions({ suggesters }: ElasticsearchSearch, { suggest }: AnswerParts) {
  if (suggesters.length === 0) return undefined
  const answers: (readonly [name: string, entries: readonly object[]])[] = []
  for (const { name, request } of suggesters) {
    const { beginning } = request
    const found = beginning.trim() === '' ? [] : await suggest(request)
    const options = found.map(text => ({ text, _score: 1 }))
    answers.push([name, [{ text: beginning, offset: 0, length: beginning.length, options }]])
  }
  return Object.fromEntries(answers)
}

/** Limit of the characters of the passages in one answer. Further hits have no passages. */
const maxHighlightCharacters = 16 * 2 ** 20

async function renderHits(
  plan: ElasticsearchSearch,
  { hits }: SearchResult,
  parts: AnswerParts,
): Promise<readonly string[]> {
  const pauses = openEventLoopPauses()
  const rendered: string[] = []
  let characters = 0
  for (const hit of hits) {
    const marked = plan.highlight && renderHighlights(hit.highlights, plan.highlight)
    const highlight = marked && characters < maxHighlightCharacters ? JSON.stringify(marked) : undefined
    characters += highlight?.length ?? 0
    rendered.push(await renderHit(plan, hit, highlight, parts))
    await pauses.ifDue()
  }
  return rendered
}

/** The `_score` of a hit: null unless hits are ordered by score, and 1 for every hit of a query without words. */
function scoreOf({ request }: ElasticsearchSearch, { score }: SearchHit): number | null {
  return request.sort.some(({ field }) => field === 'score') ? (score ?? 1) : null
}

async function renderHit(
  plan: ElasticsearchSearch,
  hit: SearchHit,
  highlight: string | undefined,
  { idOf, sourceOf }: AnswerParts,
): Promise<string> {
  const { source } = plan
  const { revision } = hit
  const schema = revision.record.schema?.schemaId ?? ''
  const head = { _index: indexOfSchema(schema), _id: idOf(revision), _score: scoreOf(plan, hit) }
  const members = [
    JSON.stringify(head).slice(1, -1),
    ...(source.isWanted ? [`"_source":${await sourceOf(revision, source)}`] : []),
    ...(highlight === undefined ? [] : [`"highlight":${highlight}`]),
  ]
  return `{${members.join(',')}}`
}
