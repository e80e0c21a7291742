import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { ComposedServices } from '../../../src/compose/compose.js'
import type { Config } from '../../../src/config.js'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { Complaint } from '../../../src/features/maintenance/verify/complaint.js'
import { verifyRepository } from '../../../src/features/maintenance/verify/verify-repository.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import { storeTwoVersions } from '../../support/repository/note-records.js'
import {
  ifMatchAny,
  keepRecord,
  parseTestId,
  testOrigins,
  titleJsonSchema,
} from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

async function complaintsOf(services: ComposedServices): Promise<readonly Complaint[]> {
  const complaints: Complaint[] = []
  for await (const complaint of verifyRepository(services.parts)) complaints.push(complaint)
  return complaints
}

for (const git of ['auto', 'none']) {
  describe(`the audit (git binary: ${git})`, () => {
    let repository: TestRepository
    let services: ComposedServices
    const config: Partial<Config> = { git }

    beforeEach(async () => {
      repository = await temporaryRepository()
      services = await repository.compose(config)
      await storeTwoVersions(services)
    })
    afterEach(removeRepositories)

    it('has the history of a GONE record', async () => {
      await services.collections.metadata.remove(selfPrincipal, parseTestId('mine'), ifMatchAny)
      await services.collections.metadata.remove(selfPrincipal, parseTestId('mine'), ifMatchAny)

      const log = await services.audit.log(parseTestId('mine'))

      expect(log.map(entry => entry.version)).to.deep.equal([undefined, 3, 2, 1])
      expect(log.map(entry => entry.author.name)).to.deep.equal(['SELF', 'SELF', 'SELF', 'SELF'])
      await expectProblem(() => services.audit.log(parseTestId('none')), 'not-found')
    })

    it('has no complaint about a sound repository, and reports progress', async () => {
      const steps: string[] = []
      for await (const complaint of verifyRepository(services.parts, (done, total) =>
        steps.push(`${done}/${total}`),
      )) {
        expect.fail(JSON.stringify(complaint))
      }

      expect(steps.at(-1)).to.equal('2/2')
    })

    it('reports a document with lost bytes', async () => {
      const revision = services.collections.metadata.read(selfPrincipal, parseTestId('mine'))
      await services.close()
      await loseObject(repository, revision.document)
      services = await repository.compose(config)

      const complaints = await complaintsOf(services)

      const hash = complaints.find(complaint => complaint.check === 'hash')
      expect(hash).to.include({ kind: 'metadata', id: 'mine', version: 2 })
      expect(hash?.findings[0]?.message).to.include(revision.document)
      expect(complaints.some(complaint => complaint.check === 'fsck')).to.equal(git === 'auto')
    })

    it('rebuilds a lost catalog', async () => {
      const listed = services.collections.metadata.list(selfPrincipal, {}, { offset: 0, limit: 20 })
      await services.close()
      await rm(join(repository.dir, '.git/git-metastore/catalog.sqlite'))

      services = await repository.compose(config)

      expect(services.collections.metadata.list(selfPrincipal, {}, { offset: 0, limit: 20 })).to.deep.equal(
        listed,
      )
      expect(await complaintsOf(services)).to.deep.equal([])
    })
  })
}

/** Unpacks every pack and removes one object. */
async function loseObject(repository: TestRepository, oid: string): Promise<void> {
  const objects = join(repository.dir, '.git/objects')
  const folder = join(objects, 'pack')
  const packs = (await readdir(folder)).filter(name => name.endsWith('.pack'))
  for (const name of packs) {
    const input = await readFile(join(folder, name))
    for (const file of await readdir(folder)) {
      if (file.startsWith(name.replace(/pack$/, ''))) await rm(join(folder, file))
    }
    execFileSync('git', ['unpack-objects', '-q'], { cwd: repository.dir, input })
  }
  await rm(join(objects, oid.slice(0, 2), oid.slice(2)))
}

describe('the health of the services', () => {
  afterEach(removeRepositories)

  it('is UP if all checks pass, and names the served commit', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()

    const health = await services.health(selfPrincipal)

    const head = await repository.head()
    expect(health).to.deep.equal({
      status: 'UP',
      head,
      catalog: head,
      checks: { repository: { ok: true }, writable: { ok: true }, catalog: { ok: true } },
      warnings: { branch: { ok: true }, edits: { ok: true }, records: { ok: true } },
      faults: [],
      undone: [],
      ofFeatures: {},
    })
  })

  it('is DOWN after a rewrite of the history, and names the reason', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await services.collections.schema.create(
      selfPrincipal,
      { id: parseTestId('note'), edit: keepRecord },
      { document: titleJsonSchema() },
      testOrigins,
    )
    await services.workTreeUpToDate()
    await repository.patiently('commit', '-q', '--amend', '-m', 'Something else')

    const health = await services.health(selfPrincipal)

    expect(health.status).to.equal('DOWN')
    expect(health.checks.repository).to.deep.equal({ ok: true })
    expect(health.checks.writable.ok).to.equal(false)
    expect(health.checks.catalog.detail).to.be.a('string').and.not.equal('')
  })
})

describe('opening a folder', () => {
  afterEach(removeRepositories)

  it('that is not a git-metastore repository is refused', async () => {
    const repository = await temporaryRepository()

    await expectProblem(
      () => repository.compose({ data: join(repository.dir, 'none') }),
      'unusable-repository',
    )
    await expectProblem(() => repository.compose({ data: join(repository.dir, '..') }), 'unusable-repository')
  })

  it('that is bare serves the same records', async () => {
    const repository = await temporaryRepository({ bare: true })
    const services = await repository.compose()
    const made = await services.collections.schema.create(
      selfPrincipal,
      { id: parseTestId('note'), edit: keepRecord },
      { document: titleJsonSchema() },
      testOrigins,
    )

    expect(await services.readDocument(made)).to.deep.equal(titleJsonSchema())
    expect(await repository.head()).to.equal(made.commit)
    await repository.git('fsck', '--strict')
  })
})
