import { expect } from 'chai'
import {
  type RunningServer,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import {
  openSearchUiClient,
  type SearchUiAnswer,
  type SearchUiClient,
} from '../../support/search/search-ui-client.js'
import { describeWithCluster, removeIndices, testCluster } from '../../support/search/test-cluster.js'
import { upload, uploadTitled } from '../../support/servers/uploads.js'

const schema = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['title'],
})

const declared = {
  fields: [
    { path: 'instrument.name', as: 'keyword', facet: true },
    { path: 'voltage', as: 'number', facet: true },
  ],
}

const samples = [
  { title: 'Steel rod 1', instrument: { name: 'SEM' }, voltage: 5 },
  { title: 'Steel rod 2 <b>', instrument: { name: 'SEM' }, voltage: 15 },
  { title: 'Steel plate', instrument: { name: 'TEM' }, voltage: 25 },
  { title: 'Copper plate', instrument: { name: 'XRD' }, voltage: 35 },
]

const title = 'metadataDocument.title'
const instrument = 'metadataDocument.instrument.name.keyword'
const voltage = 'metadataDocument.voltage'

const config = {
  search_fields: { [title]: { weight: 2 }, 'metadataRecord.titles.value': {}, pid: {} },
  result_fields: { [title]: { raw: {}, snippet: {} }, id: { raw: {} } },
  disjunctiveFacets: [instrument],
  facets: {
    [instrument]: { type: 'value', size: 10 },
    [voltage]: {
      type: 'range',
      ranges: [
        { from: 0, to: 10, name: 'low' },
        { from: 10, to: 30, name: 'middle' },
      ],
    },
  },
}

