import type { RevisionRow } from '../../../catalog/read/revision-row.js'
import type { Visibility } from '../../../core/records/list-query.js'
import type { Oid } from '../../../core/value-types.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import type { FacetResult, Highlight, SearchRequest, SuggestionRequest } from '../search-engine.js'
import type { FindLimits } from './find-limits.js'

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
