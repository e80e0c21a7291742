// test-schedule: quick
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import type { MediaType, Parameter, Schema } from '../../../../src/http/openapi/specification-types.js'
import { securityHeaders } from '../../../../src/http/security-headers.js'
import {
  compileOpenApiSchemas,
  openResponseCheck,
  type RequestAndResponse,
} from '../../../support/answer-checks/openapi-response-check.js'
import { interfaceDescription } from '../../../support/http/interface-description.js'

const description = interfaceDescription('http://localhost:8040')

describe('the OpenAPI description', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator()

    const result = await validator.validate(
      structuredClone(description) as unknown as Record<string, unknown>,
    )

    expect(result.errors ?? []).to.deep.equal([])
    expect(validator.version).to.equal('3.1')
  })

  it('describes every operation, with a unique id', () => {
    const operations = Object.values(description.paths).flatMap(({ get, put, post, delete: remove }) =>
      [get, put, post, remove].filter(operation => operation !== undefined),
    )

    expect(operations).to.have.length.above(10)
    const tags = description.tags.map(({ name }) => name)
    for (const { operationId, summary, description, tags: own } of operations) {
      expect(summary, operationId).to.match(/^[A-Z].*[^.]$/)
      expect(description, operationId).to.match(/\.$/)
      expect(tags, operationId).to.include.members([...own])
    }
    const names = operations.map(({ operationId }) => operationId)
    expect([...new Set(names)]).to.deep.equal(names)
  })

  it('has schemas that are valid by JSON Schema', () => {
    const schemas = compileOpenApiSchemas(description)
    const all = [...schemasIn(description)]

    expect(all).to.have.length.above(120)
    // The compiler throws an error for an invalid schema.
    for (const schema of all) schemas.problems(schema, 'x')
    const wrong = { type: 'text' } as unknown as Schema
    expect(() => schemas.problems(wrong, 'x')).to.throw('schema is invalid')
  })

  it('has examples that match their schemas', () => {
    const schemas = compileOpenApiSchemas(description)
    const examples = [...examplesIn(description, '')]

    expect(examples).to.have.length.above(40)
    const wrong = examples.flatMap(({ at, schema, value }) =>
      schemas.problems(schema, value).map(problem => `${at}: ${problem}`),
    )
    expect(wrong).to.deep.equal([])
  })

  it('has no defaults that a generated form would send', () => {
    // The page of the API uses the example of a parameter as its value.
    const own = Object.values(description.paths).flatMap(path =>
      Object.values(path as Record<string, { parameters?: readonly unknown[] }>).flatMap(
        operation => operation.parameters ?? [],
      ),
    )
    const all = [...Object.values(description.components.parameters), ...own] as readonly Parameter[]
    const filled = all.filter(({ required, example }) => !required && example !== undefined)
    expect(all).to.have.length.above(20)
    expect(filled.map(({ name }) => name)).to.deep.equal([])
  })

  it('allows a client to send back a returned record', () => {
    const schemas = compileOpenApiSchemas(description)
    const changes = Object.entries(description.paths).flatMap(([path, { put }]) =>
      put ? [{ path, put }] : [],
    )

    expect(changes).to.have.length(4)
    for (const { path, put } of changes) {
      const answer = put.responses[200]
      const content = answer && 'content' in answer ? answer.content?.['application/json'] : undefined
      const form = put.requestBody?.content['multipart/form-data']?.schema as {
        properties: { record: Schema }
      }
      const problems = schemas.problems(form.properties.record, content?.examples?.record?.value)
      expect(problems, path).to.deep.equal([])
      expect(schemas.problems(form.properties.record, { acl: 1, acls: 1 }), path).to.have.length.above(0)
    }
  })

  it('has no broken references and no unused components', () => {
    const text = JSON.stringify(description)
    const named = new Set([...text.matchAll(/"#\/components\/([A-Za-z]+\/[^"]+)"/g)].map(([, name]) => name))
    // Operations refer to security schemes by name, without a `$ref`.
    const { securitySchemes, ...components } = description.components
    const there = Object.entries(components).flatMap(([kind, all]) =>
      Object.entries(all)
        .filter(([, value]) => !('x-on-any-answer' in value))
        .map(([name]) => `${kind}/${name}`),
    )

    // The answer to a request for no operation; see the introduction of the description.
    const unnamed = ['responses/MethodNotAllowed']
    expect([...named, ...unnamed].sort()).to.deep.equal(there.sort())
    const operations = Object.values(description.paths).flatMap(path => Object.values(path))
    const used = [description, ...operations].flatMap(({ security = [] }) => security.flatMap(Object.keys))
    expect([...new Set(used)]).to.have.members(Object.keys(securitySchemes))
  })
})

/** The schema of every parameter, header and body, once each. */
function schemasIn(value: unknown, found = new Set<Schema>()): ReadonlySet<Schema> {
  if (typeof value !== 'object' || value === null) return found
  const { schema } = value as { schema?: Schema }
  if (schema) found.add(schema)
  for (const [name, inner] of Object.entries(value))
    if (!['schema', 'example', 'examples'].includes(name)) schemasIn(inner, found)
  return found
}

interface Found {
  readonly at: string
  readonly schema: Schema
  readonly value: unknown
}

