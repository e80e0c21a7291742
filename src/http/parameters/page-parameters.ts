import type { ParsedUrlQuery } from 'node:querystring'
import { malformedRequest } from '../../core/problem.js'
import {
  defaultPageSize,
  type ListCursor,
  maxPageBytes,
  maxPageSize,
  type PageRequest,
  pageWindow,
} from '../../core/records/list-page.js'
import { formatInstant, isId, parseInstant, truncate } from '../../core/value-types.js'
import { at } from './at-parameter.js'
import { parsedBy, singleParameter } from './query-parameters.js'
import { queryParameter, type RequestParameter } from './request-parameter.js'

export const page = integerParameter('page', {
  component: 'page',
  description: 'Number of the page, from 0.',
  min: 0,
  usual: 0,
})

/** The page number may be empty: browsers send an optional parameter of the OpenSearch description so. */
export const pageFrom1 = integerParameter('page', {
  component: 'pageFrom1',
  description: 'Number of the page, from 1. Empty: 1.',
  min: 1,
  usual: 1,
  mayBeEmpty: true,
})

/** Numbers of pages begin with 1. Page 0 is accepted as page 1, as on existing servers. */
export const pageOfTable = integerParameter(
  'page',
  {
    component: 'pageOfTable',
    description: 'Number of the page, from 1; 0 means 1.',
    min: 0,
    usual: 1,
  },
  number => Math.max(number, 1),
)

export const size = integerParameter('size', {
  component: 'size',
  description: `Records of a page. More than ${maxPageSize} count as ${maxPageSize}.`,
  min: 1,
  usual: defaultPageSize,
})

/** The cursor of a page, the entry after which it begins. Parses the text of {@link formatCursor}. */
export const after = queryParameter(
  'after',
  {
    component: 'after',
    description:
      'Cursor: the page begins after this entry, `<id>` or `<lastUpdate>,<id>`; in a list of versions, `<version>`. The address of the next page in `Link` has it.',
    schema: { type: 'string', examples: ['2026-03-14T09:26:53.59Z,overview-7'] },
  },
  parsedBy(parseCursor),
)

/** The parameters of a list that is read page by page. @see docs/contract.md#paging */
export const pageParameters = { page, size, at, after }

/** The requested page, from the values of {@link pageParameters}. */
export function pageRequest(parameters: {
  readonly page: number
  readonly size: number
  readonly after: ListCursor | undefined
}): PageRequest {
  return {
    ...pageWindow(parameters.page, parameters.size),
    bytes: maxPageBytes,
    ...(parameters.after === undefined ? {} : { after: parameters.after }),
  }
}

/**
 * A parameter that limits the length or the time of a response. A larger value than `max` counts as `max`.
 */
export function limitParameter(
  name: string,
  description: string,
  { min, usual, max }: { readonly min: number; readonly usual: number; readonly max: number },
): RequestParameter<number> {
  return integerParameter(name, { description, min, usual }, number => Math.min(number, max))
}

/**
 * A parameter that is a whole number.
 * @param usual the value if the request does not have the parameter
 * @param adjust turns the sent number into the value
 */
function integerParameter(
  name: string,
  { min, usual, mayBeEmpty = false, ...described }: IntegerDescription,
  adjust = (number: number) => number,
): RequestParameter<number> {
  return queryParameter(
    name,
    { ...described, schema: { type: 'integer', minimum: min, default: usual } },
    query => adjust(mayBeEmpty && query[name] === '' ? usual : readInteger(query, name, min, usual)),
  )
}

interface IntegerDescription {
  readonly component?: string
  readonly description: string
  readonly min: number
  readonly usual: number
  readonly mayBeEmpty?: boolean
}

/** The text of a cursor: `<id>` for a list ordered by id, `<lastUpdate>,<id>` for a list ordered by `lastUpdate`. */
export function formatCursor({ id, time }: ListCursor): string {
  return time === undefined ? id : `${formatInstant(time)},${id}`
}

/** @throws ProblemError `malformed-request` */
export function parseCursor(text: string): ListCursor {
  const [, time, id = ''] = /^(?:([^,]*),)?([^,]*)$/.exec(text) ?? []
  if (!isId(id)) {
    throw malformedRequest(
      `The parameter after is "${truncate(text)}", not a cursor: write it as <id> or <lastUpdate>,<id>.`,
    )
  }
  return {
    id,
    ...(time === undefined ? {} : { time: parseInstant(time, 'The time in the parameter after') }),
  }
}

/**
 * Parses a whole number.
 * @throws ProblemError `malformed-request`
 */
function readInteger(query: ParsedUrlQuery, name: string, min: number, otherwise: number): number {
  const text = singleParameter(query, name)
  if (text === undefined) return otherwise
  if (/^\d+$/.test(text) && Number(text) >= min) return Number(text)
  throw malformedRequest(
    `The parameter ${name} is "${truncate(text)}", not a whole number of at least ${min}.`,
  )
}
