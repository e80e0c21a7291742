import { expect } from 'chai'
import { searchHasAll } from '../../../../support/http/search-examples.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

const crosswalk = { creators: 'who', publicationYear: 'made', rightsList: 'terms' }
const documents = {
  full: {
    ...{ title: 'Zirconia fibre', made: '1987-05', terms: 'CC-BY-4.0' },
    who: ['Doe, Jane', 'Roe, Max', 'Curie, Marie', 'Noether, Emmy'],
    keywords: ['one', '<b>two</b>', 'three', 'one', 'four', 'five', 'six'],
    description: 'Pulled & torn. '.repeat(50),
  },
  short: { title: 'A note', description: 'The first.' },
  terms: {
    title: 'Terms',
    terms: 'Use is free. '.repeat(100),
    who: `${'x'.repeat(99)}😀`,
    keywords: ['y'.repeat(100)],
  },
  silent: { text: 'nothing that describes it' },
}

interface Item {
  readonly record: { readonly id: string }
  readonly title?: string
  readonly description?: object
}

describe('The results of a search with descriptions', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'fibres', crosswalk }, jsonSchema()).expect(201)
    for (const [id, document] of Object.entries(documents))
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/${id}`, 'fibres', { id }),
          JSON.stringify(document),
        )
        .expect(201)
    await searchHasAll(service)
  })
  after(removeRepositories)

  async function itemsOf(query: string, version = 2): Promise<readonly Item[]> {
    const path = `/api/v${version}/search?sort=id&kind=both&highlight=false${query}`
    return (await service.http.get(path).expect(200)).body.items
  }

  async function described(query: string, version?: number) {
    const items = await itemsOf(`&descriptions=true${query}`, version)
    return new Map(items.map(({ record, description }) => [record.id, description]))
  }

  for (const version of [1, 2])
    it(`have people, year, licence, the beginning of the text, and keywords in version ${version}`, async () => {
      const found = await described('', version)
      expect([...found.keys()].filter(Boolean)).to.include.members(Object.keys(documents))
      expect(found.get('full')).to.deep.equal({
        people: ['Doe, Jane', 'Roe, Max', 'Curie, Marie'],
        hasMorePeople: true,
        year: '1987',
        licence: 'CC-BY-4.0',
        text: `${'Pulled & torn. '.repeat(14).slice(0, 200).trimEnd()}…`,
        keywords: ['one', '<b>two</b>', 'three', 'four', 'five'],
      })
      expect(found.get('short')).to.deep.equal({ text: 'The first.' })
      expect(found.get('terms')).to.deep.equal({
        people: [`${'x'.repeat(99)}…`],
        licence: `${'Use is free. '.repeat(8).slice(0, 100).trimEnd()}…`,
        keywords: ['y'.repeat(100)],
      })
      expect(found.get('silent')).to.equal(undefined)
    })

  it('have them beside titles, and without the parameter nothing else than before', async () => {
    const [first] = await itemsOf('&titles=true&descriptions=true&q=zirconia')
    expect(first).to.have.property('title', 'Zirconia fibre')
    expect(Object.keys(first ?? {})).to.include('description')
    for (const query of ['', '&titles=true', '&descriptions=false'])
      for (const item of await itemsOf(query)) expect(item, query).to.not.have.property('description')
    for (const item of await itemsOf('&descriptions=true')) expect(item).to.not.have.property('title')
  })

  it('are at most 100 on a page', async () => {
    const linkOf = async (query: string) =>
      (await service.http.get(`/api/v2/search?size=2000${query}`).expect(200)).headers.link
    expect(await linkOf('')).to.contain('size=2000')
    expect(await linkOf('&descriptions=true')).to.contain('size=100')
  })

  it('are of the documents of then at a point of history', async () => {
    const before = await service.head()
    const etag = etagOf(await service.http.get('/api/v1/metadata/short').expect(200))
    const record = metadataRecordV1('https://example.org/short', 'fibres', { id: 'short' })
    const document = JSON.stringify({ title: 'A note', description: 'The second.' })
    await service.putMetadata('short', etag, record, document).expect(200)
    await searchHasAll(service)

    expect((await described('')).get('short')).to.deep.equal({ text: 'The second.' })
    expect((await described(`&at=${before}`)).get('short')).to.deep.equal({ text: 'The first.' })
  })
})
