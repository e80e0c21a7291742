import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { describeEngines } from '../../../support/search/search-engines.js'

const declared = [
  { path: 'v.volt', as: 'number' },
  { path: 'v.day', as: 'date' },
  { path: 'name', as: 'keyword', facet: true },
]
const day = Date.UTC(2024, 2, 5)
const documents = {
  'leap-day': { v: { day: '2024-02-29' } },
  'no-day': { v: { day: ['2024-02-30', '2023-06-31T10:00:00Z'] } },
  instant: { v: { day: '2024-03-05T10:00:00+02:00' } },
  digits: { v: { day: ['20240305', String(day)] } },
  milliseconds: { v: { day: [String(day), day] } },
  year: { v: { day: '2021' } },
  'first-century': { v: { day: '0099-05-01' } },
  'year-as-number': { v: { day: 2022 } },
  low: { v: { volt: -3 } },
  some: { v: { volt: 20 } },
  high: { v: { volt: 150 } },
}

describeEngines('Ranges of declared fields', ({ options }) => {
  let service: TestService

  before(async () => {
    service = await startService(options)
    await service.postSchema({ schemaId: 'mat', search: { fields: declared } }, jsonSchema()).expect(201)
    for (const [id, document] of Object.entries(documents)) {
      const record = metadataRecordV1(`http://x/${id}`, 'mat', { id })
      await service.postMetadata(record, JSON.stringify(document)).expect(201)
    }
    await ask('', { since: await service.head(), wait: '60' }).expect(200)
  })
  after(removeRepositories)

  const ask = (q: string, more: Readonly<Record<string, string>> = {}) =>
    service.http.get('/api/v1/search').query({ q, sort: 'id', highlight: 'false', ...more })

  for (const [q, ids] of [
    ['v.volt:-5..0', ['low']],
    ['v.volt:(-5..0)', ['low']],
    ['v.volt:(-5..0 OR 100..)', ['high', 'low']],
    ['v.volt:(-20..30 -20)', ['low']],
    ['v.day:2024-02-29..2024-03-01', ['leap-day']],
    ['v.day:2023-07-01..2023-07-01', []],
    ['v.day:2024-03-05..2024-03-05', ['instant', 'milliseconds']],
    ['v.day:..1999', ['first-century']],
    ['v.day:..0098', []],
    ['v.day:0099..0099', ['first-century']],
    ['v.day:0099-05..0099-05', ['first-century']],
    ['v.day:2021..2021', ['year']],
    ['v.day:2022..2022', ['year-as-number']],
    [`v.day:${day}..${day}`, ['milliseconds']],
  ] as const) {
    it(`find by ${q}`, async () => {
      const { body } = await ask(q).expect(200)
      expect(body.items.map(({ record }: { record: { id: string } }) => record.id)).to.deep.equal(ids)
    })
  }

  for (const bound of ['2024-02-30', '2023-06-31T10:00:00Z', '12024', '20240305', '2024-13'])
    for (const range of [`${bound}..`, `..${bound}`])
      it(`are refused with a bound that is not a day of the calendar: v.day:${range}`, async () => {
        const { body } = await ask(`v.day:${range}`).expect(400)
        expect(body.detail).to.contain(`not "${bound}"`)
      })

  for (const [what, q, advice, not] of [
    ['a path that no schema declares', 'v.other:0..1', '"search":{"fields":[{"path":"v.other"', 'asterisk'],
    ['the ends of paths', '*.volt:0..1', 'without asterisks', '"fields"'],
    ['the members of a path', 'v.*:0..1', 'without asterisks', '"fields"'],
    ['a path of an index entry', 'metadataDocument.v.volt:0..1', 'write "v.volt"', '"fields"'],
    ['a path that is declared as keyword', 'name:1..9', 'is declared as keyword', 'Declare it in'],
  ] as const)
    it(`are refused for ${what}, and the answer names a remedy: ${q}`, async () => {
      const { body } = await ask(q).expect(400)
      expect(body.detail).to.contain(advice).and.not.contain(not)
    })

  it('are searched as words, with a note, if a bound is neither a number nor a time', async () => {
    for (const q of ['v.other:a..z', 'v.volt:a..9', 'name:a..z']) {
      const { body } = await ask(q).expect(200)
      expect(body.notes, q).to.have.length(1)
      expect(body.notes[0]).to.contain('is searched as words')
    }
  })
})
