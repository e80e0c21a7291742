import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Response } from 'supertest'
import { searchHasAll } from '../../../../support/http/search-examples.js'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../../support/http/test-service.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../../../support/repository/test-repository.js'
import { clusterOptions, testCluster } from '../../../../support/search/test-cluster.js'

function expectUnavailable({ status, headers }: Response, type: string, place: string): void {
  expect(status, place).to.equal(503)
  expect(Number(headers['retry-after']), place).to.be.above(0)
  expect(headers['content-type'], place).to.contain(type)
}

/** Declares the tests. @param of returns the service */
function itAnswersUnavailable(of: () => TestService): void {
  it('answers 503 to searches, suggestions and lists with a query', async () => {
    for (const path of [
      ...['/api/v1/search', '/api/v1/search?q=steel', '/api/v2/search?q=steel&kind=both'],
      ...['/api/v1/search/suggest?q=ste', '/api/v2/search/suggest?q=ste'],
      ...['/api/v1/metadata?q=steel', '/api/v2/metadata?q=steel', '/api/v1/schemas?q=one'],
      '/api/v2/schemas?q=one',
    ])
      expectUnavailable(await of().http.get(path), 'application/problem+json', path)
    expectUnavailable(await of().http.get('/search?q=steel').set('Accept', 'text/html'), 'text/html', 'page')
  })

  it('answers 503 to frontends in the shape of Elasticsearch', async () => {
    for (const path of [
      ...['/api/v1/search', '/api/v1/metastore-one/_search', '/api/v1/metastore-o*/_search'],
      ...['/api/v1/metadata/search', '/api/v2/metadata/metastore-one/search'],
    ]) {
      const suggest = { s: { prefix: 'ste', completion: { field: 'title' } } }
      for (const body of [{}, { size: 0, suggest }]) {
        const answer = await of().http.post(path).send(body)
        expectUnavailable(answer, 'application/json', path)
        const { type, reason } = answer.body.error
        expect(type).to.equal('cluster_block_exception')
        expect(answer.body).to.deep.equal({
          error: { root_cause: [{ type, reason }], type, reason },
          status: 503,
        })
      }
    }
  })
}

describe('a server that cannot create its search index', () => {
  let service: TestService
  let folder: string
  before(async () => {
    const repository = await temporaryRepository({ bare: true })
    const first = await startService({}, {}, repository)
    await first.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
    await first
      .postMetadata(metadataRecordV1('http://x/a', 'one', { id: 'a' }), '{"title":"steel"}')
      .expect(201)
    await searchHasAll(first)
    await first.services.close()
    folder = join(repository.dir, 'git-metastore')
    const files = readdirSync(folder).filter(name => /^search-.*\.sqlite/.test(name))
    for (const name of files) rmSync(join(folder, name))
    for (const name of files) if (name.endsWith('.sqlite')) mkdirSync(join(folder, name))
    service = await startService({}, {}, repository, { serving: true })
  })
  after(removeRepositories)

  itAnswersUnavailable(() => service)

  it('still serves records and lists', async () => {
    await service.http.get('/api/v1/metadata/a').expect(200)
    expect((await service.http.get('/api/v1/metadata').expect(200)).body).to.have.length(1)
    const { body } = await service.http.get('/health').expect(200)
    expect(body.search).to.include({ isMissing: true }).and.to.have.property('lastError')
  })

  it('answers searches again when it can create the index', async () => {
    for (const name of readdirSync(folder))
      if (name.startsWith('search-')) rmSync(join(folder, name), { recursive: true })
    await waitUntil(
      'a search',
      async () => (await service.http.get('/api/v1/search?q=steel')).status === 200,
      60_000,
    )
    const { body } = await service.http.post('/api/v1/search').send({}).expect(200)
    expect(body.hits.total.value).to.equal(1)
  })
})

describe('a server whose search cluster does not answer', () => {
  let service: TestService
  before(async () => {
    // No process listens on this port.
    const searchCluster = { ...testCluster(), url: 'http://127.0.0.1:1' }
    service = await startService({ features: clusterOptions(searchCluster) }, {}, undefined, {
      serving: true,
    })
    await service.postSchema({ schemaId: 'one' }, jsonSchema('title')).expect(201)
  })
  after(removeRepositories)

  itAnswersUnavailable(() => service)
})
