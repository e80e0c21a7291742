import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../support/documentation/documented-commands.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'
import { waitUntil } from '../support/repository/test-repository.js'

interface Answer {
  readonly [member: string]: unknown
}

const resource = 'https://example.org/samples/steel-rod-8'
const recordTypes = {
  v1: {
    schemas: 'application/vnd.repository.schema-record+json',
    metadata: 'application/vnd.repository.metadata-record+json',
  },
  v2: { schemas: 'application/vnd.datacite.org+json', metadata: 'application/vnd.datacite.org+json' },
} as const

describe('the README of a data folder', () => {
  let data: string
  let server: RunningServer

  before(async () => {
    const folder = await temporaryFolder()
    data = join(folder, 'data')
    await putProgramOnPath(folder)
    await runMetastore(['init', 'data'], { cwd: folder })
    server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('data-template/README.md')
    expect(steps).to.have.lengthOf(5)
    const path = { line: 0, commands: 'PATH="$PWD/../bin:$PATH"', shown: undefined }
    await runDocumentedCommands([path, ...steps], data, server.port)
    await waitUntil('three more records', async () => {
      const { metadata } = await seen()
      return metadata.length === 2
    })
  })
  after(stopProcesses)

  const get = async (path: string, accept: string) =>
    await fetch(new URL(path, server.url), { headers: { accept } })
  const json = async (path: string, accept: string) => (await (await get(path, accept)).json()) as Answer
  const record = (version: 'v1' | 'v2', kind: 'schemas' | 'metadata', id: string) =>
    json(`/api/${version}/${kind}/${id}`, recordTypes[version][kind])

  async function seen() {
    const query = `resourceId=${encodeURIComponent(resource)}`
    const list = await get(`/api/v1/metadata?${query}`, 'application/json')
    return { metadata: (await list.json()) as readonly Answer[] }
  }
  /** Returns the generated id of the note's record. */
  async function noteId(): Promise<string> {
    const { metadata } = await seen()
    return String(metadata.find(({ id }) => id !== 'steel-rod-8')?.id)
  }

  it('shows how to add a schema that both versions of the interface serve', async () => {
    expect(await record('v1', 'schemas', 'note')).to.deep.include({
      schemaId: 'note',
      schemaVersion: 1,
      type: 'JSON',
      mimeType: 'application/json',
      acl: [{ id: 1, sid: 'SELF', permission: 'ADMINISTRATE' }],
    })
    expect(await record('v2', 'schemas', 'note')).to.deep.include({
      id: 'note',
      version: '1',
      creators: [{ id: 1, givenName: 'Jane Doe' }],
      publisher: 'Jane Doe',
      publicationYear: String(new Date().getUTCFullYear()),
      titles: [{ id: 1, value: 'Metadata 4 metastore' }],
      resourceType: { id: 1, value: 'JSON_Schema', typeGeneral: 'MODEL' },
      alternateIdentifiers: [{ id: 1, value: 'note', identifierType: 'INTERNAL' }],
      state: 'VOLATILE',
    })
  })

  it('shows how to add a JSON document that both versions serve', async () => {
    const id = await noteId()
    expect(id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

    const first = await record('v1', 'metadata', id)
    expect(first).to.deep.include({
      id,
      recordVersion: 1,
      schemaVersion: 1,
      relatedResource: { identifier: resource, identifierType: 'URL' },
    })
    expect((first.schema as Answer).identifier).to.match(/\/api\/v1\/schemas\/note\?version=1$/)

    const second = await record('v2', 'metadata', id)
    expect(second).to.deep.include({ id, version: '1', publisher: 'Jane Doe' })
    const related = second.relatedIdentifiers as readonly Answer[]
    expect(related.map(({ relationType, identifierType }) => [relationType, identifierType])).to.deep.equal([
      ['IS_METADATA_FOR', 'URL'],
      ['HAS_METADATA', 'URL'],
    ])
    expect(related[1]?.value).to.match(/\/api\/v2\/schemas\/note\?version=1$/)

    const document = await get(`/api/v1/metadata/${id}`, '*/*')
    expect(await document.json()).to.deep.equal({ text: 'Cut from the same bar as rod 7.' })
  })

  it('shows how to add an XML document with a chosen id', async () => {
    expect(await record('v1', 'metadata', 'steel-rod-8')).to.deep.include({
      recordVersion: 1,
      acl: [
        { id: 1, sid: 'SELF', permission: 'ADMINISTRATE' },
        { id: 2, sid: 'anonymousUser', permission: 'READ' },
      ],
    })
    expect(await record('v2', 'metadata', 'steel-rod-8')).to.deep.include({
      titles: [{ id: 1, value: 'Steel rod 8' }],
      resourceType: { id: 1, value: 'XML_Metadata', typeGeneral: 'MODEL' },
    })
    const document = await get('/api/v2/metadata/steel-rod-8', '*/*')
    expect(document.headers.get('content-type')).to.contain('xml')
    expect(await document.text()).to.contain('<name>Steel rod 8</name>')
  })

  it('makes the same record as a POST with the same members', async () => {
    const form = new FormData()
    const posted = {
      titles: [{ value: 'Metadata 4 metastore' }],
      relatedIdentifiers: [
        { value: 'https://example.org/another', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'note', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
    }
    form.append('record', new Blob([JSON.stringify(posted)], { type: 'application/json' }), 'record.json')
    form.append('document', new Blob(['{"text": "posted"}']), 'document.json')
    const answer = await fetch(new URL('/api/v2/metadata', server.url), { method: 'POST', body: form })
    expect(answer.status).to.equal(201)

    const told = (await answer.json()) as Answer
    const byHand = await record('v2', 'metadata', await noteId())
    expect(shapeOf(byHand)).to.deep.equal(shapeOf(told))
  })

  it('correctly states that an update through the server stores the defaults, and that an unchanged record makes no version', async () => {
    const id = await noteId()
    const path = `/api/v1/metadata/${id}`
    const put = async (members: object) => {
      const current = await get(path, recordTypes.v1.metadata)
      const form = new FormData()
      const sent = { ...((await current.json()) as Answer), ...members }
      form.append('record', new Blob([JSON.stringify(sent)], { type: 'application/json' }), 'record.json')
      const headers = { 'if-match': current.headers.get('etag') ?? '' }
      const answer = await fetch(new URL(path, server.url), { method: 'PUT', headers, body: form })
      expect(answer.status).to.equal(200)
      return (await answer.json()) as Answer
    }
    const written = async () => {
      const file = `metadata/${[...id.slice(0, 4)].join('/')}/${id}/record.json`
      const { stdout } = await runProgram('git', ['show', `HEAD:${file}`], { cwd: data })
      return JSON.parse(stdout) as Answer
    }

    expect((await put({})).recordVersion).to.equal(1)
    expect(await written()).to.have.all.keys('schema', 'relatedIdentifiers')
    expect((await put({ licenseUri: 'https://example.org/licence' })).recordVersion).to.equal(2)
    expect(await written()).to.deep.include({
      id,
      schema: { schemaId: 'note', version: 1 },
      creators: [{ givenName: 'Jane Doe' }],
      acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
    })
  })

  it('is part of every repository with examples', async () => {
    expect(await readFile(join(data, 'README.md'), 'utf8')).to.contain('Add a record by hand')
  })
})

/** Replaces each value by its type, at every depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}
