// test-schedule: waits
import { join } from 'node:path'
import { expect } from 'chai'
import type { Oid } from '../../../src/core/value-types.js'
import { connectorFiles } from '../../../src/search/connectors/connector-files.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'
import {
  askCluster,
  describeWithCluster,
  documentsIn,
  removeIndices,
  testCluster,
} from '../../support/search/test-cluster.js'

describeWithCluster('An index that somebody has deleted in the cluster', () => {
  let cluster = testCluster()
  beforeEach(() => {
    cluster = testCluster()
  })
  afterEach(async () => {
    await removeRepositories()
    await removeIndices(cluster)
  })

  /** A server with a schema and one document. */
  async function start(checkInterval: number): Promise<TestService> {
    const base = 'http://metastore.test'
    const service = await startService(
      { baseUrl: base },
      { searchCluster: { ...cluster, base, checkInterval } },
    )
    await service.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
    await store(service, 'a')
    await followed(service)
    return service
  }

  const store = async (service: TestService, id: string) =>
    void (await service
      .postMetadata(metadataRecordV1(`http://x/${id}`, 'one', { id }), JSON.stringify({ title: id }))
      .expect(201))

  async function followed({ services: { search }, head }: TestService): Promise<void> {
    const isThere = await search?.waitFor((await head()) as Oid, 60_000, new AbortController().signal)
    expect(isThere, search?.progress().lastError).to.equal(true)
  }

  const deleteIndex = async () => {
    const { acknowledged } = await askCluster<{ acknowledged?: boolean }>('DELETE', `${cluster.prefix}one~1`)
    expect(acknowledged).to.equal(true)
  }
  const documents = async () => (await documentsIn(cluster)).map(({ _source }) => _source.id)

  it('is made again by a rewind', async () => {
    const service = await start(600_000)
    const [schema] = await service.repository
      .git('rev-list', '--reverse', 'HEAD')
      .then(text => text.split('\n'))
    await deleteIndex()
    expect(await documents()).not.to.contain('a')

    const connector = connectorFiles(join(service.repository.dir, 'git-metastore'), 'search')
    connector.requestRewind(schema as Oid)
    await waitUntil('the rewind is done', () => connector.status()?.rewind === connector.rewind()?.id)
    await followed(service)

    expect(await documents()).to.contain('a')
  })

  it('is made again while updates keep coming', async () => {
    const service = await start(200)
    await deleteIndex()

    let stored = 0
    await waitUntil('a later document is found', async () => {
      await store(service, `later-${stored++}`)
      return (await documents()).includes('later-0')
    })
  })
})
