import { type Header, type Schema, schemaRef } from '../../openapi/specification-types.js'
import { closedObject, listOf } from '../../openapi/value-schemas.js'
import type { DescribedApiVersion } from '../../route/api-version.js'

/*
 * The answers of a search, as they are described.
 */

export const searchMediaType = 'application/vnd.datamanager.search+json'
/** @see https://github.com/dewitt/opensearch/blob/master/mediawiki/Specifications/OpenSearch/Extensions/Suggestions */
export const suggestionsMediaType = 'application/x-suggestions+json'

/** Name of the component of the answer in a version of the interface. */
export function answerSchemaName({ version }: DescribedApiVersion): string {
  return `SearchAnswerV${version}`
}

export function searchSchemas(api: DescribedApiVersion): Readonly<Record<string, Schema>> {
  const { schema, metadata } = api.records
  const records = [...new Set([metadata.responseSchema, schema.responseSchema])].map(schemaRef)
  const count = { type: 'integer', minimum: 0 }
  return {
    [answerSchemaName(api)]: closedObject(
      {
        total: { ...count, description: 'Records that match and that the caller may read.' },
        totalIs: {
          const: 'atLeast',
          description: 'There: `total` is a lower bound. Absent: it is exact.',
        },
        commit: {
          ...schemaRef('Commit'),
          description: 'The commit that the answer reflects; absent while nothing is indexed.',
        },
        upToDate: {
          type: 'boolean',
          description: 'Whether `commit` is the newest commit of the served branch.',
        },
        engine: { type: 'string', description: 'What has answered: `embedded`, or the kind of the cluster.' },
        ranked: {
          const: 'newest',
          description: 'There: so many records match that only the newest of them are ordered by score.',
        },
        items: listOf(schemaRef(`SearchHitV${api.version}`), {
          description: 'One page, in the order asked for.',
        }),
        facets: {
          ...schemaRef('Facets'),
          description: 'By the names that were asked for. Absent: none was asked for.',
        },
        notes: listOf(
          { type: 'string', minLength: 1 },
          { description: 'What of the query was understood in another way than it may have been meant.' },
        ),
      },
      ['total', 'upToDate', 'engine', 'items', 'notes'],
      { description: 'A page of what a search has found.' },
    ),
    [`SearchHitV${api.version}`]: closedObject(
      {
        kind: { type: 'string', enum: ['schema', 'metadata'] },
        score: {
          type: 'number',
          description: 'Only where the order is by score. Of no meaning beyond the order.',
        },
        record: { anyOf: records },
        highlight: {
          type: 'object',
          additionalProperties: listOf(schemaRef('HighlightedPassage'), { minItems: 1 }),
          description: 'Passages around what was found, by field. Absent where none is shown.',
        },
      },
      ['kind', 'record'],
    ),
    HighlightedPassage: {
      anyOf: [
        {
          type: 'string',
          description: 'HTML: what was found is in `<em>`, everything else is escaped.',
          examples: ['<em>Steel</em> rod 7'],
        },
        closedObject(
          {
            text: { type: 'string' },
            hits: listOf(
              closedObject({ start: count, end: { type: 'integer', minimum: 1 } }, ['start', 'end']),
              { description: 'In UTF-16 units of `text`, in order; `end` is not included.' },
            ),
          },
          ['text', 'hits'],
          { description: 'For `highlight=positions`.' },
        ),
      ],
    },
    Facets: {
      type: 'object',
      properties: {
        more: {
          type: 'object',
          additionalProperties: { type: 'integer', minimum: 1 },
          description: 'By facet: records with values that are not listed.',
        },
      },
      additionalProperties: {
        anyOf: [
          listOf(
            closedObject({ value: { type: 'string' }, count: { type: 'integer', minimum: 0 } }, [
              'value',
              'count',
            ]),
          ),
          closedObject({ tooMany: { const: true } }, ['tooMany'], {
            description: 'So many records match that the values are not counted.',
          }),
        ],
      },
    },
    Suggestions: {
      type: 'array',
      prefixItems: [
        { type: 'string', description: 'The beginning that was asked for.' },
        listOf(
          { type: 'string' },
          { maxItems: 8, description: 'Titles of records with a word that begins so.' },
        ),
      ],
      items: false,
      minItems: 2,
    },
  }
}

/** As of a list, but where not all is counted. */
export const rangeOfHits: Header = {
  description:
    'The part of the results that was answered: `<first>-<last>/<total>`, counted from 0; `*` in place of a total that ' +
    'is only a lower bound, and in place of the range where nothing was found.',
  required: true,
  schema: { type: 'string', pattern: '^(\\d+-\\d+|\\*)/(\\d+|\\*)$' },
  example: '0-19/73',
}

export const linksOfHits: Header = {
  description:
    'Addresses of other pages (RFC 8288): `first`, `prev`, `next`, as far as there are. `next` tells where the page begins, ' +
    'so that nothing is repeated where records come and go meanwhile.',
  schema: {
    type: 'string',
    pattern: '^<[^>]+>; rel="(first|prev|next)"(, <[^>]+>; rel="(first|prev|next)")*$',
  },
  example: '<http://localhost:8040/api/v1/search?q=steel&page=1&size=20&after=eyJzIjo>; rel="next"',
}

export function exampleAnswer({ records }: DescribedApiVersion): object {
  return {
    total: 73,
    commit: '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a',
    upToDate: true,
    engine: 'embedded',
    items: [
      {
        kind: 'metadata',
        score: 7.13,
        record: records.metadata.responseExample,
        highlight: { title: ['<em>Steel</em> rod 7'] },
      },
    ],
    facets: {
      schema: [{ value: 'measurement', count: 41 }],
      year: [{ value: '2024', count: 20 }],
      more: { year: 12 },
    },
    notes: [],
  }
}
