import { expect } from 'chai'
import { methods } from '../../../../src/http/openapi/specification-types.js'
import { openResponseCheck, routesOf } from '../../../support/answer-checks/openapi-response-check.js'
import { allRoutes, interfaceDescription } from '../../../support/http/interface-description.js'
import { base, jsonSchema, startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

describe('the OpenAPI description over HTTP', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(removeRepositories)

  it('is served at /v3/api-docs, with the address of the request as server', async () => {
    const root = await service.http.get('/v3/api-docs').expect(200)
    const below = await service.http.get('/metastore/v3/api-docs').expect(200)

    expect(root.headers['content-type']).to.equal('application/json')
    expect(root.body.info.title).to.match(/^MetaStore/)
    expect(root.body).to.deep.equal(asJson(interfaceDescription('http://metastore.test')))
    expect(urls(root.body.servers)).to.deep.equal([
      'http://metastore.test',
      'http://metastore.test/metastore',
    ])
    expect(urls(below.body.servers)).to.deep.equal([
      'http://metastore.test/metastore',
      'http://metastore.test',
    ])
    expect(urls(root.body.paths['/api/v2/schemas'].servers)).to.have.members(
      ['', '/metastore', '/repository'].map(mount => `http://metastore.test${mount}`),
    )
  })

  it('has the configured base URL and limits', async () => {
    const other = await startService({
      baseUrl: 'https://example.org/metastore-a',
      limits: { document: 3 * 2 ** 20 },
    })

    const { body } = await other.http.get('/v3/api-docs').expect(200)

    expect(urls(body.servers)[0]).to.equal('https://example.org/metastore-a')
    expect(body.paths['/api/v1/metadata'].post.requestBody.description).to.contain('3 MiB')
  })

  it('answers 304 to a client that has it', async () => {
    for (const path of ['/v3/api-docs', '/swagger-ui.html', '/swagger-ui/swagger-ui.css']) {
      const first = await service.http.get(path).expect(200)
      const again = await service.http.get(path).set('If-None-Match', String(first.headers.etag)).expect(304)

      expect(again.text, path).to.equal('')
      expect(first.headers['cache-control'], path).to.equal('no-cache')
    }
  })

  it('has every route', () => {
    const { versions, unversioned } = allRoutes
    const declared = [...versions.flatMap(({ routes }) => routes), ...unversioned]
    const described = Object.values(interfaceDescription().paths).flatMap(item =>
      methods.flatMap(method => item[method] ?? []),
    )

    expect(described.map(({ operationId }) => operationId)).to.have.members(
      declared.map(({ operationId }) => operationId),
    )
  })

  it('has the methods of every address, and no others', async () => {
    const routes = routesOf(interfaceDescription())
    for (const { template } of routes) {
      const path = template.replace(/\{[^}]+\}/g, 'x')
      const there = routes.filter(({ pattern }) => pattern.test(path)).map(({ item }) => item)
      const described = methods.filter(method => there.some(item => item[method]))

      const { headers } = await service.http.options(path).expect(204)

      const allowed = String(headers.allow).toLowerCase().split(', ')
      expect(new Set(allowed), path).to.deep.equal(
        new Set([...described, ...(described.includes('get') ? ['head'] : []), 'options']),
      )
    }
  })

  it('is also served as a page that loads only files of this server, at the root and below /metastore', async () => {
    for (const mount of ['', '/metastore']) {
      await service.http
        .get(`${mount}/swagger-ui/index.html`)
        .expect(302)
        .expect('Location', new RegExp(`[^/]${mount}/swagger-ui[.]html$`))
      const page = await service.http.get(`${mount}/swagger-ui.html`).expect(200)
      const policy = page.headers['content-security-policy']
      const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)

      expect(page.headers['content-type']).to.match(/^text\/html/)
      expect(policy).to.contain("default-src 'none'").and.to.contain("script-src 'self'")
      expect(policy).not.to.match(/https?:|\*/)
      expect(files).to.have.length.above(3)
      for (const file of files) {
        const url = new URL(file, `http://metastore.test${mount}/swagger-ui.html`)
        expect(url.pathname).to.match(new RegExp(`^${mount}/(swagger-ui/|v3/|dashboard$|favicon[.]svg$)`))
        const { headers } = await service.http.get(url.pathname).expect(200)
        expect(headers['content-type'], file).to.match(
          /^(text\/(css|html|javascript); charset=utf-8|image\/svg[+]xml|application\/json)$/,
        )
      }
    }
  })

  it('has a 404 page for browsers on unknown paths', async () => {
    for (const path of ['/nothing', '/api/v1/nothing', '/metastore/nothing', '/swagger-ui/nothing.js']) {
      const page = await service.http.get(path).set('Accept', 'text/html,*/*;q=0.8').expect(404)
      expect(page.headers['content-type'], path).to.equal('text/html; charset=utf-8')
      expect(page.text).to.match(/^<!DOCTYPE html>/)
      const other = await service.http.get(path).expect(404)
      expect(other.headers['content-type'], path).to.equal('application/problem+json')
    }
  })

  it('has a 404 page for browsers on an unknown record, version, file or point of history', async () => {
    await service.postSchema({ schemaId: 'note' }, jsonSchema()).expect(201)
    const paths = [
      'schemas/none/versions',
      'schemas/none/diff?from=1&to=2',
      'schemas/note/diff?from=1&to=9',
      'schemas/none/blame',
      'schemas/note/blame?version=9',
      'schemas/note/files/none.json',
      'metadata?id=none',
      'schemas?at=nothing',
      'metadata/none/versions',
    ]
    const others = ['/api/changes?since=0000000000000000000000000000000000000000', '/repository.git/none']
    const below = ['/api/v1', '/metastore/api/v1', '/api/v2', '/metastore/api/v2', '/repository/api/v2']
    for (const path of [...below.flatMap(mount => paths.map(each => `${mount}/${each}`)), ...others]) {
      const page = await service.http.get(path).set('Accept', 'text/html,*/*;q=0.8').expect(404)
      expect(page.headers['content-type'], path).to.equal('text/html; charset=utf-8')
      const root = path.startsWith('/metastore/') ? `${base}/metastore` : base
      expect(page.text, path).to.contain(`href="${root}/dashboard"`)
      expect(page.headers.vary, path).to.contain('Accept')
      const other = await service.http.get(path).expect(404)
      expect(other.headers['content-type'], path).to.equal('application/problem+json')
      expect(other.headers.vary, path).to.contain('Accept')
    }
  })

  it('has problem details for an unknown method, for browsers too', async () => {
    const answer = await service.http
      .post('/metastore/metadata-management')
      .set('Accept', 'text/html')
      .expect(405)
    expect(answer.headers['content-type']).to.equal('application/problem+json')
  })

  it('has no other file inside or outside the package', async () => {
    const others = ['package.json', 'swagger-ui.js.map', 'nothing.js', '..', '%2e%2e', '']
    const paths = ['../package.json', '..%2fpackage.json', '..%5cpackage.json', '%2e%2e%2fajv%2fpackage.json']
    for (const path of [...others, ...paths]) {
      const { status } = await service.http.get(`/swagger-ui/${path}`)
      expect(status, path).to.equal(404)
    }
  })

  it('describes the forms that the page sends, with the record as a file without a file name', async () => {
    // A browser sends this for `FormData.append('record', new Blob([…], { type: 'application/json' }))`.
    const { body } = await service.http
      .post('/api/v1/schemas')
      .attach('record', Buffer.from('{"schemaId":"note"}'), {
        filename: 'blob',
        contentType: 'application/json',
      })
      .attach('schema', Buffer.from('{"type":"object"}'), { filename: 'schema.json' })
      .expect(201)

    expect(body.schemaId).to.equal('note')
  })
})

describe('the comparison of responses with the served description', () => {
  afterEach(removeRepositories)

  it('finds a response under every mount of version 2', async () => {
    const service = await startService()
    const check = openResponseCheck()
    for (const mount of ['/api/v2', '/repository/api/v2', '/metastore/api/v2']) {
      const answer = await service.http.get(`${mount}/schemas`).expect(200)
      const exchange = {
        method: 'GET',
        status: 200,
        headers: { ...answer.headers },
        body: Buffer.from('[{}]'),
      }

      expect(check({ ...exchange, url: `${mount}/schemas` })).to.have.length.above(5)
      expect(check({ ...exchange, url: `${mount}/schemas`, body: Buffer.from('[]') })).to.deep.equal([])
    }
  })
})

function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function urls(servers: readonly { readonly url: string }[]): readonly string[] {
  return servers.map(({ url }) => url)
}
