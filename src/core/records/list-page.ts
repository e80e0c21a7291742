import type { HistoryPoint } from '../history-point.js'
import type { Instant } from '../value-types.js'

/** Part of a list: `offset` entries are left out, `limit` follow. */
export interface PageWindow {
  readonly offset: number
  readonly limit: number
}

/** A window on a list that others may be changing. */
export interface PageRequest extends PageWindow {
  /** The point of history whose list is meant; default: now. */
  readonly at?: HistoryPoint
  /** The window begins behind this place, whatever `offset` says. */
  readonly after?: ListCursor
  /** Bytes that the records of the window may have together; default: any number. The first entry is always there. */
  readonly bytes?: number
}

/** Where a record stands in a list: lists are ordered by id, or by `lastUpdate` and id. */
export interface ListCursor {
  readonly id: string
  readonly time?: Instant
}

/** A part of a list, and how many entries the whole list has. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly offset: number
  readonly total: number
}

/** Records a page when the request does not say. @see docs/contract.md#paging */
export const defaultPageSize = 20
/** Records a page at most. @see docs/contract.md#paging */
export const largestPageSize = 2000

/** Records of a page that is read on the event loop; a longer one is read beside it. */
export const shortPage = defaultPageSize

/** Bytes that the records of one page may have together. */
export const largestPageBytes = 16 * 2 ** 20

/** @param page zero-based  @param size records a page, capped */
export function pageWindow(page: number, size: number): PageWindow {
  const limit = Math.min(size, largestPageSize)
  return { offset: Math.min(page * limit, Number.MAX_SAFE_INTEGER), limit }
}

/** `<first>-<last>/<total>`, or an asterisk for the range where nothing is shown. @see docs/contract.md#paging */
export function contentRange(page: Page<unknown>): string {
  if (page.items.length === 0) return `*/${page.total}`
  return `${page.offset}-${page.offset + page.items.length - 1}/${page.total}`
}
