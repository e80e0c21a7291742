import { expect } from 'chai'
import type { Response } from 'supertest'
import { startService, type TestService } from '../../support/http/test-service.js'
import { identifyWithTestSecret } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const routes = [
  '/api/v1/search',
  '/api/v1/metastore-open/_search',
  '/api/v1/metadata/search',
  '/api/v1/metadata/metastore-open/search',
  '/api/v2/metadata/search',
  '/api/v2/metadata/metastore-open/search',
  '/metastore/api/v1/search',
  '/metastore/api/v1/metastore-open/_search',
]

function expectElasticsearch({ status, headers, body }: Response, wanted: number, type: string, place = '') {
  expect(status, place).to.equal(wanted)
  expect(headers['content-type'], place).to.match(/^application\/json/)
  const { reason } = body.error
  expect(reason, place).to.be.a('string').and.not.equal('')
  const cause = { type, reason }
  expect(body, place).to.deep.equal({ error: { root_cause: [cause], ...cause }, status: wanted })
}

function expectProblemDetails({ status, headers, body }: Response, wanted: number, place = '') {
  expect(headers['content-type'], place).to.match(/^application\/problem\+json/)
  expect([status, body.status], place).to.deep.equal([wanted, wanted])
}

describe('The problems of the search routes of existing frontends', () => {
  let service: TestService
  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
  })
  after(removeRepositories)

  it('have the shape of Elasticsearch for a token that is not valid', async () => {
    for (const path of routes) {
      for (const token of ['Bearer x', 'Basic x']) {
        const answer = await service.http.post(path).set('Authorization', token).send({})
        expectElasticsearch(answer, 401, 'security_exception', path)
        expect(answer.headers['www-authenticate'], path).to.contain('error="invalid_token"')
      }
    }
    const native = await service.http.get('/api/v1/search').set('Authorization', 'Bearer x')
    expectProblemDetails(native, 401)
    expectProblemDetails(
      await service.http.get('/api/v1/metadata/search').set('Authorization', 'Bearer x'),
      401,
    )
  })

  it('have the shape of Elasticsearch for another method on routes that only frontends use', async () => {
    for (const path of ['/api/v1/metastore-open/_search', '/metastore/api/v1/metastore-*/_search']) {
      for (const method of ['get', 'put', 'patch', 'delete'] as const) {
        const answer = await service.http[method](path)
        expectElasticsearch(answer, 405, 'exception', `${method} ${path}`)
        expect(answer.headers.allow).to.equal('POST, OPTIONS')
      }
      await service.http.options(path).expect(204)
      const page = await service.http.get(path).set('Accept', 'text/html')
      expectElasticsearch(page, 405, 'exception', path)
    }
    expectProblemDetails(await service.http.put('/api/v1/search'), 405)
    expectProblemDetails(await service.http.patch('/api/v2/metadata/metastore-open/search'), 405)
    expectProblemDetails(await service.http.get('/api/v1/search?sort=nothing'), 400)
    expectProblemDetails(await service.http.post('/api/v2/search').send({}), 405)
    for (const path of ['/api/v2/metastore-open/_search', '/other/api/v1/search', '/api/v3/a/_search'])
      expectProblemDetails(await service.http.post(path).send({}), 404, path)
  })

  it('have the shape of Elasticsearch if the client sends too many requests', async () => {
    const { http } = await startService({ rateLimit: { requests: 1, seconds: 100 } })
    expectElasticsearch(await http.post('/api/v1/nothing/_search').send({}), 404, 'index_not_found_exception')
    for (const path of routes) {
      const answer = await http.post(path).send({})
      expectElasticsearch(answer, 429, 'rejected_execution_exception', path)
      expect(Number(answer.headers['retry-after'])).to.be.above(0)
      expect(answer.headers).to.include.keys('ratelimit', 'ratelimit-policy')
    }
    expectProblemDetails(await http.get('/api/v1/search'), 429)
  })

  it('have the shape of Elasticsearch for a host that does not belong to the server', async () => {
    const { http } = await startService({ hosts: ['metastore.test'] })
    const answer = await http.post('/api/v1/search').set('Host', 'elsewhere.test').send({})
    expectElasticsearch(answer, 421, 'exception')
  })

  it('have the shape of Elasticsearch for parameters that would change the answer', async () => {
    await service.http.post('/api/v1/search?size=1&page=0').send({}).expect(200)
    for (const path of routes) {
      for (const query of [
        ...['q=zzz', 'from=1', 'scroll=1m', 'sort=id:asc', '_source=false', '_source_includes=id'],
        ...['_source_excludes=id', 'track_total_hits=false', 'terminate_after=1', 'typed_keys=true'],
        ...['rest_total_hits_as_int=true', 'filter_path=hits', 'explain', 'version=true', 'suggest_text=x'],
        ...['size=3&from=1', 'q=a&q=b'],
      ]) {
        const answer = await service.http.post(`${path}?${query}`).send({ size: 1 })
        expectElasticsearch(answer, 400, 'parsing_exception', `${path}?${query}`)
        const [name] = query.replace('size=3&', '').split('=')
        expect(answer.body.error.reason).to.contain(`the parameter [${name}] of the address is not supported`)
      }
    }
    const { body } = await service.http.post('/api/v1/search?from=10').send({}).expect(400)
    expect(body.error.reason).to.contain('send [from] in the body')
  })

  it('do not appear for parameters that do not change the answer', async () => {
    for (const query of [
      ...['preference=_local', 'ignore_unavailable=true', 'timeout=10s', 'request_cache=true', 'pretty'],
      ...['typed_keys=false', 'explain=false', 'search_type=query_then_fetch', 'unknown=1', 'sort=id,asc'],
    ])
      await service.http.post(`/api/v1/metastore-open/_search?${query}`).send({}).expect(200)
  })
})
