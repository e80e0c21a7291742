import { expect } from 'chai'
import { searchHasAll } from '../../support/http/search-examples.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'
import { describeEngines } from '../../support/search/search-engines.js'

interface Answer {
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: string }
    readonly hits: readonly {
      readonly _index: string
      readonly _id: string
      readonly _source: Readonly<Record<string, unknown>>
      readonly highlight?: Readonly<Partial<Record<string, readonly string[]>>>
    }[]
  }
  readonly aggregations: Readonly<Partial<Record<string, { readonly buckets: readonly object[] }>>>
}

const routes = [
  '/api/v1/search',
  '/api/v1/metastore-open/_search',
  '/api/v1/metadata/search',
  '/api/v1/metadata/metastore-open/search',
  '/api/v2/metadata/search',
  '/api/v2/metadata/metastore-open/search',
  '/metastore/api/v1/search',
  '/metastore/api/v1/metastore-open/_search',
  '/metastore/api/v2/metadata/search',
  '/repository/api/v2/metadata/metastore-open/search',
]

describeEngines('The search routes of existing frontends', ({ options }) => {
  let service: TestService
  const tokens = new Map<string, string>()

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret, ...options })
    for (const name of ['owner', 'anna', 'anna-maria']) tokens.set(name, `Bearer ${await userToken(name)}`)
    tokens.set('admin', `Bearer ${await userToken('admin', ['ADMINISTRATOR'])}`)
    const everyone = [{ sid: 'anonymousUser', permission: 'READ' }]
    for (const schemaId of ['open', 'other']) await schema(schemaId, jsonSchema('title'))
    await schema('note', noteXsdText)
    await metadata('one', 'open', everyone, '{"title":"Steel rod","parts":[{"name":"a"},{"name":"b"}]}')
    await metadata('two', 'open', [{ sid: 'anna-maria', permission: 'READ' }], '{"title":"Steel secret"}')
    await metadata('three', 'other', everyone, '{"title":"Copper <b>wire</b>"}')
    await metadata('four', 'note', everyone, noteXml)
    await setYear('three', '2001')
    await hasAll()
  })
  after(removeRepositories)

  async function schema(schemaId: string, document: string): Promise<void> {
    const acl = [{ sid: 'anonymousUser', permission: 'READ' }]
    await service
      .postSchema({ schemaId, acl }, document)
      .set('Authorization', tokens.get('owner') ?? '')
      .expect(201)
  }

  async function metadata(id: string, schemaId: string, acl: object, document: string): Promise<void> {
    const record = metadataRecordV1(`http://x/${id}`, schemaId, { id, acl })
    await service
      .postMetadata(record, document)
      .set('Authorization', tokens.get('owner') ?? '')
      .expect(201)
  }

  async function setYear(id: string, publicationYear: string): Promise<void> {
    const Authorization = tokens.get('owner') ?? ''
    const type = 'application/vnd.datacite.org+json'
    const read = await service.http.get(`/api/v2/metadata/${id}`).set({ Authorization, Accept: type })
    await service.http
      .put(`/api/v2/metadata/${id}`)
      .set({ Authorization, 'If-Match': read.headers.etag ?? '' })
      .attach('record', Buffer.from(JSON.stringify({ ...read.body, publicationYear })), 'record.json')
      .expect(200)
  }

  const hasAll = () => searchHasAll(service, { Authorization: tokens.get('admin') ?? '' })

  function send(path: string, body: object | string, caller?: string) {
    const sent = service.http.post(path).set('Content-Type', 'application/json')
    const token = caller === undefined ? undefined : tokens.get(caller)
    return (token === undefined ? sent : sent.set('Authorization', token)).send(body)
  }

  async function search(body: object, caller?: string, path = '/api/v1/search'): Promise<Answer> {
    return (await send(path, body, caller).expect(200)).body as Answer
  }

  const idsOf = ({ hits }: Answer) => hits.hits.map(({ _id }) => _id.replace(/^.*\//, ''))

  for (const path of routes) {
    it(`answer at ${path}`, async () => {
      const answer = await search(
        { query: { match: { 'metadataDocument.title': 'steel' } } },
        undefined,
        path,
      )
      expect(answer.hits.total).to.deep.equal({ value: 1, relation: 'eq' })
      const [hit] = answer.hits.hits
      expect(hit?._index).to.equal('metastore-open')
      const mount = path.replace(/\/(?:metadata|search|metastore-open)\b.*$/, '').replace('v1', 'v2')
      expect(hit?._id).to.equal(`http://metastore.test${mount}/metadata/one`)
    })
  }

  it('mark the hits of each field with the requested tags', async () => {
    const fields = {
      'metadataDocument.title': { pre_tags: ['<b>'], post_tags: ['</b>'], number_of_fragments: 1 },
      'metadataDocument.parts.name': {},
    }
    const query = { query_string: { query: 'rod a' } }
    const highlight = { fields, pre_tags: '[', post_tags: ']' }
    const [hit] = (await search({ query, highlight })).hits.hits
    expect(hit?.highlight).to.deep.equal({
      'metadataDocument.title': ['Steel <b>rod</b>'],
      'metadataDocument.parts.name': ['[a]'],
    })
  })

  it('answer with index entries, reduced to the requested members', async () => {
    const query = { ids: { values: ['one'] } }
    const whole = (await search({ query })).hits.hits[0]?._source
    expect(whole).to.include.keys('id', 'created', 'lastUpdate', 'read', 'metadataRecord', 'metadataDocument')
    expect(whole?.read).to.have.members(['owner', 'anonymousUser'])
    const part = await search({ query, _source: { includes: ['metadataDocument.parts', 'id'] } })
    expect(part.hits.hits[0]?._source).to.deep.equal({
      id: 'one',
      metadataDocument: { parts: [{ name: 'a' }, { name: 'b' }] },
    })
    expect((await search({ query, _source: false })).hits.hits[0]).to.not.have.property('_source')
  })

  it('find XML by paths, and answer with it as JSON', async () => {
    const answer = await search({ query: { match: { 'metadataDocument.note.text': 'hello' } } })
    expect(idsOf(answer)).to.deep.equal(['four'])
    expect(answer.hits.hits[0]?._source.metadataDocument).to.deep.equal({ note: { text: 'hello' } })
  })

  it('escape the text around hits', async () => {
    const body = {
      query: { match: { 'metadataDocument.title': 'wire' } },
      highlight: { fields: { 'metadataDocument.*': {} } },
    }
    expect((await search(body)).hits.hits[0]?.highlight).to.deep.equal({
      'metadataDocument.title': ['Copper &lt;b&gt;<em>wire</em>&lt;/b&gt;'],
    })
  })

  it('have indices of schemas, lists of them, and patterns', async () => {
    const found = async (index: string) =>
      idsOf(await search({ sort: [{ id: 'asc' }] }, undefined, `/api/v1/${index}/_search`))
    expect(await found('metastore-*')).to.deep.equal(['four', 'one', 'three'])
    expect(await found('metastore-open,metastore-other')).to.deep.equal(['one', 'three'])
    expect(await found('metastore-o*')).to.deep.equal(['one', 'three'])
    expect(await found('metastore-no-such-schema')).to.deep.equal([])
  })

  it('refuse every other index', async () => {
    for (const index of ['_all', '*', 'users', '.security', 'metastore-open,users', '-metastore-open']) {
      const { body } = await send(`/api/v1/${encodeURIComponent(index)}/_search`, {}, 'admin').expect(404)
      expect(body.error.type, index).to.equal('index_not_found_exception')
      expect(body.error.root_cause[0].reason, index).to.contain('no such index')
    }
  })

  it('take pages from the address if the body has none', async () => {
    const ids = async (address: string, body: object) => idsOf(await search(body, undefined, address))
    const sort = [{ id: 'asc' }]
    expect(await ids('/api/v1/search?page=1&size=2', { sort })).to.deep.equal(['three'])
    expect(await ids('/api/v1/search?page=1&size=2', { sort, size: 1 })).to.deep.equal(['four'])
  })

  it('refuse unsupported requests in the shape of Elasticsearch', async () => {
    const { body } = await send('/api/v1/search', { query: { script: { source: 'x' } } }).expect(400)
    const cause = { type: 'parsing_exception', reason: 'unknown query [script]' }
    expect(body).to.deep.equal({ error: { root_cause: [cause], ...cause }, status: 400 })
    await send('/api/v1/search', '{"query":').expect(400)
    await send('/api/v1/search', '['.repeat(200) + ']'.repeat(200)).expect(400)
    await send('/api/v1/search', `{"x":"${'x'.repeat(2 ** 20)}"}`).expect(413)
    await send('/api/v1/search', { query: { terms: { pid: Array(20_001).fill('x') } } }).expect(413)
    const form = await service.http.post('/api/v1/search').type('form').send('a=b').expect(415)
    expect(form.body.error.type).to.equal('media_type_header_exception')
  })

  it('refuse an unreadable address in the shape of Elasticsearch', async () => {
    for (const path of routes) {
      for (const [query, said] of [
        [`${'x'.repeat(101)}=1`, 'the limit is 100'],
        [`size=${'1'.repeat(8193)}`, 'the limit is 8192'],
        ['size=%zz', 'The percent-encoding of'],
        ['%ff', 'The percent-encoding of'],
        ['sise=1', 'did you mean "size"?'],
      ] as const) {
        const { body, headers } = await send(`${path}?${query}`, {}).expect(400)
        expect(headers['content-type'], path).to.match(/^application\/json/)
        expect(body.error.type, path).to.equal('parsing_exception')
        expect(body.error.reason, path).to.contain(said)
      }
    }
    for (const path of [
      '/api/v1/metadata/%zz/search',
      '/api/v1/%ff/_search',
      '/api/v2/metadata/%c3/search',
    ]) {
      const { body } = await send(path, {}).expect(400)
      expect(body.error.reason, path).to.contain('The percent-encoding of')
    }
  })

  it('count in hits and aggregations only records that the caller may read, by whole names', async () => {
    const body = {
      query: { match: { 'metadataDocument.title': 'steel' } },
      aggs: { schemas: { terms: { field: 'schema' } }, all: { filter: { match_all: {} } } },
    }
    const seen = { undefined: 1, anna: 1, 'anna-maria': 2, owner: 2, admin: 2 }
    for (const [caller, count] of Object.entries(seen)) {
      const answer = await search(body, caller)
      expect(answer.hits.total.value, caller).to.equal(count)
      expect(answer.aggregations.schemas?.buckets, caller).to.deep.equal([{ key: 'open', doc_count: count }])
      expect(answer.aggregations.all, caller).to.deep.equal({ doc_count: count })
    }
  })

  it('ignore a key of Elasticsearch, and refuse a wrong token', async () => {
    for (const key of ['ApiKey undefined', 'ApiKey c2VjcmV0', 'apikey x']) {
      const { body } = await send('/api/v1/search', {}).set('Authorization', key).expect(200)
      expect(body.hits.total.value).to.equal(3)
    }
    await send('/api/v1/search', {}).set('Authorization', 'Bearer x').expect(401)
    await send('/api/v1/search', {}).set('Authorization', 'Basic x').expect(401)
    await service.http.get('/api/v1/metadata').set('Authorization', 'ApiKey undefined').expect(401)
    await service.postMetadata({}, '{}').set('Authorization', 'ApiKey undefined').expect(401)
  })

  it('make buckets of years, ranges and conditions', async () => {
    const year = new Date().getUTCFullYear()
    const { aggregations } = await search({
      size: 0,
      aggs: {
        years: { date_histogram: { field: 'lastUpdate', calendar_interval: 'year' } },
        ranges: {
          range: {
            field: 'metadataRecord.publicationYear',
            ranges: [{ to: 2000 }, { key: 'new', from: 2000 }],
          },
        },
        filters: { filters: { filters: { copper: { match: { metadataDocument: 'copper' } } } } },
        newest: { max: { field: 'lastUpdate' } },
        names: { terms: { field: 'schema', size: 1, order: { _key: 'desc' } } },
      },
    })
    expect(aggregations.years?.buckets).to.deep.equal([
      {
        key_as_string: `${year}-01-01T00:00:00.000Z`,
        key: Date.UTC(year, 0),
        doc_count: 3,
      },
    ])
    expect(aggregations.ranges?.buckets).to.deep.equal([
      { key: '*-2000', to: 2000, doc_count: 0 },
      { key: 'new', from: 2000, doc_count: 1 },
    ])
    expect(aggregations.filters?.buckets).to.deep.equal({ copper: { doc_count: 1 } })
    expect(aggregations.newest).to.have.property('value').above(Date.UTC(2020, 0))
    expect(aggregations.names).to.deep.include({
      sum_other_doc_count: 2,
      buckets: [{ key: 'other', doc_count: 1 }],
    })
  })

  it('apply a narrowed access list at once', async () => {
    await metadata('five', 'open', [{ sid: 'anonymousUser', permission: 'READ' }], '{"title":"Tin"}')
    await hasAll()
    const body = { query: { match: { 'metadataDocument.title': 'tin' } } }
    expect((await search(body)).hits.total.value).to.equal(1)
    const owner = tokens.get('owner') ?? ''
    const etag = etagOf(await service.http.get('/api/v1/metadata/five').set('Authorization', owner))
    await service
      .putMetadata('five', etag, { acl: [{ sid: 'owner', permission: 'ADMINISTRATE' }] })
      .set('Authorization', owner)
      .expect(200)
    expect((await search(body)).hits.total.value).to.equal(0)
  })

  describe('for a record with many members', () => {
    const found = async (query: object) => idsOf(await search({ query }))
    let members: readonly string[]
    /** Every member of the record, as fields of a query. */
    let fields: readonly string[]
    before(async () => {
      const record = {
        ...{ id: 'cited', titles: [{ value: 'Zinc coating' }], formats: ['TIFF 6'] },
        contributors: [
          { user: { givenName: 'Rosalind', familyName: 'Franklin' }, contributionType: 'EDITOR' },
        ],
        fundingReferences: [{ funderName: 'Deutsche Forschungsgemeinschaft' }],
        descriptions: ['Layer on steel', 'Made by hand'].map(description => ({ description, type: 'OTHER' })),
        relatedIdentifiers: [
          { value: 'http://x/cited', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
          { value: 'open', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
        ],
        acls: [{ sid: 'anonymousUser', permission: 'READ' }],
      }
      await service.http
        .post('/api/v2/metadata')
        .set('Authorization', tokens.get('owner') ?? '')
        .attach('record', Buffer.from(JSON.stringify(record)), {
          filename: 'r',
          contentType: 'application/json',
        })
        .attach('document', Buffer.from('{"title":"about rosalind"}'), 'document')
        .expect(201)
      await hasAll()
      const [hit] = (await search({ query: { ids: { values: ['cited'] } } })).hits.hits
      members = Object.keys(hit?._source.metadataRecord ?? {})
      fields = members.filter(member => member !== 'acls').map(member => `metadataRecord.${member}`)
    })
    after(async () => {
      for (const status of [204, 204])
        await service.http
          .delete('/api/v1/metadata/cited')
          .set('Authorization', tokens.get('admin') ?? '')
          .set('If-Match', '*')
          .expect(status)
    })

    it('answer with every member', () => {
      expect(members).to.include.members(['contributors', 'dates', 'version', 'formats'])
    })

    it('find a member of a member', async () => {
      const query = { match: { 'metadataRecord.contributors.user.familyName': 'franklin' } }
      expect(await found(query)).to.deep.equal(['cited'])
    })

    it('find the whole text of a field by its keyword, and no other order of its words', async () => {
      expect(await found({ term: { 'metadataRecord.formats.keyword': 'TIFF 6' } })).to.deep.equal(['cited'])
      expect(await found({ term: { 'metadataRecord.formats.keyword': '6 TIFF' } })).to.deep.equal([])
    })

    it('find a whole description, and neither a part of one nor words of two', async () => {
      const field = 'metadataRecord.descriptions.description'
      const whole = (text: string) => found({ term: { [`${field}.keyword`]: text } })
      expect(await whole('Layer on steel')).to.deep.equal(['cited'])
      expect(await whole('Made by hand')).to.deep.equal(['cited'])
      for (const text of ['Layer', 'on steel', 'steel made', 'Layer on steel made by hand'])
        expect(await whole(text), text).to.deep.equal([])
      expect(await found({ match_phrase: { [field]: 'on steel' } })).to.deep.equal(['cited'])
      expect(await found({ match_phrase: { [field]: 'steel made' } })).to.deep.equal([])
      expect(await found({ match: { [field]: 'coating' } })).to.deep.equal([])
      const exists = { exists: { field: 'metadataRecord.descriptions' } }
      expect(await found(exists)).to.include('cited')
    })

    it('do not find a word of the document in a field of the record', async () => {
      expect(await found({ match: { 'metadataRecord.formats': 'about' } })).to.deep.equal([])
      expect(await found({ multi_match: { query: 'about', fields } })).to.deep.equal([])
    })

    for (const query of ['zinc', 'franklin', 'forschungsgemeinschaft', 'cited'])
      it(`find ${query} in all fields`, async () => {
        expect(await found({ multi_match: { query, fields } })).to.deep.equal(['cited'])
      })

    for (const [field, query] of [
      ['metadataRecord.titles.*', 'zinc'],
      ['metadataRecord.relatedIdentifiers.*', 'cited'],
    ] as const)
      it(`find ${query} in ${field}`, async () => {
        expect(await found({ multi_match: { query, fields: [field] } })).to.deep.equal(['cited'])
      })

    it('find nothing in fields without search', async () => {
      const dates = ['metadataRecord.dates.value', 'metadataRecord.version']
      expect(await found({ multi_match: { query: 'zinc', fields: dates } })).to.deep.equal([])
    })

    it('mark a hit in a field that is searched with others', async () => {
      const field = 'metadataRecord.creators.affiliations'
      const [hit] = (
        await search({ query: { match: { [field]: 'zinc' } }, highlight: { fields: { [field]: {} } } })
      ).hits.hits
      expect(hit?.highlight).to.deep.equal({ [field]: ['<em>Zinc</em> coating'] })
    })

    it('refuse an order by a field without an order in the index', async () => {
      const sort = [{ 'metadataRecord.formats': 'asc' }]
      const { body } = await send('/api/v1/search', { sort }).expect(400)
      expect(body.error.reason).to.contain('[metadataRecord.formats] has none in the index')
    })
  })
})

describe('A server without search', () => {
  after(removeRepositories)
  it('has none of these routes', async () => {
    const { http } = await startService({ features: { search: 'none' } })
    for (const path of routes) await http.post(path).send({}).expect(404)
  })
})
