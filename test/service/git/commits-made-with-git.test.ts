import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ComposedServices } from '../../../src/compose/compose.js'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { verifyRepository } from '../../../src/features/maintenance/verify/verify-repository.js'
import { encodeRecord } from '../../../src/store/records/record-json.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import {
  addResource,
  ifMatch,
  ifMatchAny,
  keepRecord,
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
  waitUntil,
} from '../../support/repository/test-repository.js'

const page = { offset: 0, limit: 20 }

let repository: TestRepository
let services: ComposedServices

/** Starts the services of a repository with the schema `note`. */
async function start(): Promise<void> {
  repository = await temporaryRepository()
  services = await repository.compose()
  await services.collections.schema.create(
    selfPrincipal,
    { id: parseTestId('note'), edit: keepRecord },
    { document: titleJsonSchema() },
    testOrigins,
  )
}

const create = (resource: string) =>
  services.collections.metadata.create(
    selfPrincipal,
    { schema: { schemaId: parseTestId('note') }, edit: addResource(resource) },
    { document: toBuffer({ title: resource }) },
  )
const recordOf = (name: string, resource: string, more: Partial<StoredRecord> = {}) =>
  encodeRecord({
    ...addResource(resource)({ id: parseTestId(name) }),
    schema: { schemaId: parseTestId('note'), version: toTestVersion(1) },
    ...more,
  })
const place = (name: string) => recordDirectory('metadata', parseTestId(name))
const find = (name: string) =>
  services.collections.metadata.list(selfPrincipal, {}, page).items.find(item => item.id === name)
/** Waits until the services serve this commit as the newest state of the record. */
const served = (name: string, commit: string) =>
  waitUntil(`${name} at ${commit}`, () => {
    const found = find(name)
    return found?.commit === commit ? found : undefined
  })
const faulty = () =>
  waitUntil('a fault', async () => {
    const { faults } = await services.health(selfPrincipal)
    return faults.length > 0 && faults
  })

