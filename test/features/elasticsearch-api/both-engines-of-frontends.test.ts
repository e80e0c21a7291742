import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'
import { describeEngines } from '../../support/search/search-engines.js'

interface Sample {
  readonly titles: readonly string[]
  readonly document: object
  readonly creator?: string
}

const samples: Readonly<Record<string, Sample>> = {
  a: {
    titles: ['Steel rod 7'],
    creator: 'Müller',
    document: { text: 'Steel rod 7', day: ['0001-05-01', '1969-12-31T23:59:59.999Z', '1970'] },
  },
  b: {
    titles: ['Rod steel'],
    creator: 'Steelman',
    document: { text: 'a rod-steel alloy', day: '2024-01-02' },
  },
  c: { titles: ['Iron'], creator: 'Müller', document: { text: ['rod', 'steel'], day: '2024-06-07' } },
}

const title = 'metadataRecord.titles.value'
const creator = 'metadataRecord.creators.familyName'
const text = 'metadataDocument.text'
const day = 'metadataDocument.day'

describeEngines('The queries of frontends', ({ options }) => {
  let service: TestService

  before(async () => {
    service = await startService(options)
    const search = { fields: [{ path: 'day', as: 'date' }] }
    await service.postSchema({ schemaId: 'mat', search }, jsonSchema()).expect(201)
    for (const [id, { titles, creator: familyName, document }] of Object.entries(samples)) {
      const { relatedResource, ...record } = metadataRecordV1(`http://x/${id}`, 'mat', { id })
      expect(record).to.be.an('object')
      expect(relatedResource).to.be.an('object')
      const sent = {
        id,
        titles: titles.map(value => ({ value })),
        creators: [{ familyName }],
        relatedIdentifiers: [
          { relationType: 'IS_METADATA_FOR', identifierType: 'URL', value: `http://x/${id}` },
          { relationType: 'HAS_METADATA', identifierType: 'INTERNAL', value: 'mat' },
        ],
      }
      await service.http
        .post('/api/v2/metadata')
        .attach('record', Buffer.from(JSON.stringify(sent)), {
          filename: 'r',
          contentType: 'application/json',
        })
        .attach('document', Buffer.from(JSON.stringify(document)), 'document')
        .expect(201)
    }
    await service.http
      .get('/api/v1/search')
      .query({ since: await service.head(), wait: 60 })
      .expect(200)
  })
  after(removeRepositories)

  async function search(body: object, status = 200) {
    const answer = await service.http.post('/api/v1/search').send(body)
    expect(answer.status, answer.text).to.equal(status)
    return answer.body
  }

  async function found(query: object): Promise<string> {
    const { hits } = (await search({ query, sort: [{ id: 'asc' }] })) as {
      hits: { hits: readonly { _id: string }[] }
    }
    return hits.hits.map(({ _id }) => _id.replace(/^.*\//, '')).join('')
  }

  it('find each word in any of the fields', async () => {
    const across = (query: string, operator: string) => ({
      multi_match: { query, fields: [title, creator], type: 'cross_fields', operator },
    })
    expect(await found(across('müller steel', 'and'))).to.equal('a')
    expect(await found(across('müller iron', 'and'))).to.equal('c')
    expect(await found(across('müller copper', 'and'))).to.equal('')
    expect(await found(across('müller copper', 'or'))).to.equal('ac')
    expect(
      await found({ multi_match: { ...across('müller steel', 'and').multi_match, type: 'best_fields' } }),
    ).to.equal('')
    const whole = {
      query: 'müller iron',
      fields: [`${title}.keyword`, creator],
      type: 'cross_fields',
      operator: 'and',
    }
    expect(await found({ multi_match: whole })).to.equal('c')
    expect(await found({ multi_match: { ...whole, query: ' – ' } })).to.equal('')
  })

  it('find the words of a phrase in their order, the last one as a beginning', async () => {
    for (const [query, inTitle, inText] of [
      ['rod ste', 'b', 'b'],
      ['rod-ste', 'b', 'b'],
      ['steel ro', 'a', 'a'],
      ['steel rod 7', 'a', 'a'],
      ['steel 7', '', ''],
      ['iro', 'c', ''],
    ] as const) {
      expect(await found({ match_phrase_prefix: { [title]: query } }), query).to.equal(inTitle)
      expect(await found({ match_phrase_prefix: { [text]: query } }), query).to.equal(inText)
      const fields = { query, fields: [title, text], type: 'phrase_prefix' }
      expect(await found({ multi_match: fields }), query).to.equal(inTitle)
    }
    expect(await found({ multi_match: { query: 'rod ste', type: 'phrase_prefix' } }))
      .to.include('b')
      .and.not.include('a')
    const { hits } = await search({
      query: { match_phrase_prefix: { [title]: 'rod ste' } },
      highlight: { fields: { [title]: {} } },
    })
    expect(hits.hits[0].highlight).to.deep.equal({ [title]: ['<em>Rod steel</em>'] })
  })

  it('count all years, or are refused if the years are too many', async () => {
    const years = async (options: object, status = 200) =>
      await search(
        { size: 0, aggs: { y: { date_histogram: { field: day, calendar_interval: 'year', ...options } } } },
        status,
      )
    const refused = await years({}, 400)
    expect(refused.error.type).to.equal('too_many_buckets_exception')
    expect(refused.error.root_cause[0].reason)
      .to.contain('more than 1000 buckets')
      .and.contain('min_doc_count')
    await years({ min_doc_count: 0 }, 400)
    const bucketOf = (year: string, doc_count: number) => {
      const start = `${year}-01-01T00:00:00.000Z`
      return { key_as_string: start, key: Date.parse(start), doc_count }
    }
    const buckets = [bucketOf('0001', 1), bucketOf('1969', 1), bucketOf('1970', 1), bucketOf('2024', 2)]
    const bucketsOf = async (options: object) => (await years(options)).aggregations.y.buckets
    expect(await bucketsOf({ min_doc_count: 1 })).to.deep.equal(buckets)
    expect(await bucketsOf({ min_doc_count: 2 })).to.deep.equal(buckets.slice(3))
    expect(await bucketsOf({ min_doc_count: 1, order: { _key: 'desc' } })).to.deep.equal(buckets.toReversed())
    expect(await bucketsOf({ min_doc_count: 1, order: { _count: 'desc' } })).to.deep.equal([
      ...buckets.slice(3),
      ...buckets.slice(0, 3),
    ])
  })

  it('give every hit of a query without words the score 1, if the order is only by score', async () => {
    const scores = async (body: object, index = '*') => {
      const answer = await service.http.post(`/api/v1/metastore-${index}/_search`).send(body).expect(200)
      const { max_score, hits } = answer.body.hits as {
        max_score: number | null
        hits: readonly { _score: number | null }[]
      }
      return [max_score, ...hits.map(({ _score }) => _score)]
    }
    for (const query of [
      {},
      { query: { match_all: {} } },
      { query: { bool: { filter: [{ match_all: {} }] } } },
    ]) {
      expect(await scores(query)).to.deep.equal([1, 1, 1, 1])
      expect(await scores(query, 'mat')).to.deep.equal([1, 1, 1, 1])
      expect(await scores({ ...query, sort: ['_score', { id: 'asc' }] })).to.deep.equal([1, 1, 1, 1])
      expect(await scores({ ...query, sort: [{ id: 'asc' }] })).to.deep.equal([null, null, null, null])
      expect(await scores({ ...query, size: 0 })).to.deep.equal([null])
    }
    expect(await scores({}, 'none')).to.deep.equal([null])
    const [best, ...others] = await scores({ query: { match: { [title]: 'rod' } } })
    expect(others).to.have.length(2)
    expect(best).to.equal(Math.max(...others.map(Number)))
    const byId = { query: { match: { [title]: 'rod' } }, sort: [{ id: 'asc' }] }
    expect(await scores(byId)).to.deep.equal([null, null, null])
  })

  it('cannot name the access list of hits', async () => {
    for (const body of [
      { query: { term: { read: 'SELF' } } },
      { query: { bool: { filter: [{ terms: { 'read.keyword': ['SELF'] } }] } } },
      { post_filter: { term: { read: 'SELF' } } },
      { aggs: { a: { terms: { field: 'read' } } } },
      { sort: [{ read: 'asc' }] },
    ]) {
      const { error } = await search(body, 400)
      expect(error.reason, JSON.stringify(body)).to.contain('unknown field [read')
    }
  })

  it('find every record by *:*', async () => {
    for (const [query, ids] of [
      ['*:*', 'abc'],
      ['*:* AND iron', 'c'],
      ['*:* -iron', 'ab'],
      ['iron OR *:*', 'abc'],
      ['NOT *:*', ''],
    ] as const) {
      expect(await found({ query_string: { query } }), query).to.equal(ids)
      expect(await found({ simple_query_string: { query, fields: [title] } }), query).to.equal(ids)
    }
  })
})
