import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Identify } from '../../../src/http/auth/identify-caller.js'
import { listen, type RunningServer } from '../../../src/http/server/listen.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { type EventReader, streamOf } from '../../support/http/event-stream.js'
import { statusBeforeBody } from '../../support/http/raw-connection.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startServiceWithWorkTree,
  type TestService,
  withFileName,
} from '../../support/http/test-service.js'
import { runProgram } from '../../support/program/run-program.js'
import { parseTestId } from '../../support/repository/sample-values.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

/** The header `X-Caller` names the caller: an administrator, or a caller with only the permissions of records. */
const identify: Identify = ctx => {
  const name = ctx.get('X-Caller') || 'SELF'
  return { sid: name, name, email: `${name}@example.org`, administrator: name.startsWith('SELF'), groups: [] }
}

describe('the impact of a change of a schema', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree({ identify })
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
  })
  afterEach(removeRepositories)

  async function store(name: string, document: object | string, more: object = {}): Promise<void> {
    const record = metadataRecordV1(`http://x/${name}`, 'note', { id: name, ...more })
    const bytes = typeof document === 'string' ? document : JSON.stringify(document)
    await service.postMetadata(record, bytes).expect(201)
  }
  const ask = (schema: string, query = '', mount = '/api/v1') =>
    service.http.post(`${mount}/schemas/note/impact${query}`).attach('schema', Buffer.from(schema), 'schema')

  for (const mount of ['/api/v1', '/metastore/api/v1', '/api/v2', '/repository/api/v2']) {
    it(`has the number of documents that would break, the documents, and the reasons: ${mount}`, async () => {
      await store('a', { title: 'x' })
      await store('b', { title: 'x', author: 'y' })
      await store('c', { title: 'x' })
      const commit = await service.head()

      await service.storesNothing(async () => {
        const { body, headers } = await ask(jsonSchema('title', 'author'), '', mount).expect(200)

        expect(headers['cache-control']).to.equal('no-store')
        const findings = body.documents[0].findings
        expect(findings[0].message).to.contain('author')
        const told = (name: string) => ({
          ...{ id: name, version: 1, schemaVersion: 1, validBefore: true, findings },
          links: { version: `${base}${mount}/metadata/${name}?version=1` },
        })
        expect(body).to.deep.equal({
          ...{ schema: { id: 'note', version: 1 }, commit, checked: 3, breaking: 2, invalidBefore: 0 },
          ...{ documents: [told('a'), told('c')], more: false },
        })
      })
    })
  }

  it('is empty if all documents of this schema stay valid', async () => {
    await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(201)
    await service.postMetadata(metadataRecordV1('http://x/o', 'other', { id: 'o' }), '{}').expect(201)
    await store('a', { title: 'x' })

    const { body } = await ask('{"type":"object"}').expect(200)

    expect(body).to.deep.include({ checked: 1, breaking: 0, invalidBefore: 0, documents: [], more: false })
  })

  it('covers the newest version of each document, regardless of its schema version', async () => {
    await store('old', { title: 'x' })
    await store('bettered', { title: 'x' })
    await service.putMetadata('bettered', '*', undefined, '{"title":"x","author":"y"}').expect(200)
    await service.putSchema('note', '*', undefined, jsonSchema()).expect(200)
    await store('new', {})

    const { body } = await ask(jsonSchema('author')).expect(200)

    expect(body.schema).to.deep.equal({ id: 'note', version: 2 })
    expect(body).to.include({ checked: 3, breaking: 2 })
    const told = body.documents.map((each: { id: string; schemaVersion: number }) => [
      each.id,
      each.schemaVersion,
    ])
    expect(told).to.deep.equal([
      ['new', 2],
      ['old', 1],
    ])
  })

  it('distinguishes documents that were invalid before', async () => {
    await store('good', { title: 'x' })
    await service.services.workTreeUpToDate()
    // A writer with git can claim to be the server. The server does not check such commits again.
    const { dir } = service.repository
    const folder = join(dir, recordDirectory('metadata', parseTestId('claimed')))
    await mkdir(folder, { recursive: true })
    const record = {
      ...{ id: 'claimed', schema: { schemaId: 'note', version: 1 } },
      relatedIdentifiers: [{ value: 'http://x/claimed', relationType: 'IS_METADATA_FOR' }],
    }
    await writeFile(join(folder, 'record.json'), JSON.stringify(record))
    await writeFile(join(folder, 'document.json'), '{}')
    await service.repository.patiently('add', 'metadata')
    const [name = '', email = ''] = (await service.repository.git('log', '-1', '--format=%cn%n%ce')).split(
      '\n',
    )
    const env = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email }
    const message = ['-m', 'Claim', '-m', `Recorded-At: ${new Date().toISOString()}`]
    const made = await runProgram('git', ['-C', dir, 'commit', '-q', ...message], { env })
    expect(made.code, made.stderr).to.equal(0)
    const head = await service.head()
    await waitUntil('the commit', async () => {
      return (await service.http.get('/api/v1/metadata/claimed')).status === 200
    })

    const { body } = await ask(jsonSchema('author')).expect(200)

    expect(body).to.include({ commit: head, checked: 2, breaking: 1, invalidBefore: 1 })
    expect(body.documents.map((each: { validBefore: boolean }) => each.validBefore)).to.deep.equal([
      false,
      true,
    ])
  })

  it('has only documents that the caller may read, and needs the permission to change the schema', async () => {
    const acls = (sid: string) => ({ acl: [{ sid, permission: 'READ' }] })
    await store('hers', { title: 'x' }, acls('ada'))
    await store('his', { title: 'x' }, acls('bob'))
    const asked = (caller: string) => ask(jsonSchema('author')).set('X-Caller', caller)
    const etag = etagOf(
      await service.http
        .get('/api/v1/schemas/note')
        .set('Accept', 'application/vnd.repository.schema-record+json'),
    )
    await asked('ada').expect(403)
    const everyone = { sid: 'anonymousUser', permission: 'READ' }
    const readable = { schemaId: 'note', acl: [everyone] }
    const changed = await service.putSchema('note', etag, readable).expect(200)
    await asked('ada').expect(403)
    const writable = { schemaId: 'note', acl: [everyone, { sid: 'ada', permission: 'WRITE' }] }
    await service.putSchema('note', etagOf(changed), writable).expect(200)

    const { body, text } = await asked('ada').expect(200)

    expect(body).to.include({ checked: 1, breaking: 1 })
    expect(body.documents.map((each: { id: string }) => each.id)).to.deep.equal(['hers'])
    expect(text).to.not.contain('his')
    expect((await asked('SELF').expect(200)).body).to.include({ checked: 2 })
  })

  for (const expects of [[], ['Expect: 100-continue']]) {
    const how = expects.length > 0 ? ', for a client that asks first' : ''
    it(`is refused before the body is sent${how}`, async () => {
      const acl = [{ sid: 'rita', permission: 'READ' }]
      await service.postSchema({ schemaId: 'hers', acl }, jsonSchema('title')).expect(201)
      const server = await listen(service.app, { port: 0 })
      const statusOf = (id: string, caller: string) => {
        const line = `POST /api/v2/schemas/${id}/impact`
        return statusBeforeBody(server.port, line, [`X-Caller: ${caller}`, ...expects])
      }
      try {
        expect(await statusOf('none', 'SELF')).to.equal(404)
        expect(await statusOf('hers', 'rita')).to.equal(403)
      } finally {
        await server.stop(0)
      }
    })
  }

  it('lists documents up to the limit, and counts all', async () => {
    for (const name of ['a', 'b', 'c']) await store(name, { title: 'x' })
    const asked = async (limit: number) =>
      (await ask(jsonSchema('author'), `?limit=${limit}`).expect(200)).body

    const two = await asked(2)
    expect(two).to.include({ checked: 3, breaking: 3, more: true })
    expect(two.documents.map((each: { id: string }) => each.id)).to.deep.equal(['a', 'b'])
    expect(await asked(0)).to.deep.include({ breaking: 3, documents: [], more: true })
    expect(await asked(3)).to.include({ breaking: 3, more: false })
    await ask(jsonSchema(), '?limit=-1').expect(400)
  })

  it('can be requested with further files', async () => {
    await store('a', { title: 'x' })
    const refers = '{"type":"object","properties":{"title":{"$ref":"title.json"}}}'
    const send = (file: string) =>
      ask(refers).attach('include', Buffer.from(file), withFileName('title.json')).expect(200)

    expect((await send('{"type":"string"}')).body).to.include({ checked: 1, breaking: 0 })
    expect((await send('{"type":"number"}')).body).to.include({ checked: 1, breaking: 1 })
    const alone = await ask(refers).expect(422)
    expect(alone.body.detail).to.contain('title.json')
  })

  it('supports XML', async () => {
    await service.postSchema({ schemaId: 'xml' }, noteXsdText).expect(201)
    await service.postMetadata(metadataRecordV1('http://x/n', 'xml', { id: 'n' }), noteXml).expect(201)
    const asked = async (schema: string) =>
      (
        await service.http
          .post('/api/v2/schemas/xml/impact')
          .attach('schema', Buffer.from(schema), 'schema.xsd')
          .expect(200)
      ).body

    expect(await asked(noteXsdText)).to.include({ checked: 1, breaking: 0 })
    const broken = await asked(noteXsdText.replace('name="text"', 'name="line"'))
    expect(broken).to.include({ checked: 1, breaking: 1 })
    expect(broken.documents[0].findings[0]).to.include({ line: 1 })
  })

  for (const [what, schema] of [
    ['does not compile', '{"type":"strange"}'],
    ['is neither JSON nor XML', 'no schema'],
    ['is of the other language', noteXsdText],
    ['refers to a missing file', '{"$ref":"elsewhere.json"}'],
  ] as const) {
    it(`refuses a new schema that ${what}, like a PUT`, async () => {
      const put = await service.putSchema('note', '*', undefined, schema).expect(422)

      const { body } = await ask(schema).expect(422)

      expect({ ...body, instance: '' }).to.deep.equal({ ...put.body, instance: '' })
    })
  }

  it('refuses invalid requests', async () => {
    const { http } = service
    const form = () => http.post('/api/v1/schemas/note/impact')
    await form().attach('document', Buffer.from('{}'), 'x').expect(400)
    await form().send({ schema: {} }).expect(415)
    await ask(jsonSchema(), '?at=main').expect(400)
    await ask(jsonSchema()).set('Accept', 'application/xml').expect(406)
    const unknown = http.post('/api/v1/schemas/none/impact').attach('schema', Buffer.from('{}'), 'x')
    await unknown.expect(404)
  })

  describe('with many documents', () => {
    /** Backtracking takes some tenths of a second for each document. */
    const slow = '{"type":"object","properties":{"title":{"pattern":"^(?:(?=a)a+)+$"}}}'
    const title = `${'a'.repeat(23)}!`
    let server: RunningServer
    const readers: EventReader[] = []
    beforeEach(async () => {
      server = await listen(service.app, { port: 0 })
    })
    afterEach(async () => {
      for (const reader of readers.splice(0)) reader.close()
      await server.stop(100)
    })

    async function request(
      schema: string,
      accept: string,
      caller = 'SELF',
    ): Promise<Response & { leave(): void }> {
      const body = new FormData()
      body.set('schema', new Blob([schema]), 'schema.json')
      const leaving = new AbortController()
      const init = {
        method: 'POST',
        body,
        headers: { 'X-Caller': caller, Accept: accept },
        signal: leaving.signal,
      }
      const answer = await fetch(`${server.url}api/v1/schemas/note/impact?limit=2`, init)
      return Object.assign(answer, { leave: () => leaving.abort() })
    }
    async function stream(schema: string, caller = 'SELF'): Promise<EventReader> {
      const answer = await request(schema, 'text/event-stream', caller)
      const reader = streamOf(answer, answer.leave)
      readers.push(reader)
      return reader
    }
    async function fill(count: number): Promise<void> {
      for (let index = 0; index < count; index++) await store(`d${String(index).padStart(3, '0')}`, { title })
    }

    it('sends progress, every document that breaks, and the result', async () => {
      await fill(70)
      await store('fine', { title: 'x', author: 'y' })
      const reader = await stream(jsonSchema('author'))
      const first = await reader.next()
      // The result does not include documents of later commits.
      await store('zzz', { title })

      const events = [first]
      for (let read = await reader.next(); read; read = await reader.next()) events.push(read)

      expect(reader.headers.get('content-type')).to.equal('text/event-stream')
      expect(first?.event).to.equal('progress')
      expect(JSON.parse(first?.data ?? '')).to.deep.equal({
        ...{ checked: 0, total: 71, breaking: 0, invalidBefore: 0 },
      })
      const documents = events.filter(read => read?.event === 'document')
      expect(documents).to.have.length(70)
      expect(JSON.parse(documents[69]?.data ?? '')).to.include({ id: 'd069', validBefore: true })
      const last = events.at(-1)
      expect(last?.event).to.equal('result')
      const result = JSON.parse(last?.data ?? '')
      expect(result).to.include({ checked: 71, breaking: 70, more: true })
      expect(result.documents).to.have.length(2)
    })

    it('runs beside other requests, in a limited number, and ends when the client disconnects', async () => {
      await fill(40)
      const one = await stream(slow)
      expect((await one.next())?.event).to.equal('progress')
      const again = await request(slow, 'application/json')
      expect(again.status).to.equal(503)
      expect(await again.text()).to.contain('for this client')
      const two = await stream(slow, 'SELF 2')

      const refused = await request(slow, 'application/json', 'SELF 3')
      expect(refused.status).to.equal(503)
      expect(await refused.clone().text()).to.contain('assessments are running, which is the limit')
      expect(refused.headers.get('retry-after')).to.match(/^\d+$/)
      await store('meanwhile', { title: 'x' })
      await service.http
        .post('/api/v1/schemas/note/validate')
        .attach('document', Buffer.from('{"title":"x"}'), 'd')
        .expect(204)
      const progress = await one.next()
      expect(['progress', 'document']).to.include(progress?.event)

      one.close()
      two.close()
      await waitUntil(
        'a place',
        async () => (await request(slow.replace('(?:(?=a)a+)+', 'a+'), '*/*')).status === 200,
      )
    })

    it('ends with a problem when the server stops', async () => {
      await fill(40)
      const reader = await stream(slow)
      expect((await reader.next())?.event).to.equal('progress')
      const plain = request(slow, 'application/json')
      await waitUntil('both', async () => (await request(slow, '*/*')).status === 503)

      const stopped = server.stop(30_000)

      expect((await plain).status).to.equal(503)
      let last = await reader.next()
      for (let read = last; read; read = await reader.next()) last = read
      expect(last?.event).to.equal('problem')
      expect(JSON.parse(last?.data ?? '')).to.include({ status: 503 })
      await stopped
    })
  })
})
