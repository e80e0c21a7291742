// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import { compileSearch } from '../../../src/features/elasticsearch-api/answers/compile-search.js'
import type { SearchCondition } from '../../../src/features/search/search-condition.js'
import type { FacetResult } from '../../../src/features/search/search-engine.js'
import { version2Schemas } from '../../../src/http/record-formats/v2/version-2-members.js'

const all: SearchCondition = { type: 'all' }
const compile = (body: unknown) => compileSearch(body, all, { page: 0, size: 20 })
const conditionOf = (query: unknown) => compile({ query }).request.condition

const title = 'metadataRecord.titles.value'
const inTitle = (weight = 1) => ({ fields: [{ field: 'title', weight }] })
const word = (text: string, where: object = {}): SearchCondition => ({
  type: 'text',
  text,
  match: 'words',
  ...where,
})
const equals = (field: string, ...values: readonly string[]): SearchCondition => ({
  type: 'equals',
  field,
  values,
})

describe('A query of the Elasticsearch query language', () => {
  const cases: Readonly<Record<string, readonly (readonly [query: unknown, condition: SearchCondition])[]>> =
    {
      match_all: [[{ match_all: {} }, all]],
      match: [
        [{ match: { [title]: 'steel' } }, word('steel', inTitle())],
        [{ match: { [title]: { query: 'steel rod', operator: 'and' } } }, word('steel rod', inTitle())],
        [
          { match: { [title]: 'steel rod' } },
          { type: 'or', conditions: [word('steel', inTitle()), word('rod', inTitle())] },
        ],
        [{ match: { 'metadataDocument.a.b.keyword': 'SEM' } }, equals('document.a.b', 'SEM')],
        [
          { match: { metadataDocument: 'steel' } },
          word('steel', { fields: [{ field: 'document', weight: 1 }] }),
        ],
      ],
      multi_match: [
        [
          {
            multi_match: {
              query: 'steel rod',
              fields: [`${title}^2`, 'pid^NaN'],
              type: 'best_fields',
              operator: 'and',
            },
          },
          word('steel rod', {
            fields: [
              { field: 'title', weight: 2 },
              { field: 'pid', weight: 1 },
            ],
          }),
        ],
        [
          { multi_match: { query: 'steel rod', fields: [title], type: 'phrase' } },
          { type: 'text', text: 'steel rod', match: 'phrase', ...inTitle() },
        ],
        [
          { multi_match: { query: 'ste', fields: [`${title}^undefined`], type: 'bool_prefix' } },
          { type: 'text', text: 'ste', match: 'prefix', ...inTitle() },
        ],
        [
          { multi_match: { query: 'ste', fields: [title, 'lastUpdate'], type: 'phrase_prefix' } },
          { type: 'text', text: 'ste', match: 'prefix', ...inTitle() },
        ],
        [{ multi_match: { query: 'steel' } }, word('steel')],
      ],
      term: [
        [{ term: { 'metadataDocument.type.keyword': 'SEM' } }, equals('document.type', 'SEM')],
        [{ term: { 'metadataRecord.publicationYear': { value: 2024 } } }, equals('year', '2024')],
        [
          { term: { lastUpdate: 0 } },
          {
            type: 'range',
            field: 'updated',
            range: {
              from: { value: '1970-01-01T00:00:00Z', inclusive: true },
              until: { value: '1970-01-01T00:00:00Z', inclusive: true },
            },
          },
        ],
      ],
      terms: [[{ terms: { pid: ['a', 'b'] } }, equals('pid', 'a', 'b')]],
      ids: [
        [
          { ids: { values: ['http://metastore.test/api/v2/metadata/one', 'two'] } },
          equals('id', 'one', 'two'),
        ],
      ],
      range: [
        [
          { range: { 'metadataRecord.publicationYear': { gte: 2000, lt: 2010 } } },
          {
            type: 'range',
            field: 'year',
            range: { from: { value: '2000', inclusive: true }, until: { value: '2010', inclusive: false } },
          },
        ],
      ],
      exists: [[{ exists: { field: 'pid' } }, { type: 'exists', field: 'pid' }]],
      prefix: [
        [{ prefix: { [title]: 'ste' } }, { type: 'text', text: 'ste', match: 'prefix', ...inTitle() }],
      ],
      query_string: [
        [
          { query_string: { query: 'steel -draft', fields: [title] } },
          {
            type: 'and',
            conditions: [word('steel', inTitle()), { type: 'not', condition: word('draft', inTitle()) }],
          },
        ],
        [
          { simple_query_string: { query: 'metadataDocument.type:SEM' } },
          word('SEM', { fields: [{ field: 'document.type', weight: 1 }] }),
        ],
      ],
      bool: [
        [{ bool: { must: [] } }, all],
        [{ bool: { filter: { term: { pid: 'a' } }, should: { term: { pid: 'b' } } } }, equals('pid', 'a')],
        [
          { bool: { should: [{ term: { pid: 'a' } }, { term: { pid: 'b' } }] } },
          { type: 'or', conditions: [equals('pid', 'a'), equals('pid', 'b')] },
        ],
        [{ bool: { must_not: [{ term: { pid: 'a' } }] } }, { type: 'not', condition: equals('pid', 'a') }],
      ],
    }
  for (const [name, list] of Object.entries(cases)) {
    for (const [query, condition] of list) {
      it(`${name}: ${JSON.stringify(query)}`, () => {
        expect(conditionOf(query)).to.deep.equal(condition)
      })
    }
  }

  describe('that names a member of the record without a field of its own', () => {
    const inRecord = { fields: [{ field: 'record', weight: 1 }] }
    const phrase = { type: 'text', text: 'TIFF 6', match: 'phrase', ...inRecord }
    const none = { type: 'not', condition: all }

    it('accepts every member of a record', () => {
      const schema = version2Schemas.Record as { readonly properties: object }
      const members = Object.keys(schema.properties).filter(member => member !== 'acls')
      expect(members).to.include.members(['contributors', 'dates', 'version'])
      for (const member of members)
        conditionOf({ multi_match: { query: 'x', fields: [title, `metadataRecord.${member}`] } })
    })

    it('finds its words in the record', () => {
      for (const name of [
        'contributors.user.familyName',
        'contributors',
        'formats',
        'creators.affiliations',
        'alternateIdentifiers.value',
        'fundingReferences.funderName',
        'geoLocations.place',
        'resourceType.value',
      ])
        expect(conditionOf({ match: { [`metadataRecord.${name}`]: 'TIFF' } }), name).to.deep.equal(
          word('TIFF', inRecord),
        )
      for (const query of [
        { term: { 'metadataRecord.formats.keyword': 'TIFF 6' } },
        { terms: { 'metadataRecord.formats': ['TIFF 6'] } },
        { match: { 'metadataRecord.formats.keyword': 'TIFF 6' } },
      ])
        expect(conditionOf(query), JSON.stringify(query)).to.deep.equal(phrase)
      expect(conditionOf({ term: { 'metadataRecord.formats': '–' } })).to.deep.equal(none)
      expect(conditionOf({ query_string: { query: 'metadataRecord.formats:TIFF' } })).to.deep.equal(
        word('TIFF', inRecord),
      )
      expect(conditionOf({ prefix: { 'metadataRecord.formats': 'TI' } })).to.deep.equal({
        type: 'text',
        text: 'TI',
        match: 'prefix',
        ...inRecord,
      })
    })

    it('finds nothing if the words of the member are not in the index', () => {
      for (const name of ['dates.value', 'version', 'titles.titleType', 'subjects.lang.keyword']) {
        expect(conditionOf({ match: { [`metadataRecord.${name}`]: '2024' } }), name).to.deep.equal(none)
        const fields = [`metadataRecord.${name}`, title]
        expect(conditionOf({ multi_match: { query: '2024', fields } })).to.deep.equal(word('2024', inTitle()))
      }
    })

    it('is refused if it needs the values of the member', () => {
      const field = 'metadataRecord.formats'
      for (const body of [
        { query: { exists: { field } } },
        { query: { range: { [field]: { gte: 1 } } } },
        { query: { term: { 'metadataRecord.version': 1 } } },
        { query: { query_string: { query: `${field}:*` } } },
        { sort: [{ [field]: 'asc' }] },
        { aggs: { a: { terms: { field } } } },
      ])
        expect(() => compile(body), JSON.stringify(body))
          .to.throw(ProblemError, 'has none in the index')
          .with.property('kind', 'malformed-request')
    })
  })

  const refused: readonly (readonly [body: unknown, reason: string])[] = [
    [{ query: { script: { source: '1' } } }, 'unknown query [script]'],
    [{ query: { more_like_this: {} } }, 'unknown query [more_like_this]'],
    [
      { query: { terms: { pid: { index: 'users', id: '2', path: 'x' } } } },
      '[pid] of [terms] query must be a list',
    ],
    [
      { query: { match: { [title]: { query: 'x', analyzer: 'y' } } } },
      '[match] query does not support [analyzer]',
    ],
    [{ query: { match: { read: 'anna' } } }, 'unknown field [read]'],
    [{ query: { match: { 'metadataRecord.acls.sid': 'anna' } } }, 'unknown field [metadataRecord.acls.sid]'],
    [{ query: { range: { lastUpdate: { gte: 'now-1d' } } } }, 'failed to parse date field [now-1d]'],
    [{ query: {} }, 'a query is empty'],
    [{ query: [] }, 'a query must be a JSON object'],
    [{ script_fields: {} }, 'the request body does not support [script_fields]'],
    [{ runtime_mappings: {} }, 'the request body does not support [runtime_mappings]'],
    [{ profile: true }, 'the request body does not support [profile]'],
    [{ from: 9_999, size: 2 }, 'Result window is too large'],
    [{ size: 2001 }, '[size] must be a whole number from 0 to 2000'],
    [
      { aggs: { a: { significant_terms: { field: 'pid' } } } },
      'unknown aggregation type [significant_terms]',
    ],
    [
      { aggs: { a: { terms: { field: 'pid', script: 'x' } } } },
      '[terms] aggregation does not support [script]',
    ],
    [{ aggs: { a: { terms: { field: '*' } } } }, '[terms] aggregation needs one field'],
    [
      { aggs: { a: { terms: { field: 'pid' }, aggs: { b: { terms: { field: 'id' } } } } } },
      'only [filter] aggregations take others',
    ],
    [
      { suggest: { s: { prefix: 'x', completion: { field: 'metadataDocument.secret' } } } },
      'needs a field with titles',
    ],
    [{ suggest: { s: { text: 'x', term: { field: 'pid' } } } }, 'does not support [term]'],
    [
      { sort: [{ pid: { missing: '_first' } }] },
      '[missing] of [sort] by [pid] must be [_last], not [_first]',
    ],
    [{ sort: [{ pid: { missing: 0 } }] }, '[missing] of [sort] by [pid] must be [_last], not [0]'],
    [{ sort: [{ pid: { mode: 'avg' } }] }, '[mode] of [sort] by [pid] must be [min], not [avg]'],
    [
      { sort: [{ pid: { order: 'desc', mode: 'min' } }] },
      '[mode] of [sort] by [pid] must be [max], not [min]',
    ],
    [
      { query: { range: { created: { gte: '01/02/2024', format: 'dd/MM/yyyy' } } } },
      '[format] of [range] query must be',
    ],
    [
      { aggs: { r: { range: { field: 'year', ranges: [{ to: 1 }], format: '0.00' } } } },
      '[format] of [range] aggregation must be',
    ],
    [
      { aggs: { r: { date_range: { field: 'created', ranges: [{ to: 1 }], format: 'MM-yyyy' } } } },
      '[format] of [date_range] aggregation must be',
    ],
    [
      { aggs: { m: { min: { field: 'created', format: 'yyyy-MM-dd' } } } },
      '[format] of [min] aggregation must be [strict_date_optional_time] or [date_optional_time], not [yyyy-MM-dd]',
    ],
    [
      { aggs: { m: { max: { field: 'metadataRecord.id' } } } },
      '[max] aggregation needs a field with numbers or times, not [metadataRecord.id]',
    ],
    [
      { aggs: { y: { date_histogram: { field: 'created', interval: 'year', format: 'yyyy' } } } },
      '[format] of [date_histogram] aggregation must be [strict_date_optional_time] or [date_optional_time], not [yyyy]',
    ],
    [
      { highlight: { fields: { pid: {} }, require_field_match: false } },
      '[require_field_match] of [highlight] must be [true], not [false]',
    ],
    [
      { highlight: { fields: { pid: { require_field_match: 'false' } } } },
      '[require_field_match] of [highlight] must be [true], not [false]',
    ],
  ]
  it('may have options that only confirm the default', () => {
    for (const body of [
      { sort: [{ pid: { missing: '_last', mode: 'min' } }, { id: { order: 'DESC', mode: 'max' } }] },
      { sort: [{ pid: { missing: null, mode: null } }, { _score: { order: 'desc' } }] },
      {
        aggs: {
          y: { date_histogram: { field: 'created', interval: 'year', format: 'strict_date_optional_time' } },
        },
      },
      { highlight: { fields: { pid: { require_field_match: true } }, require_field_match: 'true' } },
    ])
      compile(body)
  })

  it('accepts formats that the server uses anyway', () => {
    const format = 'strict_date_optional_time||epoch_millis'
    const ranges = [{ from: '2024' }]
    for (const body of [
      { query: { range: { created: { gte: '2024-01-02', format } } } },
      { query: { range: { created: { gte: '2024-01-02', format: 'yyyy-MM-dd' } } } },
      { aggs: { a: { date_range: { field: 'created', ranges, format: 'yyyy' } } } },
      { aggs: { a: { max: { field: 'created', format: 'strict_date_optional_time' } } } },
    ])
      compile(body)
  })

  it('limits the length of names and tags of highlights', () => {
    const long = 'x'.repeat(501)
    for (const [highlight, reason] of [
      [{ fields: { [`metadataDocument.${long}`]: {} } }, 'more than 500 characters'],
      [{ fields: { 'metadataDocument.*a*b*c*d*': {} } }, '4 asterisks'],
      [{ fields: {}, pre_tags: [long] }, 'a tag of [highlight] has more than 200 characters'],
      [{ fields: { id: { pre_tags: [long] } } }, 'a tag of [highlight] has more than 200 characters'],
    ] as const)
      expect(() => compile({ highlight })).to.throw(ProblemError, reason)
  })

  for (const [body, reason] of refused) {
    it(`is refused by name: ${JSON.stringify(body)}`, () => {
      expect(() => compile(body))
        .to.throw(ProblemError, reason)
        .with.property('kind', 'malformed-request')
    })
  }

  it('has at most 1024 queries', () => {
    const should = Array.from({ length: 1024 }, () => ({ match_all: {} }))
    expect(() => compile({ query: { bool: { should } } })).to.throw('too_many_clauses')
  })

  it('is compiled or refused for any input', () => {
    const names = [
      'bool',
      'match',
      'multi_match',
      'term',
      'range',
      'query_string',
      'must',
      'fields',
      'query',
      title,
      'pid',
      '__proto__',
    ]
    const json = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
      ),
    }))
    fc.assert(
      fc.property(json.value, query => {
        try {
          compile({ query })
        } catch (error) {
          expect(error).to.be.instanceOf(ProblemError)
        }
      }),
    )
  })
})

