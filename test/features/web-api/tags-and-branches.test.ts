import { expect } from 'chai'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('GET /api/refs', () => {
  let service: TestService
  let owner: string

  beforeEach(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    owner = await userToken('owner')
  })
  afterEach(removeRepositories)

  const git = (...args: readonly string[]) => service.repository.git(...args)
  const store = async (id: string, readers: readonly string[]) => {
    const acl = readers.map(sid => ({ sid, permission: 'READ' }))
    await service
      .postSchema({ schemaId: id, acl }, jsonSchema())
      .set('Authorization', `Bearer ${owner}`)
      .expect(201)
  }
  const refs = async (caller?: string, query = '') => {
    const sent = service.http.get(`/api/refs${query}`)
    return (await (caller ? sent.set('Authorization', `Bearer ${caller}`) : sent).expect(200)).body
  }

  it('lists tags and branches with commit and time, by names that the parameter at takes', async () => {
    await store('one', ['anonymousUser'])
    const first = await service.head()
    await git('tag', 'begin')
    await git('-c', 'user.name=a', '-c', 'user.email=a@b', 'tag', '-a', '-m', 'x', 'annotated')
    await store('two', ['anonymousUser'])
    await git('branch', 'begin')
    await git('branch', 'side/way', first)
    await git('branch', 'tags/x', first)
    await git('tag', 'a-file', `${first}^{tree}`)
    const root = await userToken('root', ['ADMINISTRATOR'])

    const { items } = await refs(root)

    const head = await service.head()
    expect(items.map(({ time: _, ...item }: { time: string }) => item)).to.deep.equal([
      { kind: 'branch', name: 'begin', at: 'refs/heads/begin', served: false, commit: head },
      { kind: 'branch', name: 'main', at: 'main', served: true, commit: head },
      { kind: 'branch', name: 'side/way', at: 'side/way', served: false, commit: first },
      { kind: 'branch', name: 'tags/x', at: 'refs/heads/tags/x', served: false, commit: first },
      { kind: 'tag', name: 'annotated', at: 'annotated', served: false, commit: first },
      { kind: 'tag', name: 'begin', at: 'begin', served: false, commit: first },
    ])
    for (const { at, commit, time } of items) {
      const get = (point: string) =>
        service.http
          .get('/api/v2/schemas')
          .query({ at: point })
          .set('Authorization', `Bearer ${root}`)
          .expect(200)
      expect((await get(at)).text).to.equal((await get(commit)).text)
      expect((await get(time)).text).to.equal((await get(commit)).text)
    }
  })

  it('is read in parts', async () => {
    await store('one', ['anonymousUser'])
    for (const name of ['a', 'b', 'c']) await git('tag', name)
    const names: string[] = []

    for (let query = '?limit=2'; query !== ''; ) {
      const { items, next } = await refs(undefined, query)
      names.push(...items.map(({ name }: { name: string }) => name))
      query = next === undefined ? '' : `?limit=2&after=${next}`
    }

    expect(names).to.deep.equal(['main', 'a', 'b', 'c'])
    await service.http.get('/api/refs?after=main').expect(400)
  })

  it('shows to others the last commit that changed something which they may read', async () => {
    await store('hidden-first', [])
    await git('tag', 'before')
    await store('open', ['anonymousUser'])
    const seen = await service.head()
    await store('hidden', [])
    await git('tag', 'after')
    const outside = await service.repository.git('commit-tree', '-p', seen, '-m', 'aside', `${seen}^{tree}`)
    await git('branch', 'aside', outside)
    const shown = (items: readonly Record<string, unknown>[]) =>
      items.map(({ name, commit, time }) => ({ name, commit, time }))

    const mine = (await refs(owner)).items
    const theirs = (await refs()).items

    const time = theirs[1].time
    expect(shown(theirs)).to.deep.equal([
      { name: 'aside', commit: undefined, time: undefined },
      { name: 'main', commit: seen, time },
      { name: 'after', commit: seen, time },
      { name: 'before', commit: undefined, time: undefined },
    ])
    expect(shown(mine).map(({ commit }) => commit)).to.not.include(seen)
  })
})
