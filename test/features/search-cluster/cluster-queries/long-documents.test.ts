import { expect } from 'chai'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'
import { describeEngines } from '../../../support/search/search-engines.js'

const sensorXsd = `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://example.org/sensor" elementFormDefault="qualified">
  <xs:element name="sensor"><xs:complexType><xs:sequence>
    <xs:element name="model" type="xs:string"/>
    <xs:element name="range" maxOccurs="unbounded"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal">
      <xs:attribute name="unit" type="xs:string"/>
    </xs:extension></xs:simpleContent></xs:complexType></xs:element>
    <xs:element name="calibrated" type="xs:date"/>
    <xs:element name="part" minOccurs="0" maxOccurs="unbounded" type="xs:string"/>
  </xs:sequence><xs:attribute name="serial" type="xs:integer"/></xs:complexType></xs:element>
</xs:schema>
`

interface Sensor {
  readonly serial: number
  readonly model: string
  readonly ranges: readonly (readonly [unit: string, value: number])[]
  readonly calibrated: string
}

const sensor = ({ serial, model, ranges, calibrated }: Sensor) =>
  `<s:sensor xmlns:s="http://example.org/sensor" serial="${serial}"><s:model>${model}</s:model>${ranges
    .map(([unit, value]) => `<s:range unit="${unit}">${value}</s:range>`)
    .join('')}<s:calibrated>${calibrated}</s:calibrated></s:sensor>`

const members = (count: number, name: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, `value ${index}`]))

/** Longer than the indexed part of a document. */
const longText = 'filler '.repeat(160_000)

const json: Readonly<Record<string, object>> = {
  short: { late: 5, tag: 'short' },
  wide: { ...members(1100, 'other'), late: 5, tag: 'wide', last: { name: 'behind many paths' } },
  numbers: { all: Array.from({ length: 60_000 }, (_, index) => `z${index}`), late: 7, tag: 'numbers' },
  long: { all: longText, unsaid: 'beyond', late: 8, tag: 'long' },
  series: { late: Array.from({ length: 12_000 }, (_, index) => 1000 + index), tag: 'series' },
}

const xml: Readonly<Record<string, Sensor>> = {
  hot: {
    serial: 7,
    model: 'Hot Wire',
    ranges: [
      ['K', 300],
      ['C', 27],
    ],
    calibrated: '2021-05-06',
  },
  cold: { serial: 12, model: 'Cold Wire', ranges: [['K', 4.2]], calibrated: '2023-01-02' },
}

interface Found {
  readonly total: number
  readonly notes: readonly string[]
  readonly facets?: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>
  readonly items: readonly { readonly record: { readonly id: string } }[]
}

