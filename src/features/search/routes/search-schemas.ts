import { collections } from '../../../core/records/collection.js'
import { type Header, type Schema, schemaRef } from '../../../http/openapi/specification-types.js'
import { closedObject, listOf } from '../../../http/openapi/value-schemas.js'
import type { DescribedApiVersion } from '../../../http/route-declaration/api-version.js'

/*
 * The OpenAPI description of the answers of a search.
 */

export const searchMediaType = 'application/vnd.datamanager.search+json'
/**
 * The media type of suggestions for the search box of a browser (OpenSearch).
 * @see https://github.com/dewitt/opensearch/blob/master/mediawiki/Specifications/OpenSearch/Extensions/Suggestions
 */
export const suggestionsMediaType = 'application/x-suggestions+json'

/** The name of the answer's component in a version of the interface. */
export function answerSchemaName({ recordFormat: { version } }: DescribedApiVersion): string {
  return `SearchAnswerV${version}`
}

/** The schemas of the answers, by the names of their components. */
export function searchSchemas(api: DescribedApiVersion): Readonly<Record<string, Schema>> {
  return {
    [answerSchemaName(api)]: answerSchema(api),
    [hitSchemaName(api)]: hitSchema(api),
    ListedDescription: listedDescriptionSchema,
    HighlightedPassage: passageSchema,
    Facets: facetsSchema,
    Suggestions: suggestionsSchema,
    SearchProgress: progressSchema,
  }
}

function hitSchemaName({ recordFormat: { version } }: DescribedApiVersion): string {
  return `SearchHitV${version}`
}

const count = { type: 'integer', minimum: 0 } as const

function answerSchema(api: DescribedApiVersion): Schema {
  return closedObject(
    {
      total: { ...count, description: 'Records that match and that the caller may read.' },
      totalIs: {
        const: 'atLeast',
        description: 'Present: `total` is a lower bound. Absent: it is exact.',
      },
      commit: {
        ...schemaRef('Commit'),
        description:
          'The commit that the answer reflects; absent while nothing is indexed, and for callers who do not see everything while the index is behind what they see.',
      },
      upToDate: {
        type: 'boolean',
        description: 'Whether `commit` is the newest commit of the served branch.',
      },
      lag: {
        ...count,
        description:
          'Revisions of records that the index does not have yet. Only for callers who see everything, and without `at`.',
      },
      engine: { type: 'string', description: 'What answered: `embedded`, or the kind of the cluster.' },
      ranked: {
        const: 'newest',
        description: 'Present: so many records match that only the newest of them are ordered by score.',
      },
      facetsAre: {
        const: 'atLeast',
        description:
          'Present: so many records match that `facets` count only the newest of them: each count is a lower bound. Absent: counts are exact.',
      },
      items: listOf(schemaRef(hitSchemaName(api)), {
        description: 'One page, in the requested order.',
      }),
      facets: {
        ...schemaRef('Facets'),
        description: 'By the requested names. Absent: the request names no facet.',
      },
      notes: listOf(
        { type: 'string', minLength: 1 },
        { description: 'Parts of the query that may mean something else than the caller expects.' },
      ),
    },
    ['total', 'upToDate', 'engine', 'items', 'notes'],
    { description: 'A page of the records that a search found.' },
  )
}

function hitSchema({ records: { schema, metadata } }: DescribedApiVersion): Schema {
  const records = [...new Set([metadata.responseSchema, schema.responseSchema])].map(schemaRef)
  return closedObject(
    {
      kind: { type: 'string', enum: collections },
      score: {
        type: 'number',
        description: 'Only if the order is by score. It has no meaning beyond the order.',
      },
      title: {
        type: 'string',
        minLength: 1,
        description: 'With `titles=true`: the title of the document. Absent if the record has a title.',
      },
      record: { anyOf: records },
      description: {
        ...schemaRef('ListedDescription'),
        description: 'With `descriptions=true`, if the document says something about itself.',
      },
      highlight: {
        type: 'object',
        additionalProperties: listOf(schemaRef('HighlightedPassage'), { minItems: 1 }),
        description: 'Passages around the matching words, by field. Absent if there is none.',
      },
    },
    ['kind', 'record'],
  )
}

const text = { type: 'string', minLength: 1 } as const

