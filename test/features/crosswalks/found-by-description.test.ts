import { expect } from 'chai'
import { searchHasAll } from '../../support/http/search-examples.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'
import { describeEngines } from '../../support/search/search-engines.js'

const crosswalk = {
  creators: 'who',
  publicationYear: 'made',
  rightsList: 'terms',
  language: 'tongue',
}
const documents = {
  zirconia: {
    ...{ title: 'Zirconia fibre', who: 'Doe, Jane', made: '1987-05', terms: 'CC-BY-4.0', tongue: 'de' },
    keywords: ['ceramics', 'Fibre'],
    description: 'Pulled until <b>failure</b>.',
  },
  alumina: {
    ...{ title: 'Alumina fibre', who: 'Roe, Max', made: '1999', terms: 'CC0-1.0', tongue: 'en' },
    keywords: ['ceramics'],
  },
  note: { title: 'A note', text: 'fibre and a long text about another material', made: '1999' },
}
/** Searches, and the documents that they find, by id. */
const questions: Readonly<Record<string, readonly string[]>> = {
  'title:zirconia': ['zirconia'],
  'title:"zirconia fibre"': ['zirconia'],
  'creator:"Doe, Jane"': ['zirconia'],
  'creator:SELF': ['note'],
  'creator:*': ['alumina', 'note', 'zirconia'],
  'year:1987': ['zirconia'],
  'year:1980..1999': ['alumina', 'note', 'zirconia'],
  'subject:ceramics': ['alumina', 'zirconia'],
  'subject:ceramics -subject:fibre': ['alumina'],
  'title:fibre AND licence:CC-BY-4.0': ['zirconia'],
  'language:de': ['zirconia'],
  'language:*': ['alumina', 'zirconia'],
  'NOT language:en': ['note', 'zirconia'],
}
/** The counts of the facets. */
const counts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  title: { 'A note': 1, 'Alumina fibre': 1, 'Zirconia fibre': 1 },
  creator: { 'Doe, Jane': 1, 'Roe, Max': 1, SELF: 1 },
  year: { 1987: 1, 1999: 2 },
  subject: { ceramics: 2, Fibre: 1 },
  licence: { 'CC-BY-4.0': 1, 'CC0-1.0': 1 },
  language: { de: 1, en: 1 },
}

interface Answer {
  readonly total: number
  readonly items: readonly { readonly record: { readonly id: string }; readonly title?: string }[]
  readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>
}

