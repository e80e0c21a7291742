import { maxPageBytes } from '../../core/records/list-page.js'

/** Bounds of the work of one search. Tests lower them. */
export interface FindLimits {
  /** Limit of the hits that are ranked. FTS5 scores all of them before it knows the best ones. */
  readonly ranked: number
  /** Limit of the hits that are gathered before they are counted and sorted. */
  readonly gathered: number
  /** Limit of the hits that are counted in columns. */
  readonly counted: number
  /** Hits with facets from which on columns are kept for such searches. @see HitColumns */
  readonly columnsFrom: number
  /** Milliseconds for the columns of new records in a search. */
  readonly columnsTime: number
  /** Hits of a search by score whose order is kept for its next pages. */
  readonly kept: number
  /** Rows of the index that are counted at once. */
  readonly slice: number
  /** Milliseconds after which the rest of more hits than are ranked is not counted. */
  readonly countTime: number
  /** Hits beyond which facets have little time. */
  readonly manyHits: number
  /** Milliseconds for the facets of many hits. */
  readonly shortTime: number
  /** Characters of the records of a page together. A longer page ends early. */
  readonly pageBytes: number
  /** Limit of the records that may have changed since a point of history that is searched. */
  readonly changed: number
  /** Milliseconds after which a search is a slow one. */
  readonly quickTime: number
  /** Milliseconds after which a search is ended. */
  readonly maxTime: number
}

export const findLimits: FindLimits = {
  ranked: 50_000,
  gathered: 100_000,
  counted: 2_000_000,
  columnsFrom: 2000,
  columnsTime: 50,
  kept: 500,
  slice: 100_000,
  countTime: 1500,
  manyHits: 200_000,
  shortTime: 300,
  pageBytes: maxPageBytes,
  changed: 20_000,
  quickTime: 1000,
  maxTime: 10_000,
}

/** Added to the niceness of a process that searches, so that updates take precedence. */
export const searchNiceness = 10

/** The message for a search that would wait for too many others. */
export const tooManySearches = 'Too many searches are waiting. Try again.'
