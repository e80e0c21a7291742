import { expect } from 'chai'
import type { Response } from 'supertest'
import {
  base,
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  schemaType,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describe('schemas over HTTP', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  it('are registered with 201, the record, its address and its ETag', async () => {
    const answer = await service
      .postSchema({ schemaId: 'note', label: 'Notes' }, jsonSchema('title'))
      .expect(201)

    expect(answer.headers).to.include({
      location: `${base}/api/v1/schemas/note?version=1`,
      'content-type': 'application/json',
      etag: `"${await service.head()}"`,
    })
    const { createdAt, lastUpdate, schemaHash, ...others } = answer.body
    expect(others).to.deep.equal({
      schemaId: 'note',
      schemaVersion: 1,
      label: 'Notes',
      mimeType: 'application/json',
      type: 'JSON',
      acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
      schemaDocumentUri: `${base}/api/v1/schemas/note?version=1`,
      doNotSync: true,
    })
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(lastUpdate).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/)
    expect(schemaHash).to.match(/^sha1:[0-9a-f]{40}$/)
  })

  it('are readable as record or document, byte for byte, with the same ETag', async () => {
    const created = await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)

    const record = await service.http.get('/api/v1/schemas/note').set('Accept', schemaType).expect(200)
    expect(record.headers).to.include({ 'content-type': schemaType, etag: etagOf(created), vary: 'Accept' })
    expect(JSON.parse(record.text)).to.deep.equal(created.body)

    const document = await service.http.get('/api/v1/schemas/note').expect(200)
    expect(document.headers).to.include({
      'content-type': 'application/xml',
      'content-length': String(Buffer.byteLength(noteXsdText)),
      'x-content-type-options': 'nosniff',
      etag: etagOf(created),
      vary: 'Accept',
    })
    expect(document.text).to.equal(noteXsdText)
  })

  it('stay unchanged after a PUT without changes', async () => {
    const first = await service.postSchema({ schemaId: 'note', label: 'a' }, jsonSchema('title')).expect(201)

    await service.storesNothing(async () => {
      const same = await service.putSchema('note', etagOf(first), first.body, jsonSchema('title')).expect(200)
      expect(etagOf(same)).to.equal(etagOf(first))
      expect(same.body).to.deep.equal(first.body)
    })
  })

  it('lose texts and licence that a PUT lacks, and keep type and ACL', async () => {
    const record = {
      schemaId: 'note',
      label: 'l',
      definition: 'd',
      comment: 'c',
      licenseUri: 'https://example.org/licences/MIT',
      acl: [{ sid: 'guest', permission: 'READ' }],
    }
    const first = await service.postSchema(record, jsonSchema()).expect(201)
    expect(first.body).to.include({ definition: 'd', comment: 'c', licenseUri: record.licenseUri })

    const second = await service.putSchema('note', etagOf(first), { definition: '' }).expect(200)

    expect(second.body).to.not.have.any.keys('label', 'definition', 'comment', 'licenseUri')
    expect(second.body).to.deep.include({ type: 'JSON', acl: first.body.acl })
  })

  it('are refused with the position of each pattern that does not compile', async () => {
    const document = JSON.stringify({ properties: { a: { pattern: '(' }, b: { items: { pattern: '[' } } } })

    const { body } = await service.postSchema({ schemaId: 'note' }, document).expect(422)

    const paths = (body.findings as { readonly path?: string }[]).map(({ path }) => path)
    expect(paths).to.have.members(['/properties/a/pattern', '/properties/b/items/pattern'])
  })

  it('are refused with 422 and findings if the document is not a schema', async () => {
    await service.storesNothing(async () => {
      for (const document of [
        '<>',
        '{',
        '{}',
        '[]',
        noteXml,
        '{"$schema":"http://example.org/unknown"}',
        '{"type":7}',
      ]) {
        const answer = await service.postSchema({ schemaId: 'note' }, document).expect(422)
        expect(answer.body).to.include({ status: 422 })
        expect(answer.body.findings, document).to.be.an('array').that.is.not.empty
      }
      await service.postSchema({ schemaId: 'note', type: 'XML' }, jsonSchema()).expect(422)
      await service.postSchema({ schemaId: 'note', type: 'JSON' }, noteXsdText).expect(422)
      await service
        .postSchema(
          { schemaId: 'note' },
          `<!DOCTYPE x [<!ENTITY e SYSTEM "e">]>${noteXsdText.replace(/^.*\n/, '').replace('</', '&e;</')}`,
        )
        .expect(422)
    })
  })

  it('cannot change to another language by an update of only the record', async () => {
    const first = await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)

    await service.storesNothing(async () => {
      await service.putSchema('note', etagOf(first), { type: 'JSON' }).expect(422)
    })
  })

  it('may have any permitted id, even one that file systems cannot store', async () => {
    for (const schemaId of ['con', 'nul', '-x', '.git', 'a.', '*', 'record.json', 'x'.repeat(200)]) {
      await service.postSchema({ schemaId }, jsonSchema()).expect(201)
      const answer = await service.http
        .get(`/api/v1/schemas/${schemaId}`)
        .set('Accept', schemaType)
        .expect(200)
      expect(JSON.parse(answer.text)).to.include({ schemaId })
    }
  })

  it('look the same under the other mount, with URLs of that mount', async () => {
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    const answer = await service.http
      .get('/metastore/api/v1/schemas/note')
      .set('Accept', schemaType)
      .expect(200)

    expect(JSON.parse(answer.text).schemaDocumentUri).to.equal(
      `${base}/metastore/api/v1/schemas/note?version=1`,
    )
    const created = await service.http
      .post('/metastore/api/v1/schemas/')
      .attach('record', Buffer.from('{"schemaId":"other"}'), 'r.json')
      .attach('schema', Buffer.from(noteXsdText), 's')
      .expect(201)
    expect(created.headers.location).to.equal(`${base}/metastore/api/v1/schemas/other?version=1`)
  })

  it('lose each optional text that is null or empty, at registration and in changes', async () => {
    const full = {
      ...{ label: 'Notes', definition: 'A note', comment: 'What is noted', pid: '10.1/note' },
      ...{ licenseUri: 'https://example.org/licence', type: 'JSON' },
    }
    for (const [index, name] of Object.keys(full).entries()) {
      for (const empty of [null, '']) {
        const id = `note${index}${String(empty)}`
        const pid = { identifier: `10.1/${id}`, identifierType: 'DOI' }
        const record = { ...full, pid, schemaId: id, [name]: empty }
        const made = await service.postSchema(record, jsonSchema()).expect(201)
        const whole = { ...record, [name]: name === 'pid' ? pid : full[name as keyof typeof full] }
        const changed = await service.putSchema(id, etagOf(made), whole).expect(200)
        expect(changed.body).to.have.property(name)
        const again = await service.putSchema(id, etagOf(changed), record).expect(200)
        for (const { body } of [made, again]) {
          if (name === 'type') expect(body.type).to.equal('JSON')
          else expect(body, id).to.not.have.property(name)
        }
      }
    }
  })

  it('answer 404 with the message that clients look for, if they do not exist', async () => {
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)

    const unknown = await service.http.get('/api/v1/schemas/cd').set('Accept', schemaType).expect(404)
    expect(unknown.body.detail).to.equal("Schema document with ID 'cd' doesn't exist!")
    const version = await service.http.get('/api/v1/schemas/note?version=13').expect(404)
    expect(version.body.detail).to.equal("Version '13' of ID 'note' doesn't exist!")
    await service.http.get('/api/v1/metadata/note').expect(404)
    await service.http.get('/api/v1/schemas/a%2Fb').expect(404)
    await service.http.get('/api/v1/schemas/note/').expect(404)
  })
})

