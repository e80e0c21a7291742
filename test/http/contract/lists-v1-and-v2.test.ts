// test-schedule: quick
import { expect } from 'chai'
import {
  apiClient,
  type Client,
  type Refusal,
  testRefusals,
  version1,
  version2,
} from '../../support/http/api-versions.js'
import {
  jsonSchema,
  noteXml,
  noteXsdText,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/*
 * Rules of the contract for lists.
 * @see docs/contract.md#lists
 */

/** A list: its description, its path, the expected `Content-Range`, and the expected ids in their order. */
type Row = readonly [what: string, path: string, range: string, found: string]

const always = 'from=2001-01-01T00:00:00Z&until=2100-01-01T00:00:00Z'

const rows: readonly Row[] = [
  ['schemas, by id', '/schemas', '0-3/4', 'json json2 revoked xml'],
  ['schemas, first page', '/schemas?page=0&size=2', '0-1/4', 'json json2'],
  ['schemas, last page, not full', '/schemas?page=1&size=3', '3-3/4', 'xml'],
  ['schemas, with a page size above the total', '/schemas?size=200', '0-3/4', 'json json2 revoked xml'],
  ['schemas, with a page size above the limit', '/schemas?size=1000000', '0-3/4', 'json json2 revoked xml'],
  ['schemas of XML', '/schemas?mimeType=application/xml', '0-0/1', 'xml'],
  ['schemas of JSON', '/schemas?mimeType=application/json', '0-2/3', 'json json2 revoked'],
  ['schemas of JSON or XML', '/schemas?mimeType=json&mimeType=xml', '0-3/4', 'json json2 revoked xml'],
  ['schemas of XML or an unknown type', '/schemas?mimeType=text/plain&mimeType=xml', '0-0/1', 'xml'],
  ['schemas of unknown types', '/schemas?mimeType=text/plain&mimeType=text/html', '*/0', ''],
  ['schemas, with an unknown parameter', '/schemas?nothing=x', '0-3/4', 'json json2 revoked xml'],
  ['schemas, of the future', '/schemas?from=2100', '*/0', ''],
  ['schemas, of the past', '/schemas?until=2001-01', '*/0', ''],
  ['schemas, of all times', `/schemas?${always}`, '0-3/4', 'json json2 revoked xml'],
  ['versions of a schema, newest first', '/schemas?schemaId=json', '0-1/2', 'json json'],
  [
    'versions of a schema, even with other filters',
    '/schemas?schemaId=json&mimeType=xml&from=2100',
    '0-1/2',
    'json json',
  ],
  ['versions of a schema, second page', '/schemas?schemaId=json&page=1&size=1', '1-1/2', 'json'],
  ['versions of an unknown schema', '/schemas?schemaId=unknown', '*/0', ''],
  ['versions of a gone schema', '/schemas?schemaId=gone', '*/0', ''],
  ['versions of a metadata id', '/schemas?schemaId=d1', '*/0', ''],
  ['documents, last changed first', '/metadata', '0-3/4', 'd1 d4 d3 d2'],
  ['documents, second page', '/metadata?page=1&size=2', '2-3/4', 'd3 d2'],
  ['documents after a schema, any version', '/metadata?schemaId=json', '0-1/2', 'd1 d3'],
  ['documents after several schemas', '/metadata?schemaId=json&schemaId=xml', '0-3/4', 'd1 d4 d3 d2'],
  ['documents after an unknown schema', '/metadata?schemaId=unknown', '*/0', ''],
  ['documents after an unknown schema or another', '/metadata?schemaId=unknown,xml', '0-1/2', 'd4 d2'],
  ['documents of a resource', '/metadata?resourceId=http://x/1', '0-1/2', 'd1 d2'],
  ['documents of a resource, as spelled', '/metadata?resoureId=http://x/1', '0-1/2', 'd1 d2'],
  ['documents of a part of a resource’s name', '/metadata?resourceId=http://x/', '*/0', ''],
  ['documents of a resource and a schema', '/metadata?resourceId=http://x/1&schemaId=xml', '0-0/1', 'd2'],
  ['documents without a match for both filters', '/metadata?resourceId=http://x/2&schemaId=xml', '*/0', ''],
  ['documents, of the future', '/metadata?from=2100-01-01', '*/0', ''],
  ['documents, of all times', `/metadata?${always}`, '0-3/4', 'd1 d4 d3 d2'],
  ['versions of a document, newest first', '/metadata?id=d1', '0-1/2', 'd1 d1'],
  [
    'versions of a document, even with other filters',
    '/metadata?id=d1&schemaId=xml&from=2100',
    '0-1/2',
    'd1 d1',
  ],
  ['versions of a document, second page', '/metadata?id=d1&page=1&size=1', '1-1/2', 'd1'],
]

const refused: readonly Refusal[] = [
  ...['schemas', 'metadata'].flatMap(kind => [
    ...['page=-1', 'page=x', 'page=1.5', 'page=', 'size=0', 'size=-5', 'size=x', 'size='].map(
      (query): Refusal => [
        `${kind}, ${query}`,
        400,
        client => client.get(`/${kind}?${query}`),
        query.replace(/=.*/, ''),
      ],
    ),
    ...['from=yesterday', 'until=2026-02-30', 'from=2026-01-01T25:00:00Z', 'until=1', 'from='].map(
      (query): Refusal => [
        `${kind}, ${query}`,
        400,
        client => client.get(`/${kind}?${query}`),
        query.replace(/=.*/, ''),
      ],
    ),
    [`${kind}, a page past the end`, 416, (client: Client) => client.get(`/${kind}?page=2&size=2`)] as const,
    [`${kind}, broken percent-encoding`, 400, (client: Client) => client.get(`/${kind}?page=%zz`)] as const,
  ]),
  [
    'a second schemaId on schemas',
    400,
    client => client.get('/schemas?schemaId=json&schemaId=xml'),
    'schemaId',
  ],
  ['a second id on metadata', 400, client => client.get('/metadata?id=d1&id=d2'), 'id'],
  ['versions of a schema, a page past the end', 416, client => client.get('/schemas?schemaId=json&page=1')],
  ['versions of a document, a page past the end', 416, client => client.get('/metadata?id=d1&page=1')],
  ['versions of an unknown document', 404, client => client.get('/metadata?id=unknown')],
  ['versions of a gone document', 404, client => client.get('/metadata?id=d5')],
  ['versions of a schema id', 404, client => client.get('/metadata?id=json')],
]

for (const spoken of [version1(), version2()]) {
  describe(`lists in version ${spoken.version}`, () => {
    let service: TestService
    let client: Client
    before(async () => {
      service = await startService()
      client = apiClient(service, spoken)
      await client.postSchema('xml', noteXsdText).expect(201)
      for (const id of ['json', 'gone', 'json2', 'revoked'])
        await client.postSchema(id, jsonSchema()).expect(201)
      for (const id of ['gone', 'gone', 'revoked']) await client.delete(`/schemas/${id}`, '*').expect(204)
      for (const [id, resource, schema, document] of [
        ['d1', 'http://x/1', 'json', '{}'],
        ['d2', 'http://x/1', 'xml', noteXml],
        ['d3', 'http://x/2', 'json', '{}'],
        ['d4', 'http://x/3', 'xml', noteXml],
        ['d5', 'http://x/4', 'json', '{}'],
      ] as const) {
        await client.postMetadata(resource, schema, document, { id }).expect(201)
      }
      await client.put('schemas', 'json', '*', undefined, jsonSchema('title')).expect(200)
      await client.put('metadata', 'd1', '*', undefined, '{"title":"a"}').expect(200)
      await client.delete('/metadata/d5', '*').expect(204)
      await client.delete('/metadata/d5', '*').expect(204)
    })
    after(removeRepositories)

    for (const [what, path, range, found] of rows) {
      it(`of ${what} have the range ${range}`, async () => {
        const { body, headers } = await client.get(path).expect(200)
        const ids = body.map((record: { id?: string; schemaId?: string }) => record.schemaId ?? record.id)
        expect(ids.join(' ')).to.equal(found)
        expect(headers['content-range']).to.equal(range)
      })
    }

    testRefusals(refused, () => ({ service, client }))

    it('a page past the end returns the total', async () => {
      const answer = await client.get('/metadata?page=9').expect(416)
      expect(answer.headers['content-range']).to.equal('*/4')
    })

    it('every page of an empty list is empty', async () => {
      for (const path of ['/schemas?mimeType=none', '/metadata?schemaId=none']) {
        const { body, headers } = await client.get(`${path}&page=7`).expect(200)
        expect(body).to.deep.equal([])
        expect(headers['content-range']).to.equal('*/0')
      }
    })

    it('entries are the records themselves', async () => {
      for (const kind of ['schemas', 'metadata']) {
        const { body } = await client.get(`/${kind}`).expect(200)
        for (const record of body) {
          const single = await client.record(`/${kind}/${record.schemaId ?? record.id}`).expect(200)
          expect(record).to.deep.equal(JSON.parse(single.text))
        }
      }
    })

    it('the media type is the requested one if it is a type of the interface, else JSON', async () => {
      for (const kind of ['schemas', 'metadata'] as const) {
        for (const type of spoken.recordTypes[kind]) {
          const { headers } = await client.get(`/${kind}`, type).expect(200)
          expect(headers['content-type']).to.equal(type)
        }
        for (const type of ['*/*', 'application/json', 'text/html', 'application/hal+json', 'image/png']) {
          const { headers } = await client.get(`/${kind}`, type).expect(200)
          expect(headers['content-type']).to.equal('application/json')
        }
      }
    })
  })
}
