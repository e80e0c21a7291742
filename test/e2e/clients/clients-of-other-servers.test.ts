// test-schedule: first
import { expect } from 'chai'
import type request from 'supertest'
import {
  type ApiVersion,
  apiClient,
  type Client,
  everyApiMount,
  formFile,
  type Json,
} from '../../support/http/api-versions.js'
import {
  base,
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Behaviour that clients, scripts and frontends for KIT Data Manager MetaStore 2 rely on, at every mount. Examples are
 * `curl -F`, Java's RestTemplate and MockMvc, and JavaScript's FormData.
 */

/** A client of a service with a schema of each language. */
async function clientWithSchemas(service: TestService, spoken: ApiVersion): Promise<Client> {
  const client = apiClient(service, spoken)
  await client.postSchema('json', jsonSchema('title')).expect(201)
  await client.postSchema('xml', noteXsdText).expect(201)
  return client
}

for (const spoken of everyApiMount) {
  describe(`a filter of a list by a client written for another server, at ${spoken.mount}`, () => {
    let client: Client
    const ids: Record<string, string> = {}
    before(async () => {
      client = await clientWithSchemas(await startService(), spoken)
      for (const [name, resource, schema, document] of [
        ['a', 'http://x/1', 'json', '{"title":"a"}'],
        ['b', 'http://x/1', 'xml', noteXml],
        ['c', 'urn:x:2', 'xml', noteXml],
        ['d', 'with, a comma', 'json', '{"title":"a"}'],
      ] as const) {
        const { body } = await client.postMetadata(resource, schema, document).expect(201)
        ids[body.id] = name
      }
    })
    after(removeRepositories)

    for (const [what, query, names] of [
      ...['resoureId', 'resourceId'].flatMap(
        name =>
          [
            ['finds the documents of a resource', `${name}=http://x/1`, 'ab'],
            ['may be encoded', `${name}=${encodeURIComponent('http://x/1')}`, 'ab'],
            ['may join resources by commas', `${name}=http://x/1,urn:x:2`, 'abc'],
            ['may be repeated', `${name}=http://x/1&${name}=urn:x:2`, 'abc'],
            ['separates at a comma', `${name}=urn:x:2,with,%20a%20comma`, 'c'],
            ['may be a resource with a comma', `${name}=with%2C+a+comma`, 'd'],
            ['finds nothing of an unknown resource', `${name}=unknown`, ''],
            ['may be combined with one of the schema', `${name}=http://x/1&schemaId=xml`, 'b'],
          ] as const,
      ),
      ['may use both spellings', 'resoureId=urn:x:2&resourceId=http://x/1', 'abc'],
      ['finds the documents of a schema', 'schemaId=json,unknown', 'ad'],
      ['finds the documents of several schemas', 'schemaId=json&schemaId=xml', 'abcd'],
      ['may name the URL of a schema', `schemaId=${base}${spoken.mount}/schemas/xml?version=1`, 'bc'],
      [
        'finds everything without values, and with unknown names',
        'resourceId=&schemaId=&from=2001&until=2100&other=x',
        'abcd',
      ],
    ] as const) {
      it(`${what}: ${query}`, async () => {
        const { body, headers } = await client.get(`/metadata?${query}`).expect(200)
        expect(headers['content-range']).to.match(new RegExp(`/${body.length}$`))
        const found = body.map((record: { readonly id: string }) => ids[record.id])
        expect(found.toSorted().join('')).to.equal(names)
      })
    }
  })

  describe(`a client written for another server, at ${spoken.mount}`, () => {
    let service: TestService
    let client: Client
    beforeEach(async () => {
      service = await startService()
      client = await clientWithSchemas(service, spoken)
    })
    afterEach(removeRepositories)

    it('finds everything below its mount by the URLs in answers', async () => {
      const created = await client.postMetadata('http://x/1', 'xml', noteXml).expect(201)
      const schema = await client.record('/schemas/xml').expect(200)
      const list = await client.get('/metadata').expect(200)
      const changed = await client.put('schemas', 'xml', '*', undefined, `${noteXsdText}\n`).expect(200)

      const answers = [created, schema, list, changed]
      const urls = [
        ...answers.flatMap(urlsIn),
        ...[created, changed].map(answer => answer.headers.location ?? ''),
      ]
      expect(urls).to.have.length.above(4)
      for (const url of urls) {
        expect(url).to.match(new RegExp(`^${base}${spoken.mount}/(?:schemas|metadata)/[^/]+$`))
        await service.http.get(url.slice(base.length)).expect(200)
      }
    })

    it('reaches collections with and without a slash, and items without', async () => {
      for (const kind of ['schemas', 'metadata'] as const) {
        const [plain, slash] = [
          await client.get(`/${kind}`).expect(200),
          await client.get(`/${kind}/`).expect(200),
        ]
        expect(slash.text).to.equal(plain.text)
        expect(slash.headers['content-range']).to.equal(plain.headers['content-range'])
      }
      const parts = [formFile('record', spoken.metadata('http://x/1', 'xml')), formFile('document', noteXml)]
      const { body } = await client.send('post', '/metadata/', parts).expect(201)
      await client.get(`/metadata/${body.id}`).expect(200)
      await client.get(`/metadata/${body.id}/`).expect(404)
      await client.get('/schemas/xml/').expect(404)
    })

    it('gets a record by either media type, with the requested type in the answer', async () => {
      const { body } = await client.postMetadata('http://x/1', 'xml', noteXml).expect(201)
      for (const [path, types] of [
        ['/schemas/xml', spoken.recordTypes.schemas],
        [`/metadata/${body.id}`, spoken.recordTypes.metadata],
        ['/schemas', spoken.recordTypes.schemas],
        ['/metadata', spoken.recordTypes.metadata],
      ] as const) {
        const [first, second] = await Promise.all(types.map(type => client.get(path, type).expect(200)))
        expect([first, second].map(answer => answer?.headers['content-type'])).to.deep.equal(types)
        expect(second?.text).to.equal(first?.text)
        const weighted = await client.get(path, `*/*;q=0.1, ${types[1]};q=0.9`).expect(200)
        expect(weighted.headers['content-type']).to.equal(types[1])
        expect(weighted.text).to.equal(first?.text)
      }
    })

    it('can POST and PUT with a record type in Accept, with */*, or without Accept', async () => {
      let number = 0
      for (const accept of [...spoken.recordTypes.metadata, '*/*', 'application/json', undefined]) {
        const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept }
        const record = formFile('record', spoken.metadata(`http://x/${++number}`, 'xml'))
        const parts = [record, formFile('document', noteXml)]
        const created = await client.send('post', '/metadata', parts, headers).expect(201)
        const other = [formFile('document', `${noteXml}\n`)]
        const changed = await client
          .send('put', `/metadata/${created.body.id}`, other, { ...headers, 'If-Match': etagOf(created) })
          .expect(200)
        expect([created, changed].map(answer => answer.headers['content-type'])).to.deep.equal(
          Array(2).fill('application/json'),
        )
      }
    })

    it('can send parts with wrong content types', async () => {
      let number = 0
      for (const type of ['application/json', 'text/plain', 'image/png', 'application/octet-stream', 'x']) {
        for (const recordType of ['application/json', 'application/octet-stream', 'application/x+json']) {
          const created = await client
            .send('post', '/metadata', [
              formFile('document', noteXml, type),
              formFile('record', spoken.metadata(`http://x/${++number}`, 'xml'), recordType),
            ])
            .expect(201)
          await expectNote(client, created)
        }
      }
    })

    it('can send parts as texts, without content types, and with missing, empty or path-like file names', async () => {
      let number = 0
      for (const named of [
        {},
        { file: '' },
        { file: 'note.zip' },
        { file: 'C:\\data\\note.xml' },
        { file: '../../note' },
      ]) {
        for (const typed of [{}, { type: 'application/json' }, { type: 'application/octet-stream' }]) {
          const record = JSON.stringify(spoken.metadata(`http://x/${++number}`, 'xml'))
          const created = await client
            .send('post', '/metadata', [
              { name: 'record', content: record, ...named, ...typed },
              { name: 'document', content: noteXml, ...named, ...typed },
            ])
            .expect(201)
          await expectNote(client, created)
        }
      }
      const schema = [
        { name: 'schema', content: jsonSchema('b') },
        { name: 'record', content: JSON.stringify(spoken.schema('text')) },
      ]
      await client.send('post', '/schemas', schema).expect(201)
      const changed = [{ name: 'schema', content: jsonSchema('c') }]
      await client.send('put', '/schemas/text', changed, { 'If-Match': '*' }).expect(200)
      await client
        .send('post', '/schemas/text/validate', [{ name: 'document', content: '{"c":1}' }])
        .expect(204)
    })

    it('can send unknown parts, and a part version', async () => {
      const version = { name: 'version', content: '1' }
      const more = { name: 'comment', content: 'hello', file: 'comment.txt', type: 'text/plain' }
      const created = await client
        .send('post', '/metadata', [
          version,
          formFile('record', spoken.metadata('http://x/1', 'xml')),
          more,
          formFile('document', noteXml),
        ])
        .expect(201)
      await client
        .send('put', `/metadata/${created.body.id}`, [more, formFile('document', `${noteXml}\n`), version], {
          'If-Match': etagOf(created),
        })
        .expect(200)
      await client
        .put('schemas', 'xml', '*', undefined, noteXsdText.replace('name="text"', 'name="other"'))
        .expect(200)
      await client.send('post', '/schemas/xml/validate', [formFile('document', noteXml), version]).expect(204)
      await client.send('post', '/schemas/xml/validate', [formFile('document', noteXml), more]).expect(422)
    })

    it('can send unknown members, and a token that is ignored', async () => {
      const more: Json = { unknown: { deep: [1] }, '@type': 'Record', _links: [] }
      const created = await client
        .postMetadata('http://x/1', 'xml', noteXml, more)
        .set('Authorization', 'Bearer nonsense')
        .expect(201)
      expect(created.body).to.not.have.any.keys('unknown', '@type', '_links')
      await client.record(`/metadata/${created.body.id}`).set('Authorization', 'Basic eDp4').expect(200)
    })

    it('is redirected from an item to its page when it prefers text/html', async () => {
      const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
      for (const path of ['/schemas/xml', '/schemas/unknown?version=3', '/metadata/x']) {
        const answer = await client.get(path, browser).expect(302)
        expect(answer.headers.location).to.match(/-landing-page/)
        expect(answer.headers.vary).to.include('Accept')
      }
    })
  })
}

async function expectNote(client: Client, { body }: request.Response): Promise<void> {
  const stored = await client.get(`/metadata/${body.id}`).expect(200)
  expect(stored.text).to.equal(noteXml)
  expect(stored.headers['content-type']).to.equal('application/xml')
}

/** URLs of this service in a body. */
function urlsIn({ text }: request.Response): readonly string[] {
  return text.match(/http:\/\/metastore\.test[^"]*/g) ?? []
}
