import { expect } from 'chai'
import type { Response } from 'supertest'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const resource = 'https://example.org/data/1'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A service with the schema `json`, whose second version requires a date, and the schema `xml`. */
async function serviceWithSchemas(): Promise<TestService> {
  const service = await startService()
  const first = await service.postSchema({ schemaId: 'json' }, jsonSchema('title')).expect(201)
  await service.putSchema('json', etagOf(first), undefined, jsonSchema('title', 'date')).expect(200)
  await service.postSchema({ schemaId: 'xml' }, noteXsdText).expect(201)
  return service
}

describe('metadata over HTTP', () => {
  let service: TestService
  beforeEach(async () => {
    service = await serviceWithSchemas()
  })
  afterEach(removeRepositories)

  it('is returned as its document byte for byte, with its own type, regardless of the sent type', async () => {
    const answer = await service.http
      .post('/api/v1/metadata/')
      .field('record', JSON.stringify(metadataRecordV1(resource, 'xml')))
      .attach('document', Buffer.from(noteXml), { filename: 'd.json', contentType: 'application/json' })
      .expect(201)

    const document = await service.http
      .get(`/api/v1/metadata/${answer.body.id}`)
      .set('Accept', 'application/json')
    expect(document.headers).to.include({
      'content-type': 'application/xml',
      'content-length': String(noteXml.length),
      'x-content-type-options': 'nosniff',
      etag: etagOf(answer),
      vary: 'Accept',
    })
    expect(document.text).to.equal(noteXml)
  })

  it('follows the newest schema version if none is named', async () => {
    await service.storesNothing(async () => {
      await service.postMetadata(metadataRecordV1(resource, 'json'), '{"title":"a"}').expect(422)
    })
    const answer = await service
      .postMetadata(metadataRecordV1(resource, 'json'), '{"title":"a","date":"b"}')
      .expect(201)
    expect(answer.body.schemaVersion).to.equal(2)
  })

  it('may name its schema by the returned URL, and by URLs of other mounts', async () => {
    let number = 0
    for (const root of [
      '/api/v1',
      '/metastore/api/v1',
      '/repository/api/v2',
      '/api/v2',
      '/metastore/api/v2',
    ]) {
      number++
      const schema = { identifier: `${base}${root}/schemas/json?version=1`, identifierType: 'URL' }
      const answer = await service
        .postMetadata({ ...metadataRecordV1(`${resource}/${number}`, 'json'), schema }, '{"title":"a"}')
        .expect(201)
      expect(answer.body.schemaVersion).to.equal(1)
    }
  })

  it('is refused with 422 if it names an unknown schema or version', async () => {
    const record = metadataRecordV1(resource, 'json')
    const bad = [
      { ...record, schema: { identifier: 'unknown', identifierType: 'INTERNAL' } },
      { ...record, schema: { identifier: 'a/b', identifierType: 'INTERNAL' } },
      { ...record, schemaVersion: 3 },
      { ...record, schemaVersion: 0 },
      { ...record, schemaVersion: 9223372036854776000 },
      {
        ...record,
        schema: { identifier: `${base}/api/v1/schemas/unknown?version=1`, identifierType: 'URL' },
      },
      { ...record, schema: { identifier: 'http://localhost:1/api/v1/schemas/json', identifierType: 'URL' } },
      { ...record, schema: { identifier: 'no URL', identifierType: 'URL' } },
    ]
    await service.storesNothing(async () => {
      for (const wrong of bad) {
        const answer = await service.postMetadata(wrong, '{"title":"a","date":"b"}')
        expect(answer.status, JSON.stringify(wrong)).to.equal(422)
      }
    })
  })

  it('is refused with 422 and findings if the document is not valid', async () => {
    await service.storesNothing(async () => {
      for (const [schema, document] of [
        ['json', '{"title":"a"}'],
        ['json', '{'],
        ['json', noteXml],
        ['xml', '<note'],
        ['xml', '<note xmlns="http://example.org/other"><text>x</text></note>'],
        ['xml', `<!DOCTYPE note>${noteXml}`],
      ] as const) {
        const answer = await service.postMetadata(metadataRecordV1(resource, schema), document).expect(422)
        expect(answer.body.findings, document).to.be.an('array').that.is.not.empty
      }
    })
  })

  it('exists once for each resource and schema', async () => {
    const record = metadataRecordV1(resource, 'json', { schemaVersion: 1 })
    await service.postMetadata(record, '{"title":"a"}').expect(201)

    await service.storesNothing(async () => {
      const again = await service.postMetadata(record, '{"title":"b"}').expect(409)
      expect(again.body.title).to.equal('Conflict')
      expect(again.body.detail).to.contain('json').and.to.contain(resource)
      // Another schema version or another type of identifier makes no difference.
      await service.postMetadata({ ...record, schemaVersion: 2 }, '{"title":"a","date":"b"}').expect(409)
      await service
        .postMetadata(
          { ...record, relatedResource: { identifier: resource, identifierType: 'ISBN' } },
          '{"title":"a"}',
        )
        .expect(409)
    })
    await service.postMetadata(metadataRecordV1(resource, 'xml'), noteXml).expect(201)
    await service
      .postMetadata({ ...record, ...metadataRecordV1(`${resource}0`, 'json') }, '{"title":"a"}')
      .expect(201)
  })

  it('stays unchanged after a PUT without changes', async () => {
    const first = await service.postMetadata(metadataRecordV1(resource, 'xml'), noteXml).expect(201)

    await service.storesNothing(async () => {
      const same = await service.putMetadata(first.body.id, etagOf(first), first.body, noteXml).expect(200)
      expect(same.text).to.equal(first.text)
      expect(etagOf(same)).to.equal(etagOf(first))
    })
  })

  it('moves to another version of its schema by only schemaVersion', async () => {
    const first = await service
      .postMetadata(metadataRecordV1(resource, 'json', { schemaVersion: 1 }), '{"title":"a","date":"b"}')
      .expect(201)

    const second = await service.putMetadata(first.body.id, etagOf(first), { schemaVersion: 2 }).expect(200)

    expect(second.body.schema.identifier).to.equal(`${base}/api/v1/schemas/json?version=2`)
    await service.storesNothing(async () => {
      await service.putMetadata(first.body.id, etagOf(second), { schemaVersion: 3 }).expect(422)
      await service.putMetadata('unknown', etagOf(second), { schemaVersion: 2 }).expect(404)
    })
  })

  it('keeps its schema version if a PUT names the schema without one', async () => {
    const first = await service
      .postMetadata(metadataRecordV1(resource, 'json', { schemaVersion: 1 }), '{"title":"a"}')
      .expect(201)
    const schema = { identifier: 'json', identifierType: 'INTERNAL' }

    await service.storesNothing(async () => {
      const same = await service.putMetadata(first.body.id, etagOf(first), { schema }).expect(200)
      expect(same.body.schemaVersion).to.equal(1)
    })
  })

  it('prevents the deletion of its schema until it is GONE', async () => {
    const created = await service.postMetadata(metadataRecordV1(resource, 'xml'), noteXml).expect(201)
    const url = `/api/v1/metadata/${created.body.id}`
    const schema = await service.http.get('/api/v1/schemas/xml').expect(200)

    await service.storesNothing(async () => {
      await service.http.delete('/api/v1/schemas/xml').set('If-Match', '"old"').expect(409)
    })
    await service.http.delete(url).set('If-Match', etagOf(created)).expect(204)
    await service.http.delete('/api/v1/schemas/xml').set('If-Match', etagOf(schema)).expect(409)
    await service.http.delete(url).set('If-Match', '*').expect(204)
    await service.http.delete('/api/v1/schemas/xml').set('If-Match', etagOf(schema)).expect(204)
    await service.postMetadata(metadataRecordV1(resource, 'xml'), noteXml).expect(422)
  })

  it('answers 404 with the message that clients look for, if it does not exist', async () => {
    const created = await service.postMetadata(metadataRecordV1(resource, 'xml'), noteXml).expect(201)

    const unknown = await service.http.get('/api/v1/metadata/cd').set('Accept', metadataType).expect(404)
    expect(unknown.body.detail).to.equal("Metadata document with ID 'cd' doesn't exist!")
    const { id } = created.body
    const version = await service.http
      .get(`/api/v1/metadata/${id}?version=13`)
      .set('Accept', metadataType)
      .expect(404)
    expect(version.body.detail).to.equal(`Version '13' of ID '${id}' doesn't exist!`)
    await service.http.get('/api/v1/metadata/xml').set('Accept', metadataType).expect(404)
    await service.http.get(`/api/v1/schemas/${id}`).expect(404)
    await service.http.get(`/api/v1/metadata/${id}/`).expect(404)
  })
})

