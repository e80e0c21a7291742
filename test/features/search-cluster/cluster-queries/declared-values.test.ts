import { expect } from 'chai'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { base, jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { storeDocument } from '../../../support/search/cluster-service.js'
import { describeEngines } from '../../../support/search/search-engines.js'

/** Names that are different values although their words are the same. Two names differ only in case. */
const names = [
  'C',
  'c',
  'C#',
  'C++',
  'Ç',
  'x-y',
  'x y',
  'Alpha',
  'Álpha',
  '-5',
  '5',
  '+5',
  '5 %',
  '+++',
  'É',
  'é',
  'With \0 inside',
]
const volts = [1000, '1e3', '1000.0', ' 1000 ', -5, 5, 'none', [5, '5.0', 7]]
const days = ['2024-05-01', '2024-05-01T00:00:00Z', '2024', 'later']

const fields = [
  { path: 'v.volt', as: 'number', facet: true },
  { path: 'v.day', as: 'date', facet: true },
  { path: 'name', as: 'keyword', facet: true },
  { path: 'other name = %', as: 'keyword', facet: true },
]

describeEngines('Values of declared fields', ({ options }) => {
  let service: TestService

  before(async () => {
    service = await startService(options)
    await service.postSchema({ schemaId: 'mat', search: { fields } }, jsonSchema()).expect(201)
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    const documents = [
      ...names.map(name => ({ name, 'other name = %': name })),
      ...volts.map(volt => ({ v: { volt } })),
      ...days.map(day => ({ v: { day } })),
    ]
    for (const document of documents) await add('mat', document)
    // The schema of this record declares nothing, so no facet counts the record.
    await add('plain', { name: 'C#', v: { volt: 1000, day: '2024' } })
    await searchHasAll(service)
  })
  after(removeRepositories)

  let added = 0
  const add = (schemaId: string, document: object) =>
    storeDocument(service, `r${++added}`, { schemaId, document })

  async function search(body: object) {
    const { body: answer } = await service.http.post('/api/v1/search').send(body).expect(200)
    return answer as {
      readonly hits: { readonly total: { readonly value: number } }
      readonly aggregations: {
        readonly values: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] }
      }
    }
  }

  async function bucketsOf(field: string) {
    const { aggregations } = await search({ size: 0, aggs: { values: { terms: { field, size: 100 } } } })
    return aggregations.values.buckets
  }

  const totalOf = async (body: object) => (await search({ size: 0, ...body })).hits.total.value

  for (const [path, values] of [
    ['name.keyword', 15],
    ['v.volt', 5],
    ['v.day', 4],
  ] as const) {
    it(`select as many records as they count: ${path}`, async () => {
      const field = `metadataDocument.${path}`
      const buckets = await bucketsOf(field)
      expect(buckets).to.have.length(values)
      for (const { key, doc_count } of buckets) {
        expect(await totalOf({ post_filter: { term: { [field]: key } } }), key).to.equal(doc_count)
        expect(await totalOf({ query: { terms: { [field]: [key] } } }), key).to.equal(doc_count)
      }
    })
  }

  it('are the same in any case', async () => {
    const buckets = await bucketsOf('metadataDocument.name.keyword')
    expect(buckets.filter(({ doc_count }) => doc_count > 1)).to.deep.equal([
      { key: 'C', doc_count: 2 },
      { key: 'É', doc_count: 2 },
    ])
    expect(await totalOf({ query: { term: { 'metadataDocument.name.keyword': 'c' } } })).to.equal(2)
  })

  it('are numbers if declared as numbers, in any notation', async () => {
    const field = 'metadataDocument.v.volt'
    const buckets = (await bucketsOf(field)).toSorted((a, b) => (a.key < b.key ? -1 : 1))
    expect(buckets).to.deep.equal([
      { key: '-5', doc_count: 1 },
      { key: '1000', doc_count: 4 },
      { key: '5', doc_count: 2 },
      { key: '7', doc_count: 1 },
      { key: 'none', doc_count: 1 },
    ])
    for (const value of [1000, '1000', '1e3', '1000.00'])
      expect(await totalOf({ query: { term: { [field]: value } } })).to.equal(4)
    expect(await totalOf({ query: { terms: { [field]: [1000, -5] } } })).to.equal(5)
  })

  /** Links of a page, with their counts. */
  async function choices(address: string) {
    const { text } = await service.http.get(address).set('Accept', 'text/html').expect(200)
    const links = [
      ...text.matchAll(
        /<li><a href="([^"]+)"[^>]*>.*?<span class="count">([\d,]+)<span class="unseen"> records?<\/span><\/span><\/a><\/li>/g,
      ),
    ]
    return links.map(([, href = '', count]) => ({
      address: href.replaceAll('&amp;', '&').replace(base, ''),
      count,
    }))
  }
  const totalOnPage = async (address: string) =>
    /<strong>([\d,]+) records?<\/strong>/.exec(
      (await service.http.get(address).set('Accept', 'text/html')).text,
    )?.[1]

  it('link on the page of results to as many records as they count', async () => {
    const links = (await choices('/search?q=&schemaId=mat')).filter(
      ({ address, count }) => address.includes('declared=') && count !== '0',
    )
    expect(links.length).to.be.above(24)
    for (const { address, count } of links) {
      expect(await totalOnPage(address), address).to.equal(count)
      // The other values of the field keep their counts. The link of the chosen value removes it.
      expect((await choices(address)).map(link => link.count)).to.include.members([count])
      expect(await choices(address)).to.deep.include({ address: '/search?q=&schemaId=mat', count })
    }
  })

  it('narrow the search of programs, as alternatives at one path', async () => {
    const found = async (declared: readonly string[]) =>
      (await service.http.get('/api/v1/search').query({ declared, facets: 'name', size: 1 }).expect(200)).body
    expect((await found(['name=C#'])).total).to.equal(1)
    expect((await found(['name=C#', 'NAME=c'])).total).to.equal(3)
    expect((await found(['name=C#', 'v.volt=1e3'])).total).to.equal(0)
    expect((await found(['other name %3D %25=x y'])).total).to.equal(1)
    const [{ count }] = (await found(['name=C#'])).facets.name
    expect(count).to.equal(2)
    for (const [declared, reason] of [
      ['nowhere=1', 'Declare it'],
      ['name', 'write a declared path, = and a value'],
      ['na%zzme=1', 'write a declared path, = and a value'],
    ])
      expect(
        (await service.http.get('/api/v1/search').query({ declared }).expect(400)).body.detail,
      ).to.contain(reason)
  })
})
