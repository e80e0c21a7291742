import type { Catalog } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../core/value-types.js'
import { isMissingOrDamaged } from '../../store/objects/object-reader.js'
import { highlightsOf } from '../find/highlights.js'
import { foldedWords } from '../index/fold-words.js'
import { isRecordField } from '../search-condition.js'
import {
  largestSearchWindow,
  type SearchCaller,
  type SearchHit,
  type SearchRequest,
  type SearchResult,
  type SortKey,
} from '../search-engine.js'
import { type ClusterClient, ClusterError } from './cluster-client.js'
import { formatHitCursor, type HitPosition, parseHitCursor } from './cluster-cursor.js'
import { type AnsweredFacet, facetAggregations, facetResults } from './facet-aggregations.js'
import type { IndexNames } from './index-names.js'
import { hiddenSince, isListed } from './pending-changes.js'
import { type ClusterQuery, isTimeField, orderedField, queryOf, visibleQuery } from './query-of-condition.js'

export interface ClusterSearchOptions {
  readonly client: ClusterClient
  readonly names: IndexNames
  readonly catalog: Pick<Catalog, 'committed' | 'feed' | 'head'>
  readDocument(blob: Oid): Promise<Uint8Array>
  /** The commit that the cluster reflects; undefined while no generation is complete. */
  reflected(): Oid | undefined
  idOf(record: { readonly kind: Collection; readonly id: Id }): string
}

interface AnsweredHit {
  readonly _score: number | null
  readonly sort?: HitPosition
  readonly _source: { readonly id: Id; readonly metastore: { readonly kind: Collection } }
}

interface Answer {
  readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly AnsweredHit[] }
  readonly aggregations?: Readonly<Record<string, AnsweredFacet>>
  readonly timed_out: boolean
  readonly _shards: { readonly failed: number }
}

/** Milliseconds for a search. */
const timeout = 30_000

/** Searches in the cluster. What is found is checked by the catalog, which knows the newest access lists. */
export function openClusterSearch(options: ClusterSearchOptions) {
  const { client, names, catalog, idOf } = options

  /** What restricts every query: the kinds, what the caller may see, and what it may not see any more. */
  function restriction({ visibility }: SearchCaller, kinds: readonly Collection[]): ClusterQuery {
    const hidden = hiddenSince(catalog, options.reflected(), visibility).map(idOf)
    return {
      bool: {
        filter: [{ terms: { 'metastore.kind': kinds } }, visibleQuery(visibility)],
        ...(hidden.length > 0 && { must_not: [{ ids: { values: hidden } }] }),
      },
    }
  }

  async function ask(body: object): Promise<Answer> {
    if (options.reflected() === undefined) throw notYet()
    try {
      const answer = await client.send<Answer>('POST', `${names.all}/_search?ignore_unavailable=true`, {
        body,
        timeout,
      })
      // A part of the documents is no answer: totals and facets would be wrong.
      if (answer.timed_out || answer._shards.failed > 0)
        throw new ClusterError(`${client.address} could not search in all of its shards.`, 503)
      return answer
    } catch (error) {
      if (error instanceof ClusterError) throw unavailable(error)
      throw error
    }
  }

  async function search(caller: SearchCaller, request: SearchRequest): Promise<SearchResult> {
    const { condition, filter, kinds, facets, window } = request
    const reflected = options.reflected()
    const answer = await ask({
      query: { bool: { must: [queryOf(condition)], filter: [restriction(caller, kinds)] } },
      ...(filter && { post_filter: queryOf(filter) }),
      ...(facets.length > 0 && { aggs: facetAggregations(facets) }),
      ...windowOf(request),
      sort: sortOf(request.sort),
      track_total_hits: true,
      track_scores: request.sort.some(({ field }) => field === 'score'),
      _source: ['id', 'metastore.kind'],
    })
    const hits = await hitsOf(answer.hits.hits, caller, request)
    const stale = answer.hits.hits.length - hits.length
    const last = answer.hits.hits.at(-1)?.sort
    const isLast = answer.hits.hits.length < window.limit || window.limit === 0 || !last
    return {
      hits,
      total: answer.hits.total.value - stale,
      totalIs: 'exact',
      facets: facetResults(facets, answer.aggregations),
      commit: reflected,
      upToDate: reflected === catalog.head(),
      ...(!isLast && { next: formatHitCursor(request, last) }),
      ranked: 'all',
      engine: 'cluster',
    }
  }

  async function hitsOf(
    found: readonly AnsweredHit[],
    { visibility }: SearchCaller,
    request: SearchRequest,
  ): Promise<readonly SearchHit[]> {
    const pauses = openEventLoopPauses()
    const hits: SearchHit[] = []
    for (const { _score, _source } of found) {
      const revision = catalog.committed.newest(_source.metastore.kind, _source.id)
      if (!revision || !isListed(revision, visibility)) continue
      const highlights = request.highlight === false ? [] : await highlighted(revision, request)
      hits.push({ revision, ...(_score !== null && { score: _score }), highlights })
      await pauses.ifDue()
    }
    return hits
  }

  async function highlighted(revision: Revision, request: SearchRequest) {
    return highlightsOf(revision, await documentOf(revision), request)
  }

  async function documentOf({ document }: Revision): Promise<Uint8Array | undefined> {
    try {
      return await options.readDocument(document)
    } catch (thrown) {
      if (isMissingOrDamaged(thrown)) return undefined
      throw thrown
    }
  }

  async function suggest(caller: SearchCaller, beginning: string, limit: number): Promise<readonly string[]> {
    const [last] = foldedWords(beginning).slice(-1)
    if (last === undefined) return []
    const fields = [{ field: 'title', weight: 1 }]
    const answer = await ask({
      query: {
        bool: {
          must: [queryOf({ type: 'text', text: beginning, match: 'prefix', fields })],
          filter: [restriction(caller, ['metadata'])],
        },
      },
      size: Math.min(limit * titlesLookedAt, mostTitles),
      sort: ['_score', { 'metastore.sequence': 'desc' }],
      _source: ['id', 'metastore.kind'],
    })
    const titles = new Set<string>()
    for (const { _source } of answer.hits.hits) {
      const revision = catalog.committed.newest(_source.metastore.kind, _source.id)
      if (!revision || !isListed(revision, caller.visibility)) continue
      for (const { value } of revision.record.titles ?? [])
        if (foldedWords(value).some(word => word.startsWith(last))) titles.add(value)
      if (titles.size >= limit) break
    }
    return [...titles].slice(0, limit)
  }

  return { search, suggest }
}