const listedDescriptionSchema = closedObject(
  {
    people: listOf(text, { minItems: 1, maxItems: 3, description: 'The first people who made it.' }),
    hasMorePeople: { const: true, description: 'Present: more people than `people` have made it.' },
    year: { ...text, description: 'The year in which it was published.' },
    licence: { ...text, description: 'The short name of the licence, or its address.' },
    text: { ...text, description: 'The beginning of the first description.' },
    keywords: listOf(text, { minItems: 1, maxItems: 5, description: 'The first keywords.' }),
  },
  [],
  {
    description:
      'What lists show of a record and its document, whose values come after those of the record. They are text, never ' +
      'markup. One of more than 100 characters, or 200 of `text`, is cut and ends with `…`.',
  },
)

const passageSchema: Schema = {
  anyOf: [
    {
      type: 'string',
      description: 'HTML: matching words are in `<em>`, everything else is escaped.',
      examples: ['<em>Steel</em> rod 7'],
    },
    closedObject(
      {
        text: { type: 'string' },
        hits: listOf(closedObject({ start: count, end: { type: 'integer', minimum: 1 } }, ['start', 'end']), {
          description: 'In UTF-16 units of `text`, in order; `end` is not included.',
        }),
      },
      ['text', 'hits'],
      { description: 'For `highlight=positions`.' },
    ),
  ],
}

const facetsSchema: Schema = {
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
      listOf(closedObject({ value: { type: 'string' }, count }, ['value', 'count'])),
      closedObject({ tooMany: { const: true } }, ['tooMany'], {
        description: 'To count the values of the matching records takes too long.',
      }),
    ],
  },
}

const suggestionsSchema: Schema = {
  type: 'array',
  prefixItems: [
    { type: 'string', description: 'The beginning from the request.' },
    listOf(
      { type: 'string' },
      { maxItems: 8, description: 'Titles of records with a word that begins with it.' },
    ),
  ],
  items: false,
  minItems: 2,
}

const progressSchema = closedObject(
  {
    commit: { ...schemaRef('Commit'), description: 'The commit that searches reflect.' },
    upToDate: { type: 'boolean', description: 'Whether that is the head of the branch.' },
    lag: { type: 'integer', minimum: 0, description: 'Number of revisions that searches do not find yet.' },
    lagCommits: {
      type: 'integer',
      minimum: 0,
      description: 'Number of commits that searches do not reflect yet.',
    },
    lagSeconds: {
      type: 'integer',
      minimum: 0,
      description: 'Seconds since the oldest revision was stored that searches do not find yet.',
    },
    isMissing: { type: 'boolean', description: 'There is no complete index yet, and searches are 503.' },
    again: listOf(
      closedObject(
        {
          schema: { type: 'string', description: 'The id of the schema.' },
          done: { ...count, description: 'Number of its documents that are done.' },
          total: { ...count, description: 'Number of its documents; 0 before the first of them is done.' },
        },
        ['schema', 'done', 'total'],
      ),
      {
        description:
          'Schemas that declare other fields or have another crosswalk. Their documents are indexed again, one schema ' +
          'after another.',
      },
    ),
    isPaused: {
      const: true,
      description: 'A command has paused the connector to a cluster, which therefore gets no revisions.',
    },
    lastError: {
      type: 'string',
      description: 'Why the index or the cluster cannot be brought up to date.',
    },
  },
  ['upToDate', 'lag', 'lagCommits', 'lagSeconds', 'isMissing'],
  {
    description:
      'How far the search is. It does not affect `status`. Only callers who may read everything get it.',
  },
)

/** The member of `/health`. @see SearchProgress */
export const healthMembers = { search: schemaRef('SearchProgress') }

/** The header `Content-Range` of a search: as that of a list, but the total may be a lower bound. */
export const rangeOfHits: Header = {
  description:
    'The part of the results in the answer: `<first>-<last>/<total>`, counted from 0. `*` replaces a total that is only ' +
    'a lower bound, and the range if the search found nothing.',
  required: true,
  schema: { type: 'string', pattern: '^(\\d+-\\d+|\\*)/(\\d+|\\*)$' },
  example: '0-19/73',
}

export const linksOfHits: Header = {
  description:
    'Addresses of other pages (RFC 8288): `first`, `prev`, `next`, if they exist. `next` contains the end of this page, ' +
    'so that no record is repeated when records come and go in between.',
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
    lag: 0,
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
