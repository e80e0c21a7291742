import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, signToken, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('GET /api/stats', () => {
  let service: TestService
  let owner: string
  const year = new Date().getUTCFullYear()

  beforeEach(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    owner = await userToken('owner')
  })
  afterEach(removeRepositories)

  const as = <T extends { set(name: string, value: string): T }>(token: string | undefined, sent: T): T =>
    token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`)
  const readers = (...sids: readonly string[]) => sids.map(sid => ({ sid, permission: 'READ' }))
  const schema = (id: string, ...sids: readonly string[]) =>
    as(owner, service.postSchema({ schemaId: id, acl: readers(...sids) }, jsonSchema())).expect(201)
  const metadata = (id: string, of: string, ...sids: readonly string[]) =>
    as(
      owner,
      service.postMetadata(metadataRecordV1(`http://x/${id}`, of, { id, acl: readers(...sids) }), '{}'),
    ).expect(201)
  const remove = (id: string) =>
    as(owner, service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*')).expect(204)
  const stats = async (token?: string) => (await as(token, service.http.get('/api/stats')).expect(200)).body

  it('counts by kind, schema, state and year, as the records are now', async () => {
    await schema('one', 'anonymousUser')
    await schema('two', 'anonymousUser')
    for (const id of ['a', 'b', 'c']) await metadata(id, 'one', 'anonymousUser')
    await metadata('d', 'two', 'anonymousUser')
    await metadata('e', 'one', 'anonymousUser')
    await remove('c')
    for (const _ of [1, 2]) await remove('e')
    const get = as(owner, service.http.get('/api/v2/metadata/b'))
    const { body } = await get.set('Accept', 'application/vnd.datacite.org+json').expect(200)
    await as(owner, service.http.put('/api/v2/metadata/b').set('If-Match', '*'))
      .attach('record', Buffer.from(JSON.stringify({ ...body, state: 'FIXED' })), {
        filename: 'r.json',
        contentType: 'application/json',
      })
      .expect(200)
    await as(
      owner,
      service.putMetadata('d', '*', { schema: { identifier: 'one', identifierType: 'INTERNAL' } }, '{"n":1}'),
    ).expect(200)

    expect(await stats(owner)).to.deep.equal({
      kinds: { schema: 2, metadata: 4 },
      schemas: [{ id: 'one', count: 4 }],
      more: false,
      states: { schema: { VOLATILE: 2 }, metadata: { VOLATILE: 2, FIXED: 1, REVOKED: 1 } },
      years: [{ year, schema: 2, metadata: 4 }],
    })
    expect(await stats()).to.deep.include({
      kinds: { schema: 2, metadata: 3 },
      states: { schema: { VOLATILE: 2 }, metadata: { VOLATILE: 2, FIXED: 1 } },
    })
  })

  it('counts an empty repository', async () => {
    expect(await stats()).to.deep.equal({
      kinds: { schema: 0, metadata: 0 },
      schemas: [],
      more: false,
      states: { schema: {}, metadata: {} },
      years: [],
    })
  })

  it('counts for each caller what the lists of that caller have', async () => {
    await schema('open', 'anonymousUser')
    await schema('closed', 'carl')
    await metadata('m-open', 'open', 'anonymousUser', 'carl')
    await metadata('m-carl', 'closed', 'carl', 'team')
    await metadata('m-none', 'open')
    await metadata('m-revoked', 'open', 'carl')
    const point = await service.head()
    await remove('m-revoked')
    await metadata('m-gone', 'open', 'anonymousUser')
    for (const _ of [1, 2]) await remove('m-gone')
    await metadata('m-later', 'closed', 'anonymousUser')
    await as(owner, service.putMetadata('m-open', '*', undefined, '{"n":1}')).expect(200)
    const permissions = ['m-none', 'm-open', 'm-revoked'].map(resourceId => ({
      resourceType: 'DataResource',
      resourceId,
      permission: 'READ',
    }))
    const robot = (permission: string) =>
      signToken({ tokenType: 'SERVICE', servicename: 'robot', roles: `["ROLE_SERVICE_${permission}"]` })
    const callers = [
      undefined,
      owner,
      await userToken('root', ['ADMINISTRATOR']),
      await userToken('carl'),
      await userToken('gina', ['USER'], { groups: ['team', 'PUBLIC-ish'] }),
      await userToken('eve'),
      await robot('READ'),
      await robot('ADMINISTRATE'),
      await signToken({
        tokenType: 'TEMPORARY',
        principalname: 'tim',
        permissions: JSON.stringify(permissions),
      }),
      await signToken({
        tokenType: 'TEMPORARY',
        principalname: 'carl',
        permissions: JSON.stringify(permissions),
        roles: '["ROLE_SERVICE_READ"]',
      }),
    ]
    for (const [index, caller] of callers.entries()) {
      for (const query of ['size=100', `size=100&at=${point}`]) {
        const what = `caller ${index}, ${query}`
        const list = async (path: string): Promise<readonly { readonly state: string }[]> =>
          (
            await as(
              caller,
              service.http.get(`/api/v2/${path}&${query}`).set('Accept', 'application/json'),
            ).expect(200)
          ).body
        const { body } = await as(caller, service.http.get(`/api/stats?${query}`)).expect(200)
        const { kinds, schemas, states, years } = body
        const [ofSchemas, ofMetadata] = [await list('schemas?page=0'), await list('metadata?page=0')]

        expect(kinds, what).to.deep.equal({ schema: ofSchemas.length, metadata: ofMetadata.length })
        const revoked = ofMetadata.filter(({ state }) => state === 'REVOKED').length
        expect(states.metadata.REVOKED ?? 0, what).to.equal(revoked)
        for (const { id, count } of schemas)
          expect(await list(`metadata?schemaId=${id}`), `${what}, ${id}`).to.have.lengthOf(count)
        const all = ofSchemas.length + ofMetadata.length
        expect(years, what).to.deep.equal(all === 0 ? [] : [{ year, ...kinds }])
      }
    }
    await service.http.get('/api/stats?at=nothing').expect(404)
  })

  it('is the same after a rebuild of the catalog', async () => {
    await schema('open', 'anonymousUser')
    await metadata('m', 'open', 'anonymousUser')
    await remove('m')
    const before = await stats(owner)
    await service.services.close()

    service = await startService({ identify: identifyWithTestSecret }, {}, service.repository)

    expect(await stats(owner)).to.deep.equal(before)
  })
})