describeEngines('Searches find documents by their descriptions', ({ name, options }) => {
  let service: TestService
  const upToDate = () => searchHasAll(service)

  before(async () => {
    service = await startService(options)
    await service.postSchema({ schemaId: 'fibres', crosswalk }, jsonSchema()).expect(201)
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

  async function search(parameters: Readonly<Record<string, string>>): Promise<Answer> {
    const { body } = await service.http
      .get('/api/v1/search')
      .query({ highlight: 'false', ...parameters })
      .expect(200)
    return body as Answer
  }

  const idsOf = ({ items }: Answer) => items.map(({ record }) => record.id)

  async function putCrosswalk(changed: object): Promise<void> {
    const etag = etagOf(await service.http.get('/api/v1/schemas/fibres').expect(200))
    await service.putSchema('fibres', etag, { crosswalk: changed }).expect(200)
    await upToDate()
  }

  for (const [q, found] of Object.entries(questions))
    it(`asked for ${q}`, async () => {
      expect(idsOf(await search({ q, sort: 'id' }))).to.deep.equal(found)
    })

  it('by the parameters of the values', async () => {
    const narrowings = { creator: 'Roe, Max', licence: 'CC0-1.0', language: 'en' }
    for (const [parameter, value] of Object.entries(narrowings))
      expect(idsOf(await search({ [parameter]: value })), parameter).to.deep.equal(['alumina'])
    expect(idsOf(await search({ year: '1980..1990' }))).to.deep.equal(['zirconia'])
  })

  it('with the beginning of the description, and keywords, in lists', async () => {
    for (const path of ['/metadata-management', '/search?q=', '/search?q=zirconia']) {
      const { text } = await service.http.get(path).set('Accept', 'text/html').expect(200)
      expect(text, path)
        .to.contain('<div class="beginning" dir="auto">Pulled until failure.</div>')
        .and.contain('<span class="tag" dir="auto">ceramics</span> <span class="tag" dir="auto">Fibre</span>')
    }
  })

  it('with a word in a title before one in the text', async () => {
    expect(idsOf(await search({ q: 'fibre' }))[2]).to.equal('note')
  })

  it('in the order of their years', async () => {
    const answer = await service.http
      .post('/api/v1/search')
      .send({ sort: [{ 'metadataRecord.publicationYear': 'asc' }, { id: 'asc' }] })
      .expect(200)
    const { hits } = (answer.body as { hits: { hits: readonly { _source: { id: string } }[] } }).hits
    expect(hits.map(({ _source }) => _source.id)).to.deep.equal(['zirconia', 'alumina', 'note'])
  })

  const countsOf = ({ facets }: Answer) =>
    Object.fromEntries(
      Object.entries(facets).map(([facet, values]) => [
        facet,
        Object.fromEntries(values.map(({ value, count }) => [value, count])),
      ]),
    )

  it('and count them in facets', async () => {
    expect(countsOf(await search({ facets: Object.keys(counts).join() }))).to.deep.equal(counts)
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
    await putCrosswalk({ ...crosswalk, creators: 'terms' })
    expect(idsOf(await search({ creator: 'CC0-1.0' }))).to.deep.equal(['alumina'])
    expect((await search({ creator: 'Roe, Max' })).total).to.equal(0)
    await putCrosswalk(crosswalk)
    expect(idsOf(await search({ creator: 'Roe, Max' }))).to.deep.equal(['alumina'])
  })

  if (name === 'embedded')
    it('also in the past, by the crosswalk of today', async () => {
      const at = await service.head()
      const changed = { title: 'Silicon carbide', terms: 'MIT', tongue: 'fr', who: 'Poe, Ann', made: '2001' }
      await service.putMetadata('alumina', '*', undefined, JSON.stringify(changed)).expect(200)
      await upToDate()
      expect((await search({ q: 'title:alumina' })).total).to.equal(0)
      for (const [q, found] of Object.entries(questions))
        expect(idsOf(await search({ q, at, sort: 'id' })), q).to.deep.equal(found)
      expect(countsOf(await search({ at, facets: Object.keys(counts).join() }))).to.deep.equal(counts)
    })

  it('with the titles that the documents have, if that is asked and the record has none', async () => {
    const titled = {
      id: 'titled',
      titles: [{ value: 'A title of the record' }],
      relatedIdentifiers: [
        { value: 'https://example.org/titled', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'fibres', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(titled)), 'record.json')
      .attach('document', Buffer.from('{"title":"Another title"}'), 'document.json')
      .expect(201)
    await upToDate()
    const titles = async (parameters: Readonly<Record<string, string>>) =>
      (await search({ q: 'id:titled OR id:zirconia', sort: 'id', ...parameters })).items.map(
        ({ record, title }) => [record.id, title],
      )

    expect(await titles({ titles: 'true' })).to.deep.equal([
      ['titled', undefined],
      ['zirconia', 'Zirconia fibre'],
    ])
    expect(await titles({})).to.deep.equal([
      ['titled', undefined],
      ['zirconia', undefined],
    ])
    await service.http.get('/api/v1/search?titles=maybe').expect(400)
  })
})

describe('The health of a service whose search index follows a changed crosswalk', () => {
  after(removeRepositories)

  it('says how many documents of the schema are done', async () => {
    const service = await startService({}, {}, undefined, { serving: true })
    await service.postSchema({ schemaId: 'long' }, jsonSchema()).expect(201)
    const text = Array.from({ length: 30_000 }, (_, word) => `w${word}`).join(' ')
    const count = 12
    for (let number = 0; number < count; number++)
      await service
        .postMetadata(
          metadataRecordV1(`https://example.org/long/${number}`, 'long', { id: `long-${number}` }),
          JSON.stringify({ heading: 'A long one', text: `${number} ${text}` }),
        )
        .expect(201)
    await searchHasAll(service)
    const etag = etagOf(await service.http.get('/api/v1/schemas/long').expect(200))
    await service.putSchema('long', etag, { crosswalk: { titles: 'heading' } }).expect(200)
    const told: { readonly schema: string; readonly done: number; readonly total: number }[] = []
    for (let isDone = false; !isDone; ) {
      const { search } = (await service.http.get('/health').expect(200)).body
      told.push(...(search.again ?? []))
      isDone = search.upToDate
    }
    expect(told.map(({ schema }) => schema)).to.include('long')
    const parts = told.filter(({ total }) => total > 0)
    expect(parts.length).to.be.greaterThan(0)
    for (const { done, total } of parts)
      expect([total, done > 0 && done <= total]).to.deep.equal([count, true])
    const { body } = await service.http.get('/api/v1/search?q=title:"a long one"').expect(200)
    expect(body.total).to.equal(count)
    expect((await service.http.get('/health').expect(200)).body.search).to.not.have.property('again')
  })
})