/** Declares the tests. @param options options of the server */
function declareSuite(options: readonly string[]): void {
  let server: RunningServer
  let client: SearchUiClient

  before(async () => {
    server = await startServer(['--data', await temporaryFolder(), ...options])
    await upload(server.url, 'schema', { schemaId: 'rods', search: declared }, schema)
    for (const [index, document] of samples.entries()) {
      const identifier = { value: `10.1/${index}`, identifierType: 'DOI' }
      const record = { id: `rod-${index}`, schema: 'rods', title: `Report on ${document.title}`, identifier }
      await uploadTitled(server.url, record, JSON.stringify(document))
    }
    client = await openSearchUiClient(`${server.url}api/v1/`, 'metastore-rods')
    await waitUntil(
      'the index has all documents',
      async () => {
        // The connector rejects the answer of a cluster while the indexing runs.
        const answer = await client
          .onSearch({ current: 1, resultsPerPage: 10 }, config)
          .catch(() => undefined)
        return answer?.totalResults === samples.length
      },
      60_000,
    )
  })
  after(stopProcesses)

  const idsOf = (results: SearchUiAnswer['results']) =>
    results.map(result => String(result.id?.raw).replace(/^.*\//, ''))
  const countsIn = (facets: SearchUiAnswer['facets'], field: string) =>
    (facets[field] ?? []).flatMap(({ data }) => data)
  const search = (state: object) => client.onSearch({ current: 1, resultsPerPage: 10, ...state }, config)

  it('shows hits of a text, best match first', async () => {
    const answer = await search({ searchTerm: 'steel rod' })
    expect(idsOf(answer.results)).to.have.members(['rod-0', 'rod-1', 'rod-2'])
    expect(idsOf(answer.results).slice(0, 2)).to.have.members(['rod-0', 'rod-1'])
    expect(answer.totalResults).to.equal(3)
  })

  it('shows fields of documents, and hits highlighted and escaped', async () => {
    const { results } = await search({ searchTerm: 'rod' })
    const [found] = results.filter(result => String(result.id?.raw).endsWith('rod-1'))
    expect(found?.metadataDocument?.raw).to.deep.equal({ title: 'Steel rod 2 <b>' })
    expect(found?.[title]?.snippet).to.deep.equal(['Steel <em>rod</em> 2 &lt;b&gt;'])
  })

  it('shows counts of facets', async () => {
    const { facets } = await search({ searchTerm: 'steel' })
    expect(countsIn(facets, instrument)).to.deep.equal([
      { value: 'SEM', count: 2 },
      { value: 'TEM', count: 1 },
    ])
    expect(countsIn(facets, voltage).map(({ count }) => count)).to.deep.equal([1, 2])
  })

  it('narrows by filters, and counts the other values of a disjunctive facet', async () => {
    const filters = [{ field: instrument, type: 'any', values: ['SEM'] }]
    const answer = await search({ searchTerm: 'steel', filters })
    expect(idsOf(answer.results)).to.have.members(['rod-0', 'rod-1'])
    expect(answer.totalResults).to.equal(2)
    expect(countsIn(answer.facets, instrument)).to.deep.equal([
      { value: 'SEM', count: 2 },
      { value: 'TEM', count: 1 },
    ])
    expect(countsIn(answer.facets, voltage).map(({ count }) => count)).to.deep.equal([1, 1])
  })

  it('narrows by ranges, several values, and exclusions', async () => {
    const found = async (...filters: readonly object[]) => idsOf((await search({ filters })).results)
    const middle = { from: 10, to: 30, name: 'middle' }
    expect(await found({ field: voltage, type: 'all', values: [middle] })).to.have.members(['rod-1', 'rod-2'])
    const two = { field: instrument, type: 'any', values: ['TEM', 'XRD'] }
    expect(await found(two)).to.have.members(['rod-2', 'rod-3'])
    const others = { field: instrument, type: 'none', values: ['SEM'] }
    expect(await found(others)).to.have.members(['rod-2', 'rod-3'])
  })

  it('shows pages in the requested order', async () => {
    const page = (current: number) =>
      search({ current, resultsPerPage: 3, sortList: [{ field: 'id', direction: 'asc' }] })
    const [first, second] = [await page(1), await page(2)]
    expect(idsOf(first.results)).to.deep.equal(['rod-0', 'rod-1', 'rod-2'])
    expect(idsOf(second.results)).to.deep.equal(['rod-3'])
    expect([second.totalPages, second.pagingStart, second.pagingEnd]).to.deep.equal([2, 4, 4])
  })

  it('completes typed text with hits', async () => {
    const { search_fields, result_fields } = config
    const results = { search_fields, result_fields, resultsPerPage: 5 }
    const suggestions = { types: { titles: { fields: ['metadataRecord.titles.value'] } }, size: 3 }
    const answer = await client.onAutocomplete({ searchTerm: 'copp' }, { results, suggestions })
    expect(idsOf(answer.autocompletedResults)).to.deep.equal(['rod-3'])
  })

  it('completes typed text with titles of records', async () => {
    const suggestions = { types: { titles: { fields: ['metadataRecord.titles.value'] } }, size: 3 }
    const suggested = async (searchTerm: string) => {
      const { autocompletedSuggestions } = await client.onAutocomplete({ searchTerm }, { suggestions })
      return autocompletedSuggestions.titles?.map(({ suggestion }) => suggestion)
    }
    expect(await suggested('copp')).to.deep.equal(['Report on Copper plate'])
    expect(await suggested('report on pla')).to.have.members([
      'Report on Steel plate',
      'Report on Copper plate',
    ])
    expect(await suggested('rep')).to.have.length(3)
    expect(await suggested('xylo')).to.deep.equal([])
  })

  it('searches fields of the record that have no values of their own in the index', async () => {
    const search_fields = {
      'metadataRecord.contributors.user.familyName': {},
      'metadataRecord.alternateIdentifiers.value': {},
      'metadataRecord.dates.value': {},
    }
    const ids = async (searchTerm: string) =>
      idsOf(
        (await client.onSearch({ searchTerm, current: 1, resultsPerPage: 10 }, { ...config, search_fields }))
          .results,
      )
    expect(await ids('rod-3')).to.deep.equal(['rod-3'])
    expect(await ids('xrd')).to.deep.equal([])
  })

  it('searches with the key of a cluster, which is not a token', async () => {
    const keyed = await openSearchUiClient(
      `${server.url}metastore/api/v1/`,
      'metastore-rods,metastore-none',
      {
        apiKey: 'undefined',
      },
    )
    const answer = await keyed.onSearch({ current: 1, resultsPerPage: 1 }, config)
    expect(answer.totalResults).to.equal(4)
  })
}

describe('The connector of existing frontends', () => declareSuite([]))
describeWithCluster('The connector of existing frontends, with a cluster', () => {
  const cluster = testCluster()
  declareSuite(['--search-url', cluster.url, '--search-index', cluster.prefix])
  after(() => removeIndices(cluster))
})
