import type { ProblemKind } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { DescribedApiVersion } from './api-version.js'
import { problemResponsesFor } from './problem-responses.js'
import { version2Examples } from './record-v2-schemas.js'
import { storedDocument } from './request-bodies.js'
import {
  type Content,
  type Headers,
  headerRef,
  type Response,
  type Responses,
  schemaRef,
} from './specification-types.js'
import { listOf } from './value-schemas.js'

/** Headers of bytes somebody uploaded. */
export const bytesHeaders: Headers = {
  ETag: headerRef('ETag'),
}

export const unchanged: Response = {
  description: 'The client has this state already, by its `If-None-Match`.',
  headers: { ETag: headerRef('ETag') },
}

/** A list of records. */
export function listResponses(api: DescribedApiVersion, kind: Collection): Responses {
  const { shown, shownExample } = api.records[kind]
  const types = ['application/json', ...api.wire.recordTypes[kind]]
  const media = {
    schema: listOf(schemaRef(shown)),
    examples: { one: { value: [shownExample] }, none: { value: [] } },
  }
  return {
    200: {
      description: 'One page of the list; a record type that `Accept` names is echoed.',
      headers: { 'Content-Range': headerRef('ContentRange'), Link: headerRef('PageLinks') },
      content: Object.fromEntries(types.map(type => [type, media])),
    },
    ...problemResponsesFor({
      'page-out-of-range': true,
      'not-found':
        kind === 'metadata'
          ? 'There is no record with the `id`, or no point of history `at`.'
          : 'There is no point of history `at`.',
    }),
  }
}

function recordContent(api: DescribedApiVersion, kind: Collection, types: readonly string[]): Content {
  const { shown, shownExample } = api.records[kind]
  const media = { schema: schemaRef(shown), examples: { record: { value: shownExample } } }
  return Object.fromEntries(types.map(type => [type, media]))
}

/** One record or its document, as `Accept` asks. */
export function itemResponses(
  api: DescribedApiVersion,
  kind: Collection,
): { readonly description: string; readonly responses: Responses } {
  const types = api.wire.recordTypes[kind]
  const what = kind === 'schema' ? 'the schema' : 'the document'
  const { contentTypes, indexTypes, locatesDocuments, strictAcceptKinds } = api.wire
  const indexed = kind === 'metadata' ? indexTypes : []
  const further = [
    ...contentTypes.map(type => `\`${type}\` what is to be said about its bytes, `),
    ...indexed.map(type => `\`${type}\` (for services only) the record with its document, `),
  ]
  const description =
    `\`Accept\` decides what is answered: ${types.map(type => `\`${type}\``).join(' or ')} the record, \`text/html\` the way ` +
    `to a page for people, ${further.join('')}anything else ${what} itself, byte for byte as it was uploaded and with its true content type.`
  return {
    description,
    responses: {
      200: {
        description: `The record, or ${what}.`,
        headers: {
          ETag: headerRef('ETag'),
          Link: headerRef('ItemLinks'),
          ...(locatesDocuments ? { Location: headerRef('Document') } : {}),
        },
        content: {
          ...recordContent(api, kind, types),
          ...Object.fromEntries(contentTypes.map(type => [type, contentInformation])),
          ...Object.fromEntries(indexed.map(type => [type, { schema: schemaRef('IndexEntry') }])),
          ...storedDocument,
        },
      },
      302: {
        description: 'For `text/html`: the way to the page. It says itself whether there is such a record.',
        headers: { Location: headerRef('LandingPage') },
      },
      304: { ...unchanged, headers: { ...unchanged.headers, Link: headerRef('ItemLinks') } },
      ...problemResponsesFor({
        'not-found':
          'There is no such record or version, or was none at the point `at`; or it is REVOKED and the caller may not see it.',
        'not-acceptable': strictAcceptKinds.includes(kind)
          ? `\`Accept\` names nothing of this, and no type ${what} can have.`
          : '`Accept` names only types that other resources are answered as.',
      }),
    },
  }
}

const contentInformation = {
  schema: schemaRef('ContentInformation'),
  examples: { content: { value: version2Examples.content } },
}

/** The record after a change. */
export function changeResponses(
  api: DescribedApiVersion,
  kind: Collection,
  status: 200 | 201,
  problems: Partial<Record<ProblemKind, string | true>>,
): Responses {
  return {
    [status]: {
      description: status === 201 ? 'The record that was made.' : 'The record as it is now.',
      headers: { ETag: headerRef('ETag'), Location: headerRef('Location') },
      content: recordContent(api, kind, ['application/json']),
    },
    ...problemResponsesFor({
      'not-acceptable': '`Accept` excludes every JSON type.',
      'too-large': true,
      'unsupported-media-type': true,
      'no-space': true,
      ...(status === 200
        ? {
            'not-found': true as const,
            'precondition-failed': true as const,
            'precondition-required': true as const,
          }
        : {}),
      ...problems,
    }),
  }
}

/** A step of the two that remove a record. */
export function removalResponses(problems: Partial<Record<ProblemKind, string>>): Responses {
  return {
    204: { description: 'The step was done.' },
    ...problemResponsesFor({
      'not-found': 'There is no such record, or it is GONE already.',
      'precondition-failed': true,
      'precondition-required': true,
      'no-space': true,
      ...problems,
    }),
  }
}

/** To the address of a page. */
export const redirect: Response = {
  description: 'The page is at another address.',
  headers: { Location: headerRef('Elsewhere') },
  content: { 'text/html': { schema: {} }, 'text/plain': { schema: {} } },
}
