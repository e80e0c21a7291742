// test-schedule: quick
import { expect } from 'chai'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  schemaType,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

describe('lists for the tables of frontends', () => {
  let service: TestService
  before(async () => {
    service = await startService()
    for (const schemaId of ['a', 'b', 'c']) await service.postSchema({ schemaId }, jsonSchema()).expect(201)
    for (const number of [1, 2, 3, 4, 5]) {
      const record = metadataRecordV1(`http://x/${number}`, number < 5 ? 'a' : 'b', { id: `doc-${number}` })
      await service.postMetadata(record, '{}').expect(201)
    }
  })
  after(removeRepositories)

  const get = (path: string) => service.http.get(path).set('Accept', 'application/tabulator+json')

  for (const mount of ['/api/v1', '/metastore/api/v1']) {
    it(`have version 1 records page by page, from page 1: ${mount}`, async () => {
      const { body, headers } = await get(`${mount}/ui/schemas?page=1&size=2`).expect(200)
      const record = await service.http.get(`${mount}/schemas/a`).set('Accept', schemaType).expect(200)
      expect(headers['content-type']).to.equal('application/tabulator+json')
      expect(body.last_page).to.equal(2)
      expect(body.data).to.have.length(2)
      expect(body.data[0]).to.deep.equal(record.body)
    })

    it(`have the other schemas on the next page: ${mount}`, async () => {
      const next = await get(`${mount}/ui/schemas?page=2&size=2`).expect(200)
      expect(next.body.data.map(({ schemaId }: { schemaId: string }) => schemaId)).to.deep.equal(['c'])
    })

    it(`have documents page by page: ${mount}`, async () => {
      const documents = await get(`${mount}/ui/metadata?page=2&size=2`).expect(200)
      expect(documents.body.last_page).to.equal(3)
      const ids = documents.body.data.map(({ id }: { id: string }) => id)
      expect(ids).to.deep.equal(['doc-3', 'doc-2'])
    })
  }

  it('are sent as JSON to other clients', async () => {
    for (const accept of ['application/json', '*/*', metadataType]) {
      const answer = await service.http.get('/api/v1/ui/metadata').set('Accept', accept).expect(200)
      expect(answer.headers).to.include({ 'content-type': 'application/json', vary: 'Accept' })
      expect(answer.body.data).to.have.length(5)
    }
  })

  it('have the documents of a schema, or the versions of a document', async () => {
    const { body } = await get('/api/v1/ui/metadata?id=b').expect(200)
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['doc-5'])

    const tag = etagOf(
      await service.http.get('/api/v1/metadata/doc-5').set('Accept', metadataType).expect(200),
    )
    await service.putMetadata('doc-5', tag, undefined, '{"a":1}').expect(200)
    const versions = await get('/api/v1/ui/metadata?id=doc-5').expect(200)
    expect(versions.body.last_page).to.equal(1)
    expect(
      versions.body.data.map(({ recordVersion }: { recordVersion: number }) => recordVersion),
    ).to.deep.equal([2, 1])
  })

  it('omit data if the page is empty', async () => {
    for (const path of ['metadata?id=unknown', 'metadata?id=c', 'metadata?id=%20no%20id']) {
      expect((await get(`/api/v1/ui/${path}`).expect(200)).body, path).to.deep.equal({ last_page: 0 })
    }
    expect((await get('/api/v1/ui/schemas?page=7').expect(200)).body).to.deep.equal({ last_page: 1 })
  })

  it('treat page 0 as the first page, as existing servers do, and refuse an invalid page', async () => {
    const { body } = await get('/api/v1/ui/schemas?page=0&size=1').expect(200)
    expect(body.data[0].schemaId).to.equal('a')
    for (const query of ['page=x', 'page=-1', 'page=1.5', 'size=0', 'size=x', 'page=1&page=2']) {
      for (const list of ['schemas', 'metadata']) {
        const answer = await get(`/api/v1/ui/${list}?${query}`).expect(400)
        expect(answer.headers['content-type']).to.equal('application/problem+json')
        expect(answer.body.detail).to.match(/page|size/)
      }
    }
  })

  it('exist in version 1 only', async () => {
    await get('/repository/api/v2/ui/schemas').expect(404)
    await get('/metastore/ui/schemas').expect(404)
  })
})
