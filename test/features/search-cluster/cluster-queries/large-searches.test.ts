import { expect } from 'chai'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { storeDocument } from '../../../support/search/cluster-service.js'
import { describeEngines } from '../../../support/search/search-engines.js'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const path = (name: string) => `metadataDocument.${name}`
const valuesOfField = 2000
const manyFields = numbers(20).map(at => `many${at}`)

describeEngines('Large searches', ({ name: engine, options }) => {
  let service: TestService
  before(async () => {
    service = await startService(options)
    const fields = [
      ...manyFields.map(field => ({ path: field, as: 'keyword', facet: true })),
      { path: 'n', as: 'number', facet: true },
    ]
    await service.postSchema({ schemaId: 's', search: { fields } }, jsonSchema()).expect(201)
    const document = {
      ...Object.fromEntries(manyFields.map(field => [field, numbers(valuesOfField).map(at => `v${at}`)])),
      n: [3, 5],
      text: 'apple ape apart apt',
    }
    await storeDocument(service, 'a', { schemaId: 's', document })
    await searchHasAll(service)
  })
  after(removeRepositories)

  const search = (body: object) => service.http.post('/api/v1/search').send(body)
  const totalOf = async (query: object) =>
    (await search({ query }).expect(200)).body.hits.total.value as number

  for (const [field, values] of [
    [path('many0'), numbers(10_000).map(at => `V${at + 1999}`)],
    ['metadataRecord.creators.familyName', numbers(10_000).map(at => `Family${at}, Given`)],
    ['id', ['a', ...numbers(9_000).map(at => `record ${at}`)]],
    ['metadataRecord.publicationYear', numbers(9_000)],
  ] as const) {
    it(`find values among thousands: ${field}`, async () => {
      // The record has another creator, and no year.
      const isFound = !/creators|publicationYear/.test(field)
      expect(await totalOf({ terms: { [field]: values } })).to.equal(isFound ? 1 : 0)
    })
  }

  // The embedded index has a limit of time instead.
  if (engine === 'cluster') {
    it('count more values than a cluster counts in one request', async () => {
      const fields = [...manyFields, ...manyFields]
      const aggs = Object.fromEntries(
        fields.map((field, index) => [`a${index}`, { terms: { field: path(field), size: 1000 } }]),
      )
      const { body } = await search({ size: 0, aggs }).expect(200)
      for (const name of Object.keys(aggs)) {
        expect(body.aggregations[name].buckets, name).to.have.length(1000)
        expect(body.aggregations[name].sum_other_doc_count, name).to.equal(valuesOfField - 1000)
      }
    })
  }

  it('with more ranges than a cluster compares in one request are refused by a cluster, and answered by the embedded index', async () => {
    const should = numbers(1000).map(at => ({ range: { [path('n')]: { gte: at, lt: at + 1 } } }))
    const { status, body } = await search({ query: { bool: { should } } })
    expect(status).to.equal(engine === 'cluster' ? 400 : 200)
    if (engine === 'cluster') expect(body.error.reason).to.contain('refuses this search: it is too large')
    else expect(body.hits.total.value).to.equal(1)
  })

  for (const [name, body, reason] of [
    [
      'with more than four beginnings of one letter',
      {
        query: {
          bool: {
            should: numbers(5).map(at => ({ prefix: { [path('text')]: `${'abcde'.charAt(at)}` } })),
          },
        },
      },
      'more than 4 beginnings of words',
    ],
    [
      'with too many words',
      { query: { match_phrase: { [path('text')]: 'apple '.repeat(5000) } } },
      'too many words',
    ],
    ['with a long value', { query: { term: { [path('many0')]: 'x'.repeat(20_001) } } }, 'is too long'],
    [
      'with more than 40 facets',
      { aggs: Object.fromEntries(numbers(41).map(at => [`f${at}`, { terms: { field: path('n') } }])) },
      'At most 40 facets',
    ],
    ['with a facet of texts', { aggs: { texts: { terms: { field: 'description' } } } }, 'There is no facet'],
  ] as const) {
    it(`${name} are refused`, async () => {
      const answer = await search(body).expect(400)
      expect(answer.body.error.reason).to.contain(reason)
    })
  }

  it('return no minimum of texts', async () => {
    const aggs = { text: { min: { field: path('many0') } }, number: { max: { field: path('n') } } }
    const { body } = await search({ size: 0, aggs }).expect(200)
    expect(body.aggregations).to.deep.equal({ text: { value: null }, number: { value: 5 } })
  })

  it('count times', async () => {
    const { body } = await search({ aggs: { times: { terms: { field: 'lastUpdate' } } } }).expect(200)
    expect(body.aggregations.times.buckets).to.have.length(1)
  })

  it('compare years with any number', async () => {
    const year = 'metadataRecord.publicationYear'
    const range = (bounds: object) => totalOf({ range: { [year]: bounds } })
    expect(await range({ gte: 0, lt: 3_000_000_000 })).to.equal(await range({ gte: 0 }))
    expect(await range({ gte: '1e300' })).to.equal(0)
  })
})