describe('a commit made with git beside the services', () => {
  beforeEach(start)
  afterEach(removeRepositories)

  it('that adds a record makes it readable', async () => {
    await services.workTreeUpToDate()
    const commit = await repository.commit('Add a note', {
      [`${place('mine')}/record.json`]: recordOf('mine', 'r'),
      [`${place('mine')}/document.json`]: '{ "title": "by hand" }\n',
    })

    const found = await served('mine', commit)

    expect(found.version).to.equal(1)
    expect((await services.readDocument(found)).toString()).to.equal('{ "title": "by hand" }\n')
    await expectProblem(() => create('r'), 'conflict')
    const log = await services.audit.log(parseTestId('mine'))
    expect(log).to.have.lengthOf(1)
    expect(log[0]).to.deep.include({
      subject: 'Add a note',
      author: { name: 'Jane', email: 'jane@example.org' },
    })
  })

  it('that changes a record or a document makes a version, and outdates the ETag', async () => {
    const made = await create('r')
    await services.workTreeUpToDate()
    const record = encodeRecord(setTitle('By hand')(made.record))
    const commit = await repository.commit('Name it', { [`${place(made.id)}/record.json`]: record })

    const found = await served(made.id, commit)

    expect(found.version).to.equal(2)
    expect(found.record.titles).to.deep.equal([{ value: 'By hand' }])
    await expectProblem(
      () =>
        services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
          document: toBuffer({ title: 'x' }),
        }),
      'precondition-failed',
    )
    const next = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(found), {
      document: toBuffer({ title: 'x' }),
    })
    expect(next.version).to.equal(3)
    expect(next.record.titles).to.deep.equal([{ value: 'By hand' }])
  })

  it('that adds another file to the folder of a record is corrected by the next update', async () => {
    const made = await create('r')
    await services.workTreeUpToDate()
    const directory = place(made.id)
    await repository.patiently('rm', '-q', `${directory}/record.json`)
    await repository.commit('Disturb it', {
      [`${directory}/record.json/x`]: 'x',
      [`${directory}/document.xml/y`]: 'y',
      [`${directory}/notes.txt`]: 'my notes',
    })
    await faulty()

    await services.collections.metadata.revise(selfPrincipal, made.id, ifMatchAny, {
      document: toBuffer({ title: 'x' }),
    })
    await services.workTreeUpToDate()

    const files = await repository.git('ls-tree', '-r', '--name-only', 'HEAD', `${directory}/`)
    expect(files.split('\n')).to.deep.equal([`${directory}/document.json`, `${directory}/record.json`])
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('that puts a file among the folders of records does not block further records', async () => {
    await services.workTreeUpToDate()
    await repository.commit('Block it', { metadata: 'a file' })

    const made = await create('r')
    await services.workTreeUpToDate()

    expect(await repository.git('ls-tree', '-r', '--name-only', 'HEAD')).to.contain(place(made.id))
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('can be the base of an update at once, by its ETag', async () => {
    const made = await create('r')
    await services.workTreeUpToDate()
    const commit = await repository.commit('Name it', {
      [`${place(made.id)}/document.json`]: '{"title":"new"}',
    })

    // The test does not wait for the commit to be served, because `git log` shows the ETag.
    const next = await services.collections.metadata.revise(
      selfPrincipal,
      made.id,
      { any: false, tags: [commit] },
      { draft: { edit: setTitle('Next') } },
    )

    expect(next.version).to.equal(3)
    expect((await services.readDocument(next)).toString()).to.equal('{"title":"new"}')
  })

  it('that removes a directory deletes the record', async () => {
    const made = await create('r')
    await services.workTreeUpToDate()
    await repository.commit('Remove it', { [place(made.id)]: null })

    await waitUntil('the removal', () => find(made.id) === undefined)

    await expectProblem(() => services.collections.metadata.read(selfPrincipal, made.id), 'not-found')
    await expectProblem(
      () =>
        services.collections.metadata.create(
          selfPrincipal,
          { id: made.id, schema: { schemaId: parseTestId('note') }, edit: addResource('r') },
          { document: toBuffer({ title: '' }) },
        ),
      'gone',
    )
    expect((await create('r')).version).to.equal(1)
  })

  it('that merges a branch is one revision of each record that it changes', async () => {
    const made = await create('r')
    await services.workTreeUpToDate()
    await repository.patiently('checkout', '-q', '-b', 'side')
    // The server does not serve another checked-out branch.
    await repository.patiently('checkout', '-q', 'main')
    await repository.patiently('checkout', '-q', '--detach')
    await repository.patiently('checkout', '-q', 'main')
    const folder = join(repository.dir, '..', 'clone')
    await repository.git('clone', '-q', repository.dir, folder)
    const inClone = (...args: string[]) => repository.git('-C', folder, ...args)
    await inClone('checkout', '-q', '-b', 'topic')
    for (const title of ['one', 'two']) {
      await writeFile(join(folder, place(made.id), 'document.json'), toBuffer({ title }))
      await inClone('commit', '-q', '-am', `Say ${title}`)
    }
    await create('q')
    await services.workTreeUpToDate()
    await repository.git('fetch', '-q', folder, 'topic:topic')
    await repository.patiently('merge', '-q', '--no-ff', '-m', 'Take over', 'topic')
    const commit = await repository.head()

    const found = await served(made.id, commit)

    expect(found.version).to.equal(2)
    expect(await services.readDocument(found)).to.deep.equal(toBuffer({ title: 'two' }))
    expect(
      find('q') ?? services.collections.metadata.list(selfPrincipal, { resources: ['q'] }, page).total,
    ).to.equal(1)
  })

  it('that breaks a rule of updates is a fault with the rule', async () => {
    const made = await create('r')
    await services.collections.schema.create(
      selfPrincipal,
      { id: parseTestId('other'), edit: keepRecord },
      { document: titleJsonSchema() },
      testOrigins,
    )
    await services.workTreeUpToDate()
    const document = '{"title":""}'
    const broken: Readonly<Record<string, Readonly<Record<string, string | Uint8Array | null>>>> = {
      'no schema with the id "none"': {
        [`${place('b1')}/record.json`]: recordOf('b1', 'x1', {
          schema: { schemaId: parseTestId('none'), version: toTestVersion(1) },
        }),
        [`${place('b1')}/document.json`]: document,
      },
      'already has a document': {
        [`${place('b2')}/record.json`]: recordOf('b2', 'r'),
        [`${place('b2')}/document.json`]: document,
      },
      'belongs to the schema': {
        [`${place('b3')}/record.json`]: recordOf('b3', 'x3', {
          alternateIdentifiers: [{ value: 'note', identifierType: 'OTHER' }],
        }),
        [`${place('b3')}/document.json`]: document,
      },
      'is XML': {
        [`${place('b4')}/record.json`]: recordOf('b4', 'x4'),
        [`${place('b4')}/document.xml`]: '<a/>',
      },
      'no related resource': {
        [`${place('b5')}/record.json`]: recordOf('b5', 'x5', { relatedIdentifiers: [] }),
        [`${place('b5')}/document.json`]: document,
      },
      'not well-formed JSON': {
        [`${place('b6')}/record.json`]: '{',
        [`${place('b6')}/document.json`]: document,
      },
      'neither one of its files': {
        'schemas/other/schema.json': '{"$ref":"missing.json"}',
      },
      'follows a version of the schema': { 'schemas/note': null },
    }
    for (const [text, files] of Object.entries(broken)) {
      const commit = await repository.commit(text, files)
      const found = await waitUntil(text, async () =>
        (await services.health(selfPrincipal)).faults.find(fault => fault.commit === commit),
      )
      expect(JSON.stringify(found.findings)).to.include(text.replaceAll('"', '\\"'))
    }

    expect(
      services.collections.metadata.list(selfPrincipal, {}, page).items.map(item => item.id),
    ).to.deep.equal([made.id])
    expect(services.collections.schema.read(selfPrincipal, parseTestId('other')).version).to.equal(1)
    // The server still serves the removed schema to its documents.
    expect(
      (
        await services.collections.schema.validate(
          selfPrincipal,
          parseTestId('note'),
          undefined,
          toBuffer({ title: '' }),
        )
      ).findings,
    ).to.be.empty
    const later = await create('later')
    expect(later.version).to.equal(1)
  })

  it('that registers a schema with its files allows documents to follow it', async () => {
    await services.workTreeUpToDate()
    await repository.commit('Add a schema', {
      'schemas/more/record.json': encodeRecord({ id: parseTestId('more'), titles: [{ value: 'More' }] }),
      'schemas/more/schema.json': '{"$ref":"parts/a.json"}',
      'schemas/more/parts/a.json': '{"$ref":"http://elsewhere.example.org/api/v1/schemas/note?version=1"}',
    })

    const made = await services.collections.metadata.create(
      selfPrincipal,
      { schema: { schemaId: parseTestId('more') }, edit: addResource('r') },
      { document: toBuffer({ title: 'a' }) },
    )

    expect(made.record.schema).to.deep.equal({ schemaId: 'more', version: 1 })
    await expectProblem(
      () =>
        services.collections.metadata.create(
          selfPrincipal,
          { schema: { schemaId: parseTestId('more') }, edit: addResource('q') },
          { document: toBuffer('{}') },
        ),
      'unprocessable',
    )
  })

  it('may add a schema with a document that follows it, and remove both', async () => {
    await services.workTreeUpToDate()
    const files = {
      'schemas/zoo/record.json': encodeRecord({ id: parseTestId('zoo') }),
      'schemas/zoo/schema.json': titleJsonSchema(),
      [`${place('ant')}/record.json`]: recordOf('ant', 'r', {
        schema: { schemaId: parseTestId('zoo'), version: toTestVersion(1) },
      }),
      [`${place('ant')}/document.json`]: '{"title":"ant"}',
    }
    await served('ant', await repository.commit('Open the zoo', files))
    expect((await services.health(selfPrincipal)).faults).to.be.empty

    await repository.commit('Close the zoo', { 'schemas/zoo': null, [place('ant')]: null })
    await waitUntil('the removal', () => find('ant') === undefined)

    expect((await services.health(selfPrincipal)).faults).to.be.empty
    await expectProblem(
      () => services.collections.schema.read(selfPrincipal, parseTestId('zoo')),
      'not-found',
    )
  })

  it('may restore a deleted record', async () => {
    const made = await create('r')
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatchAny)
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatchAny)
    await services.workTreeUpToDate()
    await repository.patiently('revert', '--no-edit', 'HEAD')

    const found = await served(made.id, await repository.head())

    expect(found.version).to.be.greaterThan(2)
    expect(found.record.state).to.equal('REVOKED')
    expect(await services.readDocument(found)).to.deep.equal(toBuffer({ title: 'r' }))
  })

  it('made while no server runs is served after the next start', async () => {
    const made: Revision = await create('r')
    await services.close()
    const commit = await repository.commit('Change it', {
      [`${place(made.id)}/document.json`]: '{"title":"z"}',
    })

    services = await repository.compose()

    expect(services.collections.metadata.read(selfPrincipal, made.id)).to.include({ version: 2, commit })
    await services.collections.metadata.remove(selfPrincipal, made.id, ifMatchAny)
    await services.workTreeUpToDate()
    expect(await repository.git('status', '--porcelain')).to.equal('')
    await repository.git('fsck', '--strict')
  })
})