describe('the answer 201 to a new metadata record', () => {
  let service: TestService
  let answer: Response
  before(async () => {
    service = await serviceWithSchemas()
    answer = await service
      .postMetadata(
        metadataRecordV1(resource, 'json', { schemaVersion: '1', id: null, acl: [] }),
        '{"title":"a"}',
      )
      .expect(201)
  })
  after(removeRepositories)

  it('has the address, the type and the ETag of the record', async () => {
    expect(answer.headers).to.include({
      location: `${base}/api/v1/metadata/${answer.body.id}?version=1`,
      'content-type': 'application/json',
      etag: `"${await service.head()}"`,
    })
  })

  it('has the complete record', () => {
    const { id, createdAt, lastUpdate, documentHash, ...others } = answer.body
    expect(others).to.deep.equal({
      relatedResource: { identifier: resource, identifierType: 'URL' },
      schema: { identifier: `${base}/api/v1/schemas/json?version=1`, identifierType: 'URL' },
      schemaVersion: 1,
      recordVersion: 1,
      acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
      metadataDocumentUri: `${base}/api/v1/metadata/${id}?version=1`,
    })
  })

  it('has an id, the times and a hash of the document', () => {
    const { id, createdAt, lastUpdate, documentHash } = answer.body
    expect(id).to.match(uuid)
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(lastUpdate).to.be.a('string')
    expect(documentHash).to.match(/^sha1:[0-9a-f]{40}$/)
  })

  it('is the same text, with the same ETag, as the record that is read', async () => {
    const url = `/api/v1/metadata/${answer.body.id}`
    const record = await service.http.get(url).set('Accept', metadataType).expect(200)
    expect(record.text).to.equal(answer.text)
    expect(record.headers).to.include({ 'content-type': metadataType, etag: etagOf(answer) })
  })

  it('names an address that has the document', async () => {
    const document = await service.http.get(new URL(answer.headers.location as string).pathname).expect(200)
    expect(document.text).to.equal('{"title":"a"}')
  })
})

