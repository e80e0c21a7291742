import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Response } from 'supertest'
import { arbitraryVersion2Record } from '../../support/data/arbitrary-records.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const recordType = 'application/vnd.datacite.org+json'
const citationType = 'application/vnd.citation.org+json'
const contentType = 'application/vnd.datamanager.content-information+json'
const mounts = ['/api/v2', '/metastore/api/v2', '/repository/api/v2']

function titled(more: object = {}): object {
  return { titles: [{ value: 'A title' }], ...more }
}

function follows(schema: string, resource: string, more: object = {}): object {
  return titled({
    relatedIdentifiers: [
      { identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' },
      { identifierType: 'INTERNAL', value: schema, relationType: 'HAS_METADATA' },
    ],
    ...more,
  })
}

describe('version 2 over HTTP', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  const part = (json: unknown) => Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))
  function send(
    sent: ReturnType<TestService['http']['post']>,
    record: unknown,
    parts: Record<string, string>,
  ) {
    if (record !== undefined) {
      sent.attach('record', part(record), { filename: 'record.json', contentType: 'application/json' })
    }
    for (const [name, content] of Object.entries(parts)) sent.attach(name, Buffer.from(content), name)
    return sent
  }
  const post = (path: string, record: unknown, parts: Record<string, string>) =>
    send(service.http.post(path), record, parts)
  const put = (path: string, etag: string, record: unknown, parts: Record<string, string> = {}) =>
    send(service.http.put(path).set('If-Match', etag), record, parts)
  const read = (path: string, accept = recordType) => service.http.get(path).set('Accept', accept)

  for (const mount of mounts) {
    it(`stores, changes and deletes a schema and its document under ${mount}`, async () => {
      const root = base + mount
      const schema = await post(`${mount}/schemas`, titled({ id: 'sample' }), {
        schema: jsonSchema('a'),
      }).expect(201)
      expect(schema.headers.location).to.equal(`${root}/schemas/sample?version=1`)
      expect(schema.body).to.deep.include({
        id: 'sample',
        version: '1',
        state: 'VOLATILE',
      })
      expect(schema.body).to.not.have.property('formats')
      const found = await read(`${mount}/schemas/sample`).expect(200).expect('Content-Type', recordType)
      expect(found.body).to.deep.equal(schema.body)
      expect(found.headers.etag).to.equal(schema.headers.etag)
      expect(found.headers.location).to.equal(`${root}/schemas/sample?version=1`)

      const made = await post(`${mount}/metadata/`, follows('sample/1', 'https://example.org/1'), {
        document: '{"a":1}',
      }).expect(201)
      const { id } = made.body
      const at = `${mount}/metadata/${id}`
      expect(made.headers.location).to.equal(`${base}${at}?version=1`)
      expect(made.body.resourceType).to.deep.equal({ id: 1, value: 'JSON_Metadata', typeGeneral: 'MODEL' })
      expect(relation(made, 'HAS_METADATA')).to.deep.equal([`${root}/schemas/sample?version=1`])
      expect(relation(made, 'IS_NEW_VERSION_OF')).to.deep.equal([])
      expect(
        (await read(at, citationType).expect(200).expect('Content-Type', citationType)).body,
      ).to.deep.equal(made.body)

      const sent = { ...made.body, titles: [{ value: 'Another' }] }
      await put(at, '"0"', sent).expect(412)
      const second = await put(at, etagOf(made), sent).expect(200).expect('Content-Type', 'application/json')
      expect(second.headers.location).to.equal(`${base}${at}?version=2`)
      expect(relation(second, 'IS_NEW_VERSION_OF')).to.deep.equal([`${base}${at}?version=1`])
      const third = await put(at, etagOf(second), second.body, { document: '{"a":2}' }).expect(200)
      expect(relation(third, 'IS_NEW_VERSION_OF')).to.deep.equal([`${base}${at}?version=2`])
      const same = await put(at, etagOf(third), third.body, { document: '{"a":2}' }).expect(200)
      expect(same.headers.etag).to.equal(third.headers.etag)
      expect((await service.http.get(`${at}?version=1`).expect(200)).text).to.equal('{"a":1}')

      await service.http
        .post(`${mount}/schemas/sample/validate`)
        .attach('document', part('{"a":3}'), 'd')
        .expect(204)
      await service.http
        .post(`${mount}/schemas/sample/validate`)
        .attach('document', part('{}'), 'd')
        .expect(422)
      const list = await read(`${mount}/metadata?schemaId=sample`)
        .expect(200)
        .expect('Content-Range', '0-0/1')
      expect(list.body).to.deep.equal([third.body])
      expect((await read(`${mount}/metadata?id=${id}`).expect(200)).body.map(versionOf)).to.deep.equal([
        '3',
        '2',
        '1',
      ])

      await service.http.delete(`${mount}/schemas/sample`).set('If-Match', etagOf(schema)).expect(409)
      await service.http.delete(at).set('If-Match', etagOf(third)).expect(204)
      const revoked = await read(at).expect(200)
      expect(revoked.body).to.include({ state: 'REVOKED', version: '4' })
      const revived = await put(at, etagOf(revoked), { ...revoked.body, state: 'VOLATILE' }).expect(200)
      expect(revived.body.state).to.equal('VOLATILE')
      await service.http.delete(at).set('If-Match', etagOf(revived)).expect(204)
      await service.http
        .delete(at)
        .set('If-Match', etagOf(await read(at)))
        .expect(204)
      await read(at).expect(404)
      await service.http.delete(`${mount}/schemas/sample`).set('If-Match', etagOf(schema)).expect(204)
    })
  }

  it('shows a record of one version through the other, and keeps members that version 1 lacks', async () => {
    await service.postSchema({ schemaId: 'note', label: 'Note' }, noteXsdText).expect(201)
    expect((await read('/api/v2/schemas/note').expect(200)).body.descriptions).to.deep.equal([
      { id: 1, description: 'Note', type: 'OTHER' },
    ])
    const creators = [{ familyName: 'Lovelace', givenName: 'Ada', affiliations: ['Example'] }]
    const made = await post(
      '/api/v2/metadata',
      follows('note', 'https://example.org/n', { creators, language: 'en' }),
      { document: noteXml },
    ).expect(201)
    const shown = await service.http
      .get(`/api/v1/metadata/${made.body.id}`)
      .set('Accept', 'application/vnd.repository.metadata-record+json')
      .expect(200)
    expect(shown.body.relatedResource).to.deep.equal({
      identifier: 'https://example.org/n',
      identifierType: 'URL',
    })
    const licenseUri = 'https://example.org/licences/MIT'
    const changed = await service
      .putMetadata(made.body.id, etagOf(shown), { ...shown.body, licenseUri })
      .expect(200)
    expect(changed.body.recordVersion).to.equal(2)
    const after = await read(`/api/v2/metadata/${made.body.id}`).expect(200)
    expect(after.body.creators).to.deep.equal([{ id: 1, ...creators[0] }])
    expect(after.body.language).to.equal('en')
    expect(after.body.rights).to.deep.equal([{ id: 1, schemeId: '/MIT', schemeUri: licenseUri }])
  })

  it('stores any record and shows it in both versions; sending it back changes nothing', async () => {
    await service.postSchema({ schemaId: 'any' }, jsonSchema()).expect(201)
    let count = 0
    await fc.assert(
      fc.asyncProperty(arbitraryVersion2Record(), async sent => {
        const resource = `https://example.org/any/${count++}`
        const { alternateIdentifiers: _, identifier: __, ...others } = sent
        const { relatedIdentifiers: relations = [] } = sent as {
          relatedIdentifiers?: { relationType: string }[]
        }
        const record = {
          ...others,
          relatedIdentifiers: [
            ...relations.filter(
              ({ relationType }) => !/^(?:HAS_?METADATA|IS_?METADATA_?FOR)$/.test(relationType),
            ),
            { identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' },
            { identifierType: 'INTERNAL', value: 'any', relationType: 'HAS_METADATA' },
          ],
          identifier: { value: `10.5072/${count}`, identifierType: 'DOI' },
          alternateIdentifiers: [{ value: `any:${count}`, identifierType: 'OTHER' }],
        }
        const made = await post('/api/v2/metadata', record, { document: '{}' })
        expect(made.status, made.text).to.equal(201)
        const at = `metadata/${made.body.id}`
        const again = await put(`/api/v2/${at}`, etagOf(made), made.body)
        expect(again.status, again.text).to.equal(200)
        expect(again.headers.etag).to.equal(made.headers.etag)
        const v1 = await read(`/api/v1/${at}`, 'application/vnd.repository.metadata-record+json').expect(200)
        const back = await put(`/api/v1/${at}`, etagOf(v1), v1.body)
        expect(back.status, back.text).to.equal(200)
        expect(back.headers.etag).to.equal(made.headers.etag)
        expect((await read(`/api/v2/${at}`).expect(200)).body).to.deep.equal(made.body)
      }),
      { numRuns: 25 },
    )
  }).timeout(120_000)

  it('finds a record by each of its names, and deletes a schema by its id only', async () => {
    const pid = '10.5072/sample-42'
    const record = titled({
      id: 'MixedCase',
      identifier: { value: pid, identifierType: 'DOI' },
      alternateIdentifiers: [{ value: 'urn:x:1', identifierType: 'URN' }],
    })
    const made = await post('/api/v2/schemas', record, { schema: jsonSchema() }).expect(201)
    expect(made.body.id).to.equal('mixedcase')
    expect(made.body.alternateIdentifiers).to.deep.equal([
      { id: 1, value: 'mixedcase', identifierType: 'INTERNAL' },
      { id: 2, value: 'MixedCase', identifierType: 'OTHER' },
      { id: 3, value: 'urn:x:1', identifierType: 'URN' },
    ])
    for (const name of ['mixedcase', 'MixedCase', 'urn:x:1', pid]) {
      const at = `schemas/${encodeURIComponent(name)}`
      for (const version of ['v1', 'v2']) {
        expect((await read(`/api/${version}/${at}`, '*/*').expect(200)).text).to.equal(jsonSchema())
        await service.http
          .post(`/api/${version}/${at}/validate`)
          .attach('document', part('{}'), 'd')
          .expect(204)
      }
      expect((await read(`/api/v2/${at}`).expect(200)).body).to.deep.equal(made.body)
      if (name === 'mixedcase') continue
      const away = await service.http.delete(`/api/v2/${at}`).set('If-Match', etagOf(made)).expect(303)
      expect(away.headers.location).to.equal(`${base}/api/v2/schemas/mixedcase`)
    }
    await post('/api/v2/schemas', titled({ id: 'MIXEDCASE' }), { schema: jsonSchema() }).expect(409)
    await post('/api/v2/schemas', titled({ id: 'urn' }), { schema: jsonSchema() }).expect(201)
    const clash = titled({ id: 'other', alternateIdentifiers: [{ value: pid, identifierType: 'DOI' }] })
    expect(
      (await post('/api/v2/schemas', clash, { schema: jsonSchema() }).expect(409)).body.detail,
    ).to.contain(pid)

    const changed = await put(`/api/v2/schemas/${encodeURIComponent(pid)}`, etagOf(made), titled()).expect(
      200,
    )
    expect(changed.body.identifier.value).to.equal('(:tba)')
    await read(`/api/v2/schemas/${encodeURIComponent(pid)}`).expect(404)
    await read('/api/v2/schemas/MixedCase').expect(404)

    const doc = follows('urn', 'https://example.org/d', {
      alternateIdentifiers: [
        { value: 'my-own-id', identifierType: 'INTERNAL' },
        { value: 'doc:1', identifierType: 'OTHER' },
      ],
    })
    const document = await post('/api/v2/metadata', doc, { document: '{}' }).expect(201)
    expect(document.body.id).to.equal('my-own-id')
    await service.http.delete('/api/v2/metadata/doc%3A1').set('If-Match', etagOf(document)).expect(204)
    expect((await read('/api/v2/metadata/my-own-id').expect(200)).body.state).to.equal('REVOKED')
    await post('/api/v2/metadata', doc, { document: '{}' }).expect(409)
    const again = await read('/api/v2/metadata/my-own-id')
    await service.http.delete('/api/v2/metadata/my-own-id').set('If-Match', etagOf(again)).expect(204)
    await post('/api/v2/metadata', doc, { document: '{}' }).expect(410)
    await post(
      '/api/v2/schemas',
      titled({ id: 'doc-2', alternateIdentifiers: [{ value: 'doc:1', identifierType: 'OTHER' }] }),
      {
        schema: jsonSchema(),
      },
    ).expect(410)
  })

  it('returns a schema document only for types that fit it, else 406', async () => {
    await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
    await post('/api/v2/metadata', follows('sample', 'x', { id: 'doc' }), { document: '{}' }).expect(201)
    for (const accept of ['*/*', 'application/json', 'application/xml', 'image/png, */*;q=0.1'])
      expect((await read('/api/v2/schemas/sample', accept).expect(200)).text).to.equal(jsonSchema())
    for (const accept of ['application/vnd.repository.schema-record+json', 'image/png']) {
      const refused = await read('/api/v2/schemas/sample', accept).expect(406)
      expect(refused.body.detail).to.contain(citationType)
    }
    expect((await read('/api/v2/metadata/doc', 'image/png').expect(200)).text).to.equal('{}')
    await read('/api/v2/metadata/doc', 'application/vnd.repository.schema-record+json').expect(406)
    expect((await read('/api/v2/schemas/sample', 'text/html').expect(302)).headers.location).to.contain(
      'sample',
    )
  })

  it('returns content information, which changes only with the bytes of the document', async () => {
    await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
    const made = await post('/api/v2/metadata', follows('sample', 'x', { id: 'doc' }), {
      document: '{"a": 1}',
    }).expect(201)
    const at = '/api/v2/metadata/doc'
    const first = await read(at, contentType).expect(200).expect('Content-Type', contentType)
    expect(first.headers.etag).to.equal(made.headers.etag)
    expect(first.headers.vary).to.contain('Accept')
    expect(first.body).to.deep.equal({
      id: 1,
      parentResource: {
        id: 'doc',
        identifier: made.body.identifier,
        alternateIdentifiers: made.body.alternateIdentifiers,
      },
      version: 1,
      fileVersion: '1',
      depth: 1,
      contentUri: `${base}${at}?version=1`,
      uploader: 'SELF',
      mediaType: 'application/json',
      hash: first.body.hash,
      size: 8,
      metadata: {},
      tags: [],
    })
    expect(first.body.hash).to.equal(`sha1:${sha1('{"a": 1}')}`)
    const record = await put(at, etagOf(made), { ...made.body, language: 'en' }).expect(200)
    expect((await read(at, contentType)).body).to.deep.equal(first.body)
    await put(at, etagOf(record), undefined, { document: '{"a": 22}' }).expect(200)
    const second = await read(at, contentType).expect(200)
    expect(second.body).to.include({ version: 2, contentUri: `${base}${at}?version=3`, size: 9 })
    expect((await read(`${at}?version=2`, contentType)).body).to.deep.equal(first.body)
    const ofSchema = await read('/api/v2/schemas/sample', contentType).expect(200)
    expect(ofSchema.body).to.include({ version: 1, contentUri: `${base}/api/v2/schemas/sample?version=1` })
    expect((await read('/api/v2/metadata/none', contentType).expect(404)).body.detail).to.contain(
      'No content information for identifier none',
    )
    expect((await read('/api/v2/schemas/cd').expect(404)).body.detail).to.contain(
      "Document with ID 'cd' doesn't exist!",
    )
  })

  it('returns a metadata record with its document to search engines', async () => {
    await service.postSchema({ schemaId: 'sample' }, jsonSchema()).expect(201)
    const acl = [{ sid: 'guest', permission: 'READ' }]
    const made = await service
      .postMetadata(metadataRecordV1('r', 'sample', { id: 'doc', acl }), '{"a":1}')
      .expect(201)
    const index = 'application/vnd.datamanager.acl+json'
    const answer = await read('/metastore/api/v1/metadata/doc', index)
      .expect(200)
      .expect('Content-Type', index)
    expect(answer.headers.etag).to.equal(made.headers.etag)
    expect(answer.body).to.deep.include({ id: 'doc', read: ['SELF', 'guest'], metadataDocument: { a: 1 } })
    expect(answer.body.lastUpdate).to.equal(Date.parse(made.body.lastUpdate))
    expect(answer.body.created).to.equal(Date.parse(made.body.createdAt))
    expect(answer.body.metadataRecord).to.deep.equal((await read('/metastore/api/v2/metadata/doc')).body)
    for (const mount of ['/api/v2', '/repository/api/v2', '/metastore/api/v2']) {
      const { body } = await read(`${mount}/metadata/doc`, index).expect(200).expect('Content-Type', index)
      expect(body).to.deep.include({ id: 'doc', read: ['SELF', 'guest'], metadataDocument: { a: 1 } })
    }
  })

  it('removes an entry whose text is null or empty, and refuses a blank identifier', async () => {
    const descriptions = [
      { type: 'OTHER', description: null },
      { type: 'ABSTRACT', description: '' },
      { type: 'METHODS', description: 'kept' },
    ]
    const titles = [{ value: 'T' }, { value: null, lang: 'de' }]
    const made = await post(
      '/api/v2/schemas',
      { id: 'sample', titles, descriptions },
      { schema: jsonSchema() },
    ).expect(201)
    expect(made.body.descriptions).to.deep.equal([{ id: 1, type: 'METHODS', description: 'kept' }])
    expect(made.body.titles).to.deep.equal([{ id: 1, value: 'T' }])
    const none = await put('/api/v2/schemas/sample', etagOf(made), {
      ...made.body,
      descriptions: [descriptions[0]],
    }).expect(200)
    expect(none.body).to.not.have.property('descriptions')
    for (const empty of ['', null]) {
      const sent = {
        dates: [
          { value: empty, type: 'ISSUED' },
          { value: '2020-01-01T00:00:00Z', type: 'VALID' },
        ],
        resourceType: { value: empty, typeGeneral: 'MODEL' },
      }
      const later = await put('/api/v2/schemas/sample', '*', { ...none.body, ...sent }).expect(200)
      const types = (later.body.dates as { type: string }[]).map(({ type }) => type)
      expect(types).to.include('VALID').and.to.not.include('ISSUED')
      await put('/api/v2/schemas/sample', '*', { ...none.body, resourceType: empty }).expect(200)
      await post('/api/v2/schemas', titled({ id: `with-${empty}`, ...sent }), {
        schema: jsonSchema(),
      }).expect(201)
    }

    for (const unseen of ['', '\u200b', '\u00ad\u2060', '\u0001', '\u3164']) {
      const at = { alternateIdentifiers: [{ value: unseen, identifierType: 'OTHER' }] }
      const { body } = await post('/api/v2/schemas', titled({ id: 'unseen', ...at }), {
        schema: jsonSchema(),
      }).expect(400)
      expect(body.detail).to.match(/alternateIdentifiers\[0\]\.value is (blank|missing)/)
    }
    const blank = titled({ id: 'blank', alternateIdentifiers: [{ value: ' ', identifierType: 'OTHER' }] })
    const refused = await post('/api/v2/schemas', blank, { schema: jsonSchema() }).expect(400)
    expect(refused.body.detail).to.contain('alternateIdentifiers[0].value is blank')
    const related = await post('/api/v2/metadata', follows('sample', ' \t'), { document: '{}' }).expect(400)
    expect(related.body.detail).to.contain('is blank')
  })

  it('keeps the state FIXED if none is sent, and refuses states that only DELETE sets', async () => {
    await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
    const made = await post('/api/v2/metadata', follows('sample', 'x', { state: 'FIXED' }), {
      document: '{}',
    }).expect(201)
    expect(made.body.state).to.equal('FIXED')
    const at = `/api/v2/metadata/${made.body.id}`
    for (const state of ['REVOKED', 'GONE'])
      expect((await put(at, etagOf(made), { ...made.body, state }).expect(400)).body.detail).to.contain(
        'DELETE',
      )
    await post('/api/v2/metadata', follows('sample', 'y', { state: 'GONE' }), { document: '{}' }).expect(400)
    const kept = await put(at, etagOf(made), { ...made.body, state: undefined, language: 'en' }).expect(200)
    expect(kept.body.state).to.equal('FIXED')
  })

  it('refuses a second document for a resource and schema, for each of its resources', async () => {
    await post('/api/v2/schemas', titled({ id: 'sample' }), { schema: jsonSchema() }).expect(201)
    const [first, second] = ['https://example.org/1', 'https://example.org/2'].map(value => ({
      identifierType: 'URL',
      value,
      relationType: 'IS_METADATA_FOR',
    }))
    const schema = { identifierType: 'INTERNAL', value: 'sample', relationType: 'HAS_METADATA' }
    await post('/api/v2/metadata', titled({ relatedIdentifiers: [first, second, schema] }), {
      document: '{}',
    }).expect(201)
    const refused = await service
      .postMetadata(metadataRecordV1('https://example.org/2', 'sample'), '{}')
      .expect(409)
    expect(refused.body.detail).to.contain('Conflict').and.to.contain('https://example.org/2')
  })

  const relation = (answer: Response, type: string) =>
    (answer.body.relatedIdentifiers as { relationType: string; value: string }[])
      .filter(({ relationType }) => relationType === type)
      .map(({ value }) => value)
  const versionOf = ({ version }: { version: string }) => version
})

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
