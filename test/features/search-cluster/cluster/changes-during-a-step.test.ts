// test-schedule: waits
import { expect } from 'chai'
import type { Oid } from '../../../../src/core/value-types.js'
import { searchOf } from '../../../../src/features/search/feature.js'
import { jsonSchema, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'
import { type ClusterProxy, openClusterProxy } from '../../../support/search/cluster-proxy.js'
import {
  connectorOf,
  followed,
  startClusterService,
  storeDocument,
} from '../../../support/search/cluster-service.js'
import { expectEqualToRepository } from '../../../support/search/compare-with-repository.js'
import { describeWithCluster, removeIndices, testCluster } from '../../../support/search/test-cluster.js'

describeWithCluster('Changes while a server sends a part of the history to a cluster', () => {
  let cluster = testCluster()
  let proxy: ClusterProxy
  let service: TestService

  beforeEach(async () => {
    cluster = testCluster()
    proxy = openClusterProxy(cluster.url)
    service = await startClusterService({ ...cluster, url: await proxy.listen() })
  })
  afterEach(async () => {
    await removeRepositories()
    proxy.close()
    await removeIndices(cluster)
  })

  const connector = () => connectorOf(service.repository)
  const store = (id: string, document: object) => storeDocument(service, id, { document })
  /** Requests that send the document of this record. */
  const sent = (id: string) =>
    proxy.requests.filter(({ path, body }) => path.startsWith('/_bulk') && body.includes(`"id":"${id}"`))

  async function paused(): Promise<void> {
    connector().pause()
    await waitUntil('it is paused', () => searchOf(service.services.parts)?.progress().isPaused)
  }

  const expectEqual = () => expectEqualToRepository(cluster, service)

  it('a rewind runs once, and the cluster loses nothing', async () => {
    await service.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
    const before = (await service.head()) as Oid
    await store('a', { title: 'a' })
    await followed(service)
    expect(sent('a')).to.have.length(1)

    await paused()
    await store('b', { title: 'b' })
    const held = proxy.holdNext(({ path }) => path.startsWith('/_bulk'))
    connector().resume()
    await held.arrived
    connector().requestRewind(before)
    held.release()
    // No further commit makes the server check for commands.
    await waitUntil('it is done', () => connector().status()?.rewind === connector().rewind()?.id)
    await followed(service)
    await waitUntil('all is sent again', () => sent('a').length > 1)
    await expectEqual()

    await store('c', { title: 'c' })
    await followed(service)
    expect(sent('a'), 'sent').to.have.length(2)
    await expectEqual()
  })

  it('a schema may declare other fields, and the former fields again', async () => {
    const declaring = (path: string) => ({ search: { fields: [{ path, as: 'number' }] } })
    await service.postSchema({ schemaId: 'one', ...declaring('other') }, jsonSchema()).expect(201)
    await store('a', { early: 1, late: 1 })
    await followed(service)
    await paused()

    // One part of the history: a record, then its schema.
    await store('b', { early: 1, late: 1 })
    await service.putSchema('one', '*', declaring('early')).expect(200)
    const places = proxy.holdNext(({ path }) => path.endsWith('/_refresh'))
    connector().resume()
    await places.arrived
    await service.putSchema('one', '*', declaring('late')).expect(200)
    const documents = proxy.holdNext(({ path }) => path.startsWith('/_bulk'))
    places.release()
    await documents.arrived
    await service.putSchema('one', '*', declaring('early')).expect(200)
    documents.release()
    await followed(service)

    const { body } = await service.http.get('/api/v1/search?q=early:1..2').expect(200)
    const found = body.items.map(({ record }: { record: { id: string } }) => record.id)
    expect(found).to.have.members(['a', 'b'])
  })
})
