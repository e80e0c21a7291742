// test-schedule: waits
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Oid } from '../../../src/core/value-types.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'
import { describeWithCluster, removeIndices, testCluster } from '../../support/search/test-cluster.js'

/** A proxy of the cluster that can leave requests without an answer. */
function openProxy(target: string) {
  let hangs = false
  const server = createServer((asked, answer) => {
    if (hangs) return
    const { method, url = '/', headers } = asked
    const passed = request(new URL(url, target), { method, headers }, from => {
      answer.writeHead(from.statusCode ?? 500, from.headers)
      from.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  return {
    async listen(): Promise<string> {
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    hang() {
      hangs = true
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describeWithCluster('A cluster that stops to answer', () => {
  const cluster = testCluster()
  const proxy = openProxy(cluster.url)
  let service: TestService

  before(async () => {
    const searchCluster = { ...cluster, url: await proxy.listen(), hasFallback: true }
    service = await startService({}, { searchCluster })
    await service.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(metadataRecordV1('http://x/a', 'one', { id: 'a' }), '{"title":"a"}')
      .expect(201)
  })
  after(async () => {
    proxy.close()
    await removeRepositories()
    await removeIndices(cluster)
  })

  const search = async (query: string) =>
    (await service.http.get(`/api/v1/search?q=id:a${query}`).expect(200)).body as {
      readonly engine: string
      readonly total: number
    }

  it('is asked once; the embedded index answers, and waits for commits', async () => {
    const head = (await service.head()) as Oid
    expect(await service.services.search?.waitFor(head, 60_000, new AbortController().signal)).to.equal(true)
    expect(await search('')).to.include({ engine: 'cluster', total: 1 })
    proxy.hang()
    await waitUntil(
      'the embedded index answers',
      async () => (await search('')).engine === 'embedded',
      30_000,
    )

    const answers: string[] = []
    for (let at = 0; at < 20; at++) answers.push((await search('')).engine)
    expect(new Set(answers)).to.deep.equal(new Set(['embedded']))
    const made = await service
      .postMetadata(metadataRecordV1('http://x/b', 'one', { id: 'b' }), '{"title":"b"}')
      .expect(201)
    const since = encodeURIComponent(String(made.headers.etag).replaceAll('"', ''))
    const found = await service.http.get(`/api/v1/search?q=id:b&wait=20&since=${since}`).expect(200)
    expect(found.body).to.include({ engine: 'embedded', total: 1 })
  })
})
