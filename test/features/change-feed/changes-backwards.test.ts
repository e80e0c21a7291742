// test-schedule: quick
import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

interface Change {
  readonly id: string
  readonly commit: string
  readonly change: string
  readonly author?: string
}

describe('GET /api/changes, backwards and filtered', () => {
  let service: TestService
  const tokens = new Map<string, string>()

  beforeEach(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    for (const name of ['ada', 'ben']) tokens.set(name, await userToken(name))
    tokens.set('root', await userToken('root', ['ADMINISTRATOR']))
    const open = [{ sid: 'anonymousUser', permission: 'READ' }]
    await by('ada', service.postSchema({ schemaId: 'one', acl: open }, jsonSchema())).expect(201)
    await by('ben', service.postSchema({ schemaId: 'two', acl: open }, jsonSchema())).expect(201)
    await metadata('ada', 'a', 'one', open)
    await metadata('ben', 'b', 'two', open)
    await metadata('ben', 'secret', 'one', [])
    await by('ada', service.putMetadata('a', '*', undefined, '{"n":2}')).expect(200)
    for (const _ of [1, 2])
      await by('ben', service.http.delete('/api/v1/metadata/b').set('If-Match', '*')).expect(204)
  })
  afterEach(removeRepositories)

  const by = <T extends { set(name: string, value: string): T }>(name: string | undefined, sent: T): T =>
    name === undefined ? sent : sent.set('Authorization', `Bearer ${tokens.get(name)}`)
  const metadata = (name: string, id: string, schema: string, acl: readonly object[]) =>
    by(name, service.postMetadata(metadataRecordV1(`http://x/${id}`, schema, { id, acl }), '{}')).expect(201)

  async function read(query: string, caller?: string) {
    const { body, headers } = await by(caller, service.http.get(`/api/changes?${query}`)).expect(200)
    return { ...(body as { items: readonly Change[]; next: string; more: boolean }), link: headers.link }
  }
  const shown = (items: readonly Change[]) => items.map(({ id, change }) => `${id} ${change}`)

  /** Reads all parts from the newest on. */
  async function readAll(query: string, caller?: string): Promise<readonly Change[]> {
    const items: Change[] = []
    for (let cursor = 'now'; ; ) {
      const part = await read(`before=${cursor}&${query}`, caller)
      items.push(...part.items)
      if (!part.more) return items
      cursor = part.next
    }
  }

  it('lists the newest first, part by part, and the same as forwards', async () => {
    for (const caller of ['root', 'ada', 'ben', undefined]) {
      const forwards = (await read('limit=1000', caller)).items
      for (const limit of [1, 2, 3, 1000])
        expect(await readAll(`limit=${limit}`, caller), `${caller} ${limit}`).to.deep.equal(
          [...forwards].reverse(),
        )
    }
    expect(shown(await readAll('limit=2', 'root'))).to.deep.equal([
      'b deleted',
      'b updated',
      'a updated',
      'secret created',
      'b created',
      'a created',
      'two created',
      'one created',
    ])
  })

  it('has the address of the next part in Link, except after the oldest change', async () => {
    const first = await read('before=now&limit=2&kind=metadata', 'root')

    expect(first.link).to.equal(
      `<http://metastore.test/api/changes?before=${first.next}&limit=2&kind=metadata>; rel="next"`,
    )
    expect((await read('before=now', 'root')).link).to.equal(undefined)
  })

  it('keeps the revisions of one commit together', async () => {
    const changes = ['x', 'y', 'z'].map(id => ({
      kind: 'schema',
      action: 'create',
      record: { id, titles: [{ value: id }] },
      document: 's',
    }))
    await by('ada', service.http.post('/api/changesets'))
      .attach('changeset', Buffer.from(JSON.stringify({ changes })), {
        filename: 'c.json',
        contentType: 'application/json',
      })
      .attach('s', Buffer.from('{"type":"object"}'), 's')
      .expect(200)

    const { items, next } = await read('before=now&limit=1', 'root')

    expect(items.map(({ id }) => id)).to.deep.equal(['z', 'y', 'x'])
    expect(shown((await read(`before=${next}&limit=1`, 'root')).items)).to.deep.equal(['b deleted'])
  })

  it('is filtered by kind, schema and author, in both directions', async () => {
    const wanted: Readonly<Record<string, readonly string[]>> = {
      'kind=schema': ['two created', 'one created'],
      'schemaId=one': ['a updated', 'secret created', 'a created', 'one created'],
      'schemaId=one&kind=metadata': ['a updated', 'secret created', 'a created'],
      'author=ben': ['b deleted', 'secret created', 'two created'],
      'author=ada&kind=metadata': ['a updated', 'a created'],
      'author=nobody': [],
      'schemaId=none': [],
    }
    for (const [query, changes] of Object.entries(wanted)) {
      expect(shown((await read(`${query}&limit=1000`, 'root')).items), query).to.deep.equal(
        [...changes].reverse(),
      )
      for (const limit of [1, 1000])
        expect(shown(await readAll(`${query}&limit=${limit}`, 'root')), query).to.deep.equal(changes)
    }
  })

  it('tells others nothing of changes that they may not read', async () => {
    expect(shown(await readAll('limit=1&schemaId=one'))).to.deep.equal([
      'a updated',
      'a created',
      'one created',
    ])
    expect(shown(await readAll('author=ben'))).to.deep.equal(['b deleted', 'two created'])
    const before = await read('before=now&limit=100')
    await metadata('ada', 'later', 'one', [])
    expect(await read('before=now&limit=100')).to.deep.equal(before)
  })

  it('continues a filtered feed from its cursor', async () => {
    const { next } = await read('author=ada', 'root')
    expect((await read(`since=${next}&author=ada`, 'root')).items).to.deep.equal([])

    await by('ben', service.putMetadata('a', '*', undefined, '{"n":3}')).expect(403)
    await by('ada', service.putMetadata('a', '*', undefined, '{"n":3}')).expect(200)

    expect(shown((await read(`since=${next}&author=ada`, 'root')).items)).to.deep.equal(['a updated'])
  })

  it('lists the changes up to a point of history, for each caller', async () => {
    const { items } = await read('before=now&limit=1000', 'root')
    const commitOf = (change: string) => items.find(each => shown([each])[0] === change)?.commit ?? ''

    const at = commitOf('secret created')
    expect(shown((await read(`before=now&at=${at}&limit=2`, 'root')).items)).to.deep.equal([
      'secret created',
      'b created',
    ])
    const { next, link } = await read(`before=now&at=${at}&limit=1`)
    expect(link).to.equal(`<http://metastore.test/api/changes?before=${next}&limit=1>; rel="next"`)
    expect(shown((await read(`before=now&at=${at}&limit=2`)).items)).to.deep.equal(['b created', 'a created'])
    expect(shown((await read('before=now&at=main&limit=1', 'root')).items)).to.deep.equal(['b deleted'])
    expect((await read('before=now&at=main&schemaId=none', 'root')).items).to.deep.equal([])
  })

  it('refuses what cannot be read backwards', async () => {
    const head = await service.head()
    const get = (query: string) => service.http.get(`/api/changes?${query}`)

    await get(`before=now&since=${head}`).expect(400)
    await get('before=now&wait=1').expect(400)
    await get('before=now').set('Accept', 'text/event-stream').expect(400)
    await get('before=main').expect(400)
    await get('kind=document').expect(400)
    await get(`before=${'0'.repeat(40)}`).expect(404)
  })
})
