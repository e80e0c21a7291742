// test-schedule: waits
import { join } from 'node:path'
import { expect } from 'chai'
import { connectorFiles } from '../../../src/search/connectors/connector-files.js'
import { jsonSchema, metadataRecordV1 } from '../../support/http/test-service.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { upload } from '../../support/program/uploads.js'
import { waitUntil } from '../../support/repository/test-repository.js'
import {
  askCluster,
  describeWithCluster,
  documentsIn,
  removeIndices,
  testCluster,
} from '../../support/search/test-cluster.js'

describeWithCluster('A document that somebody has changed in the cluster', () => {
  const cluster = testCluster()
  const index = `${cluster.prefix}one`
  let folder: string
  let server: RunningServer
  let beforeDocuments: string
  before(async () => {
    folder = await temporaryFolder()
    expect((await runMetastore(['init', '--empty', folder])).code).to.equal(0)
    server = await startServer([
      ...['--data', folder, '--search-url', cluster.url, '--search-index', cluster.prefix],
    ])
    await upload(server.url, 'schema', { schemaId: 'one' }, jsonSchema('title'))
    beforeDocuments = await head()
    for (const id of ['a', 'b']) await store(id, `first ${id}`)
    await upToDate()
  })
  after(async () => {
    await stopProcesses()
    await removeIndices(cluster)
  })

  const head = async () => (await runProgram('git', ['-C', folder, 'rev-parse', 'HEAD'])).stdout.trim()
  const store = (id: string, title: string) =>
    upload(
      server.url,
      'metadata',
      metadataRecordV1(`http://x/${id}`, 'one', { id }),
      JSON.stringify({ title }),
    )
  const search = async () => {
    const answer = await fetch(`${server.url}api/v1/search?q=schema:one`)
    return (await answer.json()) as { readonly upToDate: boolean; readonly commit: string }
  }
  const upToDate = () =>
    waitUntil('the cluster has the last commit', async () => {
      const found = await search()
      return found.upToDate && found.commit === (await head())
    })
  const texts = async () => {
    const documents = await documentsIn(cluster)
    const ofMetadata = documents.filter(({ _source }) => ['a', 'b'].includes(_source.id))
    return Object.fromEntries(ofMetadata.map(({ _source }) => [_source.id, _source.metadataText]))
  }
  /** Counts the versions of all documents of the schema on. */
  const changeInCluster = async (script?: string) => {
    await askCluster('POST', `${index}/_refresh`)
    const body = script === undefined ? {} : { script: { source: script } }
    await askCluster('POST', `${index}/_update_by_query?refresh`, body)
  }
  /** Sends the documents again, and waits until they are in the cluster. */
  const rewind = async (meanwhile = async () => {}) => {
    const connector = connectorFiles(join(folder, '.git', 'git-metastore'), 'search')
    connector.requestRewind(beforeDocuments as never)
    await meanwhile()
    await waitUntil('the rewind is done', () => connector.status()?.rewind === connector.rewind()?.id)
    await upToDate()
  }

  it('is as in the repository after a rewind', async () => {
    await changeInCluster("ctx._source.metadataText = ['changed']")
    expect(await texts()).to.deep.equal({ a: ['changed'], b: ['changed'] })

    await rewind()

    expect(await texts()).to.deep.equal({ a: ['first a'], b: ['first b'] })
  })

  it('is replaced by the next update, however often it was changed', async () => {
    for (let round = 0; round < 5; round++) await changeInCluster()
    const { status } = await update('a', 'second a')
    expect(status).to.equal(200)

    await upToDate()

    expect(await texts()).to.deep.equal({ a: ['second a'], b: ['first b'] })
  })

  it('is sent again when the cluster has forgotten that it was deleted, and the server says so until then', async () => {
    // How long the cluster knows the version of what was deleted: a minute by default.
    await askCluster('PUT', `${index}/_settings`, { 'index.gc_deletes': '3s' })
    await askCluster('POST', `${index}/_delete_by_query?refresh`, { query: { match_all: {} } })
    expect(await texts()).to.deep.equal({})

    await rewind(async () => {
      const said = await waitUntil('the server says so', async () => {
        const health = (await (await fetch(`${server.url}health`)).json()) as {
          readonly search: { readonly lastError?: string }
        }
        return health.search.lastError
      })
      expect(said).to.contain('was deleted in the cluster, not by this server')
    })

    expect(await texts()).to.deep.equal({ a: ['second a'], b: ['first b'] })
  })

  it('is deleted with its record, however often it was changed', async () => {
    for (let round = 0; round < 5; round++) await changeInCluster()
    expect((await send('DELETE', 'b')).status).to.equal(204)
    expect((await send('DELETE', 'b')).status).to.equal(204)

    await upToDate()

    expect(await texts()).to.deep.equal({ a: ['second a'] })
  })

  function update(id: string, title: string): Promise<Response> {
    const body = new FormData()
    body.set('document', new Blob([JSON.stringify({ title })], { type: 'application/json' }), 'document')
    return send('PUT', id, body)
  }

  function send(method: string, id: string, body?: FormData): Promise<Response> {
    const options = { method, headers: { 'If-Match': '*' }, ...(body && { body }) }
    return fetch(`${server.url}api/v2/metadata/${id}`, options)
  }
})
