import type { Catalog } from '../../../catalog/catalog.js'
import { malformedRequest, ProblemError } from '../../../core/problem.js'
import type { Collection } from '../../../core/records/collection.js'
import { defaultTitles } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../../core/value-types.js'
import { readUnlessLost } from '../../../store/objects/object-errors.js'
import { checkFacets, checkSize } from '../../search/match-words/check-search-size.js'
import { highlightsOf } from '../../search/match-words/highlights.js'
import { rangeKindOf } from '../../search/range-bounds.js'
import { everything, isRecordField } from '../../search/search-condition.js'
import {
  type FacetRequest,
  maxSearchWindow,
  type SearchCaller,
  type SearchHit,
  type SearchRequest,
  type SearchResult,
  type SortKey,
  type SuggestionRequest,
} from '../../search/search-engine.js'
import { foldedWords } from '../../search/values/fold-words.js'
import { isOldestFirst } from '../../search/values/record-values.js'
import { fieldWithoutOrder } from '../../search/values/undeclared-field.js'
import { comparedForm, splitShownTerm, typesOfForms } from '../cluster/declared-values.js'
import { formatHitCursor, parseHitCursor } from './cluster-cursor.js'
import { type DeclaredFields, openDeclaredFields } from './declared-fields.js'
import { facetAggregations, facetGroups, facetNotes, facetResults } from './facet-aggregations.js'
import {
  type ClusterQuery,
  declaredField,
  orderedField,
  queryOf,
  visibleQuery,
} from './query-of-condition.js'
import {
  type AnsweredHit,
  openSearchSender,
  type SearchAnswer,
  type SearchSenderOptions,
} from './send-search.js'
import { isListed, openUnreflectedChanges } from './unreflected-changes.js'

interface ClusterSearchOptions extends SearchSenderOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'unlisted' | 'feed' | 'head' | 'chain'>
  readDocument(blob: Oid): Promise<Uint8Array>
  /** The commit that the cluster reflects; undefined while no generation is complete. */
  reflected(): Oid | undefined
  idOf(record: { readonly kind: Collection; readonly id: Id }): string
}

/** Milliseconds of the event loop after which a page gets no more highlights: its remaining hits have none. */
const maxHighlightMilliseconds = 200

/** Searches in the cluster. The catalog, which knows the newest access lists, checks each hit. */
export function openClusterSearch(options: ClusterSearchOptions) {
  const { catalog } = options
  const declarations = openDeclaredFields(catalog)
  const { ask, restriction } = openRequests(options)

  return {
    async search(caller: SearchCaller, request: SearchRequest): Promise<SearchResult> {
      checkRequest(request)
      const reflected = options.reflected()
      const fields = await declarations.seenBy(caller.visibility)
      const query = {
        bool: {
          must: [queryOf(request.condition, fields)],
          filter: [await restriction(caller, request.kinds)],
        },
      }
      const [firstFacets = [], ...otherFacets] = facetGroups(request.facets)
      const answer = await ask({ query, ...partsOf(request, fields), ...countsOf(firstFacets, fields) })
      const facets = new Map(facetResults(firstFacets, answer.aggregations, fields))
      for (const group of otherFacets) {
        const counted = await ask({ query, size: 0, ...countsOf(group, fields) })
        for (const [name, result] of facetResults(group, counted.aggregations, fields))
          facets.set(name, result)
      }
      const { limit } = request.window
      const pageHits = answer.hits.hits.slice(0, limit)
      const hits = await hitsOf(options, pageHits, caller, request)
      const last = pageHits.at(-1)?.sort
      const hasNext = last !== undefined && hasMore(answer, request)
      return {
        hits,
        total: answer.hits.total.value - (pageHits.length - hits.length),
        totalIs: 'exact',
        facets,
        notes: facetNotes(facets),
        commit: reflected,
        upToDate: reflected === catalog.head(),
        ...(hasNext && { next: formatHitCursor(request, last) }),
        ranked: 'all',
        engine: 'cluster',
      }
    },
    async suggest(
      caller: SearchCaller,
      { beginning, limit, kinds, condition = everything }: SuggestionRequest,
    ): Promise<readonly string[]> {
      const [last] = foldedWords(beginning).slice(-1)
      if (last === undefined) return []
      const fields = [{ field: 'title', weight: 1 }]
      const words = queryOf({ type: 'text', text: beginning, match: 'prefix', fields }, withoutDeclarations)
      const seen = await declarations.seenBy(caller.visibility)
      const answer = await ask({
        query: {
          bool: { must: [words], filter: [queryOf(condition, seen), await restriction(caller, kinds)] },
        },
        size: Math.min(limit * hitsPerTitle, maxTitles),
        sort: ['_score', { 'metastore.sequence': 'desc' }],
        _source: [...hitMembers, 'metastore.sequence', 'metastore.shown.title'],
      })
      const found = new Map<string, string>()
      for (const hit of answer.hits.hits)
        for (const title of titlesOf(options, hit, caller)) {
          const isMeant = foldedWords(title).some(word => word.startsWith(last))
          if (isMeant && !found.has(title.toLowerCase())) found.set(title.toLowerCase(), title)
        }
      return [...found.values()].slice(0, limit)
    },
  }
}

