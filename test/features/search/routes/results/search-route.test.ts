import { expect } from 'chai'
import fc from 'fast-check'
import type { Response } from 'supertest'
import { anyCharacter } from '../../../../support/data/any-character.js'
import {
  exampleIds,
  searchHasAll,
  startSearchExamples,
  storeDocument,
} from '../../../../support/http/search-examples.js'
import { base, metadataType, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('GET …/search', engine => {
  let service: TestService
  before(async () => {
    service = await startSearchExamples(engine.options)
  })
  after(removeRepositories)

  const search = (parameters: Readonly<Record<string, string | readonly string[]>>, api = '/api/v1') =>
    service.http.get(`${api}/search`).query(parameters)
  const idsOf = ({ body }: Response) =>
    (body.items as { record: { id?: string; schemaId?: string } }[]).map(
      ({ record }) => record.id ?? record.schemaId,
    )
  const find = async (q: string, more: Readonly<Record<string, string | readonly string[]>> = {}) =>
    idsOf(await search({ q, ...more }).expect(200))

  describe('finds', () => {
    const queries: readonly (readonly [title: string, q: string, ids: readonly string[]])[] = [
      ['records with every word', 'steel rod', ['rod-7', 'rod-8']],
      ['a phrase only in its order', '"rod steel"', []],
      ['a phrase', '"steel rod 7"', ['rod-7']],
      ['words with this beginning', 'frac*', ['rod-7']],
      ['records without a word', 'steel -draft', ['rod-7', 'grain']],
      ['records without a word, of those with another one at a path', '*.name:SEM -iron', ['rod-7']],
      ['either word', 'brittle OR curie', ['rod-7', 'bar-1']],
      ['with parentheses', '(brittle OR draft) rod', ['rod-7', 'rod-8']],
      ['members of JSON and elements of XML by path', 'instrument.name:SEM', ['rod-7']],
      ['elements below the root of XML', 'resource.instrument.name:SEM', ['bar-1']],
      ['attributes of XML', 'resource.instrument.@maker:zeiss', ['bar-1']],
      ['paths by their end', '*.name:SEM', ['rod-7', 'bar-1']],
      ['fields of the record', 'title:iron', ['bar-1']],
      ['records with a year in a range', 'year:2020..2023', ['rod-7']],
      ['fields that have a value', 'instrument.voltage:*', ['rod-7']],
      ['publishers', 'publisher:press', ['rod-7']],
      ['descriptions', 'description:"until failure"', ['rod-7']],
      ['persistent identifiers', 'pid:10.5072/rod-7', ['rod-7']],
      ['persistent identifiers only as a whole', 'pid:10.5072', []],
      ['licences', 'licence:CC-BY-4.0', ['rod-7']],
      ['licences by the other spelling of the name', 'license:creativecommons', ['rod-7']],
      ['records with a licence', 'licence:*', ['rod-7', 'grain']],
      ['records that were created since a year', 'created:2020..', exampleIds],
      ['records that were created before a year', 'created:..2020', []],
      ['records that were created in a year', `created:${new Date().toISOString().slice(0, 4)}`, exampleIds],
      ['records that were updated on a day', 'updated:2020-01-01', []],
      ['words without their accents and case', 'UBERSTRUKTUR', ['grain']],
      ['everything without a query', '', exampleIds],
    ]
    for (const [title, q, ids] of queries) {
      it(`${title}: ${q}`, async () => {
        expect(await find(q)).to.have.members(ids)
      })
    }

    it('the best match first, and the newest first if every record matches', async () => {
      expect(await find('')).to.deep.equal(exampleIds.toReversed())
      const { body } = await search({ q: 'grain' }).expect(200)
      expect(body.items[0].score).to.be.a('number')
      const newest = await search({ q: 'steel', sort: 'lastUpdate,desc' }).expect(200)
      expect(idsOf(newest)).to.deep.equal(['grain', 'rod-8', 'rod-7'])
      expect(newest.body.items[0]).to.not.have.property('score')
      expect(await find('steel', { sort: 'id' })).to.deep.equal(['grain', 'rod-7', 'rod-8'])
    })

    it('by title, schema and version, and page by page', async () => {
      const orders: readonly (readonly [sort: string, kind: string, ids: readonly string[]])[] = [
        ['title', 'both', ['bar-1', 'grain', 'measurement', 'sample', 'rod-7', 'rod-8']],
        ['title,desc', 'both', ['rod-8', 'rod-7', 'sample', 'measurement', 'grain', 'bar-1']],
        ['schema,desc', 'metadata', ['bar-1', 'grain', 'rod-8', 'rod-7']],
      ]
      for (const [sort, kind, ids] of orders) {
        const paged: (string | undefined)[] = []
        for (let after: string | null = ''; after !== null; ) {
          const place = after === '' ? {} : { after }
          const answer: Response = await search({ q: '', sort, kind, size: '2', ...place }).expect(200)
          paged.push(...idsOf(answer))
          const next: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.link ?? '')?.[1]
          after = next === undefined ? null : new URL(next).searchParams.get('after')
        }
        expect(paged, sort).to.deep.equal(ids)
      }
      await storeDocument(service, 'changed', {})
      await service.http
        .put('/api/v1/metadata/changed')
        .set('If-Match', '*')
        .attach('document', Buffer.from('{"n":2}'), 'document')
        .expect(200)
      await searchHasAll(service)
      expect((await find('', { sort: 'version,desc' }))[0]).to.equal('changed')
      expect((await find('', { sort: 'version' })).at(-1)).to.equal('changed')
      for (const status of [204, 204])
        await service.http.delete('/api/v1/metadata/changed').set('If-Match', '*').expect(status)
      await searchHasAll(service)
    })

    it('the worst match first on request', async () => {
      const scores = async (sort: string) =>
        ((await search({ q: 'steel', sort }).expect(200)).body.items as { score: number }[]).map(
          ({ score }) => score,
        )
      const worst = await scores('score,asc')
      expect(worst).to.have.length(3)
      expect(worst).to.deep.equal((await scores('score')).toReversed())
      expect(worst[0]).to.be.below(worst[2] as number)
    })

    it('records by the frequency of a word at a path, regardless of its frequency elsewhere', async () => {
      await storeDocument(service, 'at-path', { vein: 'quartz quartz quartz' })
      await storeDocument(service, 'elsewhere', { vein: 'quartz', note: 'quartz '.repeat(12) })
      await searchHasAll(service)
      for (const q of ['vein:quartz', '*.vein:quartz OR vein:quartz'])
        expect(await find(q), q).to.deep.equal(['at-path', 'elsewhere'])
      expect(await find('quartz')).to.deep.equal(['elsewhere', 'at-path'])
      for (const id of ['at-path', 'elsewhere'])
        for (const status of [204, 204])
          await service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(status)
      await searchHasAll(service)
    })

    it('schemas on request', async () => {
      expect(await find('steel', { kind: 'schema' })).to.deep.equal(['measurement'])
      const { body } = await search({ q: 'steel', kind: 'both' }).expect(200)
      const kinds = (body.items as { kind: string }[]).map(({ kind }) => kind)
      expect(kinds).to.have.members(['metadata', 'metadata', 'metadata', 'schema'])
    })

    it('schemas, if the query asks for them by its field kind', async () => {
      expect(await find('kind:schema', { sort: 'id' })).to.deep.equal(['measurement', 'sample'])
      expect(await find('steel kind:(schema OR metadata)')).to.have.length(4)
      expect(await find('steel -kind:schema')).to.have.members(['rod-7', 'rod-8', 'grain'])
      expect(await find('kind:schema', { kind: 'metadata' })).to.deep.equal([])
    })
  })

  for (const [parameter, value, ids] of [
    ['schemaId', 'sample', ['bar-1']],
    ['schemaId', `${base}/api/v1/schemas/sample?version=1`, ['bar-1']],
    ['schemaId', ['sample', 'measurement'], exampleIds],
    ['resourceId', 'https://example.org/rod-7', ['rod-7']],
    ['state', 'VOLATILE', exampleIds],
    ['state', 'FIXED', []],
    ['year', '2024', ['rod-8', 'bar-1']],
    ['year', '2019,2022', ['rod-7', 'grain']],
    ['year', '2020..2022', ['rod-7']],
    ['language', 'de', ['rod-8', 'grain']],
    ['type', 'XML', ['bar-1']],
    ['creator', 'Lovelace, Ada', ['rod-7']],
    ['licence', 'CC-BY-4.0', ['rod-7']],
    ['licence', ['cc-by-4.0', 'https://example.org/licence'], ['rod-7', 'grain']],
    ['licence', 'CC-BY', []],
    ['from', '2000', exampleIds],
    ['until', '2000', []],
  ] as const) {
    it(`narrows by ${parameter}=${value}`, async () => {
      expect(await find('', { [parameter]: value as string })).to.have.members(ids)
    })
  }

  it('answers with records in the shape of the version, and with the state of the index', async () => {
    const head = await service.head()
    for (const api of [
      '/api/v1',
      '/metastore/api/v1',
      '/api/v2',
      '/repository/api/v2',
      '/metastore/api/v2',
    ]) {
      const found = await search({ q: 'brittle' }, api).expect(200)
      const { record } = found.body.items[0]
      const type = api.endsWith('1') ? metadataType : 'application/vnd.datacite.org+json'
      const read = await service.http.get(`${api}/metadata/rod-7`).set('Accept', type).expect(200)
      expect(record, api).to.deep.equal(read.body)
      expect(found.body).to.deep.include({
        total: 1,
        commit: head,
        upToDate: true,
        lag: 0,
        engine: engine.name,
        notes: [],
      })
      expect(found.headers).to.include({
        'content-range': '0-0/1',
        'cache-control': 'no-cache',
        vary: 'Accept',
      })
    }
    const typed = await search({ q: 'x' })
      .set('Accept', 'application/vnd.datamanager.search+json')
      .expect(200)
    expect(typed.headers).to.include({
      'content-type': 'application/vnd.datamanager.search+json',
      'content-range': '*/0',
    })
    expect(typed.body.items).to.deep.equal([])
  })

  describe('facets', () => {
    const facets = async (parameters: Readonly<Record<string, string>>) =>
      (await search(parameters).expect(200)).body.facets

    it('count the values of the hits', async () => {
      expect(await facets({ q: 'steel', facets: 'schema,language' })).to.deep.equal({
        schema: [{ value: 'measurement', count: 3 }],
        language: [
          { value: 'de', count: 2 },
          { value: 'en', count: 1 },
        ],
      })
      expect(await facets({ kind: 'both', facets: 'kind,type' })).to.deep.equal({
        kind: [
          { value: 'metadata', count: 4 },
          { value: 'schema', count: 2 },
        ],
        type: [
          { value: 'JSON', count: 4 },
          { value: 'XML', count: 2 },
        ],
      })
    })

    it('count states, licences and creators', async () => {
      expect(await facets({ q: 'steel', facets: 'state,licence,creator' })).to.deep.equal({
        state: [{ value: 'VOLATILE', count: 3 }],
        licence: [
          { value: 'CC-BY-4.0', count: 1 },
          { value: 'https://example.org/licence', count: 1 },
        ],
        creator: [
          { value: 'Lovelace, Ada', count: 1 },
          { value: 'Noether, Emmy', count: 1 },
          { value: 'SELF', count: 1 },
        ],
      })
    })

    it('ignore the narrowing by their own field, and respect the narrowing by other fields', async () => {
      const found = await search({ facets: 'schema,year', schemaId: 'sample' }).expect(200)
      expect(idsOf(found)).to.deep.equal(['bar-1'])
      expect(found.body.facets).to.deep.equal({
        schema: [
          { value: 'measurement', count: 3 },
          { value: 'sample', count: 1 },
        ],
        year: [{ value: '2024', count: 1 }],
      })
    })

    it('report the number of records whose values are not listed', async () => {
      const found = await facets({ facets: 'year', facetSize: '1' })
      expect(found.year).to.have.length(1)
      expect(found.more.year + found.year[0].count).to.equal(4)
    })

    it('are absent without a request; a field that cannot be counted is refused by name', async () => {
      for (const parameters of [{}, { facets: 'none' }, { facets: '' }])
        expect((await search(parameters).expect(200)).body).to.not.have.property('facets')
      const answer = await search({ facets: 'instrument.name' }).expect(400)
      expect(answer.body.detail).to.contain('instrument.name')
    })
  })

  describe('highlights', () => {
    it('return passages, as HTML that contains only em elements', async () => {
      const { body } = await search({ q: 'brittle fracture' }).expect(200)
      const passages = Object.values<string[]>(body.items[0].highlight).flat()
      expect(passages.join('\n')).to.contain(
        '&lt;b&gt;<em>brittle</em>&lt;/b&gt; <em>fracture</em> &amp; a crack',
      )
      expect(passages.join('\n').replace(/<\/?em>/g, '')).to.not.match(/[<>]/)
    })

    it('return plain text with positions', async () => {
      const { body } = await search({ q: 'brittle', highlight: 'positions' }).expect(200)
      const passages = Object.values<{ text: string; hits: { start: number; end: number }[] }[]>(
        body.items[0].highlight,
      ).flat()
      const found = passages.flatMap(({ text, hits }) => hits.map(({ start, end }) => text.slice(start, end)))
      expect(found).to.deep.equal(['brittle'])
    })

    it('return nothing on request', async () => {
      const { body } = await search({ q: 'brittle', highlight: 'false' }).expect(200)
      expect(body.items[0]).to.not.have.property('highlight')
    })
  })

  describe('pages', () => {
    const linkOf = (answer: Response, relation: string) => {
      const links = (answer.headers.link ?? '') as string
      return new RegExp(`<${base}([^>]*)>; rel="${relation}"`).exec(links)?.[1]
    }

    for (const q of ['', 'steel OR curie']) {
      it(`have each record once, in the order of one long page: "${q}"`, async () => {
        const whole = await find(q)
        const ids: unknown[] = []
        let path: string | undefined =
          `/api/v1/search?${new URLSearchParams({ q, size: '1', language: 'de' })}`
        const of = whole.filter(id => id === 'grain' || id === 'rod-8')
        for (let count = 0; path !== undefined; count++) {
          const answer: Response = await service.http.get(path).expect(200)
          expect(answer.headers['content-range']).to.equal(`${count}-${count}/${of.length}`)
          ids.push(...idsOf(answer))
          path = linkOf(answer, 'next')
        }
        expect(ids).to.deep.equal(of)
      })
    }

    it('can be requested by number, and end with 416', async () => {
      const second = await search({ size: '3', page: '1' }).expect(200)
      expect(idsOf(second)).to.deep.equal([exampleIds[0]])
      expect(second.headers['content-range']).to.equal('3-3/4')
      expect(linkOf(second, 'next')).to.equal(undefined)
      expect(linkOf(second, 'prev')).to.contain('page=0')
      const past = await search({ size: '3', page: '2' }).expect(416)
      expect(past.headers['content-range']).to.equal('*/4')
    })

    it('of an invented cursor are refused with 400', async () => {
      for (const after of ['x', '%00', 'eyJhIjoxfQ', '1.eyJhIjoxfQ', '.', '1.', '-1.x', '1.2.3']) {
        const answer = await search({ q: 'steel', after }).expect(400)
        expect(answer.body.detail).to.contain('cursor')
      }
    })
  })

  describe('a query', () => {
    for (const q of [
      '"steel',
      'steel)',
      '((steel',
      'steel AND',
      '-',
      'OR',
      'a:b:c',
      ':::',
      '"',
      '*',
      '..',
      'ste\u0000el',
    ]) {
      it(`is never an error: ${JSON.stringify(q)}`, async () => {
        const { body } = await service.http.get(`/api/v1/search?q=${encodeURIComponent(q)}`).expect(200)
        expect(body.total).to.be.a('number')
      })
    }

    it('is accepted with any text, except a range of a field without ranges', async () => {
      const part = fc.constantFrom(
        ...[
          '"',
          '(',
          ')',
          '-',
          ':',
          '*',
          '..',
          ' ',
          'OR',
          'NOT',
          'AND',
          'steel',
          'title:',
          'instrument.name:',
          '*.name:',
        ],
        ...[
          'year:',
          'updated:',
          'id:',
          'x:',
          '2024',
          '#',
          "'",
          '\\',
          '%',
          '\u0000',
          'é',
          '😀',
          'ß',
          '\u202e',
          '٣',
        ],
      )
      const text = fc.oneof(
        fc.array(part, { maxLength: 40 }).map(parts => parts.join('')),
        fc.string({ unit: anyCharacter }),
      )
      await fc.assert(
        fc.asyncProperty(text, async q => {
          const answer = await search({ q, kind: 'both' })
          if (answer.status === 200) expect(answer.body.items.length).to.be.at.most(answer.body.total)
          else {
            expect(answer.status, q).to.equal(400)
            expect(answer.body.detail, q).to.match(/has no range|^A range of /)
          }
        }),
        { numRuns: 150 },
      )
    })

    it('is cut if it is too long, and a note reports this', async () => {
      for (const length of [2001, 9000]) {
        const q = 'steel rod'.padEnd(length, ' rod')
        for (const address of ['/api/v1/search', '/api/v2/search']) {
          const answer = await service.http.get(address).query({ q, size: '1' }).expect(200)
          expect(answer.body).to.deep.include({
            total: 2,
            notes: [
              'The query has more than 2000 characters. The rest is ignored.',
              'The query has more than 64 words. The rest is ignored.',
            ],
          })
          const next = /<([^>]*)>; rel="next"/.exec(answer.headers.link ?? '')?.[1]?.slice(base.length) ?? ''
          expect((await service.http.get(next).expect(200)).body.items).to.have.length(1)
        }
        const list = await service.http.get('/api/v1/metadata').query({ q }).expect(200)
        expect(list.body).to.have.length(2)
      }
      const other = await search({ q: 'steel', creator: 'x'.repeat(9000) }).expect(400)
      expect(other.body.detail).to.contain('The parameter creator has 9000 characters')
    })

    it('has a next page even if the cut is within a character', async () => {
      const q = `steel OR ${'x'.repeat(1990)}😀`
      const { headers } = await service.http.get('/api/v1/search').query({ q, size: '1' }).expect(200)
      const next = /<([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1]?.slice(base.length) ?? ''
      expect((await service.http.get(next).expect(200)).body.items).to.have.length(1)
    })

    it('is searched as words if its syntax is invalid, and a note reports this', async () => {
      const { body } = await search({ q: '"steel rod' }).expect(200)
      expect(body.notes).to.have.length(1)
      expect(body.total).to.equal(2)
    })
  })

  it('refuses invalid values of parameters', async () => {
    for (const [parameter, value] of [
      ['kind', 'none'],
      ['sort', 'creator'],
      ['sort', 'id,up'],
      ['page', '-1'],
      ['size', '0'],
      ['highlight', 'yes'],
      ['from', 'yesterday'],
      ['since', 'main'],
      ['wait', 'x'],
      ['facets', 'more'],
      ['at', 'no such..'],
    ] as const) {
      const { body } = await search({ [parameter]: value }).expect(400)
      expect(body.detail).to.contain(parameter)
    }
    expect((await service.http.get('/api/v1/search?q=a&q=b').expect(400)).body.detail).to.contain('once')
    await search({ at: 'no-such-tag' }).expect(404)
    await search({ since: '0'.repeat(40) }).expect(404)
    expect((await search({ facetz: 'year' }).expect(400)).body.detail).to.contain('facets')
  })

  it('answers HEAD like GET, and no other method except POST', async () => {
    const { headers } = await service.http.head('/api/v1/search?q=steel').expect(200)
    expect(headers['content-range']).to.equal('0-2/3')
    await service.http.put('/api/v1/search').expect(405)
  })

  describe('since', () => {
    it('finds the record that was stored with that ETag', async () => {
      for (let count = 0; count < 5; count++) {
        const etag = await storeDocument(service, `own-${count}`, { word: `zirconium${count}` })
        const { body } = await search({ q: `zirconium${count}`, since: etag, wait: '30' }).expect(200)
        expect(idsOf({ body } as Response)).to.deep.equal([`own-${count}`])
      }
      for (let count = 0; count < 5; count++) {
        const path = `/api/v1/metadata/own-${count}`
        for (const step of [204, 204]) await service.http.delete(path).set('If-Match', '*').expect(step)
      }
      // The catalog removes deleted records from the hits, even before the index follows.
      expect(await find('zirconium*')).to.deep.equal([])
      await searchHasAll(service)
    })
  })
})
