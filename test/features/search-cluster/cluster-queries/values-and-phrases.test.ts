import { expect } from 'chai'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { describeEngines } from '../../../support/search/search-engines.js'

const link = (relationType: string, value: string) => ({ relationType, identifierType: 'URL', value })

const samples = {
  a: {
    record: {
      titles: [{ value: 'Blue moon' }, { value: 'Light year' }],
      creators: [
        { familyName: 'Mustermann', givenName: 'Erika' },
        { familyName: 'van der Berg, Jr.', givenName: 'Jan' },
        { familyName: 'Consortium' },
      ],
      subjects: [{ value: 'Berlin' }],
      publisher: 'Open-Access Press',
      formats: ['TIFF six', 'seven PNG'],
    },
    document: { parts: ['red apple', 'pie dough'], of: { lamp: 'state-of-the-art' }, last: 'end' },
  },
  b: {
    record: {
      titles: [{ value: 'Light' }],
      creators: [{ familyName: 'MUSTERMANN', givenName: 'ERIKA' }, { familyName: 'Erika' }],
      subjects: [{ value: 'berlin' }, { value: 'Hamburg' }],
      publisher: 'Press for access, open',
    },
    document: { parts: 'apple pie', of: { lamp: 'art the of state' } },
  },
}

describeEngines('Values and phrases', ({ options }) => {
  let service: TestService
  before(async () => {
    service = await startService(options)
    await service.postSchema({ schemaId: 'plain' }, jsonSchema()).expect(201)
    for (const [id, { record, document }] of Object.entries(samples)) {
      const relatedIdentifiers = [
        link('IS_METADATA_FOR', `http://x/${id}`),
        link('HAS_METADATA', 'http://metastore.test/api/v2/schemas/plain?version=1'),
      ]
      const sent = { id, publicationYear: '2024', ...record, relatedIdentifiers }
      const part = { filename: 'record.json', contentType: 'application/json' }
      await service.http
        .post('/api/v2/metadata')
        .attach('record', Buffer.from(JSON.stringify(sent)), part)
        .attach('document', Buffer.from(JSON.stringify(document)), 'document')
        .expect(201)
    }
    await searchHasAll(service)
  })
  after(removeRepositories)

  async function idsOf(q: string): Promise<string> {
    const { body } = await service.http.get('/api/v2/search').query({ q, sort: 'id' }).expect(200)
    const { items, total } = body as {
      readonly total: number
      readonly items: readonly { readonly record: { readonly id: string } }[]
    }
    expect(total).to.equal(items.length)
    return items.map(({ record }) => record.id).join('')
  }

  const queries: Readonly<Record<string, readonly [q: string, found: string]>> = {
    'a phrase in one value of several': ['"red apple"', 'a'],
    'no phrase from one value to the next': ['"apple pie"', 'b'],
    'no phrase from one member to the next': ['"dough state" OR "art end"', ''],
    'records with the words of a phrase only in two values': ['-"apple pie"', 'a'],
    'no phrase from one value of a record to the next': ['"six seven" OR "moon light"', ''],
    'no phrase from one title to the next': ['title:"moon light"', ''],
    'no beginning of a phrase in two values': ['document.parts:"apple pie"', 'b'],
    'joined words in their order': ['open-access', 'a'],
    'joined words of a field in their order': ['publisher:open-access', 'a'],
    'the beginning of joined words in their order': ['publisher:open-acc*', 'a'],
    'joined words of a document in their order': ['state-of-the-art', 'a'],
    'a creator in the form of facets': ['creator:"Mustermann, Erika"', 'ab'],
    'a creator with a comma in the family name': ['creator:"van der Berg, Jr., Jan"', 'a'],
    'a creator by the given name first': ['creator:"Erika Mustermann"', 'ab'],
    'no creator by names of two creators': ['creator:"Erika Consortium"', ''],
    'records without a creator': ['-creator:"van der Berg, Jr., Jan"', 'b'],
  }
  for (const [name, [q, found]] of Object.entries(queries))
    it(`finds ${name}: ${q}`, async () => expect(await idsOf(q)).to.equal(found))

  async function facet(name: string) {
    const { body } = await service.http.get('/api/v2/search').query({ facets: name }).expect(200)
    return body.facets[name] as readonly { readonly value: string; readonly count: number }[]
  }

  it('counts values of a record that differ only in case as one', async () => {
    expect(await facet('subject')).to.deep.equal([
      { value: 'Berlin', count: 2 },
      { value: 'Hamburg', count: 1 },
    ])
    expect((await facet('creator'))[0]).to.deep.equal({ value: 'MUSTERMANN, ERIKA', count: 2 })
  })

  it('finds by the name of a creator the records that the facet counts', async () => {
    for (const { value, count } of await facet('creator')) {
      const { body } = await service.http.get('/api/v2/search').query({ creator: value }).expect(200)
      expect(body.total, value).to.equal(count)
      const typed = await service.http.get('/api/v2/search').query({ q: `creator:"${value}"` })
      expect(typed.body.total, value).to.be.at.least(count)
    }
  })

  it('compares names exactly, and other whole values in any case', async () => {
    const totalOf = async (query: object) => {
      const { body } = await service.http.post('/api/v1/search').send({ query }).expect(200)
      return body.hits.total.value as number
    }
    expect(await totalOf({ term: { 'metadataRecord.subjects.value': 'BERLIN' } })).to.equal(2)
    expect(await totalOf({ term: { type: 'json' } })).to.equal(2)
    expect(await totalOf({ ids: { values: ['A', 'b'] } })).to.equal(1)
    expect(await totalOf({ term: { schema: 'Plain' } })).to.equal(0)
  })
})