/** Requests to the cluster, and their restriction to records that the caller sees. */
function openRequests(options: ClusterSearchOptions) {
  const unreflected = openUnreflectedChanges(options.catalog)
  const send = openSearchSender(options)

  return {
    /** Sends a search. @throws ProblemError `unavailable` while no generation is complete */
    async ask(body: object): Promise<SearchAnswer> {
      if (options.reflected() === undefined) throw notReadyProblem()
      return await send(body)
    },
    /** The query for records of these collections that the caller sees according to the cluster and the catalog. */
    async restriction({ visibility }: SearchCaller, kinds: readonly Collection[]): Promise<ClusterQuery> {
      const hidden = (await unreflected.hiddenFrom(visibility, options.reflected())).map(options.idOf)
      return {
        bool: {
          filter: [{ terms: { 'metastore.kind': kinds } }, visibleQuery(visibility)],
          ...(hidden.length > 0 && { must_not: [{ ids: { values: hidden } }] }),
        },
      }
    },
  }
}

/** For conditions that name only record fields. */
const withoutDeclarations: DeclaredFields = { declared: () => undefined }
const hitMembers = ['id', 'metastore.kind']

/** Checks the limits that the embedded index has. @throws ProblemError `malformed-request` */
function checkRequest({ condition, filter, facets }: SearchRequest): void {
  checkFacets(facets)
  const ofFacets = facets.flatMap(({ filter: own, counts }) => [
    ...(own ? [own] : []),
    ...(counts.type === 'conditions' ? counts.conditions.map(part => part.condition) : []),
  ])
  for (const each of [condition, ...(filter ? [filter] : []), ...ofFacets]) checkSize(each)
}

function countsOf(facets: readonly FacetRequest[], fields: DeclaredFields): object {
  return facets.length === 0 ? {} : { aggs: facetAggregations(facets, fields) }
}

/** The parts of a search without its query and its facets. */
function partsOf(request: SearchRequest, fields: DeclaredFields): object {
  const { filter, sort } = request
  return {
    ...(filter && { post_filter: queryOf(filter, fields) }),
    ...windowOf(request),
    sort: sortOf(sort, fields),
    track_total_hits: true,
    track_scores: sort.some(({ field }) => field === 'score'),
    _source: hitMembers,
  }
}

/** The newest revision of a hit; undefined if the record is gone, or the caller may no longer see it. */
function listedRevision(
  { catalog }: ClusterSearchOptions,
  { _source }: AnsweredHit,
  { visibility }: SearchCaller,
): Revision | undefined {
  const revision = catalog.committed.newest(_source.metastore.kind, _source.id)
  return revision && isListed(revision, visibility) ? revision : undefined
}

