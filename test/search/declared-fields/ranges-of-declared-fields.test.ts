import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'
import { describeEngines } from '../../support/search/search-engines.js'

const declared = [{ path: 'v.volt', as: 'number' }]
const documents = {
  low: { v: { volt: -3 } },
  some: { v: { volt: 20 } },
  high: { v: { volt: 150 } },
}

describeEngines('Ranges of declared fields', ({ config }) => {
  let service: TestService

  before(async () => {
    service = await startService({}, config)
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
  ] as const) {
    it(`find by ${q}`, async () => {
      const { body } = await ask(q).expect(200)
      expect(body.items.map(({ record }: { record: { id: string } }) => record.id)).to.deep.equal(ids)
    })
  }
})
