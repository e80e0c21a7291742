import type { RevisionRow } from '../../../catalog/read/revision-row.js'
import { maxPageBytes } from '../../../core/records/list-page.js'
import type { Visibility } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import type { FacetResult, Highlight, SearchRequest, SuggestionRequest } from '../search-engine.js'

export interface FindJob extends SearchPlace {
  readonly do: 'find'
  readonly visibility: Visibility
  readonly request: SearchRequest
  readonly limits: FindLimits
}

export interface SuggestJob extends SearchPlace {
  readonly do: 'suggest'
  readonly visibility: Visibility
  readonly request: SuggestionRequest
}

/** Asks for highlights of documents that the process has not found in packs and that come with the job. */
export interface HighlightJob {
  readonly do: 'highlight'
  readonly request: Pick<SearchRequest, 'condition' | 'highlight'>
  readonly rows: readonly RevisionRow[]
  /** In the order of the rows; undefined for a document that cannot be read. */
  readonly documents: readonly (Uint8Array | undefined)[]
}

/** URL of the script of the processes that answer searches. */
export const findProcessScript = new URL('./find-process-entry.js', import.meta.url)

export type FindProcessJob = FindJob | SuggestJob | HighlightJob

/** A hit in the answer of a search process. */
export interface FoundHit {
  readonly row: RevisionRow
  readonly score?: number
  /** Undefined if the process does not find the document in a pack. */
  readonly highlights: readonly Highlight[] | undefined
}

export interface FoundHits {
  readonly hits: readonly FoundHit[]
  readonly total: number
  readonly totalIs: 'exact' | 'atLeast'
  readonly facets: ReadonlyMap<string, FacetResult>
  readonly commit: Oid | undefined
  /** Whether the index belongs to the present build of the catalog, and has all of its revisions. */
  readonly isCurrent: boolean
  readonly next?: string
  readonly ranked?: 'all' | 'newest'
  /** Sentences about parts of the query that were not searched as a whole. */
  readonly notes: readonly string[]
}

/** The results of the jobs, by their member `do`. */
export interface FindProcessResults {
  readonly find: FoundHits
  /** Titles. */
  readonly suggest: readonly string[]
  /** The highlights of each row. */
  readonly highlight: readonly (readonly Highlight[])[]
}

/** Bounds of the work of one search. Tests lower them. */
export interface FindLimits {
  /** Limit of the hits that are ranked: FTS5 scores all of them before it knows the best ones. */
  readonly ranked: number
  /** Limit of the hits that facets count. If there are more, the newest are counted. */
  readonly faceted: number
  /** Milliseconds after which facets are given up. */
  readonly facetTime: number
  /** Limit of the bytes of the values of the hits that facets count. */
  readonly facetBytes: number
  /** Number of rows of the index that are counted at once. */
  readonly slice: number
  /** Milliseconds after which no more hits are counted, if more than `ranked` have been counted. */
  readonly countTime: number
  /** Limit of the characters of the records of a page together. A longer page ends early. */
  readonly pageBytes: number
  /** Limit of the records that may have changed since a point of history for it to be searched. */
  readonly changed: number
  /** Milliseconds after which a search is a slow one. */
  readonly quickTime: number
  /** Milliseconds after which a search is ended. */
  readonly maxTime: number
}

export const findLimits: FindLimits = {
  ranked: 20_000,
  faceted: 20_000,
  facetTime: 2000,
  facetBytes: 20_000_000,
  slice: 200_000,
  countTime: 1500,
  pageBytes: maxPageBytes,
  changed: 20_000,
  quickTime: 1000,
  maxTime: 10_000,
}

/** Added to the niceness (the nice value of POSIX) of a process that searches, so that updates take precedence. */
export const searchNiceness = 10

/** The message for a search that would wait for too many others. */
export const tooManySearches = 'Too many searches are waiting. Try again.'
