import { expect } from 'chai'
import { type Principal, selfPrincipal } from '../../../src/core/access-control.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import type { Revision } from '../../../src/core/records/revision.js'
import type { Services } from '../../../src/service/services.js'
import type { RecordDraft, RecordEdit } from '../../../src/service/updates/record-drafts.js'
import { expectProblem } from '../../support/data/expect-problem.js'
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

let repository: TestRepository
let services: Services
let note: Revision

/** Starts the services of a repository with the schema `note`. */
async function start(): Promise<void> {
  repository = await temporaryRepository()
  services = await repository.compose()
  note = await register('note', titleJsonSchema())
}

const register = (name: string, document: Buffer) =>
  services.collections.schema.create(
    selfPrincipal,
    { id: parseTestId(name), edit: keepRecord },
    { document },
    testOrigins,
  )
const reviseSchema = (name: string, document: Buffer) =>
  services.collections.schema.revise(selfPrincipal, parseTestId(name), ifMatchAny, { document }, testOrigins)
const create = (
  resource: string,
  document: Buffer = toBuffer({ title: resource }),
  draft: Partial<RecordDraft> = {},
) =>
  services.collections.metadata.create(
    selfPrincipal,
    { schema: { schemaId: parseTestId('note') }, edit: addResource(resource), ...draft },
    { document },
  )
const subjects = async () => (await repository.git('log', '--format=%s')).split('\n')
const head = () => repository.head()

describe('a metadata record', () => {
  beforeEach(start)
  afterEach(removeRepositories)

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

  it('follows another version of its schema if an update names only the version', async () => {
    await reviseSchema('note', titleJsonSchema('body'))
    const made = await create('a', toBuffer({ title: 'a', body: '' }))
    const { record } = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
      draft: { schema: { version: toTestVersion(1) }, edit: keepRecord },
    })
    expect(record.schema).to.deep.equal({ schemaId: 'note', version: 1 })
    await expectProblem(
      () => create('b', undefined, { schema: { version: toTestVersion(1) } } as RecordDraft),
      'malformed-request',
    )
  })

  it('follows the newest version of its schema unless another is named', async () => {
    const schema = parseTestId('note')
    await reviseSchema('note', titleJsonSchema('body'))
    await expectProblem(() => create('a'), 'unprocessable')
    const old = await create('a', undefined, {
      schema: { schemaId: schema, version: toTestVersion(1) },
    } as RecordDraft)
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
        create('c', undefined, { schema: { schemaId: schema, version: toTestVersion(9) } } as RecordDraft),
      'unprocessable',
    )
    await expectProblem(
      () => create('c', undefined, { schema: { schemaId: parseTestId('none') } } as RecordDraft),
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
    } as RecordDraft)
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
})

describe('a metadata record that is deleted', () => {
  let made: Revision
  let revoked: Revision
  let renamed: Revision
  let revived: Revision
  const mine = { id: parseTestId('mine') }
  const read = (version?: number) =>
    services.collections.metadata.read(
      selfPrincipal,
      mine.id,
      version === undefined ? undefined : toTestVersion(version),
    )
  const remove = (condition: Parameters<Services['collections']['metadata']['remove']>[2]) =>
    services.collections.metadata.remove(selfPrincipal, mine.id, condition)
  const revise = (from: Revision, edit: RecordEdit) =>
    services.collections.metadata.revise(selfPrincipal, mine.id, ifMatch(from), { draft: { edit } })
  before(async () => {
    await start()
    made = await create('r', undefined, mine)
    await remove(ifMatch(made))
    revoked = read()
  })
  after(removeRepositories)

  it('has a further version, in which it is REVOKED', () => {
    expect(revoked).to.include({ version: 2 })
    expect(revoked.record.state).to.equal('REVOKED')
  })

  it('is not deleted again with a stale ETag', async () => {
    await expectProblem(() => remove(ifMatch(made)), 'precondition-failed')
  })

  describe('and then updated', () => {
    before(async () => {
      renamed = await revise(revoked, setTitle('x'))
      revived = await revise(renamed, record => ({ ...record, state: 'VOLATILE' }))
    })

    it('stays REVOKED if the update sets no other state', () => {
      expect(renamed.record.state).to.equal('REVOKED')
    })

    it('is no longer REVOKED if the update sets another state', () => {
      expect(revived.record.state).to.equal(undefined)
    })

    describe('and deleted twice', () => {
      before(async () => {
        await remove(ifMatch(revived))
        await remove(ifMatchAny)
      })

      it('cannot be read, not even its first version', async () => {
        await expectProblem(() => read(), 'not-found')
        await expectProblem(() => read(1), 'not-found')
      })

      it('cannot be deleted a third time', async () => {
        await expectProblem(() => remove(ifMatchAny), 'not-found')
      })

      it('has no files', async () => {
        expect(await repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'metadata')).to.equal('')
      })

      it('is not listed', () => {
        expect(services.collections.metadata.list(selfPrincipal, {}, page).total).to.equal(0)
      })

      it('has a commit for each deletion', async () => {
        expect((await subjects()).slice(0, 2)).to.deep.equal([
          'Delete metadata mine',
          'Revoke metadata mine (version 5)',
        ])
      })
    })
  })
})

