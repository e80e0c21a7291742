import type { RevisionRow } from '../../catalog/read/revision-row.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { Oid } from '../../core/value-types.js'
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

/** Has the columns of an index read between the jobs of the process. */
export interface PrepareJob extends SearchPlace {
  readonly do: 'prepare'
}

/** Highlights of documents that the process does not find. */
export interface HighlightJob {
  readonly do: 'highlight'
  readonly request: Pick<SearchRequest, 'condition' | 'highlight'>
  readonly rows: readonly RevisionRow[]
  /** In the order of the rows. */
  readonly documents: readonly (Uint8Array | undefined)[]
}

/** URL of the script of the processes. */
export const findProcessScript = new URL('./find-process-entry.js', import.meta.url)

export type FindProcessJob = FindJob | SuggestJob | PrepareJob | HighlightJob

/** A hit as the process answers it. */
export interface FoundHit {
  readonly row: RevisionRow
  readonly score?: number
  /** Undefined where the process does not find the document. */
  readonly highlights: readonly Highlight[] | undefined
}

export interface FoundPage {
  readonly hits: readonly FoundHit[]
  readonly total: number
  readonly totalIs: 'exact' | 'atLeast'
  readonly facets: ReadonlyMap<string, FacetResult>
  readonly commit: Oid | undefined
  /** The index is for the catalog as it is, and has all of its revisions. */
  readonly isCurrent: boolean
  readonly next?: string
  readonly ranked?: 'all' | 'newest'
  /** Sentences about parts of the query. */
  readonly notes: readonly string[]
}

export type FindProcessResult =
  | { readonly page: FoundPage }
  | { readonly titles: readonly string[] }
  | { readonly highlights: readonly (readonly Highlight[])[] }
  | { readonly isPreparing: true }
