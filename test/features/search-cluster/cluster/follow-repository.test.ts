// test-schedule: waits
import { join } from 'node:path'
import { expect } from 'chai'
import type { Id } from '../../../../src/core/value-types.js'
import { searchOf } from '../../../../src/features/search/feature.js'
import type { ClusterSettings } from '../../../../src/features/search-cluster/cluster-settings.js'
import { connectorFiles } from '../../../../src/features/search-cluster/connectors/connector-files.js'
import { runProgram } from '../../../../src/store/process/launcher.js'
import { recordDirectory } from '../../../../src/store/records/repository-layout.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../../support/repository/test-repository.js'
import { followed, startClusterService } from '../../../support/search/cluster-service.js'
import { expectEqualToRepository } from '../../../support/search/compare-with-repository.js'
import {
  askCluster,
  clusterOptions,
  describeWithCluster,
  documentsIn,
  removeIndices,
  testCluster,
} from '../../../support/search/test-cluster.js'

/** A schema that accepts any JSON. */
const anySchema = '{"$schema":"https://json-schema.org/draft/2020-12/schema"}'

interface CurrentGeneration {
  readonly identity: string
  readonly commit?: string
}

/** Changes the state of the answering indices in the cluster. */
async function changeCurrent(
  { prefix }: ClusterSettings,
  change: (current: CurrentGeneration) => Partial<CurrentGeneration>,
): Promise<void> {
  const path = `${prefix}~state/_doc/state`
  const { _source: state } = await askCluster<{ _source: { current: CurrentGeneration } }>('GET', path)
  const current = { ...state.current, ...change(state.current) }
  await askCluster('PUT', `${path}?refresh=true`, { ...state, current })
}

