import { expect } from 'chai'
import { searchHasAll } from '../../../../support/http/search-examples.js'
import {
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../../../support/http/test-tokens.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('the parameter mine of a search', engine => {
  let service: TestService
  const root = userToken('root', ['ADMINISTRATOR'])
  const by = async (name: string) => ({
    Authorization: `Bearer ${await (name === 'root' ? root : userToken(name))}`,
  })

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret, ...engine.options })
    const open = [{ sid: 'anonymousUser', permission: 'READ' }]
    await service
      .postSchema({ schemaId: 'base', acl: open }, jsonSchema())
      .set(await by('Ada'))
      .expect(201)
    const store = async (name: string, id: string, acl: readonly object[]) =>
      await service
        .postMetadata(metadataRecordV1(`https://example.org/${id}`, 'base', { id, acl }), '{"owner":"Ada"}')
        .set(await by(name))
        .expect(201)
    await store('Ada', 'adas', open)
    await store('Ada', 'secret', [])
    await store('ada', 'of-another', open)
    await store('ben', 'given', [...open, { sid: 'Ada', permission: 'ADMINISTRATE' }])
    await store('ben', 'writable', [...open, { sid: 'Ada', permission: 'WRITE' }])
    await searchHasAll(service, await by('root'))
  })
  after(removeRepositories)

  const find = async (query: string, name?: string) => {
    const { body } = await service.http
      .get(`/api/v2/search?${query}`)
      .set(name === undefined ? {} : await by(name))
      .expect(200)
    return { ...body, ids: body.items.map(({ record }: { record: { id: string } }) => record.id).sort() }
  }

  it('finds what names the caller with ADMINISTRATE in its access list, with totals and facets', async () => {
    const own = await find('mine=true&kind=both&facets=kind', 'Ada')
    expect(own.ids).to.deep.equal(['adas', 'base', 'given', 'secret'])
    expect(own.facets.kind).to.deep.equal([
      { value: 'metadata', count: 3 },
      { value: 'schema', count: 1 },
    ])
    expect((await find('mine=true', 'ada')).ids).to.deep.equal(['of-another'])
    expect((await find('mine=true', 'root')).ids).to.deep.equal([])
    expect((await find('mine=true')).total).to.equal(0)
    expect((await find('mine=false')).total).to.equal(4)
  })

  it('follows the access list, and is of the point of history', async () => {
    const then = await service.head()
    const { body } = await service.http
      .get('/api/v1/metadata/given')
      .set(await by('ben'))
      .set('Accept', metadataType)
    const acl = body.acl.filter(({ sid }: { sid: string }) => sid !== 'Ada')
    await service
      .putMetadata('given', '*', { ...body, acl })
      .set(await by('ben'))
      .expect(200)
    await searchHasAll(service, await by('root'))

    expect((await find('mine=true', 'Ada')).ids).to.deep.equal(['adas', 'secret'])
    // A cluster has the newest state only.
    if (engine.name === 'embedded')
      expect((await find(`mine=true&at=${then}`, 'Ada')).ids).to.deep.equal(['adas', 'given', 'secret'])
  })

  it('tells nobody who has rights: no text, facet or order names them', async () => {
    expect((await find('q=owner:Ada')).ids).to.deep.equal(['adas', 'given', 'of-another', 'writable'])
    expect((await find('q=owner:ben')).ids).to.deep.equal([])
    for (const refused of ['facets=owner', 'sort=owner', 'sort=mine'])
      await service.http.get(`/api/v2/search?${refused}`).expect(400)
  })
})
