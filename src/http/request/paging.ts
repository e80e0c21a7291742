import type { ParsedUrlQuery } from 'node:querystring'
import { ProblemError } from '../../core/problem.js'
import {
  contentRange,
  defaultPageSize,
  type ListCursor,
  largestPageBytes,
  type PageRequest,
  pageWindow,
} from '../../core/records/list-page.js'
import type { ListPage } from '../../core/records/list-query.js'
import { formatInstant, isId, parseInstant, truncate } from '../../core/value-types.js'
import { singleParameter } from './query-parameters.js'

/**
 * The part of a list that is asked for: `page` (zero-based, default 0), `size` (default 20, at most 2000) and `after`
 * (see {@link formatCursor}).
 * @throws ProblemError `malformed-request`
 * @see contract, "Lists"
 */
export function parsePageParameters(query: ParsedUrlQuery): PageRequest {
  const window = pageWindow(
    integerParameter(query, 'page', 0, 0),
    integerParameter(query, 'size', 1, defaultPageSize),
  )
  const after = singleParameter(query, 'after')
  return {
    ...window,
    bytes: largestPageBytes,
    ...(after === undefined ? {} : { after: parsePlace(after) }),
  }
}

/** `<id>` in a list ordered by id, `<lastUpdate>,<id>` in one ordered by `lastUpdate`. */
export function formatCursor({ id, time }: ListCursor): string {
  return time === undefined ? id : `${formatInstant(time)},${id}`
}

function parsePlace(text: string): ListCursor {
  const [, time, id = ''] = /^(?:([^,]*),)?([^,]*)$/.exec(text) ?? []
  if (!isId(id)) {
    throw new ProblemError(
      'malformed-request',
      `The parameter after is "${truncate(text)}", not a place of a list: write it as <id> or <lastUpdate>,<id>.`,
    )
  }
  return {
    id,
    ...(time === undefined ? {} : { time: parseInstant(time, 'The time in the parameter after') }),
  }
}

/**
 * The whole number a parameter has.
 * @throws ProblemError `malformed-request`
 */
export function integerParameter(
  query: ParsedUrlQuery,
  name: string,
  least: number,
  otherwise: number,
): number {
  const text = singleParameter(query, name)
  if (text === undefined) return otherwise
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text)
  throw new ProblemError(
    'malformed-request',
    `The parameter ${name} is "${truncate(text)}", not a whole number from ${least} upwards.`,
  )
}

/**
 * `Content-Range` of a page.
 * @throws ProblemError `page-out-of-range` for a page past the end of a list that is not empty
 */
export function contentRangeOf(page: ListPage<unknown>): string {
  // What followed a place may be gone by now: then the list has been read to its end.
  if (page.items.length === 0 && page.total > 0 && !page.continued) {
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
