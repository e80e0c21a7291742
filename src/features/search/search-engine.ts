import type { Client } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'
import type { SearchCondition, ValueRange } from './search-condition.js'

/** What the caller of a search may see. */
export interface SearchCaller {
  readonly visibility: Visibility
  /** Clients take turns. Undefined for work of the server itself, and for commands. */
  readonly client: Client | undefined
}

export interface SearchRequest {
  readonly condition: SearchCondition
  /** Applied after facets were counted, as in an Elasticsearch `post_filter`. */
  readonly filter?: SearchCondition
  /** The collections that are searched. */
  readonly kinds: readonly Collection[]
  /** Keys of the order. Hits with equal keys are ordered newest first. Empty: all hits are newest first. */
  readonly sort: readonly SortKey[]
  readonly window: SearchWindow
  readonly facets: readonly FacetRequest[]
  /** Fields whose hits are highlighted; `true`: all fields. `false` takes the least time. */
  readonly highlight: boolean | readonly string[]
}

export interface SortKey {
  /** `score`, a record field, or a declared document path. */
  readonly field: string
  readonly order: 'asc' | 'desc'
}

/** Titles that are suggested while a person types. */
export interface SuggestionRequest {
  /** The typed text. Titles contain its words; the last one may be the beginning of a longer word. */
  readonly beginning: string
  readonly limit: number
  /** The collections whose titles are suggested. */
  readonly kinds: readonly Collection[]
  /** Only titles of records that match this condition are suggested. Absent: titles of all records. */
  readonly condition?: SearchCondition
}

/**
 * A page by offset, or by the cursor `after`, which stands after the last hit of the page before. Offset and limit
 * together are at most {@link maxSearchWindow}; a cursor goes further.
 */
export type SearchWindow =
  | { readonly offset: number; readonly limit: number }
  | { readonly after: string; readonly limit: number }

/** The last hit that a page by offset can reach. */
export const maxSearchWindow = 10_000
/** Limit of the buckets of one facet: values, ranges or conditions that it counts. */
export const maxBuckets = 1000

export interface FacetRequest {
  /** The key of the facet in the answer. */
  readonly name: string
  readonly field: string
  /** Counts only records that match this condition too. */
  readonly filter?: SearchCondition
  readonly counts:
    | { readonly type: 'terms'; readonly size: number; readonly order: 'count' | 'value' }
    | {
        readonly type: 'ranges'
        readonly ranges: readonly { readonly key: string; readonly range: ValueRange }[]
      }
    | {
        readonly type: 'conditions'
        readonly conditions: readonly { key: string; condition: SearchCondition }[]
      }
    | { readonly type: 'extent' }
}

export interface FacetResult {
  readonly buckets: readonly { readonly value: string; readonly count: number }[]
  /** Sum of the counts of values that are in no bucket. */
  readonly more: number
  /** Only for `extent`. Times are in milliseconds since 1970. */
  readonly min?: string
  readonly max?: string
  /** True: `min` and `max` are times. */
  readonly isTime?: true
  /** True: the facet was not counted, because it takes too long. */
  readonly tooMany?: true
  /** True: only the newest of the matching records were counted, because very many match. */
  readonly atLeast?: true
  /** Each count may be too low by up to this number; absent: counts are exact. */
  readonly missed?: number
}

export interface Highlight {
  /** A record field, or `document.` with a path. */
  readonly field: string
  readonly passages: readonly HighlightedPassage[]
}

export interface HighlightedPassage {
  readonly text: string
  /** Places of the hits in `text`, in UTF-16 units, in order, not overlapping. */
  readonly hits: readonly { readonly start: number; readonly end: number }[]
}

export interface SearchHit {
  /** The newest revision, perhaps newer than that in the index; in a search of the past, the revision at that time. */
  readonly revision: Revision
  /** The score; undefined if the order is not by score. */
  readonly score?: number
  readonly highlights: readonly Highlight[]
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  readonly total: number
  /** `atLeast`: more records may match than `total`. */
  readonly totalIs: 'exact' | 'atLeast'
  readonly facets: ReadonlyMap<string, FacetResult>
  /** The commit that the index reflects. */
  readonly commit: Oid | undefined
  /** Whether `commit` is the head of the served branch. */
  readonly upToDate: boolean
  /**
   * Number of revisions that the index lacks. Present only for callers who see everything, and not in a search of the
   * past.
   */
  readonly lag?: number
  /** Sentences about parts of the query that were not searched as a whole. */
  readonly notes?: readonly string[]
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string
  /** `newest`: only the newest hits are in the order of their score, because too many match. */
  readonly ranked?: 'all' | 'newest'
  /** `embedded`, or the name of a connector. */
  readonly engine: string
}

export interface IndexProgress {
  readonly commit: Oid | undefined
  readonly upToDate: boolean
  /** Number of revisions that the index does not reflect yet. */
  readonly lag: number
  /** Whether there is no index yet: `search` then throws `unavailable`. */
  readonly isMissing: boolean
  /**
   * Schemas whose documents are indexed again, because they declare other fields or have another crosswalk; the first one
   * now.
   */
  readonly again?: readonly SchemaIndexedAgain[]
  /** True: a command has paused the connector to a cluster, which therefore gets no revisions. */
  readonly isPaused?: true
  readonly lastError?: string
}

/** @see IndexProgress.again */
export interface SchemaIndexedAgain {
  readonly schema: Id
  /** Number of its documents that are done, and of all of them. */
  readonly done: number
  readonly total: number
}

/** Answers searches: the embedded index, or an OpenSearch or Elasticsearch cluster. */
export interface SearchEngine {
  /**
   * Finds records that the caller may read. Totals, facets and highlights reveal nothing about other records.
   * @throws ProblemError `malformed-request` for a range on a field that must be declared first, a cursor of another
   *   query, or a window that is too deep; `unavailable` while there is no index
   */
  search(caller: SearchCaller, request: SearchRequest): Promise<SearchResult>
  /**
   * Finds records as they were at a commit of the served history, among those that the caller may read now. The
   * declared fields are those of now. There are no scores: the order by score is newest first. Absent in an engine that
   * knows only the newest revisions.
   * @returns undefined if the index does not reflect the commit yet
   * @throws ProblemError as {@link SearchEngine.search}; `malformed-request` if too much has changed since
   */
  searchAt?(caller: SearchCaller, request: SearchRequest, commit: Oid): Promise<SearchResult | undefined>
  /** Suggests titles of records that the caller may read. */
  suggest(caller: SearchCaller, request: SuggestionRequest): Promise<readonly string[]>
  progress(): IndexProgress
  /**
   * Resolves with true when the index reflects this commit, with false after the time or on abort.
   * @throws ProblemError `not-found` for a commit that is not in the served history
   */
  waitFor(commit: Oid, milliseconds: number, signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}
