import type { Collection } from '../../core/records/collection.js'
import { version2Examples } from '../openapi/record-v2-schemas.js'
import {
  type Content,
  type Headers,
  headerRef,
  type Response,
  type Responses,
  schemaRef,
} from '../openapi/specification-types.js'
import { listOf } from '../openapi/value-schemas.js'
import type { DescribedApiVersion } from './api-version.js'
import { storedDocument } from './request-bodies.js'
import type { ToldProblems } from './route.js'

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
  }
}

export function listProblems(kind: Collection): ToldProblems {
  return {
    'page-out-of-range': true,
    'not-found':
      kind === 'metadata'
        ? 'There is no record with the `id`, or no point of history `at`.'
        : 'There is no point of history `at`.',
  }
}

function recordContent(api: DescribedApiVersion, kind: Collection, types: readonly string[]): Content {
  const { shown, shownExample } = api.records[kind]
  const media = { schema: schemaRef(shown), examples: { record: { value: shownExample } } }
  return Object.fromEntries(types.map(type => [type, media]))
}

function documentName(kind: Collection): string {
  return kind === 'schema' ? 'the schema' : 'the document'
}

function indexTypesOf(api: DescribedApiVersion, kind: Collection): readonly string[] {
  return kind === 'metadata' ? api.wire.indexTypes : []
}

/** What `Accept` asks for of one record or its document. */
export function itemDescription(api: DescribedApiVersion, kind: Collection): string {
  const types = api.wire.recordTypes[kind]
  const further = [
    ...api.wire.contentTypes.map(type => `\`${type}\` what is to be said about its bytes, `),
    ...indexTypesOf(api, kind).map(type => `\`${type}\` (for services only) the record with its document, `),
  ]
  return (
    `\`Accept\` decides what is answered: ${types.map(type => `\`${type}\``).join(' or ')} the record, \`text/html\` the way ` +
    `to a page for people, ${further.join('')}anything else ${documentName(kind)} itself, byte for byte as it was uploaded and with its true content type.`
  )
}

/** One record or its document. */
export function itemResponses(api: DescribedApiVersion, kind: Collection): Responses {
  const { contentTypes, locatesDocuments, recordTypes } = api.wire
  return {
    200: {
      description: `The record, or ${documentName(kind)}.`,
      headers: {
        ETag: headerRef('ETag'),
        Link: headerRef('ItemLinks'),
        ...(locatesDocuments ? { Location: headerRef('Document') } : {}),
      },
      content: {
        ...recordContent(api, kind, recordTypes[kind]),
        ...Object.fromEntries(contentTypes.map(type => [type, contentInformation])),
        ...Object.fromEntries(
          indexTypesOf(api, kind).map(type => [type, { schema: schemaRef('IndexEntry') }]),
        ),
        ...storedDocument,
      },
    },
    302: {
      description: 'For `text/html`: the way to the page. It says itself whether there is such a record.',
      headers: { Location: headerRef('LandingPage') },
    },
    304: { ...unchanged, headers: { ...unchanged.headers, Link: headerRef('ItemLinks') } },
  }
}

export function itemProblems(api: DescribedApiVersion, kind: Collection): ToldProblems {
  return {
    'not-found':
      'There is no such record or version, or was none at the point `at`; or it is REVOKED and the caller may not see it.',
    'not-acceptable': api.wire.strictAcceptKinds.includes(kind)
      ? `\`Accept\` names nothing of this, and no type ${documentName(kind)} can have.`
      : '`Accept` names only types that other resources are answered as.',
  }
}

const contentInformation = {
  schema: schemaRef('ContentInformation'),
  examples: { content: { value: version2Examples.content } },
}

/** The record after a change. */
export function changeResponses(api: DescribedApiVersion, kind: Collection, status: 200 | 201): Responses {
  return {
    [status]: {
      description: status === 201 ? 'The record that was made.' : 'The record as it is now.',
      headers: { ETag: headerRef('ETag'), Location: headerRef('Location') },
      content: recordContent(api, kind, ['application/json']),
    },
  }
}

export function changeProblems(status: 200 | 201, more: ToldProblems): ToldProblems {
  return {
    'not-acceptable': '`Accept` excludes every JSON type.',
    'too-large': true,
    'unsupported-media-type': true,
    'no-space': true,
    ...(status === 200 && { 'not-found': true, 'precondition-failed': true, 'precondition-required': true }),
    ...more,
  }
}

/** A step of the two that remove a record. */
export const removalResponses: Responses = { 204: { description: 'The step was done.' } }

export function removalProblems(more: ToldProblems): ToldProblems {
  return {
    'not-found': 'There is no such record, or it is GONE already.',
    'precondition-failed': true,
    'precondition-required': true,
    'no-space': true,
    ...more,
  }
}

/** To the address of a page. */
export const redirect: Response = {
  description: 'The page is at another address.',
  headers: { Location: headerRef('Elsewhere') },
  content: { 'text/html': { schema: {} }, 'text/plain': { schema: {} } },
}
