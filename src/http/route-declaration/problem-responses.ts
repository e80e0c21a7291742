import { STATUS_CODES } from 'node:http'
import type { ProblemKind } from '../../core/problem.js'
import {
  type Content,
  componentName,
  contentOf,
  type Headers,
  headerRef,
  type Reference,
  type Response,
  type Schema,
  schemaRef,
} from '../openapi/specification-types.js'
import { closedObject, listOf } from '../openapi/value-schemas.js'
import { problemMediaType } from '../problems/problem-details.js'
import { statusByKind } from '../problems/problem-status.js'
import { htmlPage, onPagesOnly } from './response-descriptions.js'
import type { ProblemMeanings } from './route.js'

/** The description of each kind of problem, where an operation has none of its own. */
const generalMeanings = {
  'malformed-request':
    'The request is malformed: a part is missing, empty or sent twice, a member or parameter has an impossible value, ' +
    'the percent-encoding is broken, or `Host` is missing or not usable.',
  unauthenticated:
    'The request needs a token, or its token is not valid. A token that is not valid is refused on every path.',
  forbidden:
    'The caller lacks the permission, or its account is inactive; or a page of another site tries to change something.',
  elsewhere: 'The path has another name of the record. `Location` is the address by its id.',
  'not-found': 'There is no such record, version or path, or the caller may not know of it.',
  'method-not-allowed': 'The path does not have this method. `Allow` lists its methods.',
  'not-acceptable': '`Accept` excludes every media type of the response.',
  conflict: 'The request contradicts stored records. `detail` says which.',
  gone: 'The id belonged to a deleted record, and cannot be used again.',
  'precondition-failed':
    'The record has changed since the state in `If-Match`: read it again. Or `If-None-Match` names its state.',
  'too-large': 'A part or the whole request is larger than the server accepts.',
  'unsupported-media-type':
    'The body is not `multipart/form-data`, or the part `record` is not sent as JSON.',
  'page-out-of-range':
    'The page is past the end of a list that is not empty. `Content-Range` has the length of the list.',
  unprocessable:
    'The document or schema is not valid, or a name in the body is unknown. `findings` say what is wrong and where.',
  misdirected:
    'The server runs without authentication and does not serve the host of the request. `detail` says which option to set.',
  'precondition-required': '`If-Match` is missing. Read the record and send its ETag.',
  'too-many-requests': 'The client has used up its rate limit. `Retry-After` has the seconds to wait.',
  internal: 'The server failed. Its log has the reason.',
  damaged: 'A part of the repository is missing or damaged. `detail` says which, and what to do.',
  unavailable:
    'The request cannot be served at present. Try again, after `Retry-After` seconds if the response has them.',
  'unusable-repository': 'The repository is in a state in which nothing can be stored.',
  'no-space': 'The disk is full.',
} satisfies Record<ProblemKind, string>

const kinds = Object.keys(generalMeanings) as ProblemKind[]

/** Headers of the response for a kind of problem. */
const headersByKind: Readonly<Partial<Record<ProblemKind, Headers>>> = {
  unauthenticated: { 'WWW-Authenticate': headerRef('Challenge') },
  elsewhere: { Location: headerRef('Elsewhere') },
  'method-not-allowed': { Allow: headerRef('Allow') },
  'page-out-of-range': { 'Content-Range': headerRef('ContentRange') },
  'too-many-requests': { 'Retry-After': headerRef('RetryAfter') },
  unavailable: { 'Retry-After': headerRef('RetryAfter') },
}

const statuses = [...new Set(kinds.map(kind => statusByKind[kind]))]

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? '').replace(/[^A-Za-z]/g, '')
}

/** A response for each status that a problem has. */
export const problemResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  statuses.map(status => [nameOf(status), responseOf(status)]),
)