describe('a schema whose label and document changed over HTTP', () => {
  let service: TestService
  let first: Response
  let labelled: Response
  let changed: Response
  before(async () => {
    service = await startService()
    first = await service.postSchema({ schemaId: 'note', label: 'a' }, jsonSchema('title')).expect(201)
    labelled = await service.putSchema('note', etagOf(first), { label: 'b' }).expect(200)
    changed = await service
      .putSchema('note', etagOf(labelled), undefined, jsonSchema('title', 'date'))
      .expect(200)
  })
  after(removeRepositories)

  it('got another ETag and no version with the label', () => {
    expect(labelled.body).to.include({ schemaVersion: 1, label: 'b' })
    expect(etagOf(labelled)).not.to.equal(etagOf(first))
  })

  it('got a new version with the document', () => {
    expect(changed.body).to.include({ schemaVersion: 2, label: 'b', createdAt: first.body.createdAt })
  })

  it('was answered with the address of the new version', () => {
    expect(changed.headers).to.include({
      location: `${base}/api/v1/schemas/note?version=2`,
      'content-type': 'application/json',
    })
  })

  it('has its first version with the later label and its ETag', async () => {
    const old = await service.http.get('/api/v1/schemas/note?version=1').set('Accept', schemaType).expect(200)
    expect(JSON.parse(old.text)).to.include({ schemaVersion: 1, label: 'b' })
    expect(etagOf(old)).to.equal(etagOf(labelled))
  })

  it('has its first document as that of version 1', async () => {
    const bytes = await service.http.get('/api/v1/schemas/note?version=1').expect(200)
    expect(bytes.text).to.equal(jsonSchema('title'))
  })
})

