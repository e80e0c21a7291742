import { expect } from 'chai'
import fc from 'fast-check'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { searchOf } from '../../../src/features/search/feature.js'
import type { FacetRequest, SearchRequest } from '../../../src/features/search/search-engine.js'
import { arbitraryQueryText } from '../../support/data/arbitrary-query-text.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import { searchRequest, searchText } from '../../support/data/search-requests.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const terms = (name: string, field = name): FacetRequest => ({
  name,
  field,
  counts: { type: 'terms', size: 10, order: 'count' },
})

describe('a search', () => {
  let service: TestService

  before(async () => {
    service = await startService({}, {}, await temporaryRepository({ bare: false }))
    const search = {
      fields: [
        { path: 'instrument.voltage', as: 'number' },
        { path: 'instrument.name', as: 'keyword', facet: true },
        { path: 'measured', as: 'date' },
      ],
    }
    await service.postSchema({ schemaId: 'measurement', search }, jsonSchema()).expect(201)
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    await add('rod', {
      name: 'Steel rod, cold rolled',
      instrument: { name: 'SEM 300', voltage: 15, detectors: ['InLens', 'SE 2'] },
      measured: '2024-05-01',
    })
    await add('bar', {
      name: 'Iron bar (draft)',
      instrument: { name: 'TEM', voltage: 200.5, detectors: ['field emission', 'gun 7'] },
      measured: '2025-01-31T12:00:00Z',
    })
    await add('sheet', { name: 'Größe of a STEEL sheet', instrument: { name: 'sem 300', voltage: -3 } })
    const xml = '<note xmlns="http://example.org/note"><text>Steel &amp; <![CDATA[iron]]> wire</text></note>'
    await service.postMetadata(metadataRecordV1('http://x/wire', 'note', { id: 'wire' }), xml).expect(201)
  })
  after(removeRepositories)

  async function add(id: string, document: object): Promise<void> {
    const record = metadataRecordV1(`http://x/${encodeURIComponent(id)}`, 'measurement', { id })
    await service.postMetadata(record, JSON.stringify(document)).expect(201)
  }

  async function found(text: string, more: Partial<SearchRequest> = {}): Promise<readonly string[]> {
    const { hits, total } = await searchText(service.services, selfPrincipal, text, more)
    expect(hits).to.have.length(total)
    return hits.map(({ revision }) => revision.id as string).sort()
  }

  it('finds no record that the caller may not read', async () => {
    const stranger = { ...selfPrincipal, sid: 'stranger', administrator: false }

    expect(await searchText(service.services, stranger, 'steel')).to.deep.include({ hits: [], total: 0 })
  })

  const queries: readonly (readonly [text: string, ...ids: readonly string[]])[] = [
    ['steel', 'rod', 'sheet', 'wire'],
    ['STEEL rod', 'rod'],
    ['"rolled cold"'],
    ['"cold rolled"', 'rod'],
    ['grosse'],
    ['GRÖßE', 'sheet'],
    ['große', 'sheet'],
    ['grö*', 'sheet'],
    ['gro*', 'sheet'],
    ['steel -rod', 'sheet', 'wire'],
    ['steel -document.name:rod', 'sheet', 'wire'],
    ['bar OR wire', 'bar', 'wire'],
    ['steel (rod OR wire)', 'rod', 'wire'],
    ['instrument.name:sem', 'rod', 'sheet'],
    ['*.name:sem', 'rod', 'sheet'],
    ['instrument.name:s*', 'rod', 'sheet'],
    ['name:sem'],
    ['instrument.detectors:"field emission"', 'bar'],
    ['instrument.detectors:"emission gun"'],
    ['instrument.voltage:200.5', 'bar'],
    ['note.text:steel', 'wire'],
    ['note.text:"iron wire"', 'wire'],
    ['instrument.voltage:10..20', 'rod'],
    ['instrument.voltage:..0', 'sheet'],
    ['instrument.voltage:15..', 'bar', 'rod'],
    ['measured:2024', 'rod'],
    ['measured:2024..2024', 'rod'],
    ['measured:2025-01-31..2025-01-31', 'bar'],
    ['measured:*', 'bar', 'rod'],
    ['instrument:*', 'bar', 'rod', 'sheet'],
    ['schema:note', 'wire'],
    ['type:xml kind:metadata', 'wire'],
    ['kind:schema', 'measurement', 'note'],
    ['id:rod', 'rod'],
    ['resource:http://x/rod', 'rod'],
    ['state:volatile -kind:schema', 'bar', 'rod', 'sheet', 'wire'],
    ['updated:2000..2001'],
    ['year:1000..1001'],
    ['nothing.here:*'],
  ]
  for (const [text, ...ids] of queries) {
    it(`of ${text} finds ${ids.length === 0 ? 'nothing' : ids.join(', ')}`, async () => {
      expect(await found(text)).to.deep.equal(ids)
    })
  }

  it('compares whole values, without case', async () => {
    const equals = (field: string, ...values: string[]) =>
      found('', { condition: { type: 'equals', field, values } })

    expect(await equals('document.instrument.name', 'Sem 300')).to.deep.equal(['rod', 'sheet'])
    expect(await equals('document.instrument.name', 'SEM')).to.deep.equal([])
    expect(await equals('document.instrument.detectors', 'gun 7', 'SE 2')).to.deep.equal(['bar', 'rod'])
    expect(await equals('schema', 'note', 'other')).to.deep.equal(['wire'])
    expect(await equals('document.instrument.voltage', '15')).to.deep.equal(['rod'])
  })

  it('counts facets before the filter, and finds hits after it', async () => {
    const { facets, total } = await searchText(service.services, selfPrincipal, 'steel', {
      filter: { type: 'equals', field: 'schema', values: ['note'] },
      facets: [
        terms('schema'),
        terms('type'),
        terms('instrument', 'document.instrument.name'),
        { name: 'all', field: 'state', counts: { type: 'terms', size: 0, order: 'value' } },
        {
          name: 'voltage',
          field: 'document.instrument.voltage',
          counts: {
            type: 'ranges',
            ranges: [{ key: 'low', range: { until: { value: '15', inclusive: true } } }],
          },
        },
        { name: 'extent', field: 'document.instrument.voltage', counts: { type: 'extent' } },
      ],
    })

    expect(total).to.equal(1)
    expect(Object.fromEntries(facets)).to.deep.equal({
      schema: {
        buckets: [
          { value: 'measurement', count: 2 },
          { value: 'note', count: 1 },
        ],
        more: 0,
      },
      type: {
        buckets: [
          { value: 'JSON', count: 2 },
          { value: 'XML', count: 1 },
        ],
        more: 0,
      },
      instrument: { buckets: [{ value: 'SEM 300', count: 2 }], more: 0 },
      all: { buckets: [], more: 3 },
      voltage: { buckets: [{ value: 'low', count: 2 }], more: 0 },
      extent: { buckets: [], more: 0, min: '-3', max: '15' },
    })
  })

  it('orders by score, by fields of the record and by declared fields', async () => {
    const order = async (field: string, direction: 'asc' | 'desc', text = '') => {
      const sort = [{ field, order: direction }]
      const { hits } = await searchText(service.services, selfPrincipal, text, { sort, kinds: ['metadata'] })
      return hits.map(({ revision }) => revision.id as string)
    }

    expect(await order('lastUpdate', 'desc')).to.deep.equal(['wire', 'sheet', 'bar', 'rod'])
    expect(await order('lastUpdate', 'asc')).to.deep.equal(['rod', 'bar', 'sheet', 'wire'])
    expect(await order('id', 'asc')).to.deep.equal(['bar', 'rod', 'sheet', 'wire'])
    expect(await order('document.instrument.voltage', 'desc')).to.deep.equal(['bar', 'rod', 'sheet', 'wire'])
    // The name of the sheet is its title, which counts more than the rest of a document.
    expect((await order('score', 'desc', 'steel'))[0]).to.equal('sheet')
  })

  it('names the missing declaration for a range, a facet or an order of another field', async () => {
    const refused = async (text: string, more: Partial<SearchRequest> = {}) =>
      (
        await expectProblem(
          () => searchText(service.services, selfPrincipal, text, more),
          'malformed-request',
        )
      ).message

    expect(await refused('pages:1..5')).to.contain('"search":{"fields":[{"path":"pages","as":"number"}]}')
    expect(await refused('instrument.name:1..5')).to.contain('has no range')
    expect(await refused('', { facets: [terms('pages', 'document.pages')] })).to.contain('"facet":true')
    expect(await refused('', { facets: [terms('nothing')] })).to.contain('nothing')
    expect(await refused('', { sort: [{ field: 'document.pages', order: 'asc' }] })).to.contain(
      '"path":"pages"',
    )
    expect(await refused('instrument.voltage:1a..2b')).to.contain('needs a number')
    expect(await refused('', { window: { offset: 10_000, limit: 1 } })).to.contain('cursor')
  })

  it('highlights the words in their context', async () => {
    const { hits } = await searchText(service.services, selfPrincipal, 'steel "cold rolled"', {
      highlight: true,
    })
    const [wire] = (await searchText(service.services, selfPrincipal, 'note.text:iron', { highlight: true }))
      .hits

    expect(marked(hits[0])).to.deep.equal({ 'document.name': ['[Steel] rod, [cold rolled]'] })
    expect(marked(wire)).to.deep.equal({ 'document.note.text': ['Steel & [iron] wire'] })
  })

  it('suggests titles', async () => {
    const record = { id: 'titled', titles: [{ value: 'A Metallic schema' }] }
    await service.http
      .post('/api/v2/schemas')
      .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
      .attach('schema', Buffer.from(jsonSchema()), 'schema.json')
      .expect(201)
    const search = searchOf(service.services.parts)
    const suggested = (beginning: string) =>
      search?.suggest(selfPrincipal, { beginning, limit: 5, kinds: ['schema', 'metadata'] })
    expect(await suggested('MÉTA')).to.deep.equal(['A Metallic schema'])
    expect(await suggested('xyz')).to.deep.equal([])
    expect(await suggested('"*')).to.deep.equal([])
  })

  it('finds an update when the index has its commit', async () => {
    const record = metadataRecordV1('http://x/again', 'measurement', { id: 'again' })
    const made = await service.postMetadata(record, '{"word":"kryptonite"}').expect(201)
    expect(await found('kryptonite')).to.deep.equal(['again'])
    await service.putMetadata('again', etagOf(made), undefined, '{"word":"helium"}').expect(200)

    expect(await found('kryptonite')).to.deep.equal([])
    expect(await found('helium')).to.deep.equal(['again'])
  })

  it('finds records that were committed with plain git', async () => {
    const document = jsonSchema().replace('"required"', '"description": "handmade", "required"')
    await service.repository.commit('Add a schema by hand', {
      'schemas/by-hand/record.json': '{}',
      'schemas/by-hand/schema.json': document,
    })
    await waitUntil('the commit is found', async () => (await found('handmade')).length === 1)

    const [hit] = (await searchText(service.services, selfPrincipal, 'handmade', { highlight: true })).hits
    expect(marked(hit)).to.deep.equal({ 'document.description': ['[handmade]'] })
  })

  it('indexes documents again when their schema declares a field', async () => {
    const made = await service.postSchema({ schemaId: 'later' }, jsonSchema()).expect(201)
    const record = metadataRecordV1('http://x/later', 'later', { id: 'late' })
    await service.postMetadata(record, '{"pages":12}').expect(201)
    await expectProblem(() => found('pages:10..20'), 'malformed-request')
    const search = { fields: [{ path: 'pages', as: 'number' }] }
    await service.putSchema('later', etagOf(made), { schemaId: 'later', search }).expect(200)

    expect(await found('pages:10..20')).to.deep.equal(['late'])
    expect(await found('pages:13..20')).to.deep.equal([])
  })

  it('answers at a point of history, even after changes of the records', async () => {
    const search = searchOf(service.services.parts)
    const before = await service.head()
    const at = { by: 'commit', text: before, commit: before as never } as const
    expect((await search?.search(selfPrincipal, { ...searchRequest('steel'), at }))?.total).to.equal(3)
    await service
      .postMetadata(metadataRecordV1('http://x/newer', 'measurement', { id: 'newer' }), '{}')
      .expect(201)

    const everything = await search?.search(selfPrincipal, { ...searchRequest('steel OR newer'), at })
    expect(everything).to.include({ total: 3, commit: before, upToDate: false })
  })

  it('of any text is answered, or refused with a problem', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryQueryText(200), async asked => {
        const answered = await searchText(service.services, selfPrincipal, asked, {
          highlight: true,
          facets: [terms('schema')],
        }).catch((error: Error) => {
          expect(error).to.have.property('kind', 'malformed-request')
          return undefined
        })
        if (answered) expect(answered.total).to.be.at.least(0)
      }),
      { numRuns: 60 },
    )
  })

  it('refuses conditions that are too large', async () => {
    const many = Array.from({ length: 3000 }, () => ({ type: 'exists', field: 'title' }) as const)
    await expectProblem(() => found('', { condition: { type: 'or', conditions: many } }), 'malformed-request')
  })
})

function marked(
  hit: { readonly highlights: readonly { field: string; passages: readonly unknown[] }[] } | undefined,
) {
  return Object.fromEntries(
    (hit?.highlights ?? []).map(({ field, passages }) => [
      field,
      (passages as { text: string; hits: { start: number; end: number }[] }[]).map(({ text, hits }) =>
        hits.toReversed().reduce((all, { start, end }) => {
          return `${all.slice(0, start)}[${all.slice(start, end)}]${all.slice(end)}`
        }, text),
      ),
    ]),
  )
}