/** Every `example`, `examples` of a media type, and `examples` of a schema, with the schema of the example. */
function* examplesIn(value: unknown, at: string): Generator<Found> {
  if (typeof value !== 'object' || value === null) return
  const here = value as { schema?: Schema; example?: unknown; examples?: unknown }
  if (here.schema && here.example !== undefined) yield { at, schema: here.schema, value: here.example }
  if (here.schema && here.examples) {
    for (const [name, example] of Object.entries((here as MediaType).examples ?? {})) {
      yield { at: `${at}/${name}`, schema: here.schema, value: example.value }
    }
  }
  if (Array.isArray(here.examples)) {
    for (const example of here.examples) yield { at, schema: here as Schema, value: example }
  }
  for (const [name, inner] of Object.entries(value)) yield* examplesIn(inner, `${at}/${name}`)
}

describe('the comparison of responses with the description', () => {
  const check = openResponseCheck()
  const record = {
    schemaId: 'note',
    schemaVersion: 1,
    mimeType: 'application/json',
    type: 'JSON',
    createdAt: '2026-03-14T09:26:53Z',
    lastUpdate: '2026-03-14T09:26:53.59Z',
    acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
    schemaDocumentUri: 'http://metastore.test/api/v1/schemas/note?version=1',
    schemaHash: `sha1:${'a'.repeat(40)}`,
    doNotSync: true,
  }
  const onAnyAnswer = { ...securityHeaders, 'X-Request-Id': 'r-1' }
  const named = Object.fromEntries(
    Object.entries(onAnyAnswer).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const created = answer({
    headers: {
      ...named,
      'content-type': 'application/json',
      'content-length': '1',
      etag: `"${'a'.repeat(40)}"`,
      location: 'http://metastore.test/api/v1/schemas/note?version=1',
    },
    body: record,
  })
  const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'why', instance: '/x' }
  const missing = answer({
    method: 'GET',
    url: '/elsewhere',
    status: 404,
    headers: { ...named, 'content-type': 'application/problem+json' },
    body: problem,
  })

  function answer(
    what: Partial<Omit<RequestAndResponse, 'body'>> & { readonly body?: unknown },
  ): RequestAndResponse {
    const { body, ...rest } = what
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
    return { method: 'POST', url: '/api/v1/schemas', status: 201, headers: {}, ...rest, body: bytes }
  }
  function withBody(exchange: RequestAndResponse, body: unknown): RequestAndResponse {
    return { ...exchange, body: Buffer.from(JSON.stringify(body)) }
  }
  function withHeaders(
    exchange: RequestAndResponse,
    headers: RequestAndResponse['headers'],
  ): RequestAndResponse {
    return { ...exchange, headers: { ...exchange.headers, ...headers } }
  }
  const { etag: _, ...withoutTag } = created.headers

  it('accepts responses that match the description, under every mount', () => {
    for (const url of [
      '/api/v1/schemas',
      '/api/v1/schemas/',
      '/metastore/api/v1/schemas',
      '/metastore/api/v1/schemas/',
    ]) {
      expect(check({ ...created, url }), url).to.deep.equal([])
    }
    expect(check(withHeaders(created, { vary: 'Origin', connection: 'close' }))).to.deep.equal([])
    expect(check(missing)).to.deep.equal([])
  })

  const wrong: Readonly<Record<string, readonly [exchange: RequestAndResponse, told: string]>> = {
    'a path': [{ ...created, url: '/api/v3/schemas' }, 'path is not described'],
    'a path below one that is described': [
      { ...created, url: '/api/v1/schemas/a/b' },
      'path is not described',
    ],
    'a method': [{ ...created, method: 'PUT' }, 'no such method'],
    'a status': [{ ...created, status: 202 }, 'no such status'],
    'a missing answer to OPTIONS': [{ ...created, method: 'OPTIONS', status: 200 }, 'no such method'],
    'a type': [withHeaders(created, { 'content-type': 'text/plain' }), 'text/plain'],
    'a header': [withHeaders(created, { 'x-powered-by': 'koa' }), 'x-powered-by is not described'],
    'a missing header': [{ ...created, headers: withoutTag }, 'etag is missing'],
    'a header of another shape': [withHeaders(created, { etag: 'W/"1"' }), 'etag is'],
    'a member': [withBody(created, { ...record, secret: 1 }), 'secret'],
    'a member in an object in a list': [
      withBody(created, { ...record, acl: [{ ...record.acl[0], role: 'x' }] }),
      'role',
    ],
    'a missing member': [withBody(created, { ...record, type: undefined }), 'type'],
    'a member of another type': [withBody(created, { ...record, schemaVersion: '1' }), '/schemaVersion'],
    'a time of another form': [
      withBody(created, { ...record, lastUpdate: '2026-03-14T09:26:53.590Z' }),
      '/lastUpdate',
    ],
    'a body that is not JSON': [{ ...created, body: Buffer.from('{') }, 'no JSON'],
    'a body in an answer without content': [
      { ...created, method: 'DELETE', url: '/api/v1/schemas/a', status: 204 },
      'body',
    ],
    'a problem of another status than the answer': [
      withBody(missing, { ...problem, status: 410 }),
      '/status',
    ],
    'a member of a problem': [withBody(missing, { ...problem, stack: 'at …' }), 'stack'],
    'a 405 without Allow': [{ ...missing, url: '/health', method: 'PUT', status: 405 }, 'allow is missing'],
  }
  for (const [what, [exchange, told]] of Object.entries(wrong)) {
    it(`finds a deviation: ${what}`, () => {
      const found = check(exchange)

      expect(found).to.have.length.above(0)
      expect(found.join('\n')).to.contain(told)
      expect(found[0]).to.contain(`${exchange.method} ${exchange.url} → ${exchange.status}`)
    })
  }
})