describe('a metadata record with an ACL', () => {
  const caller = (sid: string): Principal => ({ ...selfPrincipal, sid, name: sid, administrator: false })
  const change = { draft: { edit: setTitle('x') } }
  const open: RecordEdit = record => ({ ...record, acls: [{ sid: 'writer', permission: 'ADMINISTRATE' }] })
  let made: Revision
  let changed: Revision
  const read = (sid: string) => services.collections.metadata.read(caller(sid), made.id)
  const listed = (sid: string) => services.collections.metadata.list(caller(sid), {}, page).total
  before(async () => {
    await start()
    const edit: RecordEdit = record => ({
      ...addResource('r')(record),
      acls: [
        { sid: 'reader', permission: 'READ' },
        { sid: 'writer', permission: 'WRITE' },
        { sid: 'owner', permission: 'ADMINISTRATE' },
      ],
    })
    made = await create('r', undefined, { edit })
    changed = await services.collections.metadata.revise(caller('writer'), made.id, ifMatch(made), change)
  })
  after(removeRepositories)

  it('is not readable without READ, and is left out of lists', async () => {
    await expectProblem(() => read('stranger'), 'forbidden')
    expect(listed('stranger')).to.equal(0)
  })

  it('is readable and listed with READ', () => {
    expect(read('reader').commit).to.equal(changed.commit)
    expect(listed('reader')).to.equal(1)
  })

  it('does not tell a caller without WRITE whether the ETag is current', async () => {
    const stale = { any: false, tags: [] }
    await expectProblem(
      () => services.collections.metadata.revise(caller('reader'), made.id, stale, change),
      'forbidden',
    )
  })

  describe('that a caller with WRITE changed', () => {
    const revise = (sid: string, edit: RecordEdit) =>
      services.collections.metadata.revise(caller(sid), made.id, ifMatch(changed), { draft: { edit } })
    it('has this caller as author of the commit', async () => {
      expect(await repository.git('log', '-1', '--format=%an')).to.equal('writer')
    })

    it('keeps its ACL if a caller lacks ADMINISTRATE', async () => {
      await expectProblem(() => revise('writer', open), 'forbidden')
    })

    it('keeps ADMINISTRATE for the caller who changes its ACL', async () => {
      await expectProblem(() => revise('owner', open), 'malformed-request')
    })

    it('is not deleted without ADMINISTRATE', async () => {
      await expectProblem(
        () => services.collections.metadata.remove(caller('writer'), made.id, ifMatch(changed)),
        'forbidden',
      )
    })
  })

  describe('that is REVOKED', () => {
    before(() => services.collections.metadata.remove(caller('owner'), made.id, ifMatch(changed)))

    it('is not found without ADMINISTRATE', async () => {
      await expectProblem(() => read('reader'), 'not-found')
    })

    it('is not found for a change, before the check of the ETag', async () => {
      await expectProblem(
        () => services.collections.metadata.revise(caller('writer'), made.id, ifMatch(changed), change),
        'not-found',
      )
    })

    it('is readable with ADMINISTRATE', () => {
      expect(read('owner').record.state).to.equal('REVOKED')
    })

    it('is not named to another caller whose record would conflict with it', async () => {
      const conflict = await expectProblem(
        () =>
          services.collections.metadata.create(
            caller('owner2'),
            { schema: { schemaId: parseTestId('note') }, edit: addResource('r') },
            { document: toBuffer({ title: '' }) },
          ),
        'forbidden',
      )
      expect(conflict.message).to.not.include(made.id)
    })
  })
})
