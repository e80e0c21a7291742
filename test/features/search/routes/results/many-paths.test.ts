import { expect } from 'chai'
import { searchHasAll } from '../../../../support/http/search-examples.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../../../support/http/test-tokens.js'
import { removeRepositories, waitUntil } from '../../../../support/repository/test-repository.js'

/** Sends a search again while it takes too long: thousands of paths are at the limit of a busy machine. */
async function searched<T>(
  service: TestService,
  parameters: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<T> {
  return await waitUntil('the search', async () => {
    // On a slow machine, another note would count the records for which no time was left to find passages.
    const query = { highlight: 'false', ...parameters }
    const { status, body } = await service.http.get('/api/v1/search').query(query).set(headers)
    if (status === 503) return undefined
    expect(status).to.equal(200)
    return body as T
  })
}

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
    for (let index = 0; index < 3; index++) {
      const members = Array.from({ length: 400 }, (_, number) => [`m${index}-${number}`, { deep: 'hidden' }])
      await store(`hidden-${index}`, [], { big: Object.fromEntries(members) })
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

  const search = (q: string, headers: Readonly<Record<string, string>> = {}, at = {}) =>
    searched<{ total: number; notes: readonly string[] }>(service, { q, ...at }, headers)

  for (const [name, at] of [
    ['', {}],
    [' at a point of history', { at: 'main' }],
  ] as const) {
    it(`searches the first paths that the caller may read, and a note reports this${name}`, async () => {
      for (const field of ['*.deep', 'big']) {
        const found = await search(field === 'big' ? 'big:*' : '*.deep:hidden', { Authorization: owner }, at)
        expect(found.total, field).to.equal(3)
        expect(found.notes, field).to.have.length(1)
        expect(found.notes[0], field).to.contain('only the first 1000 are searched')
      }
    })

    it(`has no note and finds every match if the paths are of hidden records${name}`, async () => {
      expect(await search('*.deep:open', {}, at)).to.deep.include({ total: 1, notes: [] })
      expect(await search('*.deep:hidden', {}, at)).to.deep.include({ total: 0, notes: [] })
      expect(await search('big:*', {}, at)).to.deep.include({ total: 0, notes: [] })
    })
  }
})

describe('the paths of a writer with too many of them', () => {
  let service: TestService
  let owner: string
  const others = { sid: 'anonymousUser', permission: 'READ' }

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    owner = `Bearer ${await userToken('owner')}`
    await service
      .postSchema({ schemaId: 'plain', acl: [others] }, jsonSchema())
      .set('Authorization', owner)
      .expect(201)
    for (let index = 0; index < 11; index++) {
      const members = Array.from({ length: 20_000 }, (_, number) => [`m${index}-${number}`, { deep: 1 }])
      await store(`hidden-${index}`, 'plain', [], Object.fromEntries(members))
    }
    await store('open', 'plain', [others], { new: { deep: 'open' }, '#creator': 'Nobody' })
    const search = { fields: [{ path: 'size.width', as: 'number', facet: true }] }
    await service
      .postSchema({ schemaId: 'measured', acl: [others], search }, jsonSchema())
      .set('Authorization', owner)
      .expect(201)
    await store('first', 'measured', [others], { size: { width: 3 } })
    await searchHasAll(service, { Authorization: owner })
  })
  after(removeRepositories)

  async function store(id: string, schema: string, acl: readonly object[], document: object): Promise<void> {
    await service
      .postMetadata(metadataRecordV1(`http://x/${id}`, schema, { id, acl }), JSON.stringify(document))
      .set('Authorization', owner)
      .expect(201)
  }

  const search = (parameters: Readonly<Record<string, string>>, headers = {}) =>
    searched<{ total: number; notes: readonly string[]; facets: Readonly<Record<string, unknown>> }>(
      service,
      parameters,
      headers,
    )

  it('do not displace paths of the documents of others', async () => {
    expect(await search({ q: 'new.deep:open' })).to.deep.include({ total: 1, notes: [] })
    expect(await search({ q: 'size:*' })).to.deep.include({ total: 1, notes: [] })
    expect(await search({ q: 'm10-19999.deep:1' }, { Authorization: owner })).to.deep.include({ total: 1 })
    expect(await search({ q: 'm10-19999.deep:1' })).to.deep.include({ total: 0, notes: [] })
  })

  it('do not displace ranges and facets that others declare', async () => {
    const found = await search({ q: 'size.width:1..5', facets: 'size.width' })
    expect(found).to.deep.include({ total: 1, notes: [] })
    expect(found.facets).to.deep.equal({ 'size.width': [{ value: '3', count: 1 }] })
  })

  it('may hide new paths with the same end, and a note reports this', async () => {
    const { notes } = await search({ q: '*.deep:open' })
    expect(notes).to.deep.equal([
      'Very many paths are called "deep": new ones may not be searched. Write a longer one.',
    ])
  })

  it('do not count as fields of records', async () => {
    expect(await search({ q: 'creator:nobody' })).to.deep.include({ total: 0, notes: [] })
  })
})
