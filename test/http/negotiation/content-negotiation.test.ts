import { expect } from 'chai'
import {
  jsonSchema,
  metadataRecordV1,
  metadataType,
  noteXml,
  noteXsdText,
  schemaType,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('content negotiation', () => {
  let service: TestService
  let id: string
  beforeEach(async () => {
    service = await startService()
    await service.postSchema({ schemaId: 'note' }, noteXsdText).expect(201)
    id = (await service.postMetadata(metadataRecordV1('http://x/1', 'note'), noteXml).expect(201)).body.id
  })
  afterEach(removeRepositories)

  it('returns the record with the requested media type, in both families', async () => {
    for (const [url, types] of [
      ['/api/v1/schemas/note', [schemaType, 'application/vnd.datamanager.schema-record+json']],
      [`/api/v1/metadata/${id}`, [metadataType, 'application/vnd.datamanager.metadata-record+json']],
    ] as const) {
      for (const type of types) {
        const answer = await service.http.get(url).set('Accept', type).expect(200)
        expect(answer.headers['content-type']).to.equal(type)
        expect(answer.text).to.match(/^\{"/)
      }
    }
  })

  it('returns the document for any other type', async () => {
    for (const type of [
      '*/*',
      'application/json',
      'application/xml',
      'image/png',
      `${schemaType}, */*;q=0.1`,
      'application/x+json',
    ]) {
      const answer = await service.http.get(`/api/v1/metadata/${id}`).set('Accept', type).expect(200)
      expect(answer.headers['content-type'], type).to.equal('application/xml')
      expect(answer.text).to.equal(noteXml)
    }
    await service.http.get(`/api/v1/metadata/${id}`).set('Accept', schemaType).expect(406)
  })

  it('returns a media type of other resources as this type or as 406, under every mount', async () => {
    const both = (name: string) => [
      `application/vnd.repository.${name}+json`,
      `application/vnd.datamanager.${name}+json`,
    ]
    const version2 = ['application/vnd.datacite.org+json', 'application/vnd.citation.org+json']
    const content = 'application/vnd.datamanager.content-information+json'
    const index = 'application/vnd.datamanager.acl+json'
    const known = [
      ...both('schema-record'),
      ...both('metadata-record'),
      ...version2,
      ...[content, index, 'application/tabulator+json'],
    ]
    const served = {
      '/api/v1': { schemas: both('schema-record'), metadata: [...both('metadata-record'), index] },
      '/api/v2': { schemas: [...version2, content], metadata: [...version2, content, index] },
    }
    const mounts = { '/api/v1': ['', '/metastore'], '/api/v2': ['', '/metastore', '/repository'] }
    for (const version of ['/api/v1', '/api/v2'] as const) {
      for (const mount of mounts[version]) {
        for (const [collection, name] of [
          ['schemas', 'note'],
          ['metadata', id],
        ] as const) {
          for (const type of known) {
            const url = `${mount}${version}/${collection}/${name}`
            const { status, headers } = await service.http.get(url).set('Accept', type)
            const expected = served[version][collection].includes(type)
              ? [200, type]
              : [406, 'application/problem+json']
            expect([status, headers['content-type']], `${url} ${type}`).to.deep.equal(expected)
          }
        }
      }
    }
  })

  it('redirects a browser to the landing page, even if the record does not exist', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const [url, location] of [
      ['/api/v1/schemas/note', '/schema-landing-page?schemaId=note&version='],
      ['/api/v1/schemas/none?version=2', '/schema-landing-page?schemaId=none&version=2'],
      ['/api/v1/metadata/a%26b', '/metadata-landing-page?id=a%26b&version='],
      ['/metastore/api/v1/metadata/x?version=7', '/metastore/metadata-landing-page?id=x&version=7'],
    ] as const) {
      const answer = await service.http.get(url).set('Accept', browser).expect(302)
      expect(answer.headers).to.include({ location, vary: 'Accept' })
    }
  })

  it('redirects a browser to the configured landing page', async () => {
    const elsewhere = await startService({
      landingPages: { schema: 'https://ui.example.org/$(id)/$(version)' },
    })
    const answer = await elsewhere.http
      .get('/api/v1/schemas/note?version=3')
      .set('Accept', 'text/html')
      .expect(302)
    expect(answer.headers.location).to.equal('https://ui.example.org/note/3')
  })

  it('refuses a POST or PUT whose response the client would not accept, and stores nothing', async () => {
    await service.storesNothing(async () => {
      const post = service.postSchema({ schemaId: 'x' }, jsonSchema()).set('Accept', 'text/html')
      expect((await post.expect(406)).headers['content-type']).to.equal('application/problem+json')
      await service
        .postMetadata(metadataRecordV1('http://x/2', 'note'), noteXml)
        .set('Accept', 'application/xml')
        .expect(406)
      await service.putSchema('note', '*', { label: 'x' }).set('Accept', 'text/html').expect(406)
      await service
        .putMetadata(id, '*', { licenseUri: 'x' })
        .set('Accept', 'application/json;q=0')
        .expect(406)
    })
    await service.putMetadata(id, '*', { licenseUri: 'x' }).set('Accept', metadataType).expect(200)
    await service.putMetadata(id, '*', { licenseUri: 'y' }).set('Accept', 'text/html, */*;q=0.1').expect(200)
  })

  it('returns errors as problem details, regardless of Accept', async () => {
    const answer = await service.http
      .get('/api/v1/schemas/unknown')
      .set('Accept', 'application/xml')
      .expect(404)
    expect(answer.headers['content-type']).to.equal('application/problem+json')
    expect(answer.body).to.deep.equal({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: "Schema document with ID 'unknown' doesn't exist!",
      instance: '/api/v1/schemas/unknown',
    })
  })

  it('answers HEAD like GET without the body', async () => {
    for (const accept of [metadataType, '*/*']) {
      const get = await service.http.get(`/api/v1/metadata/${id}`).set('Accept', accept).expect(200)
      const head = await service.http.head(`/api/v1/metadata/${id}`).set('Accept', accept).expect(200)
      for (const name of ['content-type', 'content-length', 'etag', 'vary']) {
        expect(head.headers[name], name).to.equal(get.headers[name])
      }
      expect(head.text ?? '').to.equal('')
    }
    await service.http.head('/api/v1/metadata/unknown').expect(404)
  })
})

describe('methods and paths', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  const routes = [
    ['/api/v1/schemas', 'HEAD, GET, POST'],
    ['/api/v1/schemas/', 'HEAD, GET, POST'],
    ['/api/v1/schemas/x', 'HEAD, GET, PUT, DELETE'],
    ['/api/v1/schemas/x/validate', 'POST'],
    ['/api/v1/schemas/x/files/a/b.xsd', 'HEAD, GET'],
    ['/metastore/api/v1/metadata', 'HEAD, GET, POST'],
    ['/api/v1/metadata/x', 'HEAD, GET, PUT, DELETE'],
    ['/health', 'HEAD, GET'],
  ] as const

  it('list their methods on OPTIONS', async () => {
    for (const [url, allow] of routes) {
      const answer = await service.http.options(url).expect(204)
      expect(answer.headers.allow).to.equal(`${allow}, OPTIONS`)
    }
  })

  it('refuse every other method with 405', async () => {
    for (const [url, allow] of routes) {
      const others = (['get', 'post', 'put', 'delete', 'patch', 'trace', 'propfind'] as const).filter(
        method => !allow.split(', ').includes(method.toUpperCase()),
      )
      for (const method of others) {
        const answer = await service.http[method](url).expect(405)
        expect(answer.headers).to.include({
          allow: `${allow}, OPTIONS`,
          'content-type': 'application/problem+json',
        })
        expect(answer.body).to.include({ status: 405 })
      }
    }
  })

  it('answer 404 if they do not exist', async () => {
    for (const url of [
      '/api/v1',
      '/api/v1/schema',
      '/API/v1/schemas',
      '/api/v1/Schemas',
      '/api/v1/schemas/a/b',
      '/api/v1/schemas/a/file',
      '/api/v1/schemas/a/validate/',
      '/api/v3/schemas',
      '/health/',
      '//api/v1/schemas',
    ]) {
      const answer = await service.http.get(url)
      expect(answer.status, url).to.equal(404)
      expect(answer.headers['content-type'], url).to.equal('application/problem+json')
      await service.http.options(url).expect(404)
      await service.http.post(url).expect(404)
    }
  })
})

