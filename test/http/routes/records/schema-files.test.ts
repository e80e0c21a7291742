// test-schedule: quick
import { expect } from 'chai'
import type { Response } from 'supertest'
import {
  etagOf,
  metadataRecordV1,
  schemaType,
  startService,
  type TestService,
  withFileName,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const part = (type: string) => `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="Kind"><xs:restriction base="xs:${type}"/></xs:simpleType>
</xs:schema>
`
const main = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:include schemaLocation="include/kind.xsd"/>
  <xs:element name="kind" type="Kind"/>
</xs:schema>
`

describe('schemas of several files', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  it('are registered with their files, which have addresses of their own', async () => {
    const files = { 'include/kind.xsd': part('integer') }
    const created = await service.postSchema({ schemaId: 'kinds' }, main, files).expect(201)

    const file = await service.http.get('/api/v1/schemas/kinds/files/include/kind.xsd').expect(200)
    expect(file.text).to.equal(part('integer'))
    expect(file.headers).to.include({
      'content-type': 'application/xml',
      'content-length': String(part('integer').length),
      'x-content-type-options': 'nosniff',
      etag: etagOf(created),
    })
    await service.http
      .get('/metastore/api/v1/schemas/kinds/files/include%2Fkind.xsd')
      .set('If-None-Match', etagOf(created))
      .expect(304)
    await service.postMetadata(metadataRecordV1('http://x/1', 'kinds'), '<kind>1</kind>').expect(201)
    await service.postMetadata(metadataRecordV1('http://x/2', 'kinds'), '<kind>one</kind>').expect(422)
  })

  it('are refused if a file is missing, repeated, empty, without a name, or outside the folder', async () => {
    const kind = Buffer.from(part('string'))
    const post = () =>
      service.http
        .post('/api/v1/schemas')
        .field('record', '{"schemaId":"kinds"}')
        .attach('schema', Buffer.from(main), 'schema.xsd')
    const path = 'include/kind.xsd'
    await service.storesNothing(async () => {
      const missing = await post().expect(422)
      expect(JSON.stringify(missing.body.findings)).to.contain(path)
      await post()
        .attach('include', kind, withFileName(path))
        .attach('include', kind, withFileName(path))
        .expect(400)
      await post().attach('include', Buffer.alloc(0), withFileName(path)).expect(400)
      await post().attach('include', kind, withFileName(path)).field('include', part('string')).expect(400)
      for (const wrong of [
        '../kind.xsd',
        '/etc/passwd',
        'record.json',
        '.git/config',
        'con',
        'Include/Kind.xsd',
      ]) {
        const answer = await post()
          .attach('include', kind, withFileName(path))
          .attach('include', kind, withFileName(wrong))
        expect(answer.status, wrong).to.be.oneOf([400, 422])
      }
    })
    await service.http.get('/api/v1/schemas/kinds').set('Accept', schemaType).expect(404)
    await post().attach('include', kind, withFileName(path)).expect(201)
  })
})

describe('a schema of which one file changed', () => {
  const files = '/api/v1/schemas/kinds/files'
  let service: TestService
  let changed: Response
  before(async () => {
    service = await startService()
    const created = await service
      .postSchema({ schemaId: 'kinds' }, main, { 'include/kind.xsd': part('integer') })
      .expect(201)
    changed = await service.http
      .put('/api/v1/schemas/kinds')
      .set('If-Match', etagOf(created))
      .attach('include', Buffer.from(part('string')), withFileName('include/kind.xsd'))
      .expect(200)
  })
  after(removeRepositories)

  it('has a new version', () => {
    expect(changed.body.schemaVersion).to.equal(2)
  })

  it('has the new file', async () => {
    expect((await service.http.get(`${files}/include/kind.xsd`).expect(200)).text).to.equal(part('string'))
  })

  it('has the former file in its first version', async () => {
    const former = await service.http.get(`${files}/include/kind.xsd?version=1`).expect(200)
    expect(former.text).to.equal(part('integer'))
  })

  for (const [what, path] of [
    ['a file in an unknown version', 'include/kind.xsd?version=3'],
    ['an unknown file', 'other.xsd'],
    ['the file of its record', 'record.json'],
    ['a path that leaves the folder', '..%2Frecord.json'],
  ]) {
    it(`answers 404 for ${what}`, async () => {
      await service.http.get(`${files}/${path}`).expect(404)
    })
  }
})
