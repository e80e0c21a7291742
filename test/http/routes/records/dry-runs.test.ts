// test-schedule: quick
import { expect } from 'chai'
import type { Response, Test } from 'supertest'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const json = { filename: 'r.json', contentType: 'application/json' }

describe('A change with dryRun', () => {
  let service: TestService
  let owner: string
  let etag: string

  beforeEach(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    owner = await userToken('owner')
    await as(
      service.postSchema(
        { schemaId: 'titled', acl: [{ sid: 'eve', permission: 'READ' }] },
        jsonSchema('title'),
      ),
    ).expect(201)
    etag = etagOf(await as(service.postMetadata(record('one'), '{"title":"x"}')).expect(201))
  })
  afterEach(removeRepositories)

  const as = (sent: Test, token = owner) => sent.set('Authorization', `Bearer ${token}`)
  const record = (id: string, resource = `http://x/${id}`) => metadataRecordV1(resource, 'titled', { id })

  /** Sends a change to each version of the interface. */
  function change(
    method: 'post' | 'put',
    path: string,
    parts: Readonly<Record<string, string | object>>,
    query = '?dryRun',
  ) {
    const sent = service.http[method](`/api/v1/${path}${query}`)
    for (const [name, part] of Object.entries(parts)) {
      if (name === 'record') sent.attach(name, Buffer.from(JSON.stringify(part)), json)
      else sent.attach(name, Buffer.from(String(part)), name)
    }
    return sent
  }

  /** All objects and refs of the repository. */
  const stored = async () =>
    `${await service.repository.git('cat-file', '--batch-all-objects', '--batch-check')}${await service.repository.git('for-each-ref')}`

  /** The answers to a change without and with dryRun. The first one must be refused. */
  async function refused(send: (query: string) => Promise<Response>): Promise<Response> {
    const [real, dry] = [await send(''), await send('?dryRun')]
    expect(real.status, real.text).to.be.within(400, 499)
    expect({ status: dry.status, body: dry.body }).to.deep.equal({ status: real.status, body: real.body })
    return dry
  }

  it('that would be accepted is 204, and stores no commit and no object', async () => {
    const before = await stored()
    const v2 = { id: 'new', titles: [{ value: 'New' }] }

    await as(change('post', 'metadata', { record: record('two'), document: '{"title":"y"}' })).expect(204)
    await as(
      change('post', 'metadata', { record: record('two'), document: '{"title":"y"}' }, '?dryRun=true'),
    ).expect(204)
    await as(change('put', 'metadata/one', { document: '{"title":"z"}' }))
      .set('If-Match', etag)
      .expect(204)
    await as(change('put', 'metadata/one', { document: '{"title":"x"}' }))
      .set('If-Match', etag)
      .expect(204)
    await as(change('post', 'schemas', { record: { schemaId: 'new' }, schema: jsonSchema() })).expect(204)
    await as(change('put', 'schemas/titled', { schema: jsonSchema('title', 'other') }))
      .set('If-Match', '*')
      .expect(204)
    await as(
      service.http
        .post('/api/v2/schemas?dryRun')
        .attach('record', Buffer.from(JSON.stringify(v2)), json)
        .attach('schema', Buffer.from('{"type":"object"}'), 's'),
    ).expect(204)

    expect(await stored()).to.equal(before)
  })

  it('is refused as the change itself, for the document, the record, names and schemas', async () => {
    const send =
      (method: 'post' | 'put', path: string, parts: Readonly<Record<string, string | object>>) =>
      (query: string) =>
        as(change(method, path, parts, query))
          .set('If-Match', '*')
          .then(answer => answer)

    const invalid = await refused(send('post', 'metadata', { record: record('two'), document: '{}' }))
    expect(invalid.body.findings).to.have.lengthOf(1)
    await refused(
      send('post', 'metadata', { record: record('one', 'http://x/other'), document: '{"title":"y"}' }),
    )
    await refused(
      send('post', 'metadata', { record: record('two', 'http://x/one'), document: '{"title":"y"}' }),
    )
    await refused(
      send('post', 'metadata', { record: { ...record('two'), id: '..' }, document: '{"title":"y"}' }),
    )
    await refused(send('put', 'metadata/one', { document: '[' }))
    await refused(send('put', 'metadata/none', { document: '{"title":"y"}' }))
    await refused(send('post', 'schemas', { record: { schemaId: 'titled' }, schema: jsonSchema() }))
    await refused(send('post', 'schemas', { record: { schemaId: 'broken' }, schema: '{"type":7}' }))
    await refused(send('put', 'schemas/titled', { schema: '{"$ref":"lost.json"}' }))
  })

  it('is refused as the change itself, for permissions and preconditions', async () => {
    const eve = await userToken('eve')
    const parts = { document: '{"title":"y"}' }

    await refused(query =>
      change('put', 'metadata/one', parts, query)
        .set('If-Match', '*')
        .then(answer => answer),
    )
    await refused(query =>
      as(change('put', 'metadata/one', parts, query), eve)
        .set('If-Match', '*')
        .then(answer => answer),
    )
    await refused(query =>
      as(change('put', 'metadata/one', parts, query))
        .set('If-Match', `"${'0'.repeat(40)}"`)
        .then(answer => answer),
    )
    await refused(query => as(change('put', 'metadata/one', parts, query)).then(answer => answer))
    await refused(query =>
      change('post', 'metadata', { ...parts, record: record('two') }, query).then(answer => answer),
    )
  })

  it('is never taken for a change if it is misspelled', async () => {
    const before = await service.head()
    const parts = { record: record('two'), document: '{"title":"y"}' }

    for (const query of ['?dryrun', '?dry-run=true', '?dryRun=yes', '?dryRun&dryRun', '?dryRum'])
      await as(change('post', 'metadata', parts, query)).expect(400)

    expect(await service.head()).to.equal(before)
    await as(change('post', 'metadata', parts, '?dryRun=false')).expect(201)
  })
})
