// test-schedule: waits
import { expect } from 'chai'
import type { Oid } from '../../../../src/core/value-types.js'
import { searchOf } from '../../../../src/features/search/feature.js'
import { runProgram } from '../../../../src/store/process/launcher.js'
import { jsonSchema, type TestService } from '../../../support/http/test-service.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../../support/repository/test-repository.js'
import {
  connectorOf,
  followed,
  rewindDone,
  startClusterService,
  storeDocument,
  storeRecords,
} from '../../../support/search/cluster-service.js'
import { expectEqualToRepository } from '../../../support/search/compare-with-repository.js'
import {
  askCluster,
  describeWithCluster,
  removeIndices,
  testCluster,
} from '../../../support/search/test-cluster.js'

interface State {
  readonly current: { readonly number: number; readonly commit: string }
  readonly next?: { readonly number: number }
  readonly rewinds?: readonly string[]
}

describeWithCluster('Servers that feed one cluster from copies of a repository', () => {
  let cluster = testCluster()
  beforeEach(() => {
    cluster = testCluster()
  })
  afterEach(async () => {
    await removeRepositories()
    await removeIndices(cluster)
  })

  const start = (repository?: TestRepository, base?: string): Promise<TestService> =>
    startClusterService({ ...cluster, ...(base !== undefined && { base }), checkInterval: 200 }, repository)

  function copyOf({ dir }: TestRepository): Promise<TestRepository> {
    const make = async (to: string) => {
      await runProgram({ command: 'git', args: ['clone', '-q', '--bare', dir, to], env: process.env })
    }
    return temporaryRepository({ make })
  }

  async function withRecords(...ids: readonly string[]): Promise<TestService> {
    const service = await start()
    await storeRecords(service, ...ids)
    return service
  }

  /** Fetches the commits of one server to another server. */
  async function fetched(from: TestService, to: TestService): Promise<void> {
    await to.repository.git('fetch', '-q', from.repository.dir, 'main:main')
    const head = await from.head()
    await waitUntil('the commits are served', () =>
      searchOf(to.services.parts)
        ?.waitFor(head as Oid, 0, new AbortController().signal)
        .then(
          () => true,
          () => false,
        ),
    )
  }

  /** The state in the cluster; empty if the cluster has none. */
  async function state(): Promise<Partial<State>> {
    const { _source } = await askCluster<{ _source?: State }>('GET', `${cluster.prefix}~state/_doc/state`)
    return _source ?? {}
  }

  const expectEqual = (service: TestService) => expectEqualToRepository(cluster, service)

  it('do the rewind of each of them once, after any number of starts', async () => {
    const { repository, services } = await withRecords('a')
    await services.close()
    const copies = [repository, await copyOf(repository)]
    for (const [index, each] of copies.entries()) {
      connectorOf(each).requestRewind(undefined)
      const service = await start(each)
      await waitUntil('new indices answer', async () => (await state()).current?.number === index + 2)
      await service.services.close()
    }
    for (const each of [...copies, ...copies]) {
      const service = await start(each)
      await followed(service)
      await rewindDone(each)
      await service.services.close()
    }
    const { current, next, rewinds } = await state()
    expect([current?.number, next]).to.deep.equal([3, undefined])
    expect(rewinds).to.deep.equal(copies.map(each => connectorOf(each).rewind()?.id))
  })

  it('continue with the new indices that one of them made', async () => {
    const one = await withRecords('a')
    const other = await start(await copyOf(one.repository))
    await followed(other)
    connectorOf(one.repository).requestRewind(undefined)
    await waitUntil('new indices answer', async () => (await state()).current?.number === 2)

    // These documents go to an index that the other server has only in its old generation.
    await one.postSchema({ schemaId: 'new' }, jsonSchema('title')).expect(201)
    await storeDocument(one, 'b', { schemaId: 'new' })
    await storeDocument(one, 'c')
    await fetched(one, other)
    await followed(one)
    await followed(other)

    const { current, next, rewinds } = await state()
    expect([current?.number, next, rewinds?.length]).to.deep.equal([2, undefined, 1])
    await waitUntil('its index has gone', async () => {
      const indices = await askCluster<object>('GET', `${cluster.prefix}new/_alias`)
      return Object.keys(indices).join() === `${cluster.prefix}new~2`
    })
    await expectEqual(other)
  })

  it('keep their indices while one of them lacks commits of another', async () => {
    const one = await withRecords('a')
    const before = await one.head()
    const other = await start(await copyOf(one.repository))
    await storeDocument(one, 'b')
    await followed(one)
    await followed(other)
    connectorOf(other.repository).requestRewind(before as Oid)
    await rewindDone(other.repository)
    await followed(other)
    expect(await state()).to.have.nested.property('current.number', 1)
    expect(await state()).to.not.have.property('next')

    await fetched(one, other)
    await storeDocument(other, 'c')
    await followed(other)
    await fetched(other, one)
    await followed(one)
    await expectEqual(one)
  })

  it('replace the answering indices when the new ones have the commits of all servers', async () => {
    const one = await withRecords('a')
    const other = await start(await copyOf(one.repository))
    await followed(other)
    await storeDocument(one, 'b')
    await followed(one)
    // The other server cannot send the record that it lacks. The first server gets no further commit.
    connectorOf(other.repository).requestRewind(undefined)
    await waitUntil('new indices answer', async () => (await state()).current?.number === 2)
    await expectEqual(one)
    await followed(one)
  })

  it('fill an empty cluster again, even without a new commit', async () => {
    const one = await withRecords('a')
    await removeIndices(cluster)
    await waitUntil('new indices answer', async () => (await state()).current?.number === 1)
    await followed(one)
    await expectEqual(one)
  })

  it('do not answer from indices that the state in the cluster does not name', async () => {
    const { repository, services } = await withRecords('a')
    connectorOf(repository).requestRewind(undefined)
    await waitUntil('new indices answer', async () => (await state()).current?.number === 2)
    await services.close()
    // Restores a backup of the state and of the earlier indices.
    const { current, ...others } = await state()
    const restored = { ...others, current: { ...current, number: 1 }, retired: [] }
    await askCluster('PUT', `${cluster.prefix}~state/_doc/state?refresh=true`, restored)

    const again = await start(repository)
    await followed(again)

    expect(await state()).to.have.nested.property('current.number', 1)
    await expectEqual(again)
  })

  it('report different options; the server that started last decides', async () => {
    const one = await withRecords('a')
    const other = await start(await copyOf(one.repository), 'http://other.test')
    await waitUntil('new indices answer', async () => (await state()).current?.number === 2)

    await storeDocument(one, 'b')
    const search = searchOf(one.services.parts)
    await waitUntil('it says so', () => search?.progress().lastError?.includes('another --base-url'))
    await fetched(one, other)
    await followed(other)

    expect(searchOf(other.services.parts)?.progress().lastError).to.equal(undefined)
    const { current, next } = await state()
    expect([current?.number, next]).to.deep.equal([2, undefined])
  })
})
