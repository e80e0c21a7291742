import { expect } from 'chai'
import { searchHasAll } from '../../support/http/search-examples.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('a field that names very many paths', () => {
  let service: TestService
  let owner: string

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    owner = `Bearer ${await userToken('owner')}`
    const everyone = [{ sid: 'anonymousUser', permission: 'READ' }]
    await service
      .postSchema({ schemaId: 'plain', acl: everyone }, jsonSchema())
      .set('Authorization', owner)
      .expect(201)
    for (let at = 0; at < 3; at++) {
      const members = Array.from({ length: 400 }, (_, number) => [`m${at}-${number}`, { deep: 'hidden' }])
      await store(`hidden-${at}`, [], { big: Object.fromEntries(members) })
    }
    await store('open', everyone, { last: { deep: 'open' } })
    await searchHasAll(service, { Authorization: owner })
  })
  after(removeRepositories)

  async function store(id: string, acl: object, document: object): Promise<void> {
    await service
      .postMetadata(metadataRecordV1(`http://x/${id}`, 'plain', { id, acl }), JSON.stringify(document))
      .set('Authorization', owner)
      .expect(201)
  }

  const search = async (q: string, headers: Readonly<Record<string, string>> = {}, at = '') =>
    (await service.http.get(`/api/v1/search?q=${q}${at}`).set(headers).expect(200)).body as {
      total: number
      notes: readonly string[]
    }

  for (const [name, at] of [
    ['', ''],
    [' at a point of history', '&at=main'],
  ] as const) {
    it(`searches the first of those that the caller sees, and says so${name}`, async () => {
      for (const field of ['*.deep', 'big']) {
        const found = await search(field === 'big' ? 'big:*' : '*.deep:hidden', { Authorization: owner }, at)
        expect(found.total, field).to.equal(3)
        expect(found.notes, field).to.have.length(1)
        expect(found.notes[0], field).to.contain('only the first 1000 are searched')
      }
    })

    it(`has no note and finds everything where the paths are of hidden records${name}`, async () => {
      expect(await search('*.deep:open', {}, at)).to.deep.include({ total: 1, notes: [] })
      expect(await search('*.deep:hidden', {}, at)).to.deep.include({ total: 0, notes: [] })
      expect(await search('big:*', {}, at)).to.deep.include({ total: 0, notes: [] })
    })
  }
})
