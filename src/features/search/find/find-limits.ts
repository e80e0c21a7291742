import { maxPageBytes } from '../../../core/records/list-page.js'

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
