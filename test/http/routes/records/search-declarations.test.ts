import { expect } from 'chai'
import { recordFromText } from '../../../../src/store/records/record-json.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const declared = {
  fields: [
    { path: 'instrument.voltage', as: 'number' },
    { path: 'instrument.name', as: 'keyword', facet: true },
  ],
}

describe('the search declaration of a schema', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  const stored = async (id: string) =>
    recordFromText(await service.repository.git('show', `HEAD:schemas/${id}/record.json`)).search

  function putV2(id: string, etag: string, record: object) {
    return service.http
      .put(`/api/v2/schemas/${id}`)
      .set('If-Match', etag)
      .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
  }

  it('is answered and stored as sent', async () => {
    const made = await service.postSchema({ schemaId: 'sent', search: declared }, jsonSchema()).expect(201)
    expect(made.body.search).to.deep.equal(declared)
    expect(await stored('sent')).to.deep.equal(declared)
  })

  it('is kept by a PUT of version 1 without it', async () => {
    const made = await service.postSchema({ schemaId: 'kept', search: declared }, jsonSchema()).expect(201)
    await service.putSchema('kept', etagOf(made), { schemaId: 'kept', label: 'x' }).expect(200)
    expect(await stored('kept')).to.deep.equal(declared)
  })

  describe('in version 2', () => {
    let etag: string
    let shown: Record<string, unknown> & { search: { fields: object[] } }
    before(async () => {
      await service.postSchema({ schemaId: 'one', search: declared }, jsonSchema()).expect(201)
      const read = await service.http
        .get('/api/v2/schemas/one')
        .set('Accept', 'application/vnd.datacite.org+json')
        .expect(200)
      shown = read.body
      etag = etagOf(read)
    })

    it('is shown with an id for each field', () => {
      expect(shown.search.fields[1]).to.deep.equal({ id: 2, ...declared.fields[1] })
    })

    it('is kept by a PUT without it', async () => {
      const { search: _, ...others } = shown
      etag = etagOf(await putV2('one', etag, others).expect(200))
      expect(await stored('one')).to.deep.equal(declared)
    })

    it('changes nothing if it is sent as it was shown', async () => {
      const again = await putV2('one', etag, shown).expect(200)
      expect(etagOf(again)).to.equal(etag)
    })

    it('is removed by a PUT without fields', async () => {
      await putV2('one', etag, { ...shown, search: { fields: [] } }).expect(200)
      expect(await stored('one')).to.equal(undefined)
    })
  })

  it('is removed by null in version 1', async () => {
    const made = await service.postSchema({ schemaId: 'two', search: declared }, jsonSchema()).expect(201)
    await service.putSchema('two', etagOf(made), { schemaId: 'two', search: null }).expect(200)

    expect(await stored('two')).to.equal(undefined)
  })

  it('appears with `at` as of a former commit, and a change of it makes no new version', async () => {
    const made = await service.postSchema({ schemaId: 'former', search: declared }, jsonSchema()).expect(201)
    const search = { fields: [declared.fields[0]] }
    const changed = await service
      .putSchema('former', etagOf(made), { schemaId: 'former', search })
      .expect(200)
    const shownAt = async (commit: string) => {
      const { body } = await service.http
        .get(`/api/v1/schemas/former?at=${commit}`)
        .set('Accept', 'application/vnd.datamanager.schema-record+json')
        .expect(200)
      return [body.schemaVersion, body.search]
    }

    expect(await shownAt(etagOf(made).replaceAll('"', ''))).to.deep.equal([1, declared])
    expect(await shownAt(etagOf(changed).replaceAll('"', ''))).to.deep.equal([1, search])
  })

  for (const [why, search, text] of [
    ['an unknown kind of values', { fields: [{ path: 'a', as: 'text' }] }, 'as'],
    [
      'a path that is declared twice',
      {
        fields: [
          { path: 'a.b', as: 'number' },
          { path: 'A.b', as: 'date' },
        ],
      },
      'twice',
    ],
    ['a path with an empty part', { fields: [{ path: 'a..b', as: 'number' }] }, 'no path'],
    ['the end of paths', { fields: [{ path: '*.b', as: 'number' }] }, 'without asterisks'],
    ['all members of a path', { fields: [{ path: 'a.*', as: 'number' }] }, 'without asterisks'],
    [
      'too many fields',
      { fields: Array.from({ length: 101 }, (_, index) => ({ path: `p${index}`, as: 'date' })) },
      '100',
    ],
    ['a declaration that is not a list', { fields: 'a' }, 'fields'],
  ] as const) {
    it(`is refused for ${why}`, async () => {
      await service.storesNothing(async () => {
        const { body } = await service.postSchema({ schemaId: 'bad', search }, jsonSchema()).expect(400)
        expect(body.detail).to.contain(text)
      })
    })
  }

  it('is refused for a metadata record in version 2, and ignored in version 1', async () => {
    await service.postSchema({ schemaId: 'three' }, jsonSchema()).expect(201)
    const record = metadataRecordV1('http://x/three', 'three', { id: 'three-1', search: declared })
    await service.postMetadata(record, '{}').expect(201)
    const accept = 'application/vnd.datacite.org+json'
    const shown = await service.http.get('/api/v2/metadata/three-1').set('Accept', accept).expect(200)
    expect(shown.body).to.not.have.property('search')

    const { body } = await service.http
      .put('/api/v2/metadata/three-1')
      .set('If-Match', etagOf(shown))
      .attach('record', Buffer.from(JSON.stringify({ ...shown.body, search: declared })), 'record.json')
      .expect(400)
    expect(body.detail).to.contain('schemas')
  })
})
