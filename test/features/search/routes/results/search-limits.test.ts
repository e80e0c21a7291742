import { expect } from 'chai'
import type { CoreParts } from '../../../../../src/compose/compose.js'
import { openersOf } from '../../../../../src/feature.js'
import type { FindLimits } from '../../../../../src/features/search/find/find-jobs.js'
import { openSearchFeature, searchOfCommand } from '../../../../../src/features/search/open-search.js'
import { features } from '../../../../../src/features.js'
import { searchHasAll, storeDocument } from '../../../../support/http/search-examples.js'
import { readHtml } from '../../../../support/http/strict-html.js'
import { jsonSchema, startService, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

/** Limits of a search that counts no further than four records. */
const findLimits = {
  ...{ ranked: 3, faceted: 3, slice: 4, countTime: -1 },
}

async function startWithLimits(limits: Partial<FindLimits>): Promise<TestService> {
  const open = async (parts: CoreParts) => openSearchFeature(parts, { ...searchOfCommand, limits })
  const limited = features.map(each => (each.name === 'search' ? { ...each, open } : each))
  return await startService({}, {}, undefined, { features: await openersOf(limited, {}) })
}

describe('a search that finds more than it can rank and count', () => {
  let service: TestService
  before(async () => {
    service = await startWithLimits(findLimits)
    await service.postSchema({ schemaId: 'measurement' }, jsonSchema()).expect(201)
    for (let number = 0; number < 12; number++)
      await storeDocument(service, `many-${number}`, {
        word: 'plentiful',
        ...(number < 2 && { rare: 'scarce' }),
      })
    await searchHasAll(service)
  })
  after(removeRepositories)

  const search = (q: string) =>
    service.http.get('/api/v1/search').query({ q, size: '2', facets: 'year,schema' })
  const open = async (path: string) =>
    readHtml((await service.http.get(path).set('Accept', 'text/html').expect(200)).text).text.replace(
      /\s+/g,
      ' ',
    )

  it('reports that the total is a lower bound', async () => {
    const { body, headers } = await search('plentiful').expect(200)
    expect(body).to.deep.include({
      ...{ total: 4, totalIs: 'atLeast', ranked: 'newest' },
      facetsAre: 'atLeast',
      facets: { year: [], schema: [{ value: 'measurement', count: 3 }] },
    })
    expect(headers['content-range']).to.equal('0-1/*')
  })

  it('reports on the page that the total is a lower bound', async () => {
    const text = await open('/search?q=plentiful')
    expect(text).to.contain('At least 4 records')
    expect(text).to.contain(
      'So many records match that only the newest of them are ordered by how well they match.',
    )
    expect(text).to.contain('Counted in the newest of the matching records.')
    expect(text).to.not.contain('still being indexed')
  })

  it('reports to frontends that the total is a lower bound', async () => {
    const { body } = await service.http
      .post('/api/v1/search')
      .send({
        query: { match: { metadataDocument: 'plentiful' } },
        aggs: { s: { terms: { field: 'schema' } } },
      })
      .expect(200)
    expect(body.hits.total).to.deep.equal({ value: 4, relation: 'gte' })
    expect(body.aggregations.s).to.deep.include({
      ...{ doc_count_error_upper_bound: -1, buckets: [{ key: 'measurement', doc_count: 3 }] },
    })
  })

  it('reports no lower bound if a search finds few records', async () => {
    const { body, headers } = await search('scarce').expect(200)
    expect(body).to.include({ total: 2 }).and.to.not.have.any.keys('totalIs', 'ranked', 'facetsAre')
    expect(body.facets.schema).to.deep.equal([{ value: 'measurement', count: 2 }])
    expect(headers['content-range']).to.equal('0-1/2')
    const text = await open('/search?q=scarce')
    expect(text).to.contain('2 records').and.to.not.contain('At least')
    expect(text).to.not.contain('So many').and.to.not.contain('Counted in')
  })
})

describe('a search whose facets take too long', () => {
  it('has its hits, and says which facets it lacks', async () => {
    const service = await startWithLimits({ facetTime: -1 })
    await service.postSchema({ schemaId: 'measurement' }, jsonSchema()).expect(201)
    await storeDocument(service, 'one', { word: 'plentiful' })
    await searchHasAll(service)

    const { body } = await service.http.get('/api/v1/search?facets=schema').expect(200)
    expect(body).to.deep.include({ total: 1, facets: { schema: { tooMany: true } } })
    const page = await service.http.get('/search').set('Accept', 'text/html').expect(200)
    expect(readHtml(page.text).text).to.contain('It takes too long to count them.')
    const aggs = { s: { terms: { field: 'schema' } } }
    const answer = await service.http.post('/api/v1/search').send({ aggs }).expect(200)
    expect(answer.body).to.include({ timed_out: true })
    expect(answer.body.aggregations.s).to.deep.include({ doc_count_error_upper_bound: -1, buckets: [] })
  })
  after(removeRepositories)
})

describe('the page of a search', () => {
  let service: TestService
  before(async () => {
    service = await startService({}, {}, undefined, { serving: true })
    await service.postSchema({ schemaId: 'measurement' }, jsonSchema()).expect(201)
  })
  after(removeRepositories)

  const open = async (path: string) =>
    readHtml((await service.http.get(path).set('Accept', 'text/html').expect(200)).text).text
  const isBehind = (text: string) => text.includes('The newest changes are still being indexed')

  it('reports that the index is behind, but not when it is up to date or for a point of history', async () => {
    const first = (await storeDocument(service, 'first', { word: 'tin' })).replaceAll('"', '')
    await searchHasAll(service)
    let seen = false
    for (let number = 0; number < 50 && !seen; number++) {
      await storeDocument(service, `next-${number}`, { word: 'tin' })
      seen = isBehind(await open('/search?q=tin'))
    }
    expect(seen).to.equal(true)
    await searchHasAll(service)
    expect(isBehind(await open('/search?q=tin'))).to.equal(false)
    const past = await open(`/search?q=tin&at=${first}`)
    expect(past).to.contain('1 record')
    expect(isBehind(past)).to.equal(false)
  })
})