describe('Pages of a search', () => {
  it('come from the body, or else from the address', () => {
    const paged = (body: object) => compileSearch(body, all, { page: 2, size: 5 }).request.window
    expect(paged({})).to.deep.equal({ offset: 10, limit: 5 })
    expect(paged({ size: 7 })).to.deep.equal({ offset: 0, limit: 7 })
    expect(paged({ from: 3 })).to.deep.equal({ offset: 3, limit: 10 })
  })
})

describe('A histogram of years', () => {
  const field = 'metadataRecord.publicationYear'
  const yearsOf = (min: string, max: string, options: object = { min_doc_count: 1 }) => {
    const { aggregations } = compile({
      aggs: { y: { date_histogram: { field, calendar_interval: 'year', ...options } } },
    })
    const [years] = aggregations
    const results = new Map<string, FacetResult>([['y', { buckets: [], more: 0, min, max }]])
    /** Counts one record in each range. @returns the number of new ranges */
    function countAll(): number {
      const further = (years?.furtherFacets(results) ?? []).filter(({ name }) => !results.has(name))
      for (const { name, counts } of further) {
        const ranges = counts.type === 'ranges' ? counts.ranges : []
        expect(ranges.length).to.be.within(1, 1000)
        results.set(name, { buckets: ranges.map(({ key }) => ({ value: key, count: 1 })), more: 0 })
      }
      return further.length
    }
    while (countAll() > 0);
    return years?.render(results)
  }

  it('has at most 1000 years', () => {
    expect(yearsOf('1025', '2024', {}))
      .to.have.property('buckets')
      .of.length(1000)
    for (const [from, until, options] of [
      ['1024', '2024', {}],
      ['1', '2024', { min_doc_count: 1 }],
      ['0', '9999', { min_doc_count: 1 }],
    ] as const)
      expect(() => yearsOf(from, until, options)).to.throw(ProblemError, 'more than 1000 buckets')
  })

  it('is refused beyond the years of four digits', () => {
    expect(yearsOf('9998', '9999')).to.have.property('buckets').of.length(2)
    for (const [from, until] of [
      ['-1', '3'],
      ['2000', '10000'],
      ['0', '1e300'],
    ] as const)
      expect(() => yearsOf(from, until)).to.throw(ProblemError, 'beyond the years 0000 to 9999')
  })
})

describe('The order of a search', () => {
  const sortOf = (sort: unknown) => compile({ sort }).request.sort
  it('is the score, fields, or both', () => {
    expect(sortOf(undefined)).to.deep.equal([{ field: 'score', order: 'desc' }])
    expect(sortOf('_score')).to.deep.equal([{ field: 'score', order: 'desc' }])
    expect(sortOf([{ lastUpdate: 'desc' }, 'pid'])).to.deep.equal([
      { field: 'updated', order: 'desc' },
      { field: 'pid', order: 'asc' },
    ])
    expect(
      sortOf({ 'metadataDocument.x.keyword': { order: 'asc', unmapped_type: 'keyword' } }),
    ).to.deep.equal([{ field: 'document.x', order: 'asc' }])
  })
})
