// test-schedule: quick
import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('GET …/{id}/overview', () => {
  const owner = userToken('owner')
  let service: TestService
  const open = [{ sid: 'anonymousUser', permission: 'READ' }]

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    const stored = async (request: ReturnType<TestService['postSchema']>, status = 201) =>
      await request.set('Authorization', `Bearer ${await owner}`).expect(status)
    await stored(service.postSchema({ schemaId: 'open', label: 'Rods', acl: open }, jsonSchema()))
    await stored(service.postSchema({ schemaId: 'closed', label: 'Secret rods' }, jsonSchema()))
    for (const schema of ['open', 'closed']) {
      const record = metadataRecordV1(`https://example.org/${schema}`, schema, {
        id: `of-${schema}`,
        acl: open,
      })
      await stored(service.postMetadata(record, '{"title":"A rod"}'))
    }
    await stored(
      service.postMetadata(metadataRecordV1('https://example.org/x', 'open', { id: 'hidden' }), '{}'),
    )
    await stored(service.putMetadata('of-open', '*', undefined, '{"title":"A bent rod"}'), 200)
  })
  after(removeRepositories)

  const read = async (path: string, token?: string, version = 2) => {
    const request = service.http.get(`/api/v${version}/${path}`)
    return token === undefined ? request : request.set('Authorization', `Bearer ${token}`)
  }

  it('has the record with its ETag, the title in the document, and the schema', async () => {
    for (const version of [1, 2]) {
      const { body, headers } = await read('metadata/of-open/overview', undefined, version)
      const type = 'application/vnd.datacite.org+json'
      const record = await service.http
        .get(`/api/v${version}/metadata/of-open`)
        .set('Accept', version === 2 ? type : 'application/vnd.datamanager.metadata-record+json')
        .expect(200)
      const schema = await service.http
        .get(`/api/v${version}/schemas/open`)
        .set('Accept', version === 2 ? type : 'application/vnd.datamanager.schema-record+json')
        .expect(200)

      expect(headers['cache-control']).to.equal('no-store')
      expect(body).to.deep.equal({
        ...{ record: record.body, etag: record.headers.etag, title: 'A bent rod', schema: schema.body },
      })
    }
  })

  it('is about a version, and a point of history', async () => {
    const first = (await read('metadata/of-open/overview?version=1')).body
    expect(first).to.include({ title: 'A rod' })
    expect(first.record.version).to.equal('1')
    const at = JSON.parse(first.etag)
    expect((await read(`metadata/of-open/overview?at=${at}`)).body).to.deep.equal(first)
  })

  it('has no schema that the caller may not read, and nothing of a record that is hidden', async () => {
    const { body } = await read('metadata/of-closed/overview')
    expect(body).to.have.all.keys('record', 'etag', 'title')
    expect((await read('metadata/of-closed/overview', await owner)).body.schema).to.include({ id: 'closed' })
    expect((await read('metadata/hidden/overview')).status).to.equal(403)
    expect((await read('metadata/none/overview')).status).to.equal(404)
  })

  it('has the record alone of a schema', async () => {
    expect((await read('schemas/open/overview')).body).to.have.all.keys('record', 'etag')
  })
})
