import { expect } from 'chai'
import { type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import type { Revision } from '../../../src/core/records/revision.js'
import type { Services } from '../../../src/service/services.js'
import type { MetadataDraft, RecordEdit } from '../../../src/service/updates/record-drafts.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import { searchText } from '../../support/data/search-requests.js'
import {
  addResource,
  ifMatch,
  ifMatchAny,
  keepRecord,
  noteXsd,
  parseTestId,
  setTitle,
  testOrigins,
  titleJsonSchema,
  toBuffer,
  toTestVersion,
} from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

const page = { offset: 0, limit: 20 }

describe('a metadata record', () => {
  let repository: TestRepository
  let services: Services
  let note: Revision

  beforeEach(async () => {
    repository = await temporaryRepository()
    services = await repository.compose()
    note = await register('note', titleJsonSchema())
  })
  afterEach(removeRepositories)

  const register = (name: string, document: Buffer) =>
    services.collections.schema.register(
      selfPrincipal,
      { id: parseTestId(name), edit: keepRecord },
      { document },
      testOrigins,
    )
  const reviseSchema = (name: string, document: Buffer) =>
    services.collections.schema.revise(
      selfPrincipal,
      parseTestId(name),
      ifMatchAny,
      { document },
      testOrigins,
    )
  const create = (
    resource: string,
    document: Buffer = toBuffer({ title: resource }),
    draft: Partial<MetadataDraft> = {},
  ) =>
    services.collections.metadata.create(
      selfPrincipal,
      { schema: { schemaId: parseTestId('note') }, edit: addResource(resource), ...draft },
      document,
    )
  const subjects = async () => (await repository.git('log', '--format=%s')).split('\n')
  const head = () => repository.head()

  it('gets a random UUID, the defaults of a new record and version 1, in one commit', async () => {
    const made = await create('https://example.org/1')

    expect(made.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(made).to.include({ kind: 'metadata', version: 1, documentType: 'JSON', commit: await head() })
    expect(made.record).to.deep.include({
      schema: { schemaId: 'note', version: 1 },
      publisher: 'SELF',
      acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
    })
    expect(services.collections.metadata.read(selfPrincipal, made.id)).to.deep.equal(made)
    expect((await subjects())[0]).to.equal(`Create metadata ${made.id.slice(0, 8)}… (note, version 1)`)
    expect(await repository.git('log', '-1', '--format=%(trailers:key=Record,valueonly)')).to.equal(
      `metadata ${made.id}\n`,
    )
  })

  it('gives ADMINISTRATE to its creator, regardless of its ACL', async () => {
    const made = await create('r', undefined, {
      edit: record => ({
        ...addResource('r')(record),
        acls: [
          { sid: 'guest', permission: 'READ' },
          { sid: 'SELF', permission: 'READ' },
        ],
      }),
    })

    expect(made.record.acls).to.deep.equal([
      { sid: 'guest', permission: 'READ' },
      { sid: 'SELF', permission: 'ADMINISTRATE' },
    ])
  })

  it('gets a new version with every change of document or record, and keeps the older ones', async () => {
    const first = await create('r')
    const second = await services.collections.metadata.revise(selfPrincipal, first.id, ifMatch(first), {
      document: toBuffer('{"title": "b" }'),
    })
    const third = await services.collections.metadata.revise(selfPrincipal, first.id, ifMatch(second), {
      draft: { edit: setTitle('Three') },
    })

    expect([first, second, third].map(made => made.version)).to.deep.equal([1, 2, 3])
    expect(third.documentHash).to.equal(second.documentHash)
    expect(third.createdAt).to.equal(first.time)
    expect(
      await services.readDocument(
        services.collections.metadata.read(selfPrincipal, first.id, toTestVersion(1)),
      ),
    ).to.deep.equal(toBuffer({ title: 'r' }))
    expect(
      await services.readDocument(services.collections.metadata.read(selfPrincipal, first.id)),
    ).to.deep.equal(toBuffer('{"title": "b" }'))
    const versions = services.collections.metadata.versions(selfPrincipal, first.id, page)
    expect(versions.items.map(item => item.commit)).to.deep.equal([third.commit, second.commit, first.commit])
    expect((await subjects())[0]).to.equal(
      `Update metadata ${first.id.slice(0, 8)}… to version 3 (note, version 1)`,
    )
    await expectProblem(
      () => services.collections.metadata.read(selfPrincipal, first.id, toTestVersion(13)),
      'not-found',
      `Version '13' of ID '${first.id}' doesn't exist!`,
    )
    await expectProblem(
      () => services.collections.metadata.read(selfPrincipal, parseTestId('cd')),
      'not-found',
      "Metadata document with ID 'cd' doesn't exist!",
    )
    await expectProblem(
      () => services.collections.metadata.versions(selfPrincipal, parseTestId('cd'), page),
      'not-found',
    )
  })

  it('makes no commit without a change', async () => {
    const first = await create('r')
    const before = await head()

    const same = await services.collections.metadata.revise(selfPrincipal, first.id, ifMatchAny, {
      document: toBuffer({ title: 'r' }),
      draft: {
        schema: { schemaId: parseTestId('note'), version: toTestVersion(1) },
        edit: record => ({ ...record, acls: [], titles: [], language: '' }),
      },
    })

    expect(same).to.deep.equal(first)
    expect(await head()).to.equal(before)
  })

  it('is refused with findings if the document is not valid, and nothing is stored', async () => {
    const before = await head()
    for (const document of [
      toBuffer('{}'),
      toBuffer('{"title": 1}'),
      toBuffer('{'),
      toBuffer('<a/>'),
      toBuffer(''),
    ]) {
      const problem = await expectProblem(() => create('r', document), 'unprocessable')
      expect(problem.extra.findings, document.toString()).to.not.be.empty
    }
    expect(await head()).to.equal(before)
    const made = await create('r')
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
          document: toBuffer('{}'),
        }),
      'unprocessable',
    )
    expect(services.collections.metadata.read(selfPrincipal, made.id)).to.deep.equal(made)
  })

  it('must describe a resource', async () => {
    await expectProblem(() => create('r', undefined, { edit: keepRecord }), 'malformed-request')
    const made = await create('r')
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
          draft: { edit: addResource() },
        }),
      'malformed-request',
    )
  })

  it('follows the newest version of its schema unless another is named', async () => {
    const schema = parseTestId('note')
    await reviseSchema('note', titleJsonSchema('body'))
    await expectProblem(() => create('a'), 'unprocessable')
    const old = await create('a', undefined, {
      schema: { schemaId: schema, version: toTestVersion(1) },
    } as MetadataDraft)
    const fresh = await create('b', toBuffer({ title: 'b', body: '' }))
    expect([old, fresh].map(made => made.record.schema?.version)).to.deep.equal([1, 2])

    // The record keeps its schema version if the update names the schema without a version.
    const kept = await services.collections.metadata.revise(selfPrincipal, old.id, ifMatch(old), {
      draft: { schema: { schemaId: schema }, edit: setTitle('Kept') },
    })
    expect(kept.record.schema?.version).to.equal(1)
    // An update of only the record changes the schema version. The stored document is validated again.
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, old.id, ifMatch(kept), {
          draft: { schema: { schemaId: schema, version: toTestVersion(2) }, edit: keepRecord },
        }),
      'unprocessable',
    )
    const down = await services.collections.metadata.revise(selfPrincipal, fresh.id, ifMatch(fresh), {
      draft: { schema: { schemaId: schema, version: toTestVersion(1) }, edit: keepRecord },
    })
    expect(down.record.schema?.version).to.equal(1)
    await expectProblem(
      () =>
        create('c', undefined, { schema: { schemaId: schema, version: toTestVersion(9) } } as MetadataDraft),
      'unprocessable',
    )
    await expectProblem(
      () => create('c', undefined, { schema: { schemaId: parseTestId('none') } } as MetadataDraft),
      'unprocessable',
    )
  })

  it('may change to a schema of the other language with a matching document', async () => {
    await register('xml', noteXsd())
    const made = await create('r')
    const draft = { schema: { schemaId: parseTestId('xml') }, edit: keepRecord }

    await expectProblem(
      () => services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), { draft }),
      'unprocessable',
    )
    const moved = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
      draft,
      document: toBuffer('<note xmlns="urn:note">a</note>'),
    })

    expect(moved).to.include({ version: 2, documentType: 'XML' })
    expect([...moved.files.keys()].sort()).to.deep.equal(['document.xml', 'record.json'])
  })

  it('cannot follow a REVOKED or GONE schema', async () => {
    for (const step of ['revoked', 'gone']) {
      await services.collections.schema.remove(selfPrincipal, note.id, ifMatchAny)
      await expectProblem(() => create('r'), 'unprocessable', 'note')
      expect(step).to.be.a('string')
    }
  })

  it('is the only one of its resource and schema, across schema versions', async () => {
    await register('other', titleJsonSchema())
    const made = await create('https://example.org/1')
    await reviseSchema('note', titleJsonSchema('body'))

    const problem = await expectProblem(
      () => create('https://example.org/1', toBuffer({ title: '', body: '' })),
      'conflict',
      'Conflict',
    )
    expect(problem.message)
      .to.include('https://example.org/1')
      .and.to.include('"note"')
      .and.to.include(made.id)
    const several = addResource('https://example.org/0', 'https://example.org/1')
    await expectProblem(() => create('', toBuffer({ title: '', body: '' }), { edit: several }), 'conflict')
    // The same resource with another schema does not conflict, and neither does another resource with the same schema.
    const other = await create('https://example.org/1', undefined, {
      schema: { schemaId: parseTestId('other') },
    } as MetadataDraft)
    const second = await create('https://example.org/2', toBuffer({ title: '', body: '' }))
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, second.id, ifMatch(second), {
          draft: { edit: addResource('https://example.org/1') },
        }),
      'conflict',
    )
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, other.id, ifMatch(other), {
          draft: { schema: { schemaId: parseTestId('note'), version: toTestVersion(1) }, edit: keepRecord },
        }),
      'conflict',
    )
  })

  it('blocks its resource while it is REVOKED, and frees it when it is GONE', async () => {
    const made = await create('r')

    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatch(made))
    await expectProblem(() => create('r'), 'conflict')
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatchAny)

    expect((await create('r')).version).to.equal(1)
    await expectProblem(() => create('r2', undefined, { id: made.id }), 'gone')
  })

  it('is deleted in two steps: the first is a version, the second removes its files', async () => {
    const made = await create('r', undefined, { id: parseTestId('mine') })
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatch(made))
    const revoked = services.collections.metadata.read(selfPrincipal, made.id)
    expect(revoked).to.include({ version: 2 })
    expect(revoked.record.state).to.equal('REVOKED')
    await expectProblem(
      () => services.collections.metadata.remove(selfPrincipal, made.id, ifMatch(made)),
      'precondition-failed',
    )

    // A PUT keeps the record REVOKED unless it sets another state.
    const renamed = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(revoked), {
      draft: { edit: setTitle('x') },
    })
    expect(renamed.record.state).to.equal('REVOKED')
    const revived = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(renamed), {
      draft: { edit: record => ({ ...record, state: 'VOLATILE' }) },
    })
    expect(revived.record.state).to.equal(undefined)
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatch(revived))
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatchAny)

    await expectProblem(() => services.collections.metadata.read(selfPrincipal, made.id), 'not-found')
    await expectProblem(
      () => services.collections.metadata.read(selfPrincipal, made.id, toTestVersion(1)),
      'not-found',
    )
    await expectProblem(
      () => services.collections.metadata.remove(selfPrincipal, made.id, ifMatchAny),
      'not-found',
    )
    expect(await repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'metadata')).to.equal('')
    expect(services.collections.metadata.list(selfPrincipal, {}, page).total).to.equal(0)
    expect((await subjects()).slice(0, 2)).to.deep.equal([
      'Delete metadata mine',
      'Revoke metadata mine (version 5)',
    ])
  })

  it('cannot be revoked by an update', async () => {
    const revoke = (record: StoredRecord): StoredRecord => ({ ...record, state: 'REVOKED' })
    await expectProblem(
      () => create('r', undefined, { edit: record => revoke(addResource('r')(record)) }),
      'malformed-request',
    )
    const made = await create('r')
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
          draft: { edit: revoke },
        }),
      'malformed-request',
    )
  })

  it('shares no name with another record or schema', async () => {
    const named =
      (value: string): RecordEdit =>
      record => ({
        ...addResource(value)(record),
        alternateIdentifiers: [{ value, identifierType: 'OTHER' }],
      })
    const first = await create('', undefined, { id: parseTestId('first'), edit: named('alias') })
    await expectProblem(() => create('r', undefined, { id: parseTestId('note') }), 'conflict')
    await expectProblem(() => create('r', undefined, { id: parseTestId('first') }), 'conflict')
    await expectProblem(() => create('r', undefined, { id: parseTestId('alias') }), 'conflict')
    await expectProblem(() => create('', undefined, { edit: named('first') }), 'conflict', 'first')
    await expectProblem(() => register('alias', titleJsonSchema()), 'conflict')
    const pid: RecordEdit = record => ({ ...addResource('r')(record), identifier: { value: 'alias' } })
    await expectProblem(() => create('', undefined, { edit: pid }), 'conflict')
    const second = await create('r')
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, second.id, ifMatch(second), {
          draft: { edit: named('alias') },
        }),
      'conflict',
    )

    await services.collections.metadata.remove(selfPrincipal, first.id, ifMatchAny)
    await services.collections.metadata.remove(selfPrincipal, first.id, ifMatchAny)
    await expectProblem(() => create('r3', undefined, { id: parseTestId('alias') }), 'gone')
  })

  it('cannot become unreadable by an update', async () => {
    const broken: RecordEdit = record =>
      ({ ...addResource('r')(record), publisher: 5 }) as unknown as StoredRecord
    await expectProblem(() => create('r', undefined, { edit: broken }), 'malformed-request')
  })

  it('is protected by its ACL', async () => {
    const caller = (sid: string): Principal => ({ ...selfPrincipal, sid, name: sid, administrator: false })
    const edit: RecordEdit = record => ({
      ...addResource('r')(record),
      acls: [
        { sid: 'reader', permission: 'READ' },
        { sid: 'writer', permission: 'WRITE' },
        { sid: 'owner', permission: 'ADMINISTRATE' },
      ],
    })
    const made = await create('r', undefined, { edit })
    const change = { draft: { edit: setTitle('x') } }

    await expectProblem(() => services.collections.metadata.read(caller('stranger'), made.id), 'forbidden')
    expect(services.collections.metadata.read(caller('reader'), made.id).commit).to.equal(made.commit)
    // A caller without WRITE does not learn whether the ETag is current.
    await expectProblem(
      () => services.collections.metadata.revise(caller('reader'), made.id, { any: false, tags: [] }, change),
      'forbidden',
    )
    const changed = await services.collections.metadata.revise(
      caller('writer'),
      made.id,
      ifMatch(made),
      change,
    )
    expect(await repository.git('log', '-1', '--format=%an')).to.equal('writer')
    const open: RecordEdit = record => ({ ...record, acls: [{ sid: 'writer', permission: 'ADMINISTRATE' }] })
    await expectProblem(
      () =>
        services.collections.metadata.revise(caller('writer'), made.id, ifMatch(changed), {
          draft: { edit: open },
        }),
      'forbidden',
    )
    await expectProblem(
      () =>
        services.collections.metadata.revise(caller('owner'), made.id, ifMatch(changed), {
          draft: { edit: open },
        }),
      'malformed-request',
    )
    await expectProblem(
      () => services.collections.metadata.remove(caller('writer'), made.id, ifMatch(changed)),
      'forbidden',
    )
    expect(services.collections.metadata.list(caller('stranger'), {}, page).total).to.equal(0)
    expect(services.collections.metadata.list(caller('reader'), {}, page).total).to.equal(1)

    await services.collections.metadata.remove(caller('owner'), made.id, ifMatch(changed))
    // Only administrators of the record can read it while it is REVOKED. Other callers get this answer before the check
    // of the ETag.
    await expectProblem(() => services.collections.metadata.read(caller('reader'), made.id), 'not-found')
    await expectProblem(
      () => services.collections.metadata.revise(caller('writer'), made.id, ifMatch(changed), change),
      'not-found',
    )
    expect(services.collections.metadata.read(caller('owner'), made.id).record.state).to.equal('REVOKED')
    const conflict = await expectProblem(
      () =>
        services.collections.metadata.create(
          caller('owner2'),
          { schema: { schemaId: parseTestId('note') }, edit: addResource('r') },
          toBuffer({ title: '' }),
        ),
      'forbidden',
    )
    expect(conflict.message).to.not.include(made.id)
  })

  it('is found by its words', async () => {
    const made = await create('r', toBuffer({ title: 'graphene oxide' }))
    await create('q', toBuffer({ title: 'graphite' }))

    const found = await searchText(services, selfPrincipal, 'oxide graphene')

    expect(found.hits.map(({ revision }) => revision.id)).to.deep.equal([made.id])
    const stranger = { ...selfPrincipal, sid: 'stranger', administrator: false }
    expect(await searchText(services, stranger, 'graphene')).to.deep.include({ hits: [], total: 0 })
  })
})
