import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Koa from 'koa'
import request from 'supertest'
import type { ComposedServices, ComposeOptions } from '../../../src/compose/compose.js'
import type { Config } from '../../../src/config.js'
import { openersOf } from '../../../src/feature.js'
import { features } from '../../../src/features.js'
import { type AppOptions, createApp } from '../../../src/http/app.js'
import '../answer-checks/check-every-answer.js'
import { type TestRepository, temporaryRepository } from '../repository/test-repository.js'

export { noteXml, noteXsdText } from '../data/note-schema.js'

export interface ServiceOptions extends AppOptions {
  /** Values of options of features, by name: `{ 'oai-page': 2 }`. Default: the default of each option. */
  readonly features?: Readonly<Record<string, unknown>>
}

/** The HTTP interface of a repository in a temporary folder. `afterEach(removeRepositories)` closes it. */
export interface TestService {
  readonly repository: TestRepository
  readonly services: ComposedServices
  readonly app: Koa
  /** Sends requests with the Host `metastore.test`. */
  readonly http: ReturnType<typeof request.agent>
  /** Port on 127.0.0.1, for programs that send another Host than the tests. */
  readonly port: number
  /** The head of the served branch. */
  head(): Promise<string>
  /** Sends requests that the service must refuse. Fails if one of them leaves a commit. */
  storesNothing(requests: () => Promise<void>): Promise<void>
  postSchema(
    record: unknown,
    document: string | Buffer,
    files?: Readonly<Record<string, string>>,
  ): request.Test
  putSchema(id: string, etag: string, record?: unknown, document?: string | Buffer): request.Test
  postMetadata(record: unknown, document: string | Buffer): request.Test
  putMetadata(id: string, etag: string, record?: unknown, document?: string | Buffer): request.Test
}

export const base = 'http://metastore.test'
export const schemaType = 'application/vnd.repository.schema-record+json'
export const metadataType = 'application/vnd.repository.metadata-record+json'

/** Serves a bare repository. A work tree would take a third of the time of many test files. */
export async function startService(
  options: ServiceOptions = {},
  config: Partial<Config> = {},
  given?: TestRepository,
  more?: Partial<ComposeOptions>,
): Promise<TestService> {
  return await serve(given ?? (await temporaryRepository({ bare: true })), options, config, more)
}

/** Serves a repository with a work tree, for tests that read it or edit in it. */
export async function startServiceWithWorkTree(
  options: ServiceOptions = {},
  config: Partial<Config> = {},
): Promise<TestService> {
  return await serve(await temporaryRepository(), options, config)
}

async function serve(
  repository: TestRepository,
  options: ServiceOptions,
  config: Partial<Config>,
  more?: Partial<ComposeOptions>,
): Promise<TestService> {
  const services = await repository.compose(config, {
    features: await openersOf(features, options.features ?? {}),
    ...more,
  })
  const app = createApp(services, options)
  const { http, port, close } = await listen(app)
  repository.closeWhenRemoved(close)

  const { head } = repository
  return {
    repository,
    services,
    app,
    http,
    port,
    head,
    async storesNothing(requests) {
      const before = await head()
      await requests()
      if ((await head()) !== before) throw new Error('A refused request left a commit.')
    },
    postSchema(record, document, files = {}) {
      const sent = withRecord(http.post('/api/v1/schemas'), record)
      for (const [path, content] of Object.entries(files))
        sent.attach('include', Buffer.from(content), withFileName(path))
      return sent.attach('schema', Buffer.from(document), 'schema')
    },
    putSchema(id, etag, record, document) {
      const sent = withRecord(http.put(`/api/v1/schemas/${id}`).set('If-Match', etag), record)
      return document === undefined ? sent : sent.attach('schema', Buffer.from(document), 'schema')
    },
    postMetadata(record, document) {
      return withRecord(http.post('/api/v1/metadata'), record).attach(
        'document',
        Buffer.from(document),
        'document',
      )
    },
    putMetadata(id, etag, record, document) {
      const sent = withRecord(http.put(`/api/v1/metadata/${id}`).set('If-Match', etag), record)
      return document === undefined ? sent : sent.attach('document', Buffer.from(document), 'document')
    },
  }
}

export interface Listener {
  /** Sends requests with the Host `metastore.test`, because the port differs each time. */
  readonly http: ReturnType<typeof request.agent>
  readonly port: number
  close(): Promise<void>
}

/**
 * Serves an app on one port and keeps its connections. Supertest alone opens a port and a connection for each request.
 * That takes up to 5 ms if thousands of ports were used in the last minute.
 */
export async function listen(app: Koa): Promise<Listener> {
  const server = createServer(app.callback())
  // Otherwise the server may close an idle connection while the next request is being sent on it.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connections = new Agent({ keepAlive: true })
  const http = request.agent(server).set('Host', 'metastore.test')
  return {
    http: http.use((sent: request.Test) => sent.agent(connections)),
    port: (server.address() as AddressInfo).port,
    async close() {
      connections.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function withRecord(sent: request.Test, record: unknown): request.Test {
  if (record === undefined) return sent
  const json = typeof record === 'string' ? record : JSON.stringify(record)
  return sent.attach('record', Buffer.from(json), {
    filename: 'record.json',
    contentType: 'application/json',
  })
}

/** File name of a part that is a path. With `filename`, the path would lose its folders. */
export function withFileName(path: string): { readonly filename?: string } {
  return { filepath: path } as { filename?: string }
}

/** Makes a JSON Schema that requires these members. */
export function jsonSchema(...required: readonly string[]): string {
  return JSON.stringify(
    { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', required },
    null,
    2,
  )
}

/** Makes a minimal version 1 record of a document about `resource` that follows the schema. */
export function metadataRecordV1(
  resource: string,
  schemaId: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    relatedResource: { identifier: resource, identifierType: 'URL' },
    schema: { identifier: schemaId, identifierType: 'INTERNAL' },
    ...more,
  }
}

/** The ETag of an answer. */
export function etagOf(answer: request.Response): string {
  const etag = answer.headers.etag
  if (etag === undefined) throw new Error('The answer has no ETag.')
  return etag
}

/** The parts of an answer that say what it shows, to compare two answers. */
export const shown = (answer: request.Response) => ({
  status: answer.status,
  text: answer.text,
  etag: answer.headers.etag,
  type: answer.headers['content-type'],
  link: answer.headers.link,
})