/** The titles of a hit: those of the newest revision, or else those that its document has in the cluster. */
function titlesOf(options: ClusterSearchOptions, hit: AnsweredHit, caller: SearchCaller): readonly string[] {
  const revision = listedRevision(options, hit, caller)
  if (!revision) return []
  const { sequence, shown } = hit._source.metastore
  if (revision.record.titles) return revision.record.titles.map(({ value }) => value)
  // The document of a later revision may have another title, and the caller may not see the former one.
  const described = sequence === revision.sequence ? (shown?.title ?? []) : []
  return described
    .map(term => splitShownTerm(term).shown)
    .filter(title => defaultTitles.every(({ value }) => value !== title))
}

async function hitsOf(
  options: ClusterSearchOptions,
  found: readonly AnsweredHit[],
  caller: SearchCaller,
  request: SearchRequest,
): Promise<readonly SearchHit[]> {
  const pauses = openEventLoopPauses()
  const hits: SearchHit[] = []
  let spent = 0

  async function highlights(revision: Revision): Promise<SearchHit['highlights']> {
    if (request.highlight === false || spent > maxHighlightMilliseconds) return []
    // Searches find the record of a lost document, without highlights of the document.
    const document = await readUnlessLost(() => options.readDocument(revision.document))
    const start = performance.now()
    const made = highlightsOf(revision, document, request)
    spent += performance.now() - start
    return made
  }

  for (const hit of found) {
    const revision = listedRevision(options, hit, caller)
    if (!revision) continue
    hits.push({
      revision,
      ...(hit._score !== null && { score: hit._score }),
      highlights: await highlights(revision),
    })
    await pauses.ifDue()
  }
  return hits
}

/** Number of hits that are read for each wanted suggestion: several records may have the same title. */
const hitsPerTitle = 5
const maxTitles = 200

/** Whether there are hits after the page. */
function hasMore({ hits }: SearchAnswer, { window }: SearchRequest): boolean {
  if ('after' in window) return hits.hits.length > window.limit
  return hits.total.value > window.offset + window.limit
}

function windowOf(request: SearchRequest): object {
  const { window } = request
  // One more hit than the page has tells whether there is a next page.
  if ('after' in window)
    return { size: window.limit + 1, search_after: parseHitCursor(request, window.after) }
  if (window.offset + window.limit > maxSearchWindow) {
    throw malformedRequest(
      `Pages by number reach to hit ${maxSearchWindow}. Continue with the cursor of the last page.`,
    )
  }
  return { from: window.offset, size: window.limit }
}

/**
 * The order of hits for the cluster. Records without a value are last in both directions; {@link isOldestFirst} says how
 * those with equal keys are ordered.
 * @throws ProblemError `malformed-request` for a field without an order
 */
function sortOf(keys: readonly SortKey[], fields: DeclaredFields): readonly object[] {
  const asked = keys.flatMap(({ field, order }): readonly object[] => {
    if (field === 'score') return [{ _score: { order } }]
    const option = { order, missing: '_last' }
    if (field === 'version') return [{ 'metastore.version': { ...option, unmapped_type: 'long' } }]
    if (isRecordField(field)) {
      return [
        { [orderedField(field)]: { ...option, unmapped_type: typesOf[rangeKindOf(field) ?? 'keyword'] } },
      ]
    }
    const declared = fields.declared(field)
    if (declared) {
      const form = comparedForm(declared.as)
      return [{ [declaredField(declared, form)]: { ...option, unmapped_type: typesOfForms[form] } }]
    }
    throw fieldWithoutOrder(field)
  })
  return [
    ...asked,
    { 'metastore.sequence': { order: isOldestFirst(keys[0]) ? 'asc' : 'desc', unmapped_type: 'long' } },
    { 'metastore.values.id': { order: 'asc', unmapped_type: 'keyword' } },
    { 'metastore.kind': { order: 'asc', unmapped_type: 'keyword' } },
  ]
}

/** Types of record fields in the cluster. */
const typesOf = { number: 'double', date: 'date', keyword: 'keyword' } as const

function notReadyProblem(): ProblemError {
  return new ProblemError('unavailable', 'The search cluster is being filled. Try again.', { retryAfter: 10 })
}
