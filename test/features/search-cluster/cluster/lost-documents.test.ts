// test-schedule: waits
import { join } from 'node:path'
import { expect } from 'chai'
import { connectorFiles } from '../../../../src/features/search-cluster/connectors/connector-files.js'
import { jsonSchema, metadataRecordV1 } from '../../../support/http/test-service.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { waitUntil } from '../../../support/repository/test-repository.js'
import { openClusterProxy } from '../../../support/search/cluster-proxy.js'
import { describeWithCluster, removeIndices, testCluster } from '../../../support/search/test-cluster.js'
import { upload } from '../../../support/servers/uploads.js'

interface Place {
  readonly commit?: string
  readonly upToDate: boolean
  readonly lag: number
}

describeWithCluster('Searches of a server whose cluster lacks documents again', () => {
  const cluster = testCluster()
  const proxy = openClusterProxy(cluster.url)
  let folder: string
  let server: RunningServer
  before(async () => {
    folder = await temporaryFolder()
    expect((await runMetastore(['init', '--empty', folder])).code).to.equal(0)
    const place = ['--search-url', await proxy.listen(), '--search-index', cluster.prefix]
    server = await startServer(['--data', folder, ...place])
    await upload(server.url, 'schema', { schemaId: 'one' }, jsonSchema('title'))
    await store('a')
  })
  after(async () => {
    proxy.close()
    await stopProcesses()
    await removeIndices(cluster)
  })

  const store = (id: string) =>
    upload(server.url, 'metadata', metadataRecordV1(`http://x/${id}`, 'one', { id }), `{"title":"${id}"}`)
  const head = async () => (await runProgram('git', ['-C', folder, 'rev-parse', 'HEAD'])).stdout.trim()
  const search = (more = '') => fetch(`${server.url}api/v1/search?q=schema:one${more}`)
  const placeIn = ({ commit, upToDate, lag }: Place) => ({ commit, upToDate, lag })
  const found = async () => (await (await search()).json()) as Place & { readonly total: number }
  const health = async () => ((await (await fetch(`${server.url}health`)).json()) as { search: Place }).search
  const upToDate = () => waitUntil('it is up to date', async () => (await health()).upToDate)

  it('report the lag after a rewind, and wait for the rewind', async () => {
    const before = await head()
    await store('b')
    await store('c')
    await upToDate()
    const atHead = { commit: await head(), upToDate: true, lag: 0 }
    expect(placeIn(await found())).to.deep.equal(atHead)

    const held = proxy.holdNext(({ path }) => path.startsWith('/_bulk'))
    connectorFiles(join(folder, '.git', 'git-metastore'), 'search').requestRewind(before as never)
    await held.arrived
    const behind = { commit: before, upToDate: false, lag: 2 }
    const { total, ...place } = await found()
    expect(placeIn(place)).to.deep.equal(behind)
    expect(total, 'the cluster still has all records').to.equal(3)
    expect(placeIn(await health())).to.deep.equal(behind)
    expect((await search(`&wait=1&since=${atHead.commit}`)).status).to.equal(503)
    expect((await search(`&wait=1&since=${before}`)).status).to.equal(200)

    const waiting = search(`&wait=60&since=${atHead.commit}`)
    held.release()
    expect(placeIn((await (await waiting).json()) as Place)).to.deep.equal(atHead)
    expect(placeIn(await health())).to.deep.equal(atHead)
  })

  it('are refused while the server fills an empty cluster again', async () => {
    await upToDate()
    await removeIndices(cluster)
    const held = proxy.holdNext(({ path, body }) => path === '/_aliases' && body.includes('"add"'))
    await store('d')
    await held.arrived
    expect((await search()).status).to.equal(503)
    held.release()
    await upToDate()
    expect(await found()).to.include({ total: 4 })
  })

  it('report to commands that a rewind is done, even if the server ends meanwhile', async () => {
    await upToDate()
    const connector = connectorFiles(join(folder, '.git', 'git-metastore'), 'search')
    const held = proxy.holdNext(({ path }) => path.startsWith('/_bulk'))
    connector.requestRewind(undefined)
    await held.arrived
    expect((await server.stop()).code).to.equal(0)
    held.release()
    expect(connector.status()?.rewind).to.equal(connector.rewind()?.id)
  })
})
