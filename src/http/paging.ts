import type { ParsedUrlQuery } from 'node:querystring'
import { contentRange, defaultPageSize, type Page, type Window, windowOf } from '../core/page.js'
import { ProblemError } from '../core/problem.js'
import { clip } from '../core/values.js'
import { single } from './query.js'

/**
 * The window `page` (zero-based, default 0) and `size` (default 20, at most 2000) ask for.
 * @throws ProblemError `malformed-request`
 * @see contract, "Lists"
 */
export function parseWindow(query: ParsedUrlQuery): Window {
  return windowOf(wholeNumber(query, 'page', 0, 0), wholeNumber(query, 'size', 1, defaultPageSize))
}

/**
 * The whole number a parameter has.
 * @throws ProblemError `malformed-request`
 */
export function wholeNumber(query: ParsedUrlQuery, name: string, least: number, otherwise: number): number {
  const text = single(query, name)
  if (text === undefined) return otherwise
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text)
  throw new ProblemError(
    'malformed-request',
    `The parameter ${name} is "${clip(text)}", not a whole number from ${least} upwards.`,
  )
}

/**
 * `Content-Range` of a page.
 * @throws ProblemError `page-out-of-range` for a page past the end of a list that is not empty
 */
export function rangeOf(page: Page<unknown>): string {
  if (page.items.length === 0 && page.total > 0) {
    throw new ProblemError(
      'page-out-of-range',
      `The list ends before this page: it has ${page.total} records.`,
      {
        total: page.total,
      },
    )
  }
  return contentRange(page)
}
