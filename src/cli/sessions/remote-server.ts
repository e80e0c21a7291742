import { type Finding, ProblemError } from '../../core/problem.js'
import { type Collection, collectionNames, contentNames } from '../../core/records/collection.js'
import type { Id, Version } from '../../core/value-types.js'
import { addFiles, type HttpClient, openClient } from './http-client.js'
import type { Filters, RecordSummary, SchemaFiles, Session } from './session.js'
import { isUnknownRecord, unknownInBoth } from './unknown-record.js'

export const api = '/api/v1'
const recordTypes = {
  schema: 'application/vnd.repository.schema-record+json',
  metadata: 'application/vnd.repository.metadata-record+json',
} as const

/** A session with a running server, through version 1 of the interface. */
export function remoteSession(base: string): Session {
  const client = openClient(base)
  return {
    ...remoteReading(client),
    ...remoteUpdates(client),
    ...remoteChecks(client),
    list: (kind, filters) => list(client, kind, filters),
  }
}

async function read(
  client: HttpClient,
  kind: Collection,
  id: string,
  version?: number,
): Promise<RecordSummary> {
  const answer = await client.request('GET', itemPath(kind, id, version), { accept: recordTypes[kind] })
  return entryOf(kind, jsonOf(answer.bytes), answer.headers)
}

function remoteReading(client: HttpClient): Pick<Session, 'find' | 'document' | 'furtherFiles' | 'record'> {
  return {
    async find(id, version) {
      try {
        return await read(client, 'metadata', id, version)
      } catch (error) {
        if (!isUnknownRecord(error, 'metadata', id)) throw error
      }
      try {
        return await read(client, 'schema', id, version)
      } catch (error) {
        throw isUnknownRecord(error, 'schema', id) ? unknownInBoth(id) : error
      }
    },
    document: async ({ kind, id, version }) =>
      (await client.request('GET', itemPath(kind, id, version), { accept: '*/*' })).bytes,
    async furtherFiles({ id, version }) {
      const folder = `${api}/schemas/${encodeURIComponent(id)}/files`
      const query = `?version=${version}`
      const listed = jsonOf(
        (await client.request('GET', `${folder}${query}`, { accept: 'application/json' })).bytes,
      )
      const files = new Map<string, Uint8Array>()
      for (const path of listed.files as readonly string[]) {
        const address = `${folder}/${path.split('/').map(encodeURIComponent).join('/')}${query}`
        files.set(path, (await client.request('GET', address, { accept: '*/*' })).bytes)
      }
      return files
    },
    record: async ({ kind, id, version }) =>
      jsonOf((await client.request('GET', itemPath(kind, id, version), { accept: recordTypes[kind] })).bytes),
  }
}

interface UploadParts {
  readonly record?: unknown
  readonly document: Uint8Array
  readonly files?: ReadonlyMap<string, Uint8Array>
}

function remoteUpdates(
  client: HttpClient,
): Pick<Session, 'register' | 'reviseSchema' | 'add' | 'reviseMetadata'> {
  return {
    register: (id, files: SchemaFiles) =>
      upload(client, 'POST', 'schema', `${api}/schemas`, { record: { schemaId: id }, ...files }),
    reviseSchema: (id, files, tag, message) => revise(client, 'schema', id, files, tag, message),
    async add({ id, schemaId, schemaVersion, resource, document }) {
      await read(client, 'schema', schemaId, schemaVersion)
      const record = { id, relatedResource: resource, schema: internal(schemaId), schemaVersion }
      return upload(client, 'POST', 'metadata', `${api}/metadata`, { record, document })
    },
    async reviseMetadata(id, { document, schemaId, schemaVersion }, tag, message) {
      const named = schemaId ?? ((await read(client, 'metadata', id)).schema?.schemaId as Id)
      const isMoved = schemaId !== undefined || schemaVersion !== undefined
      if (isMoved) await read(client, 'schema', named, schemaVersion)
      const follows = isMoved ? { record: { schema: internal(named), schemaVersion } } : {}
      return revise(client, 'metadata', id, { ...follows, document }, tag, message)
    },
  }
}

function revise(
  client: HttpClient,
  kind: Collection,
  id: Id,
  parts: UploadParts,
  tag: string | undefined,
  message: string | undefined,
): Promise<RecordSummary> {
  return message === undefined
    ? upload(client, 'PUT', kind, itemPath(kind, id), parts, tag)
    : uploadWithMessage(client, kind, id, parts, tag, message)
}

async function upload(
  client: HttpClient,
  method: 'POST' | 'PUT',
  kind: Collection,
  path: string,
  parts: UploadParts,
  tag?: string,
): Promise<RecordSummary> {
  const body = new FormData()
  if (parts.record !== undefined) {
    body.append(
      'record',
      new Blob([JSON.stringify(parts.record)], { type: 'application/json' }),
      'record.json',
    )
  }
  addFiles(body, contentNames[kind], parts)
  const ifMatch = method === 'POST' ? {} : { ifMatch: tag === undefined ? '*' : `"${tag}"` }
  const answer = await client.request(method, path, { body, ...ifMatch })
  return entryOf(kind, jsonOf(answer.bytes), answer.headers)
}