describeEngines('A search of long documents and records', ({ options }) => {
  let service: TestService

  before(async () => {
    service = await startService(options)
    await service
      .postSchema(
        {
          schemaId: 'samples',
          search: {
            fields: [
              { path: 'late', as: 'number', facet: true },
              { path: 'tag', as: 'keyword', facet: true },
            ],
          },
        },
        jsonSchema(),
      )
      .expect(201)
    await service
      .postSchema(
        {
          schemaId: 'sensors',
          search: {
            fields: [
              { path: 'sensor.model', as: 'keyword', facet: true },
              { path: 'sensor.range', as: 'number', facet: true },
              { path: 'sensor.range.@unit', as: 'keyword', facet: true },
              { path: 'sensor.@serial', as: 'number' },
              { path: 'sensor.calibrated', as: 'date' },
            ],
          },
        },
        sensorXsd,
      )
      .expect(201)
    for (const [id, document] of Object.entries(json)) await store(id, 'samples', JSON.stringify(document))
    for (const [id, document] of Object.entries(xml)) await store(id, 'sensors', sensor(document))
    const creators = Array.from({ length: 1200 }, (_, index) => ({ familyName: `Writer${index}` }))
    const many = { creators, subjects: [{ value: 'teams' }], rights: [{ schemeId: 'MIT' }] }
    await store('team', 'samples', JSON.stringify({ late: 9, tag: 'team' }), many)
    const since = await service.head()
    await service.http.get('/api/v2/search').query({ since, wait: 120 }).expect(200)
  })
  after(async () => {
    await removeRepositories()
  })

  async function store(id: string, schema: string, document: string, more: object = {}): Promise<void> {
    const link = (relationType: string, value: string) => ({ relationType, identifierType: 'URL', value })
    const record = {
      ...{ id, titles: [{ value: `Record ${id}` }], publicationYear: '2024', ...more },
      relatedIdentifiers: [
        link('IS_METADATA_FOR', `http://x/${id}`),
        link('HAS_METADATA', `http://metastore.test/api/v2/schemas/${schema}?version=1`),
      ],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), {
        filename: 'record.json',
        contentType: 'application/json',
      })
      .attach('document', Buffer.from(document), 'document')
      .expect(201)
  }

  async function search(parameters: Readonly<Record<string, string>>): Promise<Found> {
    const sent = { sort: 'id', highlight: 'false', ...parameters }
    const { body } = await service.http.get('/api/v2/search').query(sent).expect(200)
    return body as Found
  }

  async function idsOf(q: string): Promise<string> {
    const { items, total, notes } = await search({ q })
    expect(notes, q).to.deep.equal([])
    expect(total, q).to.equal(items.length)
    return items.map(({ record }) => record.id).join(' ')
  }

  const queries: Readonly<Record<string, readonly [q: string, found: string]>> = {
    'a declared number behind many paths': ['late:5', 'short wide'],
    'a range behind many paths, values and text': ['late:1..9', 'long numbers short team wide'],
    'a path behind many paths': ['last.name:behind', 'wide'],
    'the end of a path behind many paths': ['*.name:"behind many paths"', 'wide'],
    'each of many paths': ['other1099:1099', 'wide'],
    'a word behind many values': ['z59000', 'numbers'],
    'a word at a path behind many values': ['all:z59000', 'numbers'],
    'each of many declared values': ['late:2499', 'series'],
    'a licence beside many creators': ['licence:MIT', 'team'],
    'each of many creators': ['creator:Writer1199', 'team'],
    'a number at a declared element': ['sensor.range:100..', 'hot'],
    'a fraction at a declared element': ['sensor.range:4..4.5', 'cold'],
    'a number at a declared attribute': ['sensor.@serial:10..', 'cold'],
    'a date at a declared element': ['sensor.calibrated:2021', 'hot'],
    'dates at a declared element': ['sensor.calibrated:2021..2023', 'cold hot'],
    'a word at a declared element': ['sensor.model:wire', 'cold hot'],
    'a word at a declared attribute': ['sensor.range.@unit:K', 'cold hot'],
  }
  for (const [name, [q, found]] of Object.entries(queries))
    it(`finds ${name}`, async () => expect(await idsOf(q)).to.equal(found))

  it('finds no word beyond the indexed text, except at declared paths', async () => {
    expect(await idsOf('beyond')).to.equal('')
    expect(await idsOf('tag:long')).to.equal('long')
  })

  it('counts all values of a record and a document', async () => {
    const names = ['licence', 'subject', 'late', 'tag']
    const asked = { facets: names.join(','), facetSize: '1000' }
    // On a busy machine, counting can take longer than its limit.
    const { facets } = await waitUntil('all facets are counted', async () => {
      const found = await search(asked)
      return names.every(name => Array.isArray(found.facets?.[name])) && found
    })
    expect(facets?.licence).to.deep.equal([{ value: 'MIT', count: 1 }])
    expect(facets?.subject).to.deep.equal([{ value: 'teams', count: 1 }])
    expect(facets?.late?.[0]).to.deep.equal({ value: '5', count: 2 })
    expect(facets?.tag?.map(({ value }) => value)).to.have.members([...Object.keys(json), 'team'])
  })

  it('narrows to values of a record with thousands of values', async () => {
    for (const narrowed of [{ licence: 'MIT' }, { creator: 'Writer1199' }, { creator: 'Writer0' }])
      expect(
        (await search(narrowed as Readonly<Record<string, string>>)).total,
        JSON.stringify(narrowed),
      ).to.equal(1)
  })

  it('counts declared elements and attributes of XML', async () => {
    const { facets } = await search({ facets: 'sensor.model,sensor.range,sensor.range.@unit' })
    expect(facets?.['sensor.model']).to.have.deep.members([
      { value: 'Hot Wire', count: 1 },
      { value: 'Cold Wire', count: 1 },
    ])
    expect(facets?.['sensor.range']?.map(({ value }) => value)).to.have.members(['300', '27', '4.2'])
    expect(facets?.['sensor.range.@unit']).to.deep.equal([
      { value: 'K', count: 2 },
      { value: 'C', count: 1 },
    ])
  })
})
