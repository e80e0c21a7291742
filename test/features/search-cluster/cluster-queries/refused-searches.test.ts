import { expect } from 'chai'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'
import { type GivenAnswer, isSearch, openClusterProxy } from '../../../support/search/cluster-proxy.js'
import { storeDocument } from '../../../support/search/cluster-service.js'
import { clusterOptions, describeOneCluster } from '../../../support/search/test-cluster.js'

const failure = { type: 'circuit_breaking_exception', reason: 'Data too large' }
const tooMany: GivenAnswer = { status: 429, body: { error: failure, status: 429 } }
const allShardsFailed: GivenAnswer = { status: 503, body: { error: failure, status: 503 } }
const someShardsFailed: GivenAnswer = {
  status: 200,
  body: {
    timed_out: false,
    _shards: { total: 3, successful: 2, failed: 1, failures: [{ shard: 0, reason: failure }] },
    hits: { total: { value: 0, relation: 'eq' }, hits: [] },
  },
}
const refused: GivenAnswer = { status: 400, body: { error: failure, status: 400 } }
/** @param status status of the whole search; 200 if only one shard fails */
const faultOfRequest = (type: string, status: number): GivenAnswer => {
  const cause = { type, reason: 'For a reason' }
  const all = { root_cause: [cause], type: 'search_phase_execution_exception', reason: 'all shards failed' }
  if (status !== 200) return { status, body: { error: all, status } }
  const shards = { total: 3, successful: 2, failed: 1, failures: [{ shard: 0, reason: cause }] }
  return { status, body: { timed_out: false, _shards: shards, hits: { total: { value: 0 }, hits: [] } } }
}
const times = (count: number, answer: GivenAnswer) => Array.from({ length: count }, () => answer)

describeOneCluster('A search that the cluster refuses', cluster => {
  const proxy = openClusterProxy(cluster.url)
  let service: TestService

  before(async () => {
    service = await startService({
      features: clusterOptions({ ...cluster, url: await proxy.listen() }),
    })
    await service.postSchema({ schemaId: 'one' }, jsonSchema()).expect(201)
    await storeDocument(service, 'a')
    await searchHasAll(service)
  })
  after(async () => {
    proxy.close()
    await removeRepositories()
  })

  async function search(answers: readonly GivenAnswer[]) {
    const before = {
      searches: proxy.requests.filter(isSearch).length,
      reports: service.repository.reports.length,
    }
    proxy.answerSearches(answers)
    const answer = await service.http.get('/api/v1/search?q=id:a')
    proxy.answerSearches([])
    return {
      status: answer.status,
      total: (answer.body as { readonly total?: number }).total,
      detail: (answer.body as { readonly detail?: string }).detail,
      sent: proxy.requests.filter(isSearch).length - before.searches,
      reports: service.repository.reports.slice(before.reports),
    }
  }

  for (const [name, answer] of Object.entries({
    'with 429': tooMany,
    'with 503': allShardsFailed,
    'in one of its shards': someShardsFailed,
  })) {
    it(`${name} for a moment is sent again`, async () => {
      expect(await search(times(3, answer))).to.include({ status: 200, total: 1, sent: 4 })
    })
  }

  it('for longer gets 503; the log names the reason once', async () => {
    const first = await search(times(5, someShardsFailed))
    expect(first).to.include({ status: 503, sent: 5 })
    expect(first.detail).not.to.contain('Data too large')
    expect(first.reports).to.have.lengthOf(1)
    expect(first.reports[0]).to.match(
      /^A search failed: http:\S+ could not search in all of its shards\. circuit_breaking_exception: Data too large$/,
    )
    expect(await search(times(5, someShardsFailed))).to.deep.include({ status: 503, reports: [] })
    expect(await search([])).to.include({ status: 200, total: 1, sent: 1 })
    expect((await search(times(5, someShardsFailed))).reports).to.have.lengthOf(1)
  })

  for (const [type, status] of [
    ['too_many_nested_clauses', 500],
    ['too_many_nested_clauses', 200],
    ['too_many_buckets_exception', 503],
    ['null_pointer_exception', 500],
  ] as const) {
    it(`with ${status} and ${type} gets 400, and is not sent again`, async () => {
      const answer = await search(times(5, faultOfRequest(type, status)))
      expect(answer).to.deep.include({ status: 400, sent: 1, reports: [] })
      expect(answer.detail).to.contain('refuses this search')
    })
  }

  it('as malformed is not sent again', async () => {
    expect(await search([refused])).to.include({ status: 400, sent: 1 })
  })
})
