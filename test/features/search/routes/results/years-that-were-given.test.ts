import { expect } from 'chai'
import { searchHasAll, startSearchExamples } from '../../../../support/http/search-examples.js'
import { etagOf, metadataRecordV1, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

const type = 'application/vnd.datacite.org+json'
const thisYear = String(new Date().getUTCFullYear())

describeEngines('the year of a record', engine => {
  let service: TestService
  beforeEach(async () => {
    service = await startSearchExamples(engine.options)
  })
  afterEach(removeRepositories)

  const put = (id: string, etag: string, record: object) =>
    service.http
      .put(`/api/v2/metadata/${id}`)
      .set('If-Match', etag)
      .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
  const read = async (id: string) =>
    await service.http.get(`/api/v2/metadata/${id}`).set('Accept', type).expect(200)
  async function years(): Promise<Readonly<Record<string, number>>> {
    await searchHasAll(service)
    const { body } = await service.http.get('/api/v1/search?q=&kind=metadata&facets=year').expect(200)
    const buckets = body.facets.year as { value: string; count: number }[]
    return Object.fromEntries(buckets.map(({ value, count }) => [value, count]))
  }

  it('that nobody gave is shown by version 2, and is no value of the facet, also after a PUT of what was read', async () => {
    const given = await years()
    const record = metadataRecordV1('https://example.org/new', 'measurement', { id: 'new' })
    await service.postMetadata(record, '{}').expect(201)

    const before = await read('new')
    const again = await put('new', etagOf(before), before.body).expect(200)
    const titles = [{ value: 'Titled' }]
    const titled = await put('new', etagOf(before), { ...before.body, titles }).expect(200)

    expect(before.body.publicationYear).to.equal(thisYear)
    expect(again.body.version).to.equal('1')
    expect(titled.body).to.deep.include({ version: '2', publicationYear: thisYear })
    expect(await years()).to.deep.equal(given)
    const found = await service.http.get(`/api/v1/search?q=year:${thisYear}&highlight=false`).expect(200)
    expect(found.body.total).to.equal(given[thisYear] ?? 0)
  })

  it('that was given is a value, also if it is the current year', async () => {
    const given = await years()
    const record = {
      id: 'dated',
      publicationYear: thisYear,
      titles: [{ value: 'Dated' }],
      relatedIdentifiers: [
        { value: 'https://example.org/dated', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'measurement', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
      .attach('document', Buffer.from('{}'), 'document.json')
      .expect(201)

    expect(await years()).to.deep.equal({ ...given, [thisYear]: (given[thisYear] ?? 0) + 1 })
    const { body } = await read('dated')
    await put('dated', '*', { ...body, publicationYear: '1999' }).expect(200)
    expect(await years()).to.deep.equal({ ...given, 1999: (given[1999] ?? 0) + 1 })
  })
})
