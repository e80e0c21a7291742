import type { Schema } from '../../http/openapi/specification-types.js'
import { closedObject } from '../../http/openapi/value-schemas.js'

const whole: Schema = { type: 'integer', minimum: 0 }

/** The shapes of Elasticsearch's answers, limited to the parts that this service supports. */
export const elasticsearchSchemas: Readonly<Record<string, Schema>> = {
  ElasticsearchAnswer: closedObject(
    {
      took: { ...whole, description: 'Milliseconds.' },
      timed_out: {
        type: 'boolean',
        description: 'True: an aggregation was not counted, because too many records match.',
      },
      _shards: closedObject({ total: whole, successful: whole, skipped: whole, failed: whole }),
      hits: closedObject(
        {
          total: closedObject(
            { value: whole, relation: { type: 'string', enum: ['eq', 'gte'] } },
            ['value', 'relation'],
            { description: 'Absent with `"track_total_hits": false`.' },
          ),
          max_score: { type: ['number', 'null'] },
          hits: {
            type: 'array',
            items: closedObject(
              {
                _index: {
                  type: 'string',
                  pattern: '^metastore-',
                  description: '`metastore-` and the id of the schema.',
                },
                _id: { type: 'string', format: 'uri', description: 'Address of the record, in version 2.' },
                _score: { type: ['number', 'null'] },
                _source: {
                  type: 'object',
                  description: 'The parts of the index entry that `_source` of the request selects.',
                },
                highlight: {
                  type: 'object',
                  additionalProperties: { type: 'array', items: { type: 'string' } },
                  description:
                    'Passages with `<em>` around each hit. Everything else in them is escaped for HTML.',
                },
              },
              ['_index', '_id', '_score'],
            ),
          },
        },
        ['max_score', 'hits'],
      ),
      aggregations: { type: 'object', additionalProperties: { type: 'object' } },
      suggest: { type: 'object', additionalProperties: { type: 'array' } },
    },
    ['took', 'timed_out', '_shards', 'hits'],
    { description: 'An answer in the shape of Elasticsearch.' },
  ),
  ElasticsearchError: closedObject(
    {
      error: closedObject({
        root_cause: {
          type: 'array',
          items: closedObject({ type: { type: 'string' }, reason: { type: 'string', minLength: 1 } }),
        },
        type: { type: 'string', description: 'Name of an exception of Elasticsearch.' },
        reason: { type: 'string', minLength: 1, description: 'What is wrong, where, and what to do.' },
      }),
      status: { type: 'integer' },
    },
    ['error', 'status'],
    { description: 'A problem in the shape of Elasticsearch.' },
  ),
}

export const exampleOfSearch = {
  query: { match: { 'metadataRecord.titles.value': 'steel' } },
  size: 10,
  _source: ['metadataRecord.titles', 'pid'],
  highlight: { fields: { 'metadataRecord.titles.value': {} } },
  aggs: { schemas: { terms: { field: 'schema' } } },
}

export const exampleOfAnswer = {
  took: 3,
  timed_out: false,
  _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
  hits: {
    total: { value: 1, relation: 'eq' },
    max_score: 7.13,
    hits: [
      {
        _index: 'metastore-measurement',
        _id: 'http://localhost:8040/api/v2/metadata/overview-7',
        _score: 7.13,
        _source: { metadataRecord: { titles: [{ value: 'Steel rod 7' }] } },
        highlight: { 'metadataRecord.titles.value': ['<em>Steel</em> rod 7'] },
      },
    ],
  },
  aggregations: {
    schemas: {
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 0,
      buckets: [{ key: 'measurement', doc_count: 1 }],
    },
  },
}
