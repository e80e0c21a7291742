import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  noteXsdText,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { describeEngines } from '../../../support/search/search-engines.js'

interface Sample {
  readonly id: string
  readonly schema: string
  readonly document: string
  readonly year: string
  readonly readers: readonly string[]
}

const declared = {
  fields: [
    { path: 'instrument.name', as: 'keyword', facet: true },
    { path: 'voltage', as: 'number', facet: true },
    { path: 'date', as: 'date' },
  ],
}

const json = (value: object) => JSON.stringify(value)
const samples: readonly Sample[] = [
  {
    id: 'a',
    schema: 'rods',
    year: '2020',
    readers: ['anonymousUser'],
    document: json({ title: 'Steel rod', instrument: { name: 'SEM' }, voltage: 5, date: '2020-01-02' }),
  },
  {
    id: 'b',
    schema: 'rods',
    year: '2021',
    readers: ['anonymousUser'],
    document: json({
      title: 'Steel plate',
      instrument: { name: 'Field Emission' },
      voltage: 15.5,
      date: '2021-06-07',
    }),
  },
  {
    id: 'c',
    schema: 'rods',
    year: '2022',
    readers: ['anna'],
    document: json({ title: 'Steel secret', instrument: { name: 'SEM' }, voltage: 25 }),
  },
  {
    id: 'd',
    schema: 'rods',
    year: '2022',
    readers: ['anna-maria', 'team'],
    document: json({
      title: 'Émail über alles',
      instrument: [{ name: 'SEM' }, { name: 'TEM' }],
      voltage: [35, 45],
    }),
  },
  {
    id: 'e',
    schema: 'note',
    year: '2023',
    readers: ['anonymousUser'],
    document: '<note xmlns="http://example.org/note"><text>steel in XML</text></note>',
  },
  {
    id: 'f',
    schema: 'plain',
    year: '2024',
    readers: ['anonymousUser'],
    document: json({
      title: 7,
      mixed: 'text',
      voltage: 10,
      place: 'Große Straße, Αθήνα, Тайга',
      names: 'Sørensen, Æsir, Wałęsa, Cafe\u0301, ﬁne',
      '~odd name': { 'of two': 'oddity' },
    }),
  },
  {
    id: 'g',
    schema: 'plain',
    year: '2024',
    readers: ['anonymousUser'],
    document: json({ title: { en: 'rod of steel', de: { kurz: 'Stahl' } }, mixed: 8, voltage: 'none' }),
  },
]

const path = (name: string) => `metadataDocument.${name}`

