import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const noteSchema = JSON.stringify({
  type: 'object',
  properties: { title: { type: 'string' }, count: { type: 'integer' } },
})

describe('the detail of a problem', () => {
  let service: TestService
  let etag: string
  beforeEach(async () => {
    service = await startService()
    etag = etagOf(await service.postSchema({ schemaId: 'note' }, noteSchema).expect(201))
  })
  afterEach(removeRepositories)

  const attached = (url: string, ...parts: readonly (readonly [name: string, text: string])[]) =>
    parts.reduce(
      (request, [name, text]) => request.attach(name, Buffer.from(text), `${name}.json`),
      service.http.post(url),
    )
  const recordText = JSON.stringify(metadataRecordV1('http://x/1', 'note'))

  it('names the sent parts if one is missing', async () => {
    const other = await attached('/api/v1/metadata', ['record', recordText], ['file', '{}']).expect(400)
    expect(other.body.detail).to.equal('The part document is missing; sent parts: record, file.')
    const empty = await service.http
      .post('/api/v2/metadata')
      .set('Content-Type', 'multipart/form-data; boundary=b')
      .send('--b--\r\n')
      .expect(400)
    expect(empty.body.detail).to.equal('The part record is missing; the form has no parts.')
  })

  it('distinguishes an ETag without double quotes from an old one', async () => {
    const put = (tag: string) => service.putSchema('note', tag, { label: 'b' })
    for (const tag of [etag.replaceAll('"', ''), `W/${etag}`, `${etag}x`]) {
      const answer = await put(tag).expect(412)
      expect(answer.body.detail, tag).to.match(/double quotes/)
    }
    await put(etag).expect(200)
    expect((await put(etag).expect(412)).body.detail).to.match(/has changed since you read it/)
  })

  it('names the place of a fault in a document or schema in the first sentence', async () => {
    const wrong = await attached(
      '/api/v1/metadata',
      ['record', recordText],
      ['document', '{"title": 7, "count": "x"}'],
    ).expect(422)
    expect(wrong.body.detail).to.equal(
      'The document is not valid against the schema "note", version 1. At /title: must be string',
    )
    const broken = await attached(
      '/api/v1/metadata',
      ['record', recordText],
      ['document', '{\n  "title": "x",\n}\n'],
    ).expect(422)
    expect(broken.body.detail).to.match(
      /Line 3: It is not well-formed JSON: a name in double quotes expected, found "}"\.$/,
    )
    const schema = await service.postSchema({ schemaId: 'bad' }, '{"type": "objekt"}').expect(422)
    expect(schema.body.detail).to.match(/^The schema document cannot be used\. At \/type: must be/)
  })

  it('shows how to write a missing member of a record', async () => {
    const nameless = await service.postSchema({ label: 'x' }, jsonSchema()).expect(400)
    expect(nameless.body.detail).to.match(/has no schemaId/)
    const { schema: _, ...noSchema } = metadataRecordV1('http://x/1', 'note')
    const { relatedResource: __, ...noResource } = metadataRecordV1('http://x/1', 'note')
    const resource = { value: 'http://x/1', identifierType: 'URL', relationType: 'IS_METADATA_FOR' }
    for (const [url, record, shown] of [
      ['/api/v1/metadata', noSchema, '{ "identifier": <schemaId>, "identifierType": "INTERNAL" }'],
      ['/api/v1/metadata', noResource, '{ "identifier": …, "identifierType": … }'],
      ['/api/v2/metadata', { titles: [{ value: 'x' }] }, '"relationType": "IS_METADATA_FOR" }'],
      [
        '/api/v2/metadata',
        { titles: [{ value: 'x' }], relatedIdentifiers: [resource] },
        '"relationType": "HAS_METADATA" }',
      ],
    ] as const) {
      const answer = await attached(url, ['record', JSON.stringify(record)], ['document', noteXml]).expect(
        400,
      )
      expect(answer.body.detail).to.contain(shown)
    }
  })

  it('names the methods of a path', async () => {
    const answer = await service.http.patch('/api/v2/metadata/x').expect(405)
    expect(answer.body.detail).to.equal(
      `/api/v2/metadata/x does not have the method PATCH, only ${answer.headers.allow}.`,
    )
  })
})
