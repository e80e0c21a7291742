import type { HistoryPoint } from '../history-point.js'
import type { Instant } from '../value-types.js'

/** The part of a list after `offset` entries, with at most `limit` entries. */
export interface PageWindow {
  readonly offset: number
  readonly limit: number
}

/** A window on a list that others may be changing. */
export interface PageRequest extends PageWindow {
  /** The point of history of the list; default: now. */
  readonly at?: HistoryPoint
  /** The window begins after this place, and `offset` is ignored. */
  readonly after?: ListCursor
  /** Limit of the bytes of the records in the window; default: none. The first entry is included in any case. */
  readonly bytes?: number
}

/** The place of a record in a list, which is ordered by id, or by `lastUpdate` and id. */
export interface ListCursor {
  readonly id: string
  readonly time?: Instant
}

/** A part of a list, and the length of the whole list. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly offset: number
  readonly total: number
}

/** Default number of records of a page. @see docs/use/lists.md */
export const defaultPageSize = 20
/** Limit of the records of a page. */
export const maxPageSize = 2000

/** Limit of the records of a page that the main thread reads; another thread reads longer pages. */
export const shortPage = defaultPageSize

/** Limit of the bytes of the records of a page. */
export const maxPageBytes = 16 * 2 ** 20

/**
 * The part of a list that a page shows.
 * @param page zero-based
 * @param size number of records, capped at {@link maxPageSize}
 */
export function pageWindow(page: number, size: number): PageWindow {
  const limit = Math.min(size, maxPageSize)
  return { offset: Math.min(page * limit, Number.MAX_SAFE_INTEGER), limit }
}

/**
 * The value of the header `Content-Range` for a page: `<first>-<last>/<total>`, with an asterisk for the range of an
 * empty page.
 * @see docs/contract.md#paging
 */
export function contentRange(page: Page<unknown>): string {
  if (page.items.length === 0) return `*/${page.total}`
  return `${page.offset}-${page.offset + page.items.length - 1}/${page.total}`
}
