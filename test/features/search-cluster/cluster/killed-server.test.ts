// test-schedule: waits
import { expect } from 'chai'
import { jsonSchema, metadataRecordV1 } from '../../../support/http/test-service.js'
import {
  type RunningServer,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { waitUntil } from '../../../support/repository/test-repository.js'
import { recordsInCluster, recordsInRepository } from '../../../support/search/compare-with-repository.js'
import { describeOneCluster } from '../../../support/search/test-cluster.js'
import { upload } from '../../../support/servers/uploads.js'

interface Progress {
  readonly search: { readonly upToDate: boolean; readonly lag: number; readonly lastError?: string }
}

const progressOf = async ({ url }: RunningServer) => (await (await fetch(`${url}health`)).json()) as Progress

describeOneCluster('A server that is killed while it fills a cluster', cluster => {
  after(async () => {
    await stopProcesses()
  })

  it('leaves a cluster that equals the repository after the next start', async () => {
    const folder = await temporaryFolder()
    const options = ['--data', folder, '--search-url', cluster.url, '--search-index', cluster.prefix]
    const start = () => startServer([...options, '--base-url', 'http://metastore.test', '--no-metrics'])
    const stored: string[] = []
    for (const milliseconds of [1500, 400, 900, 150]) {
      const server = await start()
      const record = { schemaId: `schema-${milliseconds}` }
      await upload(server.url, 'schema', record, jsonSchema('title'))
      const uploads = Array.from({ length: 30 }, async (_, index) => {
        const id = `${milliseconds}-${index}`
        const sent = metadataRecordV1(`http://x/${id}`, record.schemaId, { id })
        await upload(server.url, 'metadata', sent, JSON.stringify({ title: id })).then(
          () => stored.push(id),
          // The kill of the server ends the request.
          () => undefined,
        )
      })
      await new Promise(resolve => setTimeout(resolve, milliseconds))
      await server.stop('SIGKILL')
      await Promise.all(uploads)
    }
    const server = await start()
    await waitUntil(
      'the cluster is up to date',
      async () => (await progressOf(server)).search.upToDate,
      60_000,
    )
    const list = async (collection: string) =>
      (await fetch(`${server.url}api/v2/${collection}?size=2000`)).json() as Promise<never[]>
    const records = await recordsInRepository(cluster, list)
    expect(records.length).to.be.above(stored.length)
    expect(await recordsInCluster(cluster)).to.deep.equal(records)
  })
})

describe('A server whose cluster does not answer', () => {
  after(stopProcesses)
  const away = ['--search-url', 'http://127.0.0.1:9']
  const search = (server: RunningServer) =>
    fetch(`${server.url}api/v1/search`, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    })

  it('stores records, and answers searches with 503 and the time to try again', async () => {
    const server = await startServer(['--data', await temporaryFolder(), ...away])
    await upload(server.url, 'schema', { schemaId: 'stored' }, jsonSchema())
    const answer = await search(server)
    expect([answer.status, answer.headers.get('Retry-After')]).to.deep.equal([503, '10'])
    expect(await answer.json()).to.have.nested.property('error.type', 'cluster_block_exception')
    const { search: progress } = await progressOf(server)
    expect(progress.lag).to.be.above(0)
    expect(progress.lastError).to.contain('cannot be reached')
    const metrics = await (await fetch(`${server.url}metrics`)).text()
    expect(metrics)
      .to.match(/^metastore_search_failing 1$/m)
      .and.match(/^metastore_search_lag_revisions [1-9]\d*$/m)
  })

  it('answers from the embedded index with --search-fallback embedded', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', folder, ...away, '--search-fallback', 'embedded'])
    await waitUntil('the embedded index answers', async () => {
      const answer = await search(server)
      return (
        answer.status === 200 &&
        ((await answer.json()) as { hits: { total: { value: number } } }).hits.total.value > 0
      )
    })
  })

  it('does not start with credentials on the command line, or with options without a cluster', async () => {
    const folder = await temporaryFolder()
    const refused = [
      [['--search-url', 'http://user:secret@localhost:9200'], 'METASTORE_SEARCH_CREDENTIALS'],
      [['--search-fallback', 'embedded'], '--search-fallback needs --search-url'],
      [['--search-ids', 'bare'], '--search-ids needs --search-url'],
      [['--search-url', 'localhost:9200'], 'is no URL of a cluster'],
      [['--search-url', 'http://localhost:9200', '--search-index', 'Öl'], '--search-index'],
    ] as const
    for (const [args, message] of refused) {
      const failure = await startServer(['--data', folder, ...args]).then(
        () => '',
        (error: Error) => error.message,
      )
      expect(failure).to.contain(message)
    }
  })
})
