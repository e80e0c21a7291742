import { type Collection, contentNames } from '../../core/records/collection.js'
import { version2Examples } from '../openapi/record-examples.js'
import {
  type Content,
  contentOf,
  type Headers,
  headerRef,
  type Response,
  type Responses,
  schemaRef,
} from '../openapi/specification-types.js'
import { listOf } from '../openapi/value-schemas.js'
import { mediaTypeOf } from '../record-formats/render-json-properties.js'
import type { DescribedApiVersion } from './api-version.js'
import type { ProblemMeanings } from './route.js'

/** Headers of a response with an uploaded file. */
export const bytesHeaders: Headers = { ETag: headerRef('ETag') }

/** The response 304 to a conditional read. */
export const unchanged: Response = {
  description: 'The client has this state already: `If-None-Match` has its ETag.',
  headers: bytesHeaders,
}

/** The responses of a route that lists records. */
export function listResponses(api: DescribedApiVersion, kind: Collection): Responses {
  const { responseSchema, responseExample } = api.records[kind]
  const types = ['application/json', ...api.recordFormat.recordTypes[kind]]
  return {
    200: {
      description: 'One page of the list. Its media type is the record type in `Accept`, else JSON.',
      headers: { 'Content-Range': headerRef('ContentRange'), Link: headerRef('PageLinks') },
      content: contentOf(types, listOf(schemaRef(responseSchema)), { one: [responseExample], none: [] }),
    },
  }
}

/**
 * The problems of a route that lists records, beyond those that every request can have.
 * @param more when else the list is `not-found`
 */
export function listProblems(kind: Collection, more: string | undefined): ProblemMeanings {
  const missing =
    kind === 'metadata'
      ? 'There is no record with this `id`, or no point of history `at`'
      : 'There is no point of history `at`'
  return {
    'page-out-of-range': true,
    'not-found': more === undefined ? `${missing}.` : `${missing}; or ${more}.`,
  }
}

function recordContent(api: DescribedApiVersion, kind: Collection, types: readonly string[]): Content {
  const { responseSchema, responseExample } = api.records[kind]
  return contentOf(types, schemaRef(responseSchema), { record: responseExample })
}

/** The description of a route that reads a record: its representations. */
export function itemDescription(api: DescribedApiVersion, kind: Collection): string {
  const { contentTypes, indexTypes, recordTypes } = api.recordFormat
  const lines = [
    `${recordTypes[kind].map(type => `\`${type}\``).join(' or ')}: the record`,
    '`text/html`: a redirect to the landing page',
    ...contentTypes.map(type => `\`${type}\`: information about the bytes of the ${contentNames[kind]}`),
    ...indexTypes[kind].map(type => `\`${type}\`: the record with its document; for services only`),
    `any other type: the ${contentNames[kind]}, byte for byte as it was uploaded, with its own content type`,
  ]
  return `\`Accept\` chooses the representation:\n\n${lines.map(line => `- ${line}.`).join('\n')}`
}

/** The responses of a route that reads a record or its document. */
export function itemResponses(api: DescribedApiVersion, kind: Collection): Responses {
  const { contentTypes, indexTypes, locatesDocuments, recordTypes } = api.recordFormat
  return {
    200: {
      description: `The record, or the ${contentNames[kind]}.`,
      headers: {
        ETag: headerRef('ETag'),
        Link: headerRef('ItemLinks'),
        ...(locatesDocuments ? { Location: headerRef('Document') } : {}),
      },
      content: {
        ...recordContent(api, kind, recordTypes[kind]),
        ...contentOf(contentTypes, schemaRef('ContentInformation'), { content: version2Examples.content }),
        ...contentOf(indexTypes[kind], schemaRef('IndexEntry')),
        ...storedDocument,
      },
    },
    302: {
      description: 'For `text/html`: redirects to the landing page, even if there is no such record.',
      headers: { Location: headerRef('LandingPage') },
    },
    304: { ...unchanged, headers: { ...unchanged.headers, Link: headerRef('ItemLinks') } },
  }
}

/** The problems of a route that reads a record or its document. */
export function itemProblems(api: DescribedApiVersion, kind: Collection): ProblemMeanings {
  return {
    'not-found':
      'There is no such record or version, or there was none at the point `at`; or it is REVOKED and the caller may not read it.',
    'not-acceptable': api.recordFormat.strictAcceptKinds.includes(kind)
      ? `\`Accept\` names no representation of the record, and no type that the ${contentNames[kind]} can have.`
      : '`Accept` names only types of other resources.',
  }
}

/** The response of a route that creates (201) or changes (200) a record. */
export function changeResponses(api: DescribedApiVersion, kind: Collection, status: 200 | 201): Responses {
  return {
    [status]: {
      description: status === 201 ? 'The new record.' : 'The record after the change.',
      headers: { ETag: headerRef('ETag'), Location: headerRef('Location') },
      content: recordContent(api, kind, ['application/json']),
    },
  }
}

/**
 * The problems of a route that creates (201) or changes (200) a record.
 * @param more descriptions of the problems that only this route has
 */
export function changeProblems(status: 200 | 201, more: ProblemMeanings): ProblemMeanings {
  return {
    'not-acceptable': '`Accept` excludes every JSON type.',
    'too-large': true,
    'unsupported-media-type': true,
    'no-space': true,
    ...(status === 200 && { 'not-found': true, 'precondition-failed': true, 'precondition-required': true }),
    ...more,
  }
}

/** The response to a change with `dryRun`. */
export const dryRunResponses: Responses = {
  204: { description: 'With `dryRun`: the change would be accepted. Nothing is stored.' },
}

/** The response of a DELETE. The first DELETE makes the record REVOKED, the second one GONE. */
export const removalResponses: Responses = {
  204: { description: 'The record is REVOKED, or GONE after the second DELETE.' },
}

/** The problems of a DELETE. @param more descriptions of the problems that only this route has */
export function removalProblems(more: ProblemMeanings): ProblemMeanings {
  return {
    'not-found': 'There is no such record, or it is GONE.',
    'precondition-failed': true,
    'precondition-required': true,
    'no-space': true,
    ...more,
  }
}

/** The response 302 of a page with another address. */
export const redirect: Response = {
  description: 'The page has another address.',
  headers: { Location: headerRef('Elsewhere') },
  content: { 'text/html': { schema: {} }, 'text/plain': { schema: {} } },
}

/** The content of a response with a stored document. */
export const storedDocument: Content = contentOf(Object.values(mediaTypeOf), {})

/** The content of a page. */
export const htmlPage: Content = { 'text/html': { schema: { type: 'string', pattern: '^<!DOCTYPE html>' } } }

/** Headers that a response has only if it is a page. */
export const onPagesOnly: Headers = {
  'Cache-Control': { description: 'On an HTML page.', schema: { type: 'string' } },
}
