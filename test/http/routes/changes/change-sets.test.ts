import { expect } from 'chai'
import type { Test } from 'supertest'
import { selfPrincipal } from '../../../../src/core/access-control.js'
import { verifyRepository } from '../../../../src/features/maintenance/verify/verify-repository.js'
import type { Identify } from '../../../../src/http/auth/identify-caller.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startServiceWithWorkTree,
  type TestService,
} from '../../../support/http/test-service.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

interface Change {
  readonly kind: 'schema' | 'metadata'
  readonly action: 'create' | 'update' | 'delete'
  readonly [member: string]: unknown
}

/** A record in the form of version 2. */
function record(name: string, more: { readonly schema?: string; readonly resource?: string } = {}): object {
  const relations = [
    { identifierType: 'URL', value: more.resource ?? `http://x/${name}`, relationType: 'IS_METADATA_FOR' },
    { identifierType: 'INTERNAL', value: more.schema ?? 'note', relationType: 'HAS_METADATA' },
  ]
  return { id: name, titles: [{ value: `About ${name}` }], relatedIdentifiers: relations }
}

const schemaRecord = (name: string) => ({ id: name, titles: [{ value: name }] })

describe('a change set', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startServiceWithWorkTree()
  })
  afterEach(removeRepositories)

  function send(changes: readonly Change[] | object, parts: Readonly<Record<string, string>> = {}): Test {
    const json = Array.isArray(changes) ? { changes } : changes
    const sent = service.http.post('/api/changesets').field('changeset', JSON.stringify(json))
    for (const [name, content] of Object.entries(parts)) sent.attach(name, Buffer.from(content), name)
    return sent
  }
  const create = (name: string, more: Parameters<typeof record>[1] = {}): Change => ({
    kind: 'metadata',
    action: 'create',
    record: record(name, more),
    document: 'x',
  })
  const register = (name: string, document = 'schema'): Change => ({
    kind: 'schema',
    action: 'create',
    record: schemaRecord(name),
    document,
  })
  const documents = { schema: jsonSchema('title'), x: '{"title":"x"}', y: '{"title":"y"}' }
  const tagOf = async (name: string) =>
    etagOf(await service.http.get(`/api/v1/metadata/${name}`).set('Accept', metadataType).expect(200))
  const log = async () => (await service.repository.git('log', '--format=%s')).split('\n')

  /** Stores a schema `note` and metadata with these ids. */
  async function given(...names: readonly string[]): Promise<void> {
    await service.postSchema({ schemaId: 'note' }, jsonSchema('title')).expect(201)
    for (const id of names) {
      await service
        .postMetadata(metadataRecordV1(`http://x/${id}`, 'note', { id }), '{"title":"old"}')
        .expect(201)
    }
  }

  async function isSound(): Promise<void> {
    await service.services.workTreeUpToDate()
    const complaints = []
    for await (const complaint of verifyRepository(service.services.parts)) complaints.push(complaint)
    expect(complaints).to.deep.equal([])
    await service.repository.git('fsck', '--strict')
    expect(await service.repository.git('status', '--porcelain')).to.equal('')
  }

  it('makes one commit, in which documents may follow a schema of the same set, in any order', async () => {
    const before = (await log()).length

    const { body } = await send(
      {
        message: 'Begin with notes',
        changes: [create('b'), create('a', { schema: 'note/1' }), register('note')],
      },
      { schema: documents.schema, x: documents.x },
    ).expect(200)

    const head = await service.head()
    const entry = (kind: string, id: string, path: string) => ({
      kind,
      id,
      change: 'created',
      version: 1,
      etag: `"${head}"`,
      location: `http://metastore.test/api/v2/${path}/${id}?version=1`,
    })
    expect(body).to.deep.equal({
      commit: head,
      records: [
        entry('metadata', 'b', 'metadata'),
        entry('metadata', 'a', 'metadata'),
        entry('schema', 'note', 'schemas'),
      ],
    })
    expect(await log()).to.have.length(before + 1)
    expect(await service.repository.git('log', '-1', '--format=%s%n%an')).to.equal('Begin with notes\nSELF')
    expect(await tagOf('a')).to.equal(`"${head}"`)
    expect((await service.http.get('/api/v1/metadata/b').expect(200)).text).to.equal(documents.x)
    const feed = await service.http.get('/api/changes').expect(200)
    expect(feed.body.items.map(({ id }: { id: string }) => id)).to.have.members(['note', 'a', 'b'])
    await isSound()
  })

  it('creates, changes and deletes records, each with its own precondition', async () => {
    await given('a', 'b', 'c')
    await service.http.delete('/api/v1/metadata/c').set('If-Match', '*').expect(204)
    await service.postSchema({ schemaId: 'other' }, jsonSchema()).expect(201)
    const [a, b] = [await tagOf('a'), await tagOf('b')]
    const next = documents.schema.replace('{', '{"title":"Note",')

    const { body } = await send(
      [
        { kind: 'metadata', action: 'update', id: 'a', ifMatch: a, document: 'y' },
        { kind: 'metadata', action: 'delete', id: 'b', ifMatch: b },
        { kind: 'metadata', action: 'delete', id: 'c', ifMatch: '*' },
        { kind: 'schema', action: 'delete', id: 'other', ifMatch: '*' },
        { kind: 'schema', action: 'update', id: 'note', ifMatch: '*', document: 'schema' },
        create('d', { schema: 'note/2' }),
        create('e', { resource: 'http://x/c' }),
      ],
      { x: documents.x, y: documents.y, schema: next },
    ).expect(200)

    const told = (body.records as { change: string; id: string; version?: number }[]).map(
      ({ change, id, version }) => `${change} ${id} ${version ?? '-'}`,
    )
    expect(told).to.deep.equal([
      'updated a 2',
      'updated b 2',
      'deleted c -',
      'updated other 1',
      'updated note 2',
      'created d 1',
      'created e 1',
    ])
    expect(await service.repository.git('log', '-1', '--format=%s')).to.equal('Change 7 records')
    expect((await service.http.get('/api/v1/metadata/a').expect(200)).text).to.equal(documents.y)
    await service.http.get('/api/v1/metadata/c').expect(404)
    const followed = await service.http.get('/api/v1/metadata/d').set('Accept', metadataType).expect(200)
    expect(followed.body.schemaVersion).to.equal(2)
    await isSound()
  })

  it('deletes a schema with the documents that follow it, as long as none is left', async () => {
    await given('a', 'b', 'c')
    for (const id of ['a', 'b', 'c'])
      await service.http.delete(`/api/v1/metadata/${id}`).set('If-Match', '*').expect(204)
    const remove = (kind: Change['kind'], id: string): Change => ({
      kind,
      action: 'delete',
      id,
      ifMatch: '*',
    })
    const schema = remove('schema', 'note')

    const refused = await send([schema, remove('metadata', 'b'), remove('metadata', 'a')]).expect(409)
    expect(refused.body.detail).to.match(/"c" follows a version of the schema "note"/)
    expect(refused.body.change).to.equal(0)
    const all = [remove('metadata', 'c'), schema, remove('metadata', 'a'), remove('metadata', 'b')]
    const { body } = await send(all).expect(200)

    expect(body.records.map(({ id, change }: Record<string, string>) => `${id} ${change}`)).to.deep.equal([
      'c deleted',
      'note updated',
      'a deleted',
      'b deleted',
    ])
    await send([schema]).expect(200)
    await service.http.get('/api/v1/schemas/note').expect(404)
    await isSound()
  })

  it('is applied as a whole or not at all, and names the refused change', async () => {
    await given('a', 'b')
    const a = await tagOf('a')
    await service.putMetadata('a', a, undefined, '{"title":"newer"}').expect(200)
    const update: Change = { kind: 'metadata', action: 'update', id: 'b', ifMatch: '*', document: 'y' }
    const alternate = { value: 'new', identifierType: 'OTHER' }
    const named = { ...create('m'), record: { ...record('m'), alternateIdentifiers: [alternate] } }
    const cases: readonly (readonly [status: number, what: string, change: Change, detail: RegExp])[] = [
      [422, 'an invalid document', { ...create('n'), document: 'bad' }, /not valid/],
      [412, 'a precondition', { ...update, id: 'a', ifMatch: a }, /has changed/],
      [428, 'none', { kind: 'metadata', action: 'delete', id: 'a' }, /ifMatch/],
      [409, 'a name', create('a'), /belongs to/],
      [409, 'a resource', create('n', { resource: 'http://x/a' }), /already has a document/],
      [409, 'a name of the set', named, /belongs to/],
      [409, 'a resource of the set', create('n', { resource: 'http://x/new' }), /already has a document/],
      [404, 'no such record', { ...update, id: 'nobody' }, /doesn't exist/],
      [422, 'no such schema', create('n', { schema: 'nothing' }), /no schema/],
      [422, 'a schema', { ...register('broken'), document: 'bad' }, /cannot be used/],
      [409, 'a schema in use', { kind: 'schema', action: 'delete', id: 'note', ifMatch: '*' }, /follows/],
    ]
    for (const [status, what, change, detail] of cases) {
      await service.storesNothing(async () => {
        const parts = {
          x: documents.x,
          y: documents.y,
          ...(change.document === 'bad' && { bad: '{"type":3}' }),
        }
        const sent = await send([create('new'), change, update], parts)
        expect(sent.status, `${what}: ${sent.text}`).to.equal(status)
        expect(sent.body.change, what).to.be.oneOf(what.endsWith('of the set') ? [0, 1] : [1])
        expect(sent.body.detail)
          .to.match(detail)
          .and.to.match(/^changes\[\d\]/)
      })
    }
    await service.http.get('/api/v1/metadata/new').expect(404)
    await isSound()
  })

  it('is refused if its changes contradict each other', async () => {
    await given('a')
    await service.storesNothing(async () => {
      const update: Change = { kind: 'metadata', action: 'update', id: 'a', ifMatch: '*', document: 'x' }
      const twice = await send([update, { ...update, document: 'y' }], {
        x: documents.x,
        y: documents.y,
      }).expect(400)
      expect(twice.body.detail).to.contain('same record')
      const recordOnly: Change = { ...update, document: undefined, record: record('a') }
      for (const both of [
        [{ kind: 'metadata', action: 'delete', id: 'a', ifMatch: '*' }, recordOnly],
        [create('n'), { ...recordOnly, id: 'n', record: record('n') }],
        [create('n'), create('n', { resource: 'http://x/other' })],
      ] as const) {
        const used = both.some(({ document }) => document === 'x')
        const { status, body } = await send(both, used ? { x: documents.x } : {})
        expect([status, body.change]).to.deep.equal([400, 1])
      }

      const referring = JSON.stringify({ $ref: 'note' })
      const changed: Change = {
        kind: 'schema',
        action: 'update',
        id: 'note',
        ifMatch: '*',
        document: 'schema',
      }
      const refers = { ...register('refers'), document: 'referring' }
      for (const both of [
        [changed, refers],
        [refers, changed],
      ]) {
        const { body } = await send(both, { schema: jsonSchema(), referring }).expect(409)
        expect(body.change).to.equal(both.indexOf(refers))
        expect(body.detail).to.contain('Send that one first')
      }
      await send([{ ...register('refers'), document: 'referring' }, register('target')], {
        referring: JSON.stringify({ $ref: 'target' }),
        schema: documents.schema,
      }).expect(422)
    })
    await service.services.workTreeUpToDate()
    await service.repository.commit('Break it', { 'schemas/note/record.json': '{' })
    await service.services.health(selfPrincipal)
    const faulty = await send(
      [{ kind: 'schema', action: 'update', id: 'note', ifMatch: '*', document: 'schema' }],
      {
        schema: jsonSchema(),
      },
    ).expect(409)
    expect(faulty.body.detail).to.contain('by itself')
  })

  it('makes no commit without changes; with one record, its commit has the subject of that change', async () => {
    await given('a')
    await service.storesNothing(async () => {
      const { body } = await send(
        [{ kind: 'metadata', action: 'update', id: 'a', ifMatch: '*', document: 'same' }],
        { same: '{"title":"old"}' },
      ).expect(200)
      expect(body.commit).to.equal(undefined)
      expect(body.records[0]).to.include({ change: 'unchanged', version: 1, etag: await tagOf('a') })
    })
    await send([{ kind: 'metadata', action: 'update', id: 'a', ifMatch: '*', document: 'x' }], {
      x: documents.x,
    }).expect(200)
    expect((await log())[0]).to.equal('Update metadata a to version 2 (note, version 1)')
  })

  it('accepts records of version 1, in parts or inline, and schemas of several files', async () => {
    const { body } = await send(
      {
        interface: 1,
        changes: [
          {
            kind: 'schema',
            action: 'create',
            record: { schemaId: 'parcel' },
            document: 'xsd',
            files: { 'types/weight.xsd': 'weight' },
          },
          { kind: 'metadata', action: 'create', record: 'r', document: 'd' },
        ],
      },
      {
        xsd: '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="types/weight.xsd"/><xs:element name="w" type="W"/></xs:schema>',
        weight:
          '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleType name="W"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>',
        r: JSON.stringify(metadataRecordV1('http://x/1', 'parcel', { id: 'one' })),
        d: '<w>3</w>',
      },
    ).expect(200)

    expect(body.records[1].location).to.equal('http://metastore.test/api/v1/metadata/one?version=1')
    await service.http.get('/api/v1/schemas/parcel/files/types/weight.xsd').expect(200)
    await isSound()
  })

  it('is refused if the form is malformed', async () => {
    await given('a')
    const wrong: readonly (readonly [
      sent: object,
      detail: RegExp,
      parts?: Readonly<Record<string, string>>,
    ])[] = [
      [{}, /no changes/],
      [{ changes: [] }, /no changes/],
      [{ changes: [1] }, /changes\[0\]: A change must be an object/],
      [{ changes: [{ kind: 'metadata' }] }, /an action/],
      [{ changes: [{ kind: 'thing', action: 'create' }] }, /kind is "thing"/],
      [{ changes: [{ kind: 'metadata', action: 'create', id: 'a' }] }, /member id/],
      [{ changes: [{ kind: 'metadata', action: 'create', record: {} }] }, /the members record and document/],
      [{ changes: [{ kind: 'metadata', action: 'update', ifMatch: '*' }] }, /needs the id/],
      [{ changes: [{ kind: 'metadata', action: 'update', id: 'a', ifMatch: '*' }] }, /changes nothing/],
      [{ changes: [{ kind: 'metadata', action: 'delete', id: 'a', record: {} }] }, /member record/],
      [{ changes: [create('n')] }, /part x is missing/],
      [{ changes: [create('n')] }, /No change names the part z/, { x: '{}', z: '{}' }],
      [{ changes: [create('n')], interface: 3 }, /interface is 3/, { x: '{}' }],
      [{ changes: [create('n')], message: 'two\nlines' }, /one line/, { x: '{}' }],
      [{ changes: [create('n')], mesage: 'x' }, /member mesage/, { x: '{}' }],
    ]
    await service.storesNothing(async () => {
      for (const [sent, detail, parts] of wrong) {
        const { body } = await send(sent, parts).expect(400)
        expect(body.detail).to.match(detail)
      }
      await service.http.post('/api/changesets').attach('x', Buffer.from('{}'), 'x').expect(400)
      await service.http.post('/api/changesets').send({}).expect(415)
      const many = Array.from({ length: 1001 }, (_, index) => create(`n${index}`))
      await send(many, { x: documents.x }).expect(413)
    })
  })

  it('and single changes of the same records exclude each other', async () => {
    await given('a', 'b')
    for (let round = 0; round < 12; round++) {
      const [a, b] = [await tagOf('a'), await tagOf('b')]
      const change = (id: string, ifMatch: string): Change => ({
        kind: 'metadata',
        action: 'update',
        id,
        ifMatch,
        document: 'x',
      })
      const set = () => send([change('a', a), change('b', b)], { x: `{"title":"set ${round}"}` })
      const put = (id: string, tag: string) =>
        service.putMetadata(id, tag, undefined, `{"title":"put ${round}"}`)
      const sent = round % 2 === 0 ? [set(), put('a', a), put('b', b)] : [put('b', b), put('a', a), set()]

      const statuses = (await Promise.all(sent.map(async one => (await one).status))) as number[]
      const [ofSet, ...ofPuts] = round % 2 === 0 ? statuses : statuses.toReversed()

      const texts = await Promise.all(
        ['a', 'b'].map(async id => (await service.http.get(`/api/v1/metadata/${id}`).expect(200)).text),
      )
      if (ofSet === 200) {
        expect(ofPuts).to.deep.equal([412, 412])
        expect(texts).to.deep.equal([`{"title":"set ${round}"}`, `{"title":"set ${round}"}`])
      } else {
        expect(ofSet).to.equal(412)
        expect(ofPuts).to.include(200)
        expect(texts.join()).not.to.contain(`set ${round}`)
      }
    }
    await isSound()
  })
})