/** Queries, and the samples that an administrator finds. */
const queries: Readonly<Record<string, readonly [query: object, found: string]>> = {
  everything: [{ match_all: {} }, 'abcdefg'],
  'a word': [{ query_string: { query: 'steel' } }, 'abceg'],
  'two words': [{ query_string: { query: 'steel rod' } }, 'ag'],
  'a phrase': [{ query_string: { query: '"steel rod"' } }, 'a'],
  'a beginning': [{ query_string: { query: 'plat*' } }, 'b'],
  'a word without another': [{ query_string: { query: 'steel -rod' } }, 'bce'],
  'a word without accents': [{ query_string: { query: 'email uber' } }, 'd'],
  'a word without accents of other alphabets': [{ query_string: { query: 'αθηνα таига' } }, 'f'],
  'a letter of its own': [{ query_string: { query: 'STRAßE' } }, 'f'],
  'no two letters in place of one': [{ query_string: { query: 'strasse' } }, ''],
  'letters of the north as they are': [{ query_string: { query: 'SØRENSEN æsir' } }, 'f'],
  'no letter in place of another': [{ query_string: { query: 'sorensen OR aesir OR walesa OR fine' } }, ''],
  'a letter with a stroke beside one with a mark': [{ query_string: { query: 'wałesa' } }, 'f'],
  'composed words by decomposed ones': [{ query_string: { query: 'e\u0301mail' } }, 'd'],
  'decomposed words by composed ones': [{ query_string: { query: 'CAFÉ' } }, 'f'],
  'decomposed words at a path': [{ match: { [path('names')]: 'café' } }, 'f'],
  'one word of two': [{ match: { [path('title')]: 'rod plate' } }, 'ab'],
  'a word at a path': [{ match: { [path('title')]: 'STEEL' } }, 'abc'],
  'a word at an XML path': [{ match: { [path('note.text')]: 'xml' } }, 'e'],
  'a word at the end of paths': [{ query_string: { query: '*.name:emission' } }, 'b'],
  'a phrase at a path': [{ match_phrase: { [path('instrument.name')]: 'field emission' } }, 'b'],
  'the beginning of a phrase at a path': [
    { match_phrase_prefix: { [path('instrument.name')]: 'field em' } },
    'b',
  ],
  'a whole value': [{ term: { [path('instrument.name.keyword')]: 'sem' } }, 'acd'],
  'no part of a value': [{ term: { [path('instrument.name.keyword')]: 'Field' } }, ''],
  'a word at a path with blanks': [{ query_string: { query: '"~odd name.of two":oddity' } }, 'f'],
  'no word at another path': [{ query_string: { query: '"~odd name":oddity' } }, ''],
  'a number with another notation in the document': [{ query_string: { query: 'voltage:3.50e1' } }, 'd'],
  'a range of numbers': [{ range: { [path('voltage')]: { gte: 15.5, lt: 35 } } }, 'bc'],
  'a range of dates': [{ range: { [path('date')]: { gte: '2021-01-01' } } }, 'b'],
  'the dates of a year': [{ range: { [path('date')]: { gte: '2021', lte: '2021' } } }, 'b'],
  'dates up to the end of a month': [{ range: { [path('date')]: { lte: '2021-06' } } }, 'ab'],
  'dates up to the end of a day': [{ range: { [path('date')]: { lte: '2021-06-07' } } }, 'ab'],
  'dates after a year': [{ range: { [path('date')]: { gt: '2020' } } }, 'b'],
  'dates before a month': [{ range: { [path('date')]: { lt: '2021-06' } } }, 'a'],
  'dates of a search box': [{ query_string: { query: 'date:2020..2020-01' } }, 'a'],
  'dates after milliseconds': [{ range: { [path('date')]: { gte: Date.UTC(2021, 0) } } }, 'b'],
  'dates after a time before 1970': [{ range: { [path('date')]: { gte: Date.UTC(1960, 0) } } }, 'ab'],
  'a range of years': [{ range: { 'metadataRecord.publicationYear': { gt: 2021, lte: 2023 } } }, 'cde'],
  'records with a value': [{ exists: { field: path('date') } }, 'ab'],
  'records with a value of any type': [{ exists: { field: path('voltage') } }, 'abcdfg'],
  'records with a member': [{ exists: { field: path('title.de') } }, 'g'],
  'a word at a path next to a value elsewhere': [{ match: { [path('title.en')]: 'rod' } }, 'g'],
  'a word at the end of paths, some of them with values': [{ query_string: { query: '*.en:steel' } }, 'g'],
  'a whole value at a path next to a value elsewhere': [{ term: { [path('title.de.kurz')]: 'stahl' } }, 'g'],
  'a whole value of several words': [{ term: { [path('instrument.name')]: 'FIELD emission' } }, 'b'],
  'a beginning at a path': [{ query_string: { query: 'instrument.name:emis*' } }, 'b'],
  'a path in any case': [{ match: { [path('Instrument.NAME')]: 'emission' } }, 'b'],
  'a word with a hyphen at a path': [{ match: { [path('instrument.name')]: 'field-emission' } }, 'b'],
  'no words in another order': [{ match_phrase: { [path('instrument.name')]: 'emission field' } }, ''],
  'no phrase across values': [{ match_phrase: { [path('instrument.name')]: 'sem tem' } }, ''],
  'a schema': [{ term: { schema: 'plain' } }, 'fg'],
  'an id': [{ ids: { values: ['http://metastore.test/api/v2/metadata/c', 'd'] } }, 'cd'],
  'a resource': [{ term: { 'metadataRecord.relatedIdentifiers.value': 'http://x/b' } }, 'b'],
  'a type': [{ term: { type: 'XML' } }, 'e'],
  'not a type': [{ bool: { must_not: { term: { type: 'JSON' } } } }, 'e'],
  'text next to another type at the same path': [{ match: { [path('mixed')]: 'text' } }, 'f'],
  'a number as text': [{ query_string: { query: '8' } }, 'g'],
  'nothing for a text without words': [{ match: { [path('title')]: '---' } }, ''],
}