describeWithCluster('A cluster that follows a repository', () => {
  const used: ClusterSettings[] = []
  afterEach(async () => {
    await removeRepositories()
    for (const cluster of used.splice(0)) await removeIndices(cluster)
  })

  function newCluster(more: Partial<ClusterSettings> = {}): ClusterSettings {
    const cluster = testCluster(more)
    used.push(cluster)
    return cluster
  }

  async function expectEqual(service: TestService, cluster: ClusterSettings): Promise<void> {
    await followed(service)
    await expectEqualToRepository(cluster, service)
  }

  const etag = async ({ http }: TestService, path: string) => etagOf(await http.get(path).expect(200))
  const document = (title: string) => JSON.stringify({ title })

  async function withRecords(service: TestService, ...ids: readonly string[]): Promise<void> {
    for (const schemaId of ['one', 'two'])
      await service.postSchema({ schemaId }, jsonSchema('title')).expect(201)
    for (const id of ids)
      await service.postMetadata(metadataRecordV1(`http://x/${id}`, 'one', { id }), document(id)).expect(201)
  }

  it('has documents with the ids of records if the option is set', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster)
    await withRecords(service, 'a')
    await followed(service)
    const ids = async () => (await documentsIn(cluster)).map(({ _id }) => _id).toSorted()
    const addresses = ['metadata/a', 'schemas/one', 'schemas/two']
    expect(await ids()).to.deep.equal(addresses.map(path => `http://metastore.test/api/v2/${path}`))
    await service.services.close()
    const bare = { ...cluster, hasBareIds: true }
    const other = await startClusterService(bare, service.repository)
    await waitUntil('the new ids', async () => (await ids()).includes('a'))
    expect(await ids()).to.deep.equal(['a', 'one', 'two'])
    const found = await other.http
      .post('/api/v1/search')
      .send({ query: { ids: { values: ['a'] } } })
      .expect(200)
    expect(found.body.hits.hits.map((hit: { readonly _id: string }) => hit._id)).to.deep.equal([
      'http://metastore.test/api/v2/metadata/a',
    ])
  })

  it('has each record once after any changes', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster)
    await withRecords(service, 'stays', 'changes', 'moves', 'revoked', 'gone')
    await expectEqual(service, cluster)

    await service
      .putMetadata('changes', await etag(service, '/api/v1/metadata/changes'), undefined, document('new'))
      .expect(200)
    const moved = metadataRecordV1('http://x/moves', 'two')
    await service
      .putMetadata('moves', await etag(service, '/api/v1/metadata/moves'), moved, document('x'))
      .expect(200)
    for (const id of ['revoked', 'gone', 'gone'])
      await service.http
        .delete(`/api/v1/metadata/${id}`)
        .set('If-Match', await etag(service, `/api/v1/metadata/${id}`))
        .expect(204)
    await expectEqual(service, cluster)

    const documents = await documentsIn(cluster)
    const indexOf = (id: string) =>
      documents.filter(({ _source }) => _source.id === id).map(({ _index }) => _index)
    expect(indexOf('moves')).to.deep.equal([`${cluster.prefix}two~1`])
    expect(indexOf('gone')).to.deep.equal([])
    const { body } = await service.http
      .post('/api/v1/search')
      .send({ query: { match: { metadataDocument: 'new' } } })
    expect(body.hits.total.value).to.equal(1)
  })

  it('continues at its commit after a restart, and is filled again after a loss of all indices', async () => {
    const cluster = newCluster()
    const first = await startClusterService(cluster)
    await withRecords(first, 'a', 'b')
    await followed(first)
    await first.services.close()
    const second = await startClusterService({ ...cluster }, first.repository)
    await second.postMetadata(metadataRecordV1('http://x/c', 'two', { id: 'c' }), document('c')).expect(201)
    await expectEqual(second, cluster)
    await second.services.close()

    await removeIndices(cluster)
    const third = await startClusterService({ ...cluster }, first.repository)
    await expectEqual(third, cluster)
  })

  it('receives documents that a bulk request lost, and receives none twice', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster)
    await withRecords(service, 'a', 'b')
    await followed(service)
    await service.services.close()
    // The state after a crash between the documents and the state.
    const first = (await service.repository.git('rev-list', '--max-parents=0', 'HEAD')).trim()
    await changeCurrent(cluster, () => ({ commit: first }))
    const lost = encodeURIComponent('http://metastore.test/api/v2/metadata/b')
    await askCluster(
      'DELETE',
      `${cluster.prefix}one~1/_doc/${lost}?refresh=true&version=1000000&version_type=external`,
    )
    await askCluster('PUT', `${cluster.prefix}one~1/_settings`, { 'index.gc_deletes': '1ms' })
    await new Promise(resolve => setTimeout(resolve, 1500))
    const again = await startClusterService({ ...cluster }, service.repository)
    await expectEqual(again, cluster)
  })

  it('is filled again after a rewrite of the history, and keeps nothing of the former history', async () => {
    const cluster = newCluster()
    const first = await startClusterService(cluster)
    await withRecords(first, 'a')
    await followed(first)
    await first.services.close()
    // A commit that is not in the history.
    await changeCurrent(cluster, () => ({ commit: '1'.repeat(40) }))

    const second = await startClusterService({ ...cluster }, first.repository)
    await expectEqual(second, cluster)

    await waitUntil('the former indices are deleted', async () => {
      const indices = Object.keys(await askCluster<object>('GET', `${cluster.prefix}*/_alias`))
      return indices.includes(`${cluster.prefix}one~2`) && !indices.includes(`${cluster.prefix}one~1`)
    })
  })

  for (const [title, version, status] of [
    ['does not answer from documents of an older mapping, because they lack fields', /^\d+/, 503],
    ['answers from documents with older texts until new ones are complete', /(?<=^\d+\.)\d+/, 200],
  ] as const)
    it(title, async () => {
      const cluster = newCluster()
      const first = await startClusterService(cluster)
      await withRecords(first, 'a')
      await followed(first)
      await first.services.close()
      await changeCurrent(cluster, ({ identity }) => ({ identity: identity.replace(version, '2') }))
      const connector = connectorFiles(join(first.repository.dir, 'git-metastore'), 'search')
      connector.pause()
      connector.deleteStatus()

      const second = await startClusterService({ ...cluster }, first.repository)
      await waitUntil('it has looked', () => searchOf(second.services.parts)?.progress().isPaused)
      // The server has read the state by then.
      await waitUntil('it tells so', () => connector.status() !== undefined)
      const { body } = await second.http.post('/api/v1/search').send({}).expect(status)
      if (status === 503) expect(body.error.reason).to.contain('being filled')
      connector.resume()
      await waitUntil(
        'the new indices',
        async () => {
          const aliases = await askCluster<Readonly<Record<string, { aliases?: object }>>>(
            'GET',
            `${cluster.prefix}*/_alias`,
          )
          return Object.hasOwn(aliases[`${cluster.prefix}one~2`]?.aliases ?? {}, `${cluster.prefix}one`)
        },
        60_000,
      )
      await expectEqual(second, cluster)
      await second.http.post('/api/v1/search').send({}).expect(200)
    })

  it('answers from the old indices until new ones are complete, which replace indices of other programs', async () => {
    const cluster = newCluster()
    // An index as an existing index service makes it.
    await askCluster('PUT', `${cluster.prefix}one/_doc/old?refresh=true`, {
      metadataDocument: { title: 'old' },
    })
    const first = await startClusterService(cluster)
    await withRecords(first, 'a', 'b')
    await expectEqual(first, cluster)
    const names = Object.keys(await askCluster<object>('GET', `${cluster.prefix}one/_alias`))
    expect(names).to.deep.equal([`${cluster.prefix}one~1`])
    await first.services.close()

    const second = await startClusterService({ ...cluster, refill: true }, first.repository)
    const found = new Set<number | undefined>()
    const done = new AbortController()
    const searching = (async () => {
      for (; !done.signal.aborted; ) {
        const answer = await askCluster<{ hits?: { total: { value: number } } }>(
          'POST',
          `${cluster.prefix}one/_search`,
          {},
        )
        found.add(answer.hits?.total.value)
      }
    })()
    const replaced = `${cluster.prefix}one~2`
    await waitUntil(
      'the new generation answers',
      async () =>
        Object.keys(await askCluster<object>('GET', `${cluster.prefix}one/_alias`)).includes(replaced),
      60_000,
    )
    done.abort()
    await searching
    expect([...found]).to.deep.equal([2])
    await expectEqual(second, cluster)
  })

  it('accepts documents that cannot be fields', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster)
    await service.postSchema({ schemaId: 'any' }, anySchema).expect(201)
    const wide = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`field${index}`, `word${index}`]),
    )
    let deep: unknown = 'bottomless'
    for (let index = 0; index < 30; index++) deep = { deeper: deep }
    const documents: readonly unknown[] = [
      { value: 'text' },
      { value: { is: 'object' } },
      wide,
      deep,
      { '': 'empty' },
      { '.a..b.': 'dotted' },
      [1, 2],
      { long: 'x'.repeat(40_000) },
      { 'a.b': 1, a: 'scalar' },
      { value: null },
      { number: 1e300 },
    ]
    for (const [index, value] of documents.entries())
      await service
        .postMetadata(
          metadataRecordV1(`http://x/${index}`, 'any', { id: `d${index}` }),
          JSON.stringify(value),
        )
        .expect(201)
    await expectEqual(service, cluster)
    for (const [path, word, id] of [
      ['', 'word1999', 'd2'],
      ['.field0', 'word0', 'd2'],
      ['.field1999', 'word1999', 'd2'],
      ['', 'bottomless', 'd3'],
      [`.${'deeper.'.repeat(30).slice(0, -1)}`, 'bottomless', 'd3'],
      ['', 'dotted', 'd5'],
      ['', 'empty', 'd4'],
      ['.value', 'text', 'd0'],
      ['.value.is', 'object', 'd1'],
      ['.a', 'scalar', 'd8'],
      ['.a.b', '1', 'd8'],
    ] as const)
      expect(
        await idsWith(service, { match: { [`metadataDocument${path}`]: word } }),
        path + word,
      ).to.deep.equal([id])
  })

  it('finds every path of documents in any order, and declared values of all documents', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster)
    const declared = { search: { fields: [{ path: 'late.value', as: 'number' }] } }
    await service.postSchema({ schemaId: 'any' }, anySchema).expect(201)
    const wide = (part: number) =>
      Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`field${part}x${index}`, `word${index}`]))
    for (const part of [0, 1, 2]) {
      const document = { ...wide(part), late: { value: part } }
      const record = metadataRecordV1(`http://x/${part}`, 'any', { id: `d${part}` })
      await service.postMetadata(record, JSON.stringify(document)).expect(201)
    }
    await followed(service)
    await service.putSchema('any', '*', declared).expect(200)
    await followed(service)
    for (const part of [0, 1, 2]) {
      const found = { match: { [`metadataDocument.field${part}x599`]: 'word599' } }
      expect(await idsWith(service, found)).to.deep.equal([`d${part}`])
    }
    expect(await idsWith(service, { range: { 'metadataDocument.late.value': { gte: 1 } } })).to.have.members([
      'd1',
      'd2',
    ])
    // Clients that ask the cluster directly get the documents unchanged.
    const { hits } = await askCluster<{
      hits: { hits: readonly { _source: { metadataDocument?: object; metastore: object } }[] }
    }>('POST', `${cluster.prefix}any/_search`, { query: { match: { 'metadataDocument.field0x0': 'word0' } } })
    expect(hits.hits).to.have.length(1)
    expect(hits.hits[0]?._source.metadataDocument).to.deep.equal({ ...wide(0), late: { value: 0 } })
    expect(hits.hits[0]?._source.metastore).to.not.have.property('paths')
    await expectEqual(service, cluster)
  })

  it('has the declared values of a schema that was removed and created again', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster, await temporaryRepository())
    const { repository } = service
    const search = (path: string) => ({ fields: [{ path, as: 'number' }] })
    await service.postSchema({ schemaId: 'any', search: search('early') }, anySchema).expect(201)
    const record = metadataRecordV1('http://x/a', 'any', { id: 'a' })
    await service.postMetadata(record, '{"early":1,"late":2}').expect(201)
    await followed(service)

    // The rules refuse this removal. The server does not check commits of a server again.
    await service.services.workTreeUpToDate()
    await repository.patiently('rm', '-q', '-r', recordDirectory('schema', 'any' as Id))
    const [GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL] = (
      await repository.git('log', '-1', '--format=%cn%n%ce')
    ).split('\n')
    const args = ['commit', '-q', '-m', 'Remove it', '-m', `Recorded-At: ${new Date().toISOString()}`]
    const env = { ...process.env, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL }
    const { code } = await runProgram({ command: 'git', args, cwd: repository.dir, env })
    expect(code).to.equal(0)
    await waitUntil('the schema is removed', async () => {
      return (await service.http.get('/api/v1/schemas/any')).status === 404
    })
    await followed(service)
    const folder = recordDirectory('schema', 'any' as Id)
    await repository.commit('Make it again', {
      [`${folder}/record.json`]: JSON.stringify({ search: search('late') }),
      [`${folder}/schema.json`]: anySchema,
    })
    await waitUntil('the schema is there', async () => {
      return (await service.http.get('/api/v1/schemas/any')).status === 200
    })
    await followed(service)

    expect(await idsWith(service, { range: { 'metadataDocument.late': { gte: 2 } } })).to.deep.equal(['a'])
    await expectEqual(service, cluster)
  })

  async function idsWith({ http }: TestService, query: object): Promise<readonly string[]> {
    const { body } = await http.post('/api/v1/search').send({ query }).expect(200)
    return body.hits.hits.map(({ _id }: { readonly _id: string }) => _id.replace(/^.*\//, ''))
  }

  it('counts a narrowed access list at once, even if it lags behind', async () => {
    const cluster = newCluster()
    const service = await startClusterService(cluster)
    await withRecords(service, 'a', 'b')
    await followed(service)
    const search = searchOf(service.services.parts)
    const anyone = { sid: 'x', name: 'x', email: 'x@x', administrator: false, groups: [] }
    const request = {
      condition: { type: 'all' as const },
      kinds: ['metadata' as const],
      sort: [],
      window: { offset: 0, limit: 10 },
      facets: [
        { name: 's', field: 'schema', counts: { type: 'terms' as const, size: 5, order: 'count' as const } },
      ],
      highlight: false,
    }
    const open = {
      acl: [
        { sid: 'anonymousUser', permission: 'READ' },
        { sid: 'SELF', permission: 'ADMINISTRATE' },
      ],
    }
    await service.putMetadata('a', await etag(service, '/api/v1/metadata/a'), open).expect(200)
    await followed(service)
    expect((await search?.search(anyone, request))?.total).to.equal(1)
    const closed = { acl: [{ sid: 'SELF', permission: 'ADMINISTRATE' }] }
    await service.putMetadata('a', await etag(service, '/api/v1/metadata/a'), closed).expect(200)
    const found = await search?.search(anyone, request)
    expect([found?.total, found?.hits.length, found?.facets.get('s')?.buckets.length]).to.deep.equal([
      0, 0, 0,
    ])
  })
})

describe('A cluster that does not answer', () => {
  after(removeRepositories)
  const away = { url: 'http://127.0.0.1:9', prefix: 'x-', refill: false }

  it('does not prevent updates, and the server reports its error and the lag', async () => {
    const service = await startService({ features: clusterOptions({ ...away, hasFallback: false }) })
    await service.postSchema({ schemaId: 'one' }, jsonSchema()).expect(201)
    await service.postMetadata(metadataRecordV1('http://x/1', 'one', { id: 'a' }), '{}').expect(201)
    const search = searchOf(service.services.parts)
    expect(search?.progress().isMissing).to.equal(true)
    await waitUntil('it says what is wrong', () => search?.progress().lastError)
    expect(search?.progress().lastError).to.contain('http://127.0.0.1:9 cannot be reached')
    expect(search?.progress().lag).to.be.above(1)
  })
})