/** Several records may have one title. */
const titlesLookedAt = 5
const mostTitles = 200

function windowOf(request: SearchRequest): object {
  const { window } = request
  if ('after' in window) return { size: window.limit, search_after: parseHitCursor(request, window.after) }
  if (window.offset + window.limit > largestSearchWindow) {
    throw new ProblemError(
      'malformed-request',
      `Pages by number reach to hit ${largestSearchWindow}. Go on with the cursor of the last page.`,
    )
  }
  return { from: window.offset, size: window.limit }
}

/** Equal hits are newest first. Records without a value are last, whatever the direction. */
function sortOf(keys: readonly SortKey[]): readonly object[] {
  const asked = keys.flatMap(({ field, order }): readonly object[] => {
    if (field === 'score') return [{ _score: { order } }]
    const option = { order, missing: '_last' }
    if (isRecordField(field)) {
      const type = isTimeField(field) ? 'date' : field === 'year' ? 'integer' : 'keyword'
      return [{ [orderedField(field, false)]: { ...option, unmapped_type: type } }]
    }
    return [
      { [orderedField(field, true)]: { ...option, unmapped_type: 'double' } },
      { [orderedField(field, false)]: { ...option, unmapped_type: 'keyword' } },
    ]
  })
  return [
    ...asked,
    { 'metastore.sequence': { order: 'desc', unmapped_type: 'long' } },
    { 'metastore.values.id': { order: 'asc', unmapped_type: 'keyword' } },
    { 'metastore.kind': { order: 'asc', unmapped_type: 'keyword' } },
  ]
}

function notYet(): ProblemError {
  return new ProblemError('unavailable', 'The search cluster is being filled. Try again.', { retryAfter: 10 })
}

function unavailable(error: ClusterError): ProblemError {
  if (error.isTemporary || error.status === 401 || error.status === 403) {
    return new ProblemError(
      'unavailable',
      'The search cluster does not answer. Records can be read and changed; search again later.',
      { retryAfter: 10 },
      { cause: error },
    )
  }
  return new ProblemError(
    'malformed-request',
    `The search cluster cannot answer this search: ${error.message}`,
    {},
    { cause: error },
  )
}