interface Answer {
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: string }
    readonly hits: readonly { readonly _id: string; readonly _score: number | null }[]
  }
  readonly aggregations: Readonly<
    Partial<Record<string, { readonly buckets: readonly unknown[]; readonly value?: number }>>
  >
  readonly suggest: Readonly<
    Partial<Record<string, readonly { readonly options: readonly { readonly text: string }[] }[]>>
  >
}

describeEngines('A search', ({ name: engine, options }) => {
  let service: TestService
  const tokens = new Map<string, string>()
  /** The commit at which one sample existed. */
  let early = ''

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret, ...options })
    tokens
      .set('admin', await userToken('admin', ['ADMINISTRATOR']))
      .set('owner', await userToken('owner'))
      .set('anna', await userToken('anna'))
      .set('gina', await userToken('gina', ['USER'], { groups: ['team'] }))
      .set(
        'robot',
        await signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: '["ROLE_SERVICE_READ"]' }),
      )
    const acl = [{ sid: 'anonymousUser', permission: 'READ' }]
    const as = `Bearer ${tokens.get('owner')}`
    await service
      .postSchema({ schemaId: 'rods', acl, search: declared }, jsonSchema('title'))
      .set('Authorization', as)
      .expect(201)
    await service.postSchema({ schemaId: 'plain', acl }, jsonSchema()).set('Authorization', as).expect(201)
    await service.postSchema({ schemaId: 'note', acl }, noteXsdText).set('Authorization', as).expect(201)
    for (const { id, schema, document, year, readers } of samples) {
      const entries = readers.map(sid => ({ sid, permission: 'READ' }))
      const { relatedResource, ...record } = metadataRecordV1(`http://x/${id}`, schema)
      const sent = {
        id,
        titles: [{ value: `Sample ${id}` }],
        publicationYear: year,
        acls: entries,
        relatedIdentifiers: [
          { relationType: 'IS_METADATA_FOR', identifierType: 'URL', value: `http://x/${id}` },
          {
            relationType: 'HAS_METADATA',
            identifierType: 'URL',
            value: `http://metastore.test/api/v2/schemas/${schema}?version=1`,
          },
        ],
      }
      expect(relatedResource ?? record).to.be.an('object')
      await service.http
        .post('/api/v2/metadata')
        .set('Authorization', as)
        .attach('record', Buffer.from(JSON.stringify(sent)), {
          filename: 'record.json',
          contentType: 'application/json',
        })
        .attach('document', Buffer.from(document), 'document')
        .expect(201)
      early ||= (await service.head()) as string
    }
  })
  after(async () => {
    await removeRepositories()
  })

  async function search(body: object, caller = 'admin', status = 200): Promise<Answer> {
    const token = tokens.get(caller)
    const sent = service.http.post('/api/v1/search')
    const answer = await (token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`)).send(
      body,
    )
    expect(answer.status, answer.text).to.equal(status)
    return answer.body as Answer
  }

  const idsOf = ({ hits }: Answer) => hits.hits.map(({ _id }) => _id.replace(/^.*\//, ''))

  for (const [name, [query, found]] of Object.entries(queries)) {
    it(`finds ${name}`, async () => {
      const answer = await search({ query, sort: [{ id: 'asc' }] })
      expect(idsOf(answer).join('')).to.equal(found)
      expect(answer.hits.total).to.deep.equal({ value: found.length, relation: 'eq' })
    })
  }

  it('refuses undeclared ranges, facets and orders, and names the missing declaration', async () => {
    const [field, name] = [path('size.width'), path('instrument.name')]
    const refused: readonly (readonly [body: object, reason: string])[] = [
      [{ query: { range: { [field]: { gte: 1 } } } }, '"document.size.width" has no range. Declare it'],
      [{ query: { range: { [name]: { gte: 'a' } } } }, '"document.instrument.name" has no range'],
      [{ query: { range: { title: { gte: 'a' } } } }, '"title" has no range'],
      [{ aggs: { widths: { terms: { field } } } }, '"document.size.width" has no facet. Declare it'],
      [{ aggs: { dates: { terms: { field: path('date') } } } }, '"document.date" has no facet'],
      [{ aggs: { least: { min: { field } } } }, '"document.size.width" has no facet'],
      [{ sort: [{ [field]: 'asc' }] }, '"document.size.width" has no order. Declare it'],
      [{ query: { range: { [path('voltage')]: { gte: 'low' } } } }, 'needs a number, not "low"'],
      [{ query: { range: { [path('date')]: { gte: 'June' } } } }, 'needs a time such as 2024-05-01'],
      [{ post_filter: { range: { [field]: { gte: 1 } } } }, '"document.size.width" has no range'],
    ]
    for (const [body, reason] of refused) {
      const token = `Bearer ${tokens.get('admin')}`
      const answer = await service.http.post('/api/v1/search').set('Authorization', token).send(body)
      expect(answer.status, answer.text).to.equal(400)
      expect((answer.body as { error: { reason: string } }).error.reason).to.contain(reason)
    }
  })

  it('uses a declaration for the documents of its schemas', async () => {
    const query = { range: { [path('title')]: { gte: 1 } } }
    await search({ query }, 'admin', 400)
    const declares = async (fields: readonly object[]) => {
      const token = `Bearer ${tokens.get('admin')}`
      const sent = {
        schemaId: 'plain',
        acl: [{ sid: 'admin', permission: 'ADMINISTRATE' }],
        search: { fields },
      }
      await service.putSchema('plain', '*', sent).set('Authorization', token).expect(200)
      const since = (await service.head()) as string
      await get({ since, wait: '60', size: '1' })
    }
    await declares([{ path: 'title', as: 'number', facet: true }])
    const found = await search({ query })
    expect(idsOf(found).join('')).to.equal('f')
    // A caller who may not read the schema does not learn that it declares a field.
    await search({ query }, 'nobody', 400)
    await declares([])
    await search({ query }, 'admin', 400)
  })

  it('finds for each caller the records that the caller may read', async () => {
    const seen = { nobody: 'abefg', anna: 'abcefg', gina: 'abdefg', robot: 'abcdefg', admin: 'abcdefg' }
    for (const [caller, found] of Object.entries(seen)) {
      const aggs = { schemas: { terms: { field: 'schema' } } }
      const answer = await search({ sort: [{ id: 'asc' }], aggs }, caller)
      expect(idsOf(answer).join(''), caller).to.equal(found)
      const rods = [...found].filter(id => 'abcd'.includes(id)).length
      expect(answer.aggregations.schemas?.buckets, caller).to.deep.include({ key: 'rods', doc_count: rods })
    }
  })

  it('counts values, ranges, conditions and extents', async () => {
    const { aggregations } = await search({
      size: 0,
      aggs: {
        names: { terms: { field: path('instrument.name.keyword') } },
        years: { terms: { field: 'year', order: { _key: 'asc' } } },
        voltages: { range: { field: path('voltage'), ranges: [{ to: 10 }, { from: 10, to: 30 }] } },
        steel: { filters: { filters: { steel: { query_string: { query: 'steel' } } } } },
        least: { min: { field: path('voltage') } },
        most: { max: { field: path('voltage') } },
        steels: {
          filter: { match: { [path('title')]: 'steel' } },
          aggs: { names: { terms: { field: path('instrument.name') } } },
        },
      },
    })
    expect(aggregations.names?.buckets).to.deep.equal([
      { key: 'SEM', doc_count: 3 },
      { key: 'Field Emission', doc_count: 1 },
      { key: 'TEM', doc_count: 1 },
    ])
    expect(aggregations.years?.buckets).to.deep.equal([
      { key: '2020', doc_count: 1 },
      { key: '2021', doc_count: 1 },
      { key: '2022', doc_count: 2 },
      { key: '2023', doc_count: 1 },
      { key: '2024', doc_count: 2 },
    ])
    expect(aggregations.voltages?.buckets).to.deep.equal([
      { key: '*-10', to: 10, doc_count: 1 },
      { key: '10-30', from: 10, to: 30, doc_count: 2 },
    ])
    expect(aggregations.steel?.buckets).to.deep.equal({ steel: { doc_count: 5 } })
    expect(aggregations.least?.value).to.equal(5)
    expect(aggregations.most?.value).to.equal(45)
    expect(aggregations.steels).to.deep.equal({
      doc_count: 3,
      names: {
        doc_count_error_upper_bound: 0,
        sum_other_doc_count: 0,
        buckets: [
          { key: 'SEM', doc_count: 2 },
          { key: 'Field Emission', doc_count: 1 },
        ],
      },
    })
  })

  it('counts dates of documents by year and by range', async () => {
    const { aggregations } = await search({
      size: 0,
      aggs: {
        years: { date_histogram: { field: path('date'), calendar_interval: 'year' } },
        ranges: {
          date_range: {
            field: path('date'),
            ranges: [{ to: '2021' }, { key: 'new', from: '2021', to: Date.UTC(2022, 0) }],
          },
        },
        least: { min: { field: path('date') } },
      },
    })
    expect(aggregations.years?.buckets).to.deep.equal([
      { key_as_string: '2020-01-01T00:00:00.000Z', key: Date.UTC(2020, 0), doc_count: 1 },
      { key_as_string: '2021-01-01T00:00:00.000Z', key: Date.UTC(2021, 0), doc_count: 1 },
    ])
    expect(aggregations.ranges?.buckets).to.deep.equal([
      { key: '*-2021', to: '2021', doc_count: 1 },
      { key: 'new', from: '2021', to: Date.UTC(2022, 0), doc_count: 1 },
    ])
    expect(aggregations.least).to.deep.equal({
      value: Date.UTC(2020, 0, 2),
      value_as_string: '2020-01-02T00:00:00.000Z',
    })
  })

  it('narrows hits after the counts', async () => {
    const answer = await search({
      post_filter: { term: { schema: 'plain' } },
      sort: [{ id: 'asc' }],
      aggs: { schemas: { terms: { field: 'schema' } } },
    })
    expect(idsOf(answer).join('')).to.equal('fg')
    expect(answer.aggregations.schemas?.buckets).to.have.length(3)
  })

  it('orders by fields, records without a value last, and equal records newest first', async () => {
    const order = async (sort: unknown) => idsOf(await search({ sort })).join('')
    expect(await order([{ 'metadataRecord.publicationYear': 'desc' }])).to.equal('gfedcba')
    expect(await order([{ [path('voltage')]: 'asc' }])).to.equal('abcdgfe')
    expect(await order([{ lastUpdate: 'asc' }])).to.equal('abcdefg')
    expect(await order([{ [path('instrument.name')]: 'asc' }, { id: 'asc' }])).to.equal('bacdefg')
  })

  it('pages through all hits', async () => {
    const sort = [{ id: 'asc' }]
    const pages = await Promise.all([0, 3, 6, 9].map(from => search({ sort, from, size: 3 })))
    expect(pages.map(page => idsOf(page).join(''))).to.deep.equal(['abc', 'def', 'g', ''])
  })

  it('orders by score in both directions', async () => {
    const scores = async (order: string) => {
      const { hits } = await search({
        query: { query_string: { query: 'steel' } },
        sort: [{ _score: order }],
      })
      return hits.hits.map(({ _score }) => _score ?? 0)
    }
    const worst = await scores('asc')
    expect(worst).to.have.length(5)
    expect(worst).to.deep.equal(worst.toSorted((a, b) => a - b))
    expect(worst).to.deep.equal((await scores('desc')).toReversed())
  })

  /** The answer to a `GET` request. */
  async function get(parameters: Readonly<Record<string, string>>, caller = 'admin') {
    const token = tokens.get(caller)
    const sent = service.http.get('/api/v2/search').query(parameters)
    const answer = await (token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`))
    expect(answer.status, answer.text).to.equal(200)
    const { items, ...rest } = answer.body as {
      items: readonly { record: { id: string }; highlight?: Readonly<Record<string, readonly string[]>> }[]
      notes: readonly string[]
      facets?: Readonly<Record<string, object>>
    }
    return { ...rest, items, ids: items.map(({ record }) => record.id).join(''), links: answer.headers.link }
  }

  it('narrows, counts and marks the hits of a search box, and notes invalid syntax', async () => {
    const found = await get({ q: '"steel', sort: 'id', schemaId: 'rods', facets: 'schema,year' }, 'nobody')
    expect(found.ids).to.equal('ab')
    expect(found).to.deep.include({ total: 2, upToDate: true, engine })
    expect(found).to.not.have.property('lag')
    expect(found.notes).to.have.length(1)
    expect(found.facets).to.deep.equal({
      schema: [
        { value: 'rods', count: 2 },
        { value: 'note', count: 1 },
        { value: 'plain', count: 1 },
      ],
      year: [
        { value: '2020', count: 1 },
        { value: '2021', count: 1 },
      ],
    })
    expect(found.items.map(({ highlight }) => highlight?.['document.title'])).to.deep.equal([
      ['<em>Steel</em> rod'],
      ['<em>Steel</em> plate'],
    ])
    expect((await get({ year: '2021..2022', sort: 'id,desc' })).ids).to.equal('dcb')
    expect((await get({ q: 'Voltage:1..20', sort: 'id,desc' })).ids).to.equal('ba')
    expect((await get({ q: 'steel', highlight: 'false' })).items[0]).to.not.have.property('highlight')
  })

  it('has each record once on the linked pages', async () => {
    const orders = ['id', 'id,desc', 'lastUpdate,asc', 'lastUpdate,desc']
    for (const parameters of [...orders.map(sort => ({ sort })), { q: 'steel OR 7 OR alles' }, {}]) {
      const whole = await get({ ...parameters, size: '50' })
      const ids: string[] = []
      let more: Readonly<Record<string, string>> | undefined = { ...parameters, size: '2' }
      while (more) {
        const page: Awaited<ReturnType<typeof get>> = await get(more)
        ids.push(page.ids)
        const [, next] = /<([^>]+)>; rel="next"/.exec(String(page.links)) ?? []
        more = next === undefined ? undefined : Object.fromEntries(new URL(next).searchParams)
      }
      expect(ids.join('')).to.equal(whole.ids)
    }
  })

  it('waits for a commit, and answers 404 for an unknown commit', async () => {
    const since = (await service.head()) as string
    expect(await get({ since, wait: '30', size: '1' })).to.deep.include({ total: 7, lag: 0, commit: since })
    const token = `Bearer ${tokens.get('admin')}`
    const foreign = { since: '0'.repeat(40), wait: '30' }
    await service.http.get('/api/v1/search').query(foreign).set('Authorization', token).expect(404)
  })

  it('answers at a point of history, or refuses it in a cluster', async () => {
    const token = `Bearer ${tokens.get('admin')}`
    const head = (await service.head()) as string
    const at = (point: string) =>
      service.http.get('/api/v2/search').query({ q: 'steel', at: point }).set('Authorization', token)
    const now = await at(head).expect(200)
    expect(now.body).to.deep.include({ total: 5, commit: head, upToDate: true })
    const then = await at(early).expect(engine === 'cluster' ? 400 : 200)
    if (engine === 'cluster')
      expect(then.body.detail).to.contain('records have changed since').and.to.contain('git-metastore search')
    else expect(then.body.total).to.equal(1)
  })

  it('completes titles of readable records', async () => {
    const suggest = { titles: { prefix: 'samp', completion: { field: 'title', size: 10 } } }
    const titles = async (caller: string) => {
      const answer = await search({ size: 0, suggest }, caller)
      return answer.suggest.titles?.[0]?.options.map(({ text }) => text)
    }
    expect(await titles('nobody')).to.have.members(['a', 'b', 'e', 'f', 'g'].map(id => `Sample ${id}`))
    expect(await titles('anna')).to.include('Sample c')
  })
})