/** The response of all problems with a status. Browsers get 404 as a page. */
function responseOf(status: number): Response {
  const same = kinds.filter(kind => statusByKind[kind] === status)
  const mayBePage = status === statusByKind['not-found']
  const headers: Headers = Object.assign(
    {},
    ...same.map(kind => headersByKind[kind]),
    mayBePage ? onPagesOnly : {},
  )
  const example = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: '…',
    instance: '/api/v1/…',
    ...findingsOf(status),
  }
  return {
    description: same.map(kind => generalMeanings[kind]).join(' '),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      ...contentOf(
        [problemMediaType],
        { allOf: [schemaRef('Problem')], properties: { status: { const: status } } },
        { problem: example },
      ),
      ...(mayBePage && htmlPage),
    },
  }
}

function findingsOf(status: number): object {
  if (status !== statusByKind.unprocessable) return {}
  return {
    findings: [
      {
        message: 'must be a date',
        path: '/date',
        schemaPath: '#/properties/date/format',
        line: 3,
        column: 5,
      },
    ],
  }
}

/** The responses for these problems, and for the problems that every request can have. */
export function problemResponsesFor(meanings: ProblemMeanings): Readonly<Record<string, Reference>> {
  const all = { ...everywhere, ...meanings }
  return Object.fromEntries(
    Object.entries(all)
      .map(([kind, text]): [number, Reference] => {
        const status = statusByKind[kind as ProblemKind]
        const $ref = `#/components/responses/${nameOf(status)}`
        return [status, text === true ? { $ref } : { $ref, description: text }]
      })
      .sort(([a], [b]) => a - b),
  )
}

/** As {@link problemResponsesFor}, but problems have a second media type. @param headers headers of these responses */
export function problemResponsesAlsoAs(
  content: Content,
  meanings: ProblemMeanings,
  headers: Headers = {},
): Readonly<Record<string, Response>> {
  return Object.fromEntries(
    Object.entries(problemResponsesFor(meanings)).map(([status, { $ref, description }]) => {
      const component = problemResponses[componentName($ref)]
      const all = { ...component?.headers, ...headers }
      return [
        status,
        {
          description: description ?? component?.description ?? '',
          ...(Object.keys(all).length > 0 && { headers: all }),
          content: { ...component?.content, ...content },
        },
      ]
    }),
  )
}

/** The problems that every request can have. */
const everywhere = {
  'malformed-request': true,
  unauthenticated: true,
  forbidden: true,
  misdirected: true,
  'too-many-requests': true,
  internal: true,
  unavailable: true,
} as const

/** The components of the OpenAPI description for problem details. @see RFC 9457; docs/contract.md#problems */
export const problemSchemas: Readonly<Record<string, Schema>> = {
  Problem: closedObject(
    {
      type: {
        const: 'about:blank',
        description: 'Always `about:blank`: `status` says which kind of problem it is.',
      },
      title: { type: 'string', description: 'Name of the status.' },
      status: { type: 'integer', enum: statuses },
      detail: { type: 'string', minLength: 1, description: 'What is wrong, where, and what to do.' },
      instance: { type: 'string', description: 'Path of the request.' },
      change: {
        type: 'integer',
        minimum: 0,
        description: 'In a change set: index of the change with the problem, from 0.',
      },
      findings: listOf(schemaRef('Finding'), { description: 'Each error in the document or schema.' }),
    },
    ['type', 'title', 'status', 'detail', 'instance'],
    { description: 'Problem details (RFC 9457).' },
  ),
  Finding: closedObject(
    {
      message: { type: 'string', minLength: 1 },
      path: {
        type: 'string',
        description: 'JSON Pointer (RFC 6901) into the document; empty: the whole document.',
      },
      line: { type: 'integer', minimum: 1, description: 'Line in the document, or in `file`.' },
      column: {
        type: 'integer',
        minimum: 1,
        description:
          'Position in the line in UTF-16 code units: of the name of a member, else of the value; of the start tag of an element.',
      },
      missing: {
        type: 'string',
        description: 'Name of the member, element or attribute that is missing at the place.',
      },
      unknown: {
        type: 'string',
        description: 'Name of the member, element or attribute that is not permitted at the place.',
      },
      schemaPath: { type: 'string', description: 'Path of the violated rule in the schema.' },
      file: {
        type: 'string',
        description: 'The file with the error, if it is not the document itself.',
      },
    },
    ['message'],
    { description: 'One error in a document, a schema or a revision.' },
  ),
}