/** Sends an update as a change set with one change, which can have a commit message. */
async function uploadWithMessage(
  client: HttpClient,
  kind: Collection,
  id: Id,
  parts: UploadParts,
  tag: string | undefined,
  message: string,
): Promise<RecordSummary> {
  const files = [...(parts.files ?? [])].map(([path, bytes], index) => ({
    path,
    bytes,
    part: `file-${index}`,
  }))
  const change = {
    ...{ kind, action: 'update', id, document: 'document' },
    ifMatch: tag === undefined ? '*' : `"${tag}"`,
    ...(parts.record !== undefined && { record: parts.record }),
    ...(kind === 'schema' && { files: Object.fromEntries(files.map(({ path, part }) => [path, part])) }),
  }
  const set = JSON.stringify({ message, interface: 1, changes: [change] })
  const body = new FormData()
  body.append('changeset', new Blob([set], { type: 'application/json' }), 'changeset.json')
  body.append('document', new Blob([parts.document]), 'document')
  for (const { part, bytes } of files) body.append(part, new Blob([bytes]), part)
  await client.request('POST', '/api/changesets', { body })
  return await read(client, kind, id)
}

function remoteChecks(client: HttpClient): Pick<Session, 'validate'> {
  return {
    async validate(schemaId, version, document): Promise<readonly Finding[]> {
      // A server refuses a request with an empty part, but a command reports a finding for each of its documents.
      if (document.length === 0) {
        await read(client, 'schema', schemaId, version)
        return [{ message: 'The document is empty.' }]
      }
      const body = new FormData()
      body.append('document', new Blob([document]), 'document')
      const query = version === undefined ? '' : `?version=${version}`
      try {
        await client.request('POST', `${itemPath('schema', schemaId)}/validate${query}`, { body })
        return []
      } catch (error) {
        if (!(error instanceof ProblemError && error.kind === 'unprocessable')) throw error
        return error.extra.findings ?? [{ message: error.message }]
      }
    },
  }
}

async function list(client: HttpClient, kind: Collection, filters: Filters) {
  const query = new URLSearchParams({ page: String(filters.page), size: String(filters.size) })
  if (kind === 'schema')
    for (const type of filters.types) query.append('mimeType', `application/${type.toLowerCase()}`)
  for (const id of filters.schemaIds) query.append('schemaId', id)
  for (const resource of filters.resources) query.append('resourceId', resource)
  if (filters.from !== undefined) query.set('from', filters.from)
  if (filters.until !== undefined) query.set('until', filters.until)
  const answer = await client.request('GET', `${api}/${collectionNames[kind]}?${query}`, {
    accept: 'application/json',
  })
  const records = jsonOf(answer.bytes) as unknown as readonly Json[]
  const total = Number(answer.headers.get('content-range')?.split('/')[1] ?? records.length)
  return { entries: records.map(record => entryOf(kind, record)), total }
}

export type Json = Readonly<Record<string, unknown>>

export function jsonOf(bytes: Uint8Array): Json {
  return JSON.parse(new TextDecoder().decode(bytes)) as Json
}

function internal(schemaId: Id) {
  return { identifier: schemaId, identifierType: 'INTERNAL' }
}

function itemPath(kind: Collection, id: string, version?: Version | number): string {
  const query = version === undefined ? '' : `?version=${version}`
  return `${api}/${collectionNames[kind]}/${encodeURIComponent(id)}${query}`
}

/** Converts a record of version 1 of the interface. @see docs/contract.md#records-of-version-1 */
export function entryOf(kind: Collection, record: Json, headers?: Headers): RecordSummary {
  const tag = headers?.get('etag')?.replaceAll('"', '')
  const commit = tag === undefined ? {} : { commit: tag }
  const lastUpdate = String(record.lastUpdate)
  if (kind === 'schema') {
    return {
      kind,
      id: String(record.schemaId),
      version: Number(record.schemaVersion),
      type: record.type === 'XML' ? 'XML' : 'JSON',
      lastUpdate,
      hash: String(record.schemaHash),
      ...commit,
    }
  }
  const { identifier: schemaUrl } = record.schema as { identifier: string }
  const { identifier: resource } = record.relatedResource as { identifier: string }
  const schemaId = decodeURIComponent(new URL(schemaUrl).pathname.split('/').at(-1) ?? '')
  return {
    kind,
    id: String(record.id),
    version: Number(record.recordVersion),
    schema: { schemaId, version: Number(record.schemaVersion) },
    resources: [resource],
    lastUpdate,
    hash: String(record.documentHash),
    ...commit,
  }
}
