// test-schedule: waits
import { expect } from 'chai'
import type { Oid } from '../../../../src/core/value-types.js'
import { searchOf } from '../../../../src/features/search/feature.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'
import { openClusterProxy } from '../../../support/search/cluster-proxy.js'
import { clusterOptions, describeOneCluster } from '../../../support/search/test-cluster.js'

describeOneCluster('A cluster that stops answering', cluster => {
  const proxy = openClusterProxy(cluster.url)
  let service: TestService

  before(async () => {
    const searchCluster = { ...cluster, url: await proxy.listen(), hasFallback: true }
    service = await startService({ features: clusterOptions(searchCluster) })
    const search = { fields: [{ path: 'n', as: 'number' }] }
    await service.postSchema({ schemaId: 'one', search }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(metadataRecordV1('http://x/a', 'one', { id: 'a' }), '{"title":"a","n":3}')
      .expect(201)
  })
  after(async () => {
    proxy.close()
    await removeRepositories()
  })

  const search = async (query: string) =>
    (await service.http.get(`/api/v1/search?q=id:a${query}`).expect(200)).body as {
      readonly engine: string
      readonly total: number
    }

  it('first refuses a search that is too large, and the embedded index answers it', async () => {
    const head = (await service.head()) as Oid
    expect(
      await searchOf(service.services.parts)?.waitFor(head, 60_000, new AbortController().signal),
    ).to.equal(true)
    // On a busy machine the cluster may be slow at first, while the embedded index is not complete yet.
    await waitUntil('an answer of the cluster', async () => {
      const { status, body } = await service.http.get('/api/v1/search?q=id:a')
      return status === 200 && body.engine === 'cluster' && body.total === 1
    })
    const range = (at: number) => ({ range: { 'metadataDocument.n': { gte: at, lt: at + 1 } } })
    const should = Array.from({ length: 1000 }, (_, index) => range(index))
    const { body } = await service.http
      .post('/api/v1/search')
      .send({ query: { bool: { should } } })
      .expect(200)
    expect(body.hits.total.value).to.equal(1)
    expect(await search('')).to.include({ engine: 'cluster', total: 1 })
  })

  it('gets one request; then the embedded index answers, and waits for commits', async () => {
    proxy.hang()
    await waitUntil(
      'the embedded index answers',
      async () => (await search('')).engine === 'embedded',
      30_000,
    )

    const answers: string[] = []
    for (let index = 0; index < 20; index++) answers.push((await search('')).engine)
    expect(new Set(answers)).to.deep.equal(new Set(['embedded']))
    const made = await service
      .postMetadata(metadataRecordV1('http://x/b', 'one', { id: 'b' }), '{"title":"b"}')
      .expect(201)
    const since = encodeURIComponent(String(made.headers.etag).replaceAll('"', ''))
    const found = await service.http.get(`/api/v1/search?q=id:b&wait=20&since=${since}`).expect(200)
    expect(found.body).to.include({ engine: 'embedded', total: 1 })
  })
})
