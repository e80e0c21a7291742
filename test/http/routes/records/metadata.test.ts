import { expect } from 'chai'
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

describe('metadata over HTTP', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
    const first = await service.postSchema({ schemaId: 'json' }, jsonSchema('title')).expect(201)
    await service.putSchema('json', etagOf(first), undefined, jsonSchema('title', 'date')).expect(200)
    await service.postSchema({ schemaId: 'xml' }, noteXsdText).expect(201)
  })
  afterEach(removeRepositories)

  it('is created with 201, the complete record, its address and its ETag', async () => {
    const answer = await service
      .postMetadata(
        metadataRecordV1(resource, 'json', { schemaVersion: '1', id: null, acl: [] }),
        '{"title":"a"}',
      )
      .expect(201)

    const { id, createdAt, lastUpdate, documentHash, ...others } = answer.body
    expect(id).to.match(uuid)
    expect(answer.headers).to.include({
      location: `${base}/api/v1/metadata/${id}?version=1`,
      'content-type': 'application/json',
      etag: `"${await service.head()}"`,
    })
    expect(others).to.deep.equal({
      relatedResource: { identifier: resource, identifierType: 'URL' },
      schema: { identifier: `${base}/api/v1/schemas/json?version=1`, identifierType: 'URL' },
      schemaVersion: 1,
      recordVersion: 1,
      acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
      metadataDocumentUri: `${base}/api/v1/metadata/${id}?version=1`,
    })
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(lastUpdate).to.be.a('string')
    expect(documentHash).to.match(/^sha1:[0-9a-f]{40}$/)

    const record = await service.http.get(`/api/v1/metadata/${id}`).set('Accept', metadataType).expect(200)
    expect(record.text).to.equal(answer.text)
    expect(record.headers).to.include({ 'content-type': metadataType, etag: etagOf(answer) })
    expect(
      (await service.http.get(new URL(answer.headers.location as string).pathname).expect(200)).text,
    ).to.equal('{"title":"a"}')
  })

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

  it('may have a chosen id, which is never reused', async () => {
    const record = metadataRecordV1(resource, 'json', { schemaVersion: 1, id: 'My.Id_1-*' })
    const created = await service.postMetadata(record, '{"title":"a"}').expect(201)
    expect(created.body.id).to.equal('My.Id_1-*')

    const other = { ...record, ...metadataRecordV1(`${resource}0`, 'json') }
    await service.postMetadata(other, '{"title":"a"}').expect(409)
    await service.postMetadata({ ...other, id: 'json' }, '{"title":"a"}').expect(409)
    await service.postMetadata({ ...other, id: 'http://localhost:8080/d1' }, '{"title":"a"}').expect(400)

    const url = '/api/v1/metadata/My.Id_1-*'
    await service.http.delete(url).set('If-Match', etagOf(created)).expect(204)
    // A REVOKED record keeps its resource and its id.
    await service.postMetadata({ ...record, id: null }, '{"title":"a"}').expect(409)
    const revoked = await service.http.get(url).set('Accept', metadataType).expect(200)
    expect(JSON.parse(revoked.text).recordVersion).to.equal(2)
    await service.http.delete(url).set('If-Match', etagOf(created)).expect(412)
    await service.http.delete(url).set('If-Match', etagOf(revoked)).expect(204)
    await service.http.get(url).expect(404)
    await service.http.get(`${url}?version=1`).expect(404)
    await service.http.delete(url).set('If-Match', etagOf(revoked)).expect(404)
    await service.postMetadata(record, '{"title":"a"}').expect(410)
    await service.postMetadata({ ...record, id: null }, '{"title":"a"}').expect(201)
  })

  it('gets a new version with every change of the record or the document', async () => {
    const first = await service
      .postMetadata(metadataRecordV1(resource, 'json', { schemaVersion: 1 }), '{"title":"a"}')
      .expect(201)
    const { id } = first.body
    const acl = [...first.body.acl, { id: null, sid: 'guest', permission: 'READ' }]

    const second = await service
      .putMetadata(id, etagOf(first), { ...first.body, acl, schemaVersion: 2 }, '{"title":"a","date":"b"}')
      .query({ version: 1 })
      .field('version', '1')
      .expect(200)
    expect(second.headers).to.include({
      location: `${base}/api/v1/metadata/${id}?version=2`,
      'content-type': 'application/json',
      etag: `"${await service.head()}"`,
    })
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
    expect(Date.parse(second.body.lastUpdate)).to.be.above(Date.parse(first.body.lastUpdate))

    const third = await service
      .putMetadata(id, etagOf(second), undefined, '{"title":"c","date":"b"}')
      .expect(200)
    expect(third.body).to.deep.include({ recordVersion: 3, acl: second.body.acl, schemaVersion: 2 })
    const fourth = await service
      .putMetadata(id, etagOf(third), { licenseUri: 'https://example.org/MIT' })
      .expect(200)
    expect(fourth.body).to.include({ recordVersion: 4, licenseUri: 'https://example.org/MIT' })
    const fifth = await service.putMetadata(id, etagOf(fourth), { licenseUri: null }).expect(200)
    expect(fifth.body).to.not.have.property('licenseUri')

    const old = await service.http
      .get(`/api/v1/metadata/${id}?version=1`)
      .set('Accept', metadataType)
      .expect(200)
    expect(old.text).to.equal(first.text)
    expect(etagOf(old)).to.equal(etagOf(first))
    const document = await service.http.get(`/api/v1/metadata/${id}?version=2`).expect(200)
    expect(document.text).to.equal('{"title":"a","date":"b"}')
    expect(Number(await service.repository.git('rev-list', '--count', 'HEAD', '--', 'metadata'))).to.equal(5)
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

  it('cannot be changed against a rule', async () => {
    const record = metadataRecordV1(resource, 'json', { schemaVersion: 1 })
    await service.postMetadata(record, '{"title":"a"}').expect(201)
    const other = await service
      .postMetadata({ ...record, ...metadataRecordV1(`${resource}0`, 'json') }, '{"title":"a"}')
      .expect(201)
    const { id } = other.body

    await service.storesNothing(async () => {
      await service.putMetadata(id, etagOf(other), { relatedResource: record.relatedResource }).expect(409)
      await service.putMetadata(id, etagOf(other), { schemaVersion: 2 }).expect(422)
      await service.putMetadata(id, etagOf(other), undefined, '{}').expect(422)
      await service.putMetadata(id, etagOf(other), metadataRecordV1(`${resource}0`, 'unknown')).expect(422)
      await service.putMetadata(id, etagOf(other), { acl: [{ sid: null, permission: 'READ' }] }).expect(400)
      await service.putMetadata(id, etagOf(other)).field('other', 'x').expect(400)
      await service.putMetadata(id, etagOf(other), { id: 'x' }, '').expect(400)
      await service.putMetadata(id, '"0000"', { licenseUri: 'x' }).expect(412)
      await service.putMetadata('unknown', '"0000"', { licenseUri: 'x' }).expect(404)
      await service.putMetadata('json', '*', { licenseUri: 'x' }).expect(404)
      await service.putMetadata(id, etagOf(other), { licenseUri: 'x' }).query('version=one').expect(400)
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