describe('a validation against a schema over HTTP', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    const first = await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    await service.putSchema('note', etagOf(first), undefined, jsonSchema('title', 'date')).expect(200)
    await service.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
  })
  after(removeRepositories)

  const document = Buffer.from('{"title": "x"}')
  const post = (path: string) => service.http.post(`/api/v1/schemas/${path}`)
  const validate = (query: string) => post(`note/validate${query}`).attach('document', document, 'd.json')

  it('of a valid document is answered with 204 without a body', async () => {
    await service.storesNothing(async () => {
      const good = await validate('?version=1').expect(204)
      expect(good.text).to.equal('')
    })
  })

  it('may name the version in a field of the form', async () => {
    await service.storesNothing(async () => {
      await validate('').field('version', '1').expect(204)
    })
  })

  it('of an invalid document is answered with 422 and findings', async () => {
    await service.storesNothing(async () => {
      const bad = await validate('').expect(422)
      expect(bad.headers['content-type']).to.equal('application/problem+json')
      expect(bad.body).to.include({
        type: 'about:blank',
        title: 'Unprocessable Entity',
        status: 422,
        instance: '/api/v1/schemas/note/validate',
      })
      expect(bad.body.findings).to.have.length.above(0)
      expect(bad.body.findings[0]).to.have.property('message')
    })
  })

  it('is against the version of the parameter rather than that of the field', async () => {
    await service.storesNothing(async () => {
      await validate('?version=2').field('version', '1').expect(422)
    })
  })

  for (const [what, status, ask] of [
    ['no document', 400, () => post('unknown/validate').field('version', '1')],
    ['an empty document', 400, () => post('one/validate').attach('document', Buffer.alloc(0), 'd')],
    [
      'two documents',
      400,
      () => post('one/validate').attach('document', document, 'd').attach('document', document, 'd'),
    ],
    [
      'a version that is no number',
      400,
      () => post('one/validate').attach('document', document, 'd').field('version', 'one'),
    ],
    ['version 0', 400, () => post('one/validate?version=0').attach('document', document, 'd')],
    [
      'a document of another language',
      422,
      () => post('one/validate').attach('document', Buffer.from(noteXml), 'd'),
    ],
    ['an unknown version', 404, () => post('one/validate?version=2').attach('document', document, 'd')],
    ['an unknown schema', 404, () => post('unknown/validate').attach('document', document, 'd')],
    ['a path in place of an id', 404, () => post('invalid/one/validate').attach('document', document, 'd')],
    ['a body that is no form', 415, () => post('one/validate').send({ title: 'x' })],
  ] as const) {
    it(`is refused with ${status} for ${what}`, async () => {
      await service.storesNothing(async () => {
        await ask().expect(status)
      })
    })
  }
})

describe('the id of a schema over HTTP', () => {
  const url = '/api/v1/schemas/note'
  let service: TestService
  let first: Response
  let revoked: Response
  before(async () => {
    service = await startService()
    first = await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
  })
  after(removeRepositories)

  it('belongs to one schema: a second one is refused with 409', async () => {
    await service.postSchema({ schemaId: 'note' }, jsonSchema('a')).expect(409)
  })

  describe('after a deletion of the schema', () => {
    before(async () => {
      await service.http.delete(url).set('If-Match', etagOf(first)).expect(204)
      revoked = await service.http.get(url).set('Accept', schemaType).expect(200)
    })

    it('is still that of the schema: 409', async () => {
      await service.postSchema({ schemaId: 'note' }, jsonSchema('a')).expect(409)
    })

    it('has the schema in its version, with a new ETag', () => {
      expect(etagOf(revoked)).not.to.equal(etagOf(first))
      expect(JSON.parse(revoked.text)).to.include({ schemaVersion: 1 })
    })

    it('does not allow a deletion with a stale ETag: 412', async () => {
      await service.http.delete(url).set('If-Match', etagOf(first)).expect(412)
    })

    it('does not allow a deletion without an ETag: 428', async () => {
      await service.http.delete(url).expect(428)
    })

    describe('and a second one', () => {
      before(async () => {
        await service.http.delete(url).set('If-Match', etagOf(revoked)).expect(204)
      })

      for (const [what, status, ask] of [
        ['a read of the document', 404, () => service.http.get(url)],
        [
          'a read of the record of version 1',
          404,
          () => service.http.get(`${url}?version=1`).set('Accept', schemaType),
        ],
        ['another schema', 410, () => service.postSchema({ schemaId: 'note' }, jsonSchema())],
        ['a deletion', 404, () => service.http.delete(url).set('If-Match', etagOf(revoked))],
        ['a deletion without an ETag', 428, () => service.http.delete(url)],
      ] as const) {
        it(`answers ${what} with ${status}`, async () => {
          await service.storesNothing(async () => {
            await ask().expect(status)
          })
        })
      }
    })
  })
})