describe('a metadata record with a chosen id', () => {
  const record = metadataRecordV1(resource, 'json', { schemaVersion: 1, id: 'My.Id_1-*' })
  const url = '/api/v1/metadata/My.Id_1-*'
  let service: TestService
  let created: Response
  let revoked: Response
  before(async () => {
    service = await serviceWithSchemas()
    created = await service.postMetadata(record, '{"title":"a"}').expect(201)
  })
  after(removeRepositories)

  it('has that id', () => {
    expect(created.body.id).to.equal('My.Id_1-*')
  })

  const other = { ...record, ...metadataRecordV1(`${resource}0`, 'json') }
  for (const [what, id, status] of [
    ['that of another record', 'My.Id_1-*', 409],
    ['that of a schema', 'json', 409],
    ['an address', 'http://localhost:8080/d1', 400],
  ] as const) {
    it(`is refused with ${status} if the id is ${what}`, async () => {
      await service.postMetadata({ ...other, id }, '{"title":"a"}').expect(status)
    })
  }

  describe('after its deletion', () => {
    before(async () => {
      await service.http.delete(url).set('If-Match', etagOf(created)).expect(204)
      revoked = await service.http.get(url).set('Accept', metadataType).expect(200)
    })

    it('keeps its resource: a record of it with another id is refused with 409', async () => {
      await service.postMetadata({ ...record, id: null }, '{"title":"a"}').expect(409)
    })

    it('has a second version', () => {
      expect(JSON.parse(revoked.text).recordVersion).to.equal(2)
    })

    it('is not deleted with a stale ETag: 412', async () => {
      await service.http.delete(url).set('If-Match', etagOf(created)).expect(412)
    })

    describe('and a second one', () => {
      before(async () => {
        await service.http.delete(url).set('If-Match', etagOf(revoked)).expect(204)
      })

      it('is 404, like its first version', async () => {
        await service.http.get(url).expect(404)
        await service.http.get(`${url}?version=1`).expect(404)
      })

      it('cannot be deleted once more: 404', async () => {
        await service.http.delete(url).set('If-Match', etagOf(revoked)).expect(404)
      })

      it('has an id that is never reused: 410', async () => {
        await service.postMetadata(record, '{"title":"a"}').expect(410)
      })

      it('leaves its resource to a record with another id', async () => {
        await service.postMetadata({ ...record, id: null }, '{"title":"a"}').expect(201)
      })
    })
  })
})

