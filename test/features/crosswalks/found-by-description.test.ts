import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

describe('Searches find documents by their descriptions', () => {
  let service: TestService

  before(async () => {
    service = await startService()
    await service
      .postSchema(
        { schemaId: 'fibres', crosswalk: { creators: 'who', publicationYear: 'made', rightsList: 'terms' } },
        jsonSchema(),
      )
      .expect(201)
    const documents = {
      zirconia: {
        title: 'Zirconia fibre',
        who: 'Doe, Jane',
        made: '1987-05',
        terms: 'CC-BY-4.0',
        keywords: ['ceramics'],
      },
      alumina: {
        title: 'Alumina fibre',
        who: 'Roe, Max',
        made: '1999',
        terms: 'CC0-1.0',
        keywords: ['ceramics'],
      },
    }
    for (const [id, document] of Object.entries(documents))
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/${id}`, 'fibres', { id }),
          JSON.stringify(document),
        )
        .expect(201)
    await upToDate()
  })
  after(removeRepositories)

  async function search(query: string) {
    const { body } = await service.http.get(`/api/v1/search?highlight=false&${query}`).expect(200)
    return body as {
      readonly total: number
      readonly upToDate: boolean
      readonly items?: unknown
      readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>
    }
  }

  async function upToDate(): Promise<void> {
    await waitUntil('the index', async () => {
      const answer = await service.http.get('/api/v1/search?size=1')
      return answer.status === 200 && answer.body.upToDate
    })
  }

  it('by title, creator, year, subject and licence', async () => {
    for (const q of [
      'title:zirconia',
      'creator:"Doe, Jane"',
      'year:1987',
      'title:fibre AND licence:CC-BY-4.0',
    ])
      expect((await search(`q=${encodeURIComponent(q)}`)).total, q).to.equal(1)
    expect((await search('q=subject:ceramics')).total).to.equal(2)
    expect((await search('q=creator:SELF')).total).to.equal(0)
    expect((await search('creator=Roe%2C%20Max')).total).to.equal(1)
  })

  it('and count them in facets', async () => {
    const { facets } = await search('facets=creator,year,subject,licence')
    expect(facets.creator).to.have.deep.members([
      { value: 'Doe, Jane', count: 1 },
      { value: 'Roe, Max', count: 1 },
    ])
    expect(facets.subject).to.deep.equal([{ value: 'ceramics', count: 2 }])
    expect(facets.year).to.have.deep.members([
      { value: '1987', count: 1 },
      { value: '1999', count: 1 },
    ])
  })

  it('and show them on the page of results', async () => {
    const page = await service.http.get('/search?q=zirconia').set('Accept', 'text/html').expect(200)
    expect(page.text).to.contain('Doe, Jane').and.contain('CC-BY-4.0')
    expect(page.text).to.contain('<mark>Zirconia</mark>')
  })

  it('and suggest their titles', async () => {
    const { text } = await service.http.get('/api/v1/search/suggest?q=zirc').expect(200)
    expect(text).to.contain('Zirconia fibre')
  })

  it('by a changed crosswalk, as soon as the index has followed', async () => {
    const etag = etagOf(await service.http.get('/api/v1/schemas/fibres').expect(200))
    await service.putSchema('fibres', etag, { crosswalk: { creators: 'terms' } }).expect(200)
    await waitUntil('the documents in the index', async () => (await search('creator=CC0-1.0')).total === 1)
    expect((await search('creator=Roe%2C%20Max')).total).to.equal(0)
  })

  it('also in the past, by the crosswalk of today', async () => {
    const before = await service.head()
    const etag = etagOf(await service.http.get('/api/v1/metadata/alumina').expect(200))
    await service
      .putMetadata('alumina', etag, undefined, JSON.stringify({ title: 'Silicon carbide', terms: 'MIT' }))
      .expect(200)
    await upToDate()
    expect((await search(`q=title:alumina&at=${before}`)).total).to.equal(1)
    expect((await search('q=title:alumina')).total).to.equal(0)
  })
})
