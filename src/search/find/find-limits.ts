import { maxPageBytes } from '../../core/records/list-page.js'

/** Bounds of the work of one search. Tests lower them. */
export interface FindLimits {
  /** Limit of the hits that are ranked. FTS5 scores all of them before it knows the best ones. */
  readonly ranked: number
  /** Limit of the hits that are copied into a table in memory before they are counted and sorted. */
  readonly gathered: number
  /** Limit of the hits that are counted in columns. @see HitColumns */
  readonly counted: number
  /** If a search with facets has so many hits or more, columns are read for later searches. @see HitColumns */
  readonly columnsFrom: number
  /** Limit of the milliseconds in which a search reads new records into the columns. */
  readonly columnsTime: number
  /** Number of hits of a search by score whose order is kept for its next pages. */
  readonly kept: number
  /** Number of rows of the index that are counted at once. */
  readonly slice: number
  /** Milliseconds after which no more hits are counted, if more than `ranked` have been counted. */
  readonly countTime: number
  /** Number of hits above which facets have only `shortTime`. */
  readonly manyHits: number
  /** Limit of the milliseconds for the facets of many hits. */
  readonly shortTime: number
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

/** Added to the niceness (the nice value of POSIX) of a process that searches, so that updates take precedence. */
export const searchNiceness = 10

/** The message for a search that would wait for too many others. */
export const tooManySearches = 'Too many searches are waiting. Try again.'
