import type { ParsedUrlQuery } from 'node:querystring'
import { ProblemError } from '../../core/problem.js'
import {
  contentRange,
  defaultPageSize,
  type ListCursor,
  largestPageBytes,
  largestPageSize,
  type PageRequest,
  pageWindow,
} from '../../core/records/list-page.js'
import type { ListPage } from '../../core/records/list-query.js'
import { formatInstant, isId, parseInstant, truncate } from '../../core/value-types.js'
import { at } from './at-parameter.js'
import { singleParameter } from './query-parameters.js'
import { queryParameter, type RequestParameter } from './request-parameter.js'

export const page = integerParameter('page', {
  component: 'page',
  description: 'Which page of the list, counted from 0.',
  least: 0,
  usual: 0,
})

export const pageFrom1 = integerParameter('page', {
  component: 'pageFrom1',
  description: 'Which page of the list, counted from 1.',
  least: 1,
  usual: 1,
})

/** Page 0 is the first page too, as existing servers have it. */
export const pageOfTable = integerParameter(
  'page',
  {
    component: 'pageOfTable',
    description: 'Which page of the list, counted from 1; 0 means 1.',
    least: 0,
    usual: 1,
  },
  number => Math.max(number, 1),
)

export const size = integerParameter('size', {
  component: 'size',
  description: `Records a page. More than ${largestPageSize} are taken as ${largestPageSize}.`,
  least: 1,
  usual: defaultPageSize,
})

/** @see formatCursor */
export const after = queryParameter(
  'after',
  {
    component: 'after',
    description:
      'Where the page begins: behind this place of the list, `<id>` or `<lastUpdate>,<id>`; of a list of versions `<version>`. The address of the next page in `Link` has it.',
    schema: { type: 'string', examples: ['2026-03-14T09:26:53.59Z,overview-7'] },
  },
  (query, name) => {
    const text = singleParameter(query, name)
    return text === undefined ? undefined : parsePlace(text)
  },
)

/** The parameters of a list that is read page by page. @see docs/contract.md#paging */
export const pageParameters = { page, size, at, after }

/** The part of a list that {@link pageParameters} ask for. */
export function pageRequest(asked: {
  readonly page: number
  readonly size: number
  readonly after: ListCursor | undefined
}): PageRequest {
  return {
    ...pageWindow(asked.page, asked.size),
    bytes: largestPageBytes,
    ...(asked.after === undefined ? {} : { after: asked.after }),
  }
}

/**
 * A parameter that limits how much is answered or for how long. More than the largest value is taken as the largest.
 */
export function limitParameter(
  name: string,
  description: string,
  { least, usual, most }: { readonly least: number; readonly usual: number; readonly most: number },
): RequestParameter<number> {
  return integerParameter(name, { description, least, usual }, number => Math.min(number, most))
}

/**
 * A parameter that is a whole number.
 * @param usual the number of a request without the parameter
 * @param adjust makes the value of the number
 */
function integerParameter(
  name: string,
  { least, usual, ...described }: IntegerDescription,
  adjust = (number: number) => number,
): RequestParameter<number> {
  return queryParameter(
    name,
    { ...described, schema: { type: 'integer', minimum: least, default: usual } },
    query => adjust(readInteger(query, name, least, usual)),
  )
}

interface IntegerDescription {
  readonly component?: string
  readonly description: string
  readonly least: number
  readonly usual: number
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
function readInteger(query: ParsedUrlQuery, name: string, least: number, otherwise: number): number {
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
