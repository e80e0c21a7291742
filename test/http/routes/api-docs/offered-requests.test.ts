import { expect } from 'chai'
import { formType, multipartBody } from '../../../support/http/raw-connection.js'
import { startService, type TestService } from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

interface Described {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly example?: unknown
  readonly schema: Shape
}
interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
}
interface OperationShape {
  readonly parameters?: readonly Described[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> }
}

const methods = ['get', 'post', 'put', 'delete'] as const

/**
 * Requests as the page of the description offers them, without an input of its user: Swagger UI fills in examples and
 * defaults, and leaves other fields empty. A required file is chosen by the user.
 */
describe('requests that the page of the description offers', () => {
  let service: TestService
  let document: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly components: { readonly parameters: Readonly<Record<string, Described>> }
  }
  before(async () => {
    service = await startService()
    document = (await service.http.get('/v3/api-docs').expect(200)).body
  })
  after(removeRepositories)

  const resolved = (parameter: Described): Described =>
    parameter.$ref === undefined
      ? parameter
      : (document.components.parameters[parameter.$ref.replace(/^.*\//, '')] as Described)

  /** The value that the page fills in; undefined for an empty field. */
  function offered({ example, required, schema }: Described): unknown {
    return example ?? schema.default ?? (required ? schema.enum?.[0] : undefined)
  }

  function formOf(shape: Shape): Buffer {
    const parts = Object.entries(shape.properties ?? {}).flatMap(
      ([name, part]): (readonly [string, string])[] => {
        const disposition = `Content-Disposition: form-data; name="${name}"`
        const [example = part.default] = part.examples ?? []
        if (Array.isArray(example) && example.length === 0) return [[disposition, '']]
        if (example !== undefined)
          return [[`${disposition}\r\nContent-Type: application/json`, JSON.stringify(example)]]
        expect(part.type, `${name} is filled in with a generated value`).to.equal('string')
        return part.format === 'binary' && shape.required?.includes(name)
          ? [[`${disposition}; filename="file"`, '{"type":"object"}']]
          : []
      },
    )
    return multipartBody(...parts)
  }

  async function send(path: string, method: (typeof methods)[number]) {
    const item = document.paths[path] as Readonly<Record<string, unknown>>
    const operation = item[method] as OperationShape
    const all = [...((item.parameters ?? []) as readonly Described[]), ...(operation.parameters ?? [])].map(
      resolved,
    )
    const filled = all.flatMap(each => {
      const value = offered(each)
      return value === undefined ? [] : [{ ...each, text: String(value) }]
    })
    const inPath = filled.filter(each => each.in === 'path')
    const address = inPath.reduce(
      (url, { name, text }) => url.replace(`{${name}}`, encodeURIComponent(text)),
      path,
    )
    const sent = service.http[method](address)
      .query(
        Object.fromEntries(filled.filter(each => each.in === 'query').map(({ name, text }) => [name, text])),
      )
      .set(
        Object.fromEntries(filled.filter(each => each.in === 'header').map(({ name, text }) => [name, text])),
      )
    const form = operation.requestBody?.content['multipart/form-data']?.schema
    return await (form ? sent.set('Content-Type', formType).send(formOf(form)) : sent)
  }

  it('register a schema and store a document that follows it, in both versions', async () => {
    for (const version of [1, 2])
      for (const kind of ['schemas', 'metadata']) {
        const answer = await send(`/api/v${version}/${kind}`, 'post')
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      }
  })

  it('are well-formed: none is 400, 406, 413 or 415', async () => {
    const faults: string[] = []
    for (const [path, item] of Object.entries(document.paths))
      for (const method of methods) {
        // The page needs the user's choice of a verb, a program, a body or one of two files here.
        if (!(method in item) || /impact$|oaipmh|repository\.git|\/search$|_search$|opensearch/.test(path))
          continue
        const { status, text } = await send(path, method)
        if ([400, 406, 413, 415].includes(status)) faults.push(`${method} ${path}: ${status} ${text}`)
      }
    expect(faults).to.deep.equal([])
  })
})

describe('the page of the description', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(removeRepositories)

  it('leads back to the dashboard, below each mount', async () => {
    for (const mount of ['', '/metastore']) {
      const page = await service.http.get(`${mount}/swagger-ui.html`).expect(200)
      const link = /<header><a href="([^"]*)">Dashboard</.exec(page.text)?.[1] ?? ''
      const { pathname } = new URL(link, `http://x${mount}/swagger-ui.html`)
      expect(pathname).to.equal(`${mount}/dashboard`)
      await service.http.get(pathname).expect(200)
    }
  })

  it('has a style for dark mode, from this server', async () => {
    const { text } = await service.http.get('/swagger-ui.html').expect(200)
    const [, own = ''] = /<link rel="stylesheet" href="(swagger-ui\/page\.css)">/.exec(text) ?? []
    const style = await service.http
      .get(`/${own}`)
      .expect('Content-Type', 'text/css; charset=utf-8')
      .expect(200)
    expect(style.text).to.contain('prefers-color-scheme: dark')
  })
})

describe('the icon of the pages', () => {
  afterEach(removeRepositories)

  it('is at /favicon.ico, caches may keep it, and pages may show it', async () => {
    const service = await startService()
    const icon = await service.http.get('/favicon.ico').buffer().expect(200)
    expect(icon.headers['content-type']).to.equal('image/vnd.microsoft.icon')
    expect(icon.headers['cache-control']).to.equal('public, max-age=86400')
    expect((icon.body as Buffer).subarray(0, 4).toString('hex')).to.equal('00000100')
    const drawn = await service.http.get('/favicon.svg').buffer().expect(200)
    expect(drawn.headers['content-type']).to.equal('image/svg+xml')
    const page = await service.http.get('/dashboard').expect(200)
    expect(page.headers['content-security-policy']).to.contain("img-src 'self'")
  })

  for (const path of ['/dashboard', '/metastore/dashboard', '/metastore/metadata-landing-page?id=none'])
    it(`is named by a page: ${path}`, async () => {
      const service = await startService()
      const { text } = await service.http.get(path).set('Accept', 'text/html')
      const [, address = ''] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)">/.exec(text) ?? []
      const { pathname } = new URL(address, 'http://localhost')
      expect(pathname).to.equal(path.startsWith('/metastore') ? '/metastore/favicon.svg' : '/favicon.svg')
      await service.http.get(pathname).expect(200).expect('Content-Type', 'image/svg+xml')
    })
})
