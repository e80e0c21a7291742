// test-schedule: waits
import { expect } from 'chai'
import type { Id } from '../../../../src/core/value-types.js'
import { documentFileName, recordDirectory } from '../../../../src/store/records/repository-layout.js'
import { jsonSchema, type TestService } from '../../../support/http/test-service.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../../support/repository/test-repository.js'
import { type ClusterProxy, openClusterProxy } from '../../../support/search/cluster-proxy.js'
import { followed, startClusterService, storeDocument } from '../../../support/search/cluster-service.js'
import { describeOneCluster } from '../../../support/search/test-cluster.js'

/** More documents than the server sends in one part. */
const count = 520
const document = { first: 'Doe, Jane', second: 'Roe, Max' }

/** Progress of the search in `/health`. */
interface Progress {
  readonly upToDate: boolean
  readonly lag: number
  readonly again?: readonly object[]
}

describeOneCluster('A cluster whose documents have another crosswalk', cluster => {
  let proxy: ClusterProxy
  let settings = cluster
  let service: TestService

  before(async () => {
    proxy = openClusterProxy(cluster.url)
    settings = { ...cluster, url: await proxy.listen() }
    const repository = await temporaryRepository()
    service = await startClusterService(settings, repository, { serving: true })
    await service.postSchema({ schemaId: 'one', crosswalk: { creators: 'first' } }, jsonSchema()).expect(201)
    await storeDocument(service, idOf(0), { document })
    await service.services.workTreeUpToDate()
    const record = await repository.git('show', `HEAD:${recordDirectory('metadata', idOf(0))}/record.json`)
    const files = Array.from({ length: count - 1 }, (_, number) => filesOf(number + 1, record))
    await repository.commit('Add many documents', Object.assign({}, ...files))
    await waitUntil(
      'the documents are served',
      async () => (await service.http.get(`/api/v1/metadata/${idOf(1)}`)).ok,
      100_000,
    )
    await followed(service)
  })
  after(async () => {
    await removeRepositories()
    proxy.close()
  })

  const idOf = (number: number) => `d${String(number).padStart(3, '0')}` as Id

  /** The files of another document. @param record of the document with the number 0 */
  function filesOf(number: number, record: string): Readonly<Record<string, string>> {
    const folder = recordDirectory('metadata', idOf(number))
    return {
      [`${folder}/record.json`]: record.replaceAll(idOf(0), idOf(number)),
      [`${folder}/${documentFileName('metadata', 'JSON')}`]: JSON.stringify(document),
    }
  }

  async function totalOf(creator: string): Promise<number> {
    const { body } = await service.http.get('/api/v1/search').query({ creator, size: 1 }).expect(200)
    return (body as { total: number }).total
  }

  async function progress(): Promise<Progress> {
    const { body } = await service.http.get('/health')
    return (body as { search: Progress }).search
  }

  /** The ids of the documents in requests after the first `from`, in order. */
  const sent = (from: number) =>
    proxy.requests
      .slice(from)
      .filter(({ path }) => path.startsWith('/_bulk'))
      .flatMap(({ body }) => [...body.matchAll(/"_id":"[^"]*\/(d\d+)"/g)].map(([, id]) => id))

  it('gets them again part by part, after newer revisions, and goes on where a server ended', async () => {
    expect(await totalOf('Doe, Jane')).to.equal(count)
    const before = proxy.requests.length
    const first = proxy.holdNext(
      ({ path, body }) => path.startsWith('/_bulk') && body.includes(`/${idOf(0)}"`),
    )
    await service.putSchema('one', '*', { crosswalk: { creators: 'second' } }).expect(200)
    await first.arrived
    const begun = await progress()
    expect(begun).to.include({ upToDate: false })
    expect(begun.lag).to.be.above(0)
    expect(begun.again).to.deep.equal([{ schema: 'one', done: 0, total: 0 }])

    await storeDocument(service, 'new', { document: { second: 'Poe, Ann' } })
    const last = proxy.holdNext(
      ({ path, body }) => path.startsWith('/_bulk') && body.includes(`/${idOf(count - 1)}"`),
    )
    first.release()
    await last.arrived
    expect((await progress()).again).to.deep.equal([{ schema: 'one', done: 500, total: count }])
    expect(await totalOf('Poe, Ann'), 'the newer revision').to.equal(1)
    expect(await totalOf('Roe, Max')).to.equal(500)
    expect(sent(before).slice(0, 500)).to.deep.equal(Array.from({ length: 500 }, (_, n) => idOf(n)))

    const stopped = proxy.requests.length
    await service.services.close()
    last.release()
    service = await startClusterService(settings, service.repository, { serving: true })
    await followed(service)
    expect(await totalOf('Roe, Max')).to.equal(count)
    expect(await totalOf('Doe, Jane')).to.equal(0)
    expect(await progress())
      .to.include({ upToDate: true, lag: 0 })
      .and.not.have.property('again')
    expect(sent(stopped)).to.not.include(idOf(0))
  })
})
