import { expect } from 'chai'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  noteXml,
  noteXsdText,
  schemaType,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'

describe('lists over HTTP', () => {
  let service: TestService
  afterEach(removeRepositories)

  async function list(
    url: string,
  ): Promise<{ readonly range: string; readonly body: Record<string, unknown>[] }> {
    const answer = await service.http.get(url).expect(200)
    expect(answer.headers['content-type'], url).to.equal('application/json')
    return { range: answer.headers['content-range'] as string, body: answer.body }
  }

  describe('of an empty repository', () => {
    beforeEach(async () => {
      service = await startService()
    })

    it('are empty on every page', async () => {
      for (const url of [
        '/api/v1/schemas',
        '/api/v1/schemas/',
        '/api/v1/metadata',
        '/metastore/api/v1/metadata/',
      ]) {
        expect(await list(url)).to.deep.equal({ range: '*/0', body: [] })
        expect(await list(`${url}?page=7&size=3`)).to.deep.equal({ range: '*/0', body: [] })
      }
      expect(await list('/api/v1/schemas?schemaId=unknown')).to.deep.equal({ range: '*/0', body: [] })
      await service.http.get('/api/v1/metadata?id=unknown').expect(404)
    })

    it('refuse invalid pages, sizes and times', async () => {
      for (const query of [
        'page=-1',
        'page=x',
        'page=',
        'page=1.5',
        'size=0',
        'size=-1',
        'size=ten',
        'size=',
        'page=1&page=2',
        'from=yesterday',
        'until=2026-02-30',
        'from=2026&from=2027',
      ]) {
        for (const path of ['schemas', 'metadata']) {
          const answer = await service.http.get(`/api/v1/${path}?${query}`)
          expect(answer.status, query).to.equal(400)
          expect(answer.body.detail, query).to.be.a('string')
        }
      }
      await service.http.get('/api/v1/schemas?schemaId=a&schemaId=b').expect(400)
    })
  })

  describe('of schemas', () => {
    beforeEach(async () => {
      service = await startService()
      const first = await service.postSchema({ schemaId: 'b' }, jsonSchema('title')).expect(201)
      await service.putSchema('b', etagOf(first), undefined, jsonSchema('title', 'date')).expect(200)
      await service.postSchema({ schemaId: 'c' }, noteXsdText).expect(201)
      await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(201)
    })

    it('have the newest version of each schema, by id', async () => {
      const { range, body } = await list('/api/v1/schemas')
      expect(range).to.equal('0-2/3')
      expect(body.map(record => [record.schemaId, record.schemaVersion])).to.deep.equal([
        ['a', 1],
        ['b', 2],
        ['c', 1],
      ])
      expect(body[0]?.schemaDocumentUri).to.equal(`${base}/api/v1/schemas/a?version=1`)
    })

    it('have all versions of one record, newest first, and ignore other filters', async () => {
      const { range, body } = await list('/api/v1/schemas?schemaId=b&mimeType=xml&from=2100')
      expect(range).to.equal('0-1/2')
      expect(body.map(record => record.schemaVersion)).to.deep.equal([2, 1])
      const { range: second, body: old } = await list('/api/v1/schemas?schemaId=b&page=1&size=1')
      expect(second).to.equal('1-1/2')
      expect(old.map(record => record.schemaVersion)).to.deep.equal([1])
    })

    it('have several pages, and answer 416 past the end', async () => {
      const { range, body } = await list('/api/v1/schemas?page=1&size=2')
      expect(range).to.equal('2-2/3')
      expect(body.map(record => record.schemaId)).to.deep.equal(['c'])
      expect((await list('/api/v1/schemas?size=5000')).range).to.equal('0-2/3')

      const past = await service.http.get('/api/v1/schemas?page=2&size=2').expect(416)
      expect(past.headers['content-range']).to.equal('*/3')
      await service.http.get(`/api/v1/schemas?page=${'9'.repeat(30)}`).expect(416)
    })

    it('can be filtered by media type', async () => {
      const ids = async (query: string) =>
        (await list(`/api/v1/schemas?${query}`)).body.map(record => record.schemaId).join(' ')
      expect(await ids('mimeType=application/xml')).to.equal('c')
      expect(await ids('mimeType=application/json')).to.equal('a b')
      expect(await ids('mimeType=xml&mimeType=json')).to.equal('a b c')
      expect(await ids('mimeType=text/plain&mimeType=xml')).to.equal('c')
      expect(await ids('mimeType=text/plain')).to.equal('')
      expect(await ids('unknown=parameter')).to.equal('a b c')
    })

    it('have the requested record type of the interface', async () => {
      for (const type of [schemaType, 'application/vnd.datamanager.schema-record+json']) {
        const answer = await service.http.get('/api/v1/schemas').set('Accept', type).expect(200)
        expect(answer.headers).to.include({ 'content-type': type, vary: 'Accept' })
      }
      for (const type of ['text/html', metadataType, 'application/vnd.other+json', '*/*']) {
        const answer = await service.http.get('/api/v1/schemas').set('Accept', type).expect(200)
        expect(answer.headers['content-type']).to.equal('application/json')
      }
    })

    it('have 20 records on a page by default', async () => {
      for (let number = 0; number < 18; number++) {
        await service.postSchema({ schemaId: `d${number}` }, jsonSchema()).expect(201)
      }
      const { range, body } = await list('/api/v1/schemas')
      expect(body).to.have.length(20)
      expect(range).to.equal('0-19/21')
      expect((await list('/api/v1/schemas?size=200')).body).to.have.length(21)
    })

    it('include REVOKED records, and exclude GONE ones', async () => {
      await service.http.delete('/api/v1/schemas/a').set('If-Match', '*').expect(204)
      expect((await list('/api/v1/schemas')).range).to.equal('0-2/3')
      await service.http.delete('/api/v1/schemas/a').set('If-Match', '*').expect(204)
      expect((await list('/api/v1/schemas')).range).to.equal('0-1/2')
      expect(await list('/api/v1/schemas?schemaId=a')).to.deep.equal({ range: '*/0', body: [] })
    })
  })

  describe('of metadata', () => {
    const ids = async (query: string) =>
      (await list(`/api/v1/metadata?${query}`)).body
        .map(record => (record.relatedResource as { identifier: string }).identifier)
        .join(' ')

    beforeEach(async () => {
      service = await startService()
      await service.postSchema({ schemaId: 'json' }, jsonSchema()).expect(201)
      await service.postSchema({ schemaId: 'xml' }, noteXsdText).expect(201)
      for (const [resource, schema, document] of [
        ['http://x/1', 'json', '{"n":1}'],
        ['http://x/1', 'xml', noteXml],
        ['with, comma', 'json', '{"n":2}'],
      ] as const) {
        await service.postMetadata(metadataRecordV1(resource, schema), document).expect(201)
      }
    })

    it('have the newest version of each record, latest change first', async () => {
      const { range, body } = await list('/api/v1/metadata')
      expect(range).to.equal('0-2/3')
      expect(body.map(record => record.schemaVersion)).to.deep.equal([1, 1, 1])
      expect(await ids('')).to.equal('with, comma http://x/1 http://x/1')
      const oldest = body[2] as { id: string }
      await service.putMetadata(oldest.id, '*', { licenseUri: 'https://example.org/x' }).expect(200)
      expect((await list('/api/v1/metadata')).body[0]).to.include({ id: oldest.id, recordVersion: 2 })
    })

    it('can be filtered by resource, in both spellings, by several, and with commas', async () => {
      expect(await ids(`resoureId=${encodeURIComponent('http://x/1')}`)).to.equal('http://x/1 http://x/1')
      expect(await ids('resourceId=http://x/1')).to.equal('http://x/1 http://x/1')
      expect(await ids('resourceId=http://x/')).to.equal('')
      expect(await ids('resourceId=with,%20comma')).to.equal('with, comma')
      expect(await ids('resourceId=nothing,http://x/1')).to.equal('http://x/1 http://x/1')
      expect(await ids('resoureId=with,%20comma&resourceId=http://x/1')).to.equal(
        'with, comma http://x/1 http://x/1',
      )
    })

    it('can be filtered by schema, by its id or its URL, and by schema and resource', async () => {
      expect(await ids('schemaId=xml')).to.equal('http://x/1')
      expect(await ids('schemaId=xml,json')).to.equal('with, comma http://x/1 http://x/1')
      expect(await ids('schemaId=unknown')).to.equal('')
      expect(await ids('schemaId=unknown&schemaId=xml')).to.equal('http://x/1')
      const url = encodeURIComponent(`${base}/api/v1/schemas/xml?version=1`)
      expect(await ids(`schemaId=${url}`)).to.equal('http://x/1')
      expect(await ids('schemaId=json&resourceId=http://x/1')).to.equal('http://x/1')
      expect(await ids('schemaId=xml&resourceId=with,%20comma')).to.equal('')
    })

    it('can be filtered by time: after, before, or between', async () => {
      const times = (await list('/api/v1/metadata')).body.map(record => record.lastUpdate as string)
      const [latest = '', middle = '', first = ''] = times.map(encodeURIComponent)

      expect((await list(`/api/v1/metadata?from=${first}`)).range).to.equal('0-1/2')
      expect((await list(`/api/v1/metadata?until=${latest}`)).range).to.equal('0-1/2')
      expect((await list(`/api/v1/metadata?from=${first}&until=${middle}`)).range).to.equal('0-1/2')
      expect(await list(`/api/v1/metadata?from=${latest}`)).to.deep.equal({ range: '*/0', body: [] })
      expect((await list('/api/v1/metadata?from=2001&until=2100-01')).range).to.equal('0-2/3')
    })

    it('have all versions of one record, newest first, and ignore other filters', async () => {
      const { id } = (await list('/api/v1/metadata')).body[0] as { id: string }
      await service.putMetadata(id, '*', undefined, '{"n":3}').expect(200)

      const { range, body } = await list(`/api/v1/metadata?id=${id}&schemaId=unknown&page=0&size=20`)
      expect(range).to.equal('0-1/2')
      expect(body.map(record => record.recordVersion)).to.deep.equal([2, 1])
      await service.http.get(`/api/v1/metadata?id=${id}&page=1`).expect(416)
      await service.http.get('/api/v1/metadata?id=xml').expect(404)
    })

    it('answer HEAD like GET without a body', async () => {
      const answer = await service.http.head('/api/v1/metadata').expect(200)
      expect(answer.headers).to.include({ 'content-range': '0-2/3', 'content-type': 'application/json' })
      expect(answer.text ?? '').to.equal('')
    })
  })
})
