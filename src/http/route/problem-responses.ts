import { STATUS_CODES } from 'node:http'
import type { ProblemKind } from '../../core/problem.js'
import {
  type Content,
  type Headers,
  headerRef,
  type Reference,
  type Response,
  type Schema,
  schemaRef,
} from '../openapi/specification-types.js'
import { closedObject, listOf } from '../openapi/value-schemas.js'
import { problemMediaType } from '../response/problem-details.js'
import { statusByKind } from '../response/problem-status.js'

/** When there is a problem of each kind. */
const meanings = {
  'malformed-request':
    'The request is not what it should be: a part is missing, empty or there twice, a member or parameter has a ' +
    'value it cannot have, the percent-encoding is broken, there is no usable Host.',
  unauthenticated:
    'The request needs a token, or has one that is not valid, which is refused also where anybody may read.',
  forbidden:
    'The caller may not do this, or its account is inactive; or a page of another site tries to change something.',
  elsewhere: 'This is another name of the record; `Location` is the address it has.',
  'not-found': 'There is no such record, version or path, or the caller may not know of it.',
  'method-not-allowed': 'The method is not for this path; `Allow` names those that are.',
  'not-acceptable': '`Accept` excludes every type this request is answered in.',
  conflict: 'It contradicts something stored: `detail` says what.',
  gone: 'The id belonged to a record that was deleted, and stays taken.',
  'precondition-failed': 'The record has changed since the state `If-Match` names. Read it again.',
  'too-large': 'A part or the whole request is larger than the server takes.',
  'unsupported-media-type':
    'The body is no `multipart/form-data`, or the part `record` is sent as something other than JSON.',
  'page-out-of-range':
    'The page is past the end of a list that is not empty; `Content-Range` says how long it is.',
  unprocessable:
    'The document or schema is not valid, or a name in the body is not known. `findings` say what is wrong and where.',
  misdirected:
    'The server runs without authentication and does not answer for the host that the request names; `detail` says what to set.',
  'precondition-required': '`If-Match` is missing: read the record and send back its ETag.',
  'too-many-requests': 'The client has sent more than its share; `Retry-After` says when it may go on.',
  internal: 'The server failed; its log says why.',
  damaged: 'Something of the repository is missing or damaged; `detail` says what, and what to do.',
  unavailable:
    'Not now, for a reason that passes: try again, after `Retry-After` seconds where that is given.',
  'unusable-repository': 'The repository is in a state in which nothing can be stored.',
  'no-space': 'The disk is full.',
} satisfies Record<ProblemKind, string>

const kinds = Object.keys(meanings) as ProblemKind[]

const headers = {
  unauthenticated: { 'WWW-Authenticate': headerRef('Challenge') },
  elsewhere: { Location: headerRef('Elsewhere') },
  'method-not-allowed': { Allow: headerRef('Allow') },
  'page-out-of-range': { 'Content-Range': headerRef('ContentRange') },
  'too-many-requests': { 'Retry-After': headerRef('RetryAfter') },
  unavailable: { 'Retry-After': headerRef('RetryAfter') },
} satisfies Partial<Record<ProblemKind, Response['headers']>>

const statuses = [...new Set(kinds.map(kind => statusByKind[kind]))]

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? '').replace(/[^A-Za-z]/g, '')
}

/** A page for people. */
export const htmlPage: Content = { 'text/html': { schema: { type: 'string', pattern: '^<!DOCTYPE html>' } } }

/** What a problem has that may be answered as a page. */
export const onPagesOnly: Headers = {
  'Cache-Control': { description: 'With a page.', schema: { type: 'string' } },
}

/** One for each status there can be a problem with. What is not there is a page where a browser asks. */
export const problemResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  statuses.map(status => {
    const same = kinds.filter(kind => statusByKind[kind] === status)
    const withHeaders = Object.assign({}, ...same.map(kind => headers[kind as keyof typeof headers] ?? {}))
    const title = STATUS_CODES[status]
    const mayBePage = status === statusByKind['not-found']
    if (mayBePage) Object.assign(withHeaders, onPagesOnly)
    const response: Response = {
      description: same.map(kind => meanings[kind]).join(' '),
      ...(Object.keys(withHeaders).length === 0 ? {} : { headers: withHeaders }),
      content: {
        [problemMediaType]: {
          schema: { allOf: [schemaRef('Problem')], properties: { status: { const: status } } },
          examples: {
            problem: {
              value: {
                type: 'about:blank',
                title,
                status,
                detail: '…',
                instance: '/api/v1/…',
                ...findingsOf(status),
              },
            },
          },
        },
        ...(mayBePage ? htmlPage : {}),
      },
    }
    return [nameOf(status), response]
  }),
)

function findingsOf(status: number): object {
  if (status !== 422) return {}
  return { findings: [{ message: 'must be a date', path: '/date', schemaPath: '#/properties/date/format' }] }
}

/**
 * The responses for these kinds of problem, and for those every request can have.
 * @param told what each means for the operation; `true`: nothing beyond what it means anywhere
 */
export function problemResponsesFor(
  told: Partial<Record<ProblemKind, string | true>>,
): Readonly<Record<string, Reference>> {
  const all = { ...everywhere, ...told }
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

const everywhere = {
  'malformed-request': true,
  unauthenticated: true,
  forbidden: true,
  misdirected: true,
  'too-many-requests': true,
  internal: true,
  unavailable: true,
} as const

/** @see RFC 9457; docs/contract.md#problems */
export const problemSchemas: Readonly<Record<string, Schema>> = {
  Problem: closedObject(
    {
      type: {
        const: 'about:blank',
        description: 'Always this: the status says which kind of problem it is.',
      },
      title: { type: 'string', description: 'Name of the status.' },
      status: { type: 'integer', enum: statuses },
      detail: { type: 'string', minLength: 1, description: 'What is wrong, where, and what to do.' },
      instance: { type: 'string', description: 'Path of the request.' },
      change: {
        type: 'integer',
        minimum: 0,
        description: 'Of a change set: the change it is about, counted from 0.',
      },
      findings: listOf(schemaRef('Finding'), { description: 'Everything found wrong, with its place.' }),
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
      line: { type: 'integer', minimum: 1, description: 'Line of the document, or of `file`.' },
      schemaPath: { type: 'string', description: 'The place in the schema that asked for it.' },
      file: {
        type: 'string',
        description: 'The file it was found in, where that is not the document itself.',
      },
    },
    ['message'],
    { description: 'One thing that is wrong in a document, a schema or a revision.' },
  ),
}