describe('a change set of a caller without permission for all changes', () => {
  afterEach(removeRepositories)

  it('is refused as a whole', async () => {
    const identify: Identify = ctx => {
      const sid = ctx.get('X-Caller')
      return { sid, name: sid, email: `${sid}@example.org`, administrator: false, groups: [] }
    }
    const service = await startServiceWithWorkTree({ identify })
    const acl = [{ sid: 'bob', permission: 'READ' }]
    const as = (caller: string, changes: readonly Change[]) =>
      service.http
        .post('/api/changesets')
        .set('X-Caller', caller)
        .field('changeset', JSON.stringify({ interface: 1, changes }))
    await as('ann', [
      { kind: 'schema', action: 'create', record: { schemaId: 'note', acl }, document: 's' },
      {
        kind: 'metadata',
        action: 'create',
        record: metadataRecordV1('http://x/1', 'note', { id: 'hers', acl }),
        document: 'd',
      },
    ])
      .attach('s', Buffer.from(jsonSchema()), 's')
      .attach('d', Buffer.from('{}'), 'd')
      .expect(200)

    await service.storesNothing(async () => {
      const { body } = await as('bob', [
        { kind: 'metadata', action: 'create', record: metadataRecordV1('http://x/2', 'note'), document: 'd' },
        { kind: 'metadata', action: 'delete', id: 'hers', ifMatch: '*' },
      ])
        .attach('d', Buffer.from('{}'), 'd')
        .expect(403)
      expect(body.change).to.equal(1)
    })
  })
})