describe('each change of a metadata record', () => {
  let service: TestService
  let headAfterSecond: string
  let id: string
  let first: Response
  let second: Response
  let third: Response
  let fourth: Response
  let fifth: Response
  before(async () => {
    service = await serviceWithSchemas()
    first = await service
      .postMetadata(metadataRecordV1(resource, 'json', { schemaVersion: 1 }), '{"title":"a"}')
      .expect(201)
    id = first.body.id
    const acl = [...first.body.acl, { id: null, sid: 'guest', permission: 'READ' }]
    const record = { ...first.body, acl, schemaVersion: 2 }
    second = await service
      .putMetadata(id, etagOf(first), record, '{"title":"a","date":"b"}')
      .query({ version: 1 })
      .field('version', '1')
      .expect(200)
    headAfterSecond = await service.head()
    third = await service.putMetadata(id, etagOf(second), undefined, '{"title":"c","date":"b"}').expect(200)
    const licenseUri = 'https://example.org/MIT'
    fourth = await service.putMetadata(id, etagOf(third), { licenseUri }).expect(200)
    fifth = await service.putMetadata(id, etagOf(fourth), { licenseUri: null }).expect(200)
  })
  after(removeRepositories)

  it('is answered with the address of the new version and the ETag of its commit', () => {
    expect(second.headers).to.include({
      location: `${base}/api/v1/metadata/${id}?version=2`,
      'content-type': 'application/json',
      etag: `"${headAfterSecond}"`,
    })
  })

  it('makes a version with the sent members and the former ones that cannot change', () => {
    expect(second.body).to.deep.include({
      recordVersion: 2,
      schemaVersion: 2,
      createdAt: first.body.createdAt,
      relatedResource: first.body.relatedResource,
      acl: [
        { id: 1, sid: 'SELF', permission: 'ADMINISTRATE' },
        { id: 2, sid: 'guest', permission: 'READ' },
      ],
    })
  })

  it('makes a version with a later time', () => {
    expect(Date.parse(second.body.lastUpdate)).to.be.above(Date.parse(first.body.lastUpdate))
  })

  it('of only the document keeps ACL and schema version', () => {
    expect(third.body).to.deep.include({ recordVersion: 3, acl: second.body.acl, schemaVersion: 2 })
  })

  it('of only the record may add a member', () => {
    expect(fourth.body).to.include({ recordVersion: 4, licenseUri: 'https://example.org/MIT' })
  })

  it('removes a member that is null', () => {
    expect(fifth.body).to.not.have.property('licenseUri')
  })

  it('keeps the first version as text and with its ETag', async () => {
    const old = await service.http
      .get(`/api/v1/metadata/${id}?version=1`)
      .set('Accept', metadataType)
      .expect(200)
    expect(old.text).to.equal(first.text)
    expect(etagOf(old)).to.equal(etagOf(first))
  })

  it('keeps the document of each version', async () => {
    const document = await service.http.get(`/api/v1/metadata/${id}?version=2`).expect(200)
    expect(document.text).to.equal('{"title":"a","date":"b"}')
  })

  it('is one commit', async () => {
    expect(Number(await service.repository.git('rev-list', '--count', 'HEAD', '--', 'metadata'))).to.equal(5)
  })
})

describe('a change of a metadata record against a rule', () => {
  let service: TestService
  let id: string
  let etag: string
  const record = metadataRecordV1(resource, 'json', { schemaVersion: 1 })
  before(async () => {
    service = await serviceWithSchemas()
    await service.postMetadata(record, '{"title":"a"}').expect(201)
    const other = await service
      .postMetadata({ ...record, ...metadataRecordV1(`${resource}0`, 'json') }, '{"title":"a"}')
      .expect(201)
    id = other.body.id
    etag = etagOf(other)
  })
  after(removeRepositories)

  const licenseUri = 'x'
  for (const [what, status, put] of [
    [
      'the resource of another record',
      409,
      () => service.putMetadata(id, etag, { relatedResource: record.relatedResource }),
    ],
    [
      'a schema version that the document does not fulfil',
      422,
      () => service.putMetadata(id, etag, { schemaVersion: 2 }),
    ],
    ['an invalid document', 422, () => service.putMetadata(id, etag, undefined, '{}')],
    [
      'an unknown schema',
      422,
      () => service.putMetadata(id, etag, metadataRecordV1(`${resource}0`, 'unknown')),
    ],
    [
      'an ACL entry without sid',
      400,
      () => service.putMetadata(id, etag, { acl: [{ sid: null, permission: 'READ' }] }),
    ],
    ['neither record nor document', 400, () => service.putMetadata(id, etag).field('other', 'x')],
    ['another id and an empty document', 400, () => service.putMetadata(id, etag, { id: 'x' }, '')],
    ['a stale ETag', 412, () => service.putMetadata(id, '"0000"', { licenseUri })],
    ['an unknown id', 404, () => service.putMetadata('unknown', '"0000"', { licenseUri })],
    ['the id of a schema', 404, () => service.putMetadata('json', '*', { licenseUri })],
    [
      'a version that is no number',
      400,
      () => service.putMetadata(id, etag, { licenseUri }).query('version=one'),
    ],
  ] as const) {
    it(`is refused with ${status} for ${what}`, async () => {
      await service.storesNothing(async () => {
        await put().expect(status)
      })
    })
  }
})
