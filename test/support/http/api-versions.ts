import { expect } from 'chai'
import type request from 'supertest'
import { formType, multipartBody } from './raw-connection.js'
import type { TestService } from './test-service.js'

export type Json = Readonly<Record<string, unknown>>

/** A version of the interface at one mount, for the tests of the contract. */
export interface ApiVersion {
  readonly version: 1 | 2
  /** Path prefix, such as `/metastore/api/v1`. */
  readonly mount: string
  /** Media types of schema and metadata records, older ones first. */
  readonly recordTypes: { readonly schemas: readonly string[]; readonly metadata: readonly string[] }
  /** Makes the smallest record of a schema. */
  schema(id: unknown, more?: Json): Json
  /** Makes the smallest record of a document about `resource` that follows the newest version of the schema. */
  metadata(resource: string, schemaId: string, more?: Json): Json
}

/** @see docs/contract.md#media-types; docs/contract.md#records-of-version-1 */
export function version1(mount = '/api/v1'): ApiVersion {
  return {
    version: 1,
    mount,
    recordTypes: {
      schemas: [
        'application/vnd.repository.schema-record+json',
        'application/vnd.datamanager.schema-record+json',
      ],
      metadata: [
        'application/vnd.repository.metadata-record+json',
        'application/vnd.datamanager.metadata-record+json',
      ],
    },
    schema: (schemaId, more = {}) => ({ schemaId, ...more }),
    metadata: (resource, schemaId, more = {}) => ({
      relatedResource: { identifier: resource, identifierType: 'URL' },
      schema: { identifier: schemaId, identifierType: 'INTERNAL' },
      ...more,
    }),
  }
}

/** @see docs/contract.md#media-types; docs/contract.md#records-of-version-2 */
export function version2(mount = '/repository/api/v2'): ApiVersion {
  const types = ['application/vnd.citation.org+json', 'application/vnd.datacite.org+json']
  const titles = [{ value: 'A title' }]
  return {
    version: 2,
    mount,
    recordTypes: { schemas: types, metadata: types },
    schema: (id, more = {}) => ({ id, titles, ...more }),
    metadata: (resource, schemaId, more = {}) => ({
      titles,
      relatedIdentifiers: [
        { identifierType: 'URL', value: resource, relationType: 'IS_METADATA_FOR' },
        { identifierType: 'INTERNAL', value: schemaId, relationType: 'HAS_METADATA' },
      ],
      ...more,
    }),
  }
}

/** The interface at each of its mounts. @see docs/contract.md#mounts */
export const everyApiMount: readonly ApiVersion[] = [
  version1('/api/v1'),
  version1('/metastore/api/v1'),
  version2('/repository/api/v2'),
  version2('/api/v2'),
  version2('/metastore/api/v2'),
]

/** A part of a form. */
export interface RawPart {
  readonly name: string
  readonly content: string | Buffer
  /** File name; undefined for a plain field. */
  readonly file?: string
  readonly type?: string
}

export type FormParts = readonly RawPart[]
type Kind = 'schemas' | 'metadata'

/** Makes a file part. */
export function formFile(name: string, content: unknown, type = 'application/json'): RawPart {
  const bytes = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
  return { name, content: bytes, file: `${name}.json`, type }
}

/** A client that uses one version of the interface. */
export interface Client {
  readonly interface: ApiVersion
  /** @param path below the mount, such as `/schemas/note?version=1` */
  get(path: string, accept?: string): request.Test
  /** Reads the record with the first of its media types. */
  record(path: string): request.Test
  delete(path: string, etag?: string): request.Test
  send(
    method: 'post' | 'put',
    path: string,
    parts: FormParts,
    headers?: Readonly<Record<string, string>>,
  ): request.Test
  postSchema(id: unknown, document: string | Buffer, more?: Json): request.Test
  postMetadata(resource: string, schemaId: string, document: string | Buffer, more?: Json): request.Test
  /** Updates a record. If `record` or `document` is undefined, the form does not have that part. */
  put(kind: Kind, id: string, etag: string, record?: unknown, document?: string | Buffer): request.Test
  validate(path: string, document: string | Buffer): request.Test
}

export function apiClient(service: TestService, spoken: ApiVersion): Client {
  const { http } = service
  const { mount, recordTypes } = spoken
  const kindOf = (path: string): Kind => (path.startsWith('/schemas') ? 'schemas' : 'metadata')
  const client: Client = {
    interface: spoken,
    get(path, accept) {
      const sent = http.get(mount + path)
      return accept === undefined ? sent : sent.set('Accept', accept)
    },
    record: path => client.get(path, recordTypes[kindOf(path)][0]),
    delete(path, etag) {
      const sent = http.delete(mount + path)
      return etag === undefined ? sent : sent.set('If-Match', etag)
    },
    send: (method, path, parts, headers = {}) =>
      http[method](mount + path)
        .set({ 'Content-Type': formType, ...headers })
        .send(formOf(parts)),
    postSchema: (id, document, more) =>
      client.send('post', '/schemas', [
        formFile('record', spoken.schema(id, more)),
        formFile('schema', document),
      ]),
    postMetadata: (resource, schemaId, document, more) =>
      client.send('post', '/metadata', [
        formFile('record', spoken.metadata(resource, schemaId, more)),
        formFile('document', document),
      ]),
    put(kind, id, etag, record, document) {
      const name = kind === 'schemas' ? 'schema' : 'document'
      const parts = [
        ...(record === undefined ? [] : [formFile('record', record)]),
        ...(document === undefined ? [] : [formFile(name, document)]),
      ]
      return client.send('put', `/${kind}/${id}`, parts, { 'If-Match': etag })
    },
    validate: (path, document) => client.send('post', path, [formFile('document', document)]),
  }
  return client
}

function formOf(parts: FormParts): Buffer {
  return multipartBody(
    ...parts.map(({ name, content, file: fileName, type }) => {
      const disposition = `Content-Disposition: form-data; name="${name}"`
      const named = fileName === undefined ? disposition : `${disposition}; filename="${fileName}"`
      return [type === undefined ? named : `${named}\r\nContent-Type: ${type}`, content] as const
    }),
  )
}

/**
 * A refusal of the contract: a description, the status, the request, and a part of the detail.
 * @see docs/contract.md#problems
 */
export type Refusal = readonly [
  what: string,
  status: number,
  ask: (client: Client) => request.Test | Promise<request.Response>,
  says?: string,
]

/** Declares a test for each refusal. It checks the status, the problem details, and that nothing is stored. */
export function testRefusals(
  rows: readonly Refusal[],
  started: () => { readonly service: TestService; readonly client: Client },
): void {
  for (const [what, status, ask, says] of rows) {
    it(`${what}: ${status}`, async () => {
      const { service, client } = started()
      await service.storesNothing(async () => {
        const answer = await ask(client)
        expect(answer.status, answer.text).to.equal(status)
        expect(answer.headers['content-type']).to.equal('application/problem+json')
        expect(answer.body).to.include({ type: 'about:blank', status })
        expect(answer.body.title).to.be.a('string').that.is.not.empty
        expect(answer.body.detail).to.be.a('string').that.is.not.empty
        expect(answer.body.instance).to.match(/^\//)
        if (status === 422) expectFindings(answer.body)
        if (says !== undefined) expect(answer.body.detail).to.include(says)
      })
    })
  }
}

/** Expects that each finding, if there are any, has a message. */
function expectFindings({
  findings = [],
}: {
  readonly findings?: readonly { readonly message: unknown }[]
}): void {
  for (const { message } of findings) expect(message).to.be.a('string')
}