describe('scripts of web pages', () => {
  afterEach(removeRepositories)

  it('can read responses and errors if their origin is allowed', async () => {
    const service = await startService({ corsOrigins: ['http://localhost:*', 'https://ui.example.org'] })
    for (const origin of ['http://localhost:3000', 'https://ui.example.org']) {
      for (const path of ['/api/v1/schemas', '/api/v1/schemas/unknown']) {
        const answer = await service.http.get(path).set('Origin', origin)
        expect(answer.headers).to.include({
          'access-control-allow-origin': origin,
          'access-control-expose-headers':
            'Content-Range, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
        })
        expect(answer.headers.vary).to.equal('Origin, Accept')
      }
      const preflight = await service.http
        .options('/api/v1/schemas/x')
        .set({ Origin: origin, 'Access-Control-Request-Method': 'PUT' })
        .expect(204)
      expect(preflight.headers['access-control-allow-methods']).to.contain('PUT')
      expect(preflight.headers['access-control-allow-headers']).to.contain('If-Match')
    }
    for (const origin of ['http://localhost:3000.example.org', 'http://ui.example.org', 'null']) {
      const answer = await service.http.get('/api/v1/schemas').set('Origin', origin).expect(200)
      expect(answer.headers).not.to.have.property('access-control-allow-origin')
    }
  })

  it('of another site cannot post, unless their origin is allowed', async () => {
    const headers = { Origin: 'https://evil.example.org', 'Sec-Fetch-Site': 'cross-site' }
    const service = await startService({ corsOrigins: ['https://ui.example.org'] })
    await service.storesNothing(async () => {
      await service.postSchema({ schemaId: 'x' }, jsonSchema()).set(headers).expect(403)
    })
    await service.http.get('/api/v1/schemas').set(headers).expect(200)
    const named = { ...headers, Origin: 'https://ui.example.org' }
    await service.postSchema({ schemaId: 'x' }, jsonSchema()).set(named).expect(201)
  })

  it('can read no response by default', async () => {
    const service = await startService()
    const answer = await service.http
      .get('/api/v1/schemas')
      .set('Origin', 'http://localhost:3000')
      .expect(200)
    expect(answer.headers).not.to.have.property('access-control-allow-origin')
    expect(answer.headers.vary).to.equal('Accept')
  })
})