describe('a commit made with git of an invalid document', () => {
  let made: Revision
  let commit: string
  let fault: Awaited<ReturnType<typeof faulty>>[number] | undefined
  before(async () => {
    await start()
    made = await create('r')
    await services.workTreeUpToDate()
    commit = await repository.commit('Break it', {
      [`${place(made.id)}/document.json`]: '{"title": 5}',
    })
    fault = (await faulty())[0]
  })
  after(removeRepositories)

  it('is a fault, which names the record and the place in the document', () => {
    expect(fault).to.include({ kind: 'metadata', id: made.id, commit })
    expect(fault?.findings[0]).to.include({ path: '/title' })
  })

  it('is not served', () => {
    expect(services.collections.metadata.read(selfPrincipal, made.id)).to.deep.equal(made)
  })

  it('is reported to the operator', () => {
    expect(repository.reports.join('\n')).to.include(made.id)
  })

  it('is in the catalog, which stays healthy', async () => {
    expect((await services.health(selfPrincipal)).checks.catalog).to.deep.equal({ ok: true })
  })

  it('is a version in the log of the record, with its findings', async () => {
    const log = await services.audit.log(made.id)
    expect(log[0]).to.deep.include({ commit, version: 2, subject: 'Break it' })
    expect(log[0]?.findings).to.not.be.empty
  })

  it('is the one complaint of verify', async () => {
    const complaints = []
    for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
    expect(complaints).to.have.lengthOf(1)
    expect(complaints[0]).to.include({ kind: 'metadata', id: made.id, commit })
  })

  describe('before a good revision that stores the served state again', () => {
    let healed: Revision
    before(async () => {
      healed = await services.collections.metadata.revise(selfPrincipal, made.id, ifMatch(made), {
        draft: { edit: keepRecord },
      })
    })

    it('keeps the number of its version', async () => {
      expect(healed.version).to.equal(3)
      expect(await repository.git('log', '-1', '--format=%s')).to.include('to version 3')
    })

    it('is no longer a fault', async () => {
      expect((await services.health(selfPrincipal)).faults).to.be.empty
    })

    it('is replaced in the branch', async () => {
      expect(await repository.git('show', `HEAD:${place(made.id)}/document.json`)).to.equal('{"title":"r"}')
    })
  })
})
