import { expect } from 'chai'
import type { Response } from 'supertest'
import { startSearchExamples } from '../../../../support/http/search-examples.js'
import { base, metadataType, type TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('the parameter q of a list', engine => {
  let service: TestService
  before(async () => {
    service = await startSearchExamples(engine.options)
  })
  after(removeRepositories)

  const list = (path: string, parameters: Readonly<Record<string, string>>) =>
    service.http.get(path).query(parameters)
  const idsOf = ({ body }: Response) =>
    (body as { id?: string; schemaId?: string }[]).map(each => each.id ?? each.schemaId)

  for (const api of ['/api/v1', '/api/v2']) {
    it(`keeps the array, the headers and the types of the list: ${api}`, async () => {
      const found = await list(`${api}/metadata`, { q: 'steel rod' }).expect(200)
      expect(idsOf(found)).to.have.members(['rod-7', 'rod-8'])
      expect(found.headers).to.include({ 'content-type': 'application/json', 'content-range': '0-1/2' })
      const whole = await list(`${api}/metadata`, { size: '100' }).expect(200)
      for (const record of found.body) expect(whole.body).to.deep.include(record)
      const none = await list(`${api}/metadata`, { q: 'nothingness' }).expect(200)
      expect([none.body, none.headers['content-range']]).to.deep.equal([[], '*/0'])
      const schemas = await list(`${api}/schemas`, { q: 'steel' }).expect(200)
      expect(idsOf(schemas)).to.deep.equal(['measurement'])
    })
  }

  it('combines with the filters and the order of the list', async () => {
    const metadata = (parameters: Readonly<Record<string, string>>) =>
      list('/api/v1/metadata', parameters).expect(200).then(idsOf)
    expect(await metadata({ q: 'SEM', schemaId: 'sample' })).to.deep.equal(['bar-1'])
    expect(await metadata({ q: 'steel', resourceId: 'https://example.org/rod-8' })).to.deep.equal(['rod-8'])
    expect(await metadata({ q: 'steel', sort: 'id,desc' })).to.deep.equal(['rod-8', 'rod-7', 'grain'])
    expect(await metadata({ q: 'steel', sort: 'lastUpdate' })).to.deep.equal(['rod-7', 'rod-8', 'grain'])
    expect(await metadata({ q: 'steel', until: '2000' })).to.deep.equal([])
    const schemas = await list('/api/v1/schemas', {
      q: 'sample OR steel',
      mimeType: 'application/xml',
    }).expect(200)
    expect(idsOf(schemas)).to.deep.equal(['sample'])
  })

  it('returns every record along the links', async () => {
    const ids: unknown[] = []
    let path: string | undefined = '/api/v1/metadata?q=steel&size=2&sort=id'
    while (path !== undefined) {
      const answer: Response = await service.http.get(path).set('Accept', metadataType).expect(200)
      ids.push(...idsOf(answer))
      path = new RegExp(`<${base}([^>]*)>; rel="next"`).exec(answer.headers.link ?? '')?.[1]
    }
    expect(ids).to.deep.equal(['grain', 'rod-7', 'rod-8'])
  })

  it('has no effect if it is empty', async () => {
    const all = await list('/api/v1/metadata', {}).expect(200)
    for (const q of ['', '  '])
      expect((await list('/api/v1/metadata', { q }).expect(200)).body).to.deep.equal(all.body)
  })

  it('is refused with parameters that exclude it', async () => {
    const versions = await list('/api/v1/metadata', { q: 'steel', id: 'rod-7' }).expect(400)
    expect(versions.body.detail).to.contain('versions')
    await list('/api/v1/schemas', { q: 'steel', schemaId: 'sample' }).expect(400)
    await list('/api/v1/metadata', { q: 'steel', page: '5' }).expect(416)
    await list('/api/v1/metadata', { q: 'steel', after: 'rod-7' }).expect(400)
  })
})
