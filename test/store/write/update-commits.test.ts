import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { ProblemError } from '../../../src/core/problem.js'
import type { StoredRecord } from '../../../src/core/records/record.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { isLongForm } from '../../support/program/long-form.js'
import {
  createNote,
  noteDocument,
  noteId,
  registerNote,
  removeNote,
  reviseNote,
} from '../../support/repository/note-records.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

describe('writing an update', () => {
  afterEach(removeRepositories)

  it('makes one commit with author, committer, subject and trailers', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)

    const created = await createNote(services, 'one', { id: '1f6c2c1e-0000-4000-8000-000000000001' })

    const shown = await repository.git(
      'log',
      '-1',
      '--format=%an <%ae>%n%cn <%ce>%n%s%n%(trailers:only,unfold)',
    )
    const [author, committer, subject, ...trailers] = shown.split('\n')
    expect(author).to.equal('SELF <self@git-metastore>')
    expect(committer).to.equal('git-metastore <service@git-metastore>')
    expect(subject).to.equal('Create metadata 1f6c2c1e… (note, version 1)')
    expect(trailers).to.include('Record: metadata 1f6c2c1e-0000-4000-8000-000000000001')
    expect(trailers).to.include('Version: 1')
    expect(trailers.join('\n')).to.match(/Recorded-At: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/)
    expect(await repository.git('log', '-1', '--format=%H')).to.equal(created.commit)
  })

  it('returns an ETag that anyone with a clone can compute', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const created = await createNote(services, 'one')
    await createNote(services, 'other')
    const revised = await reviseNote(services, created, 'two')
    await createNote(services, 'another')

    const directory = recordDirectory('metadata', created.id)
    const computed = await repository.git('log', '-1', '--first-parent', '--format=%H', '--', directory)

    expect(computed).to.equal(revised.commit)
    expect(services.collections.metadata.read(selfPrincipal, created.id).commit).to.equal(revised.commit)
  })

  it('makes no commit when nothing changes', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const created = await createNote(services, 'one')
    const head = await repository.head()

    const same = await reviseNote(services, created, 'one')

    expect(same).to.include({ version: 1, commit: created.commit })
    expect(await repository.head()).to.equal(head)
  })

  it('stores documents byte for byte, in the tree and in the work tree', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const bytes = Buffer.from('\r\n{ "title":\t"línea",\r\n  "title": "twice" }\n\n')
    const created = await createNote(services, 'one')

    const revised = await services.collections.metadata.revise(
      selfPrincipal,
      created.id,
      { any: true },
      { document: bytes },
    )
    await services.workTreeUpToDate()

    const path = `${recordDirectory('metadata', created.id)}/document.json`
    expect(await services.readDocument(revised)).to.deep.equal(bytes)
    expect(await readFile(join(repository.dir, path))).to.deep.equal(bytes)
    expect(await repository.git('cat-file', '-s', `HEAD:${path}`)).to.equal(String(bytes.length))
  })

  it('gives strictly increasing times to updates of the same millisecond', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)

    await Promise.all(Array.from({ length: 50 }, (_, index) => createNote(services, `note ${index}`)))

    const log = await repository.git(
      'log',
      '--reverse',
      '--format=%(trailers:key=Recorded-At,valueonly,separator=)',
    )
    const times = log.split('\n').filter(time => time !== '')
    expect(times).to.have.length(52)
    expect(new Set(times).size).to.equal(times.length)
    expect(times.toSorted((a, b) => (a < b ? -1 : 1))).to.deep.equal(times)
  })

  it('writes waiting updates as one pack', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    await createNote(services, 'first')
    await services.workTreeUpToDate()
    const packs = join(repository.dir, '.git/objects/pack')
    const before = (await readdir(packs)).filter(name => name.endsWith('.pack')).length

    await Promise.all(Array.from({ length: 100 }, (_, index) => createNote(services, `note ${index}`)))
    await services.workTreeUpToDate()

    const after = (await readdir(packs)).filter(name => name.endsWith('.pack')).length
    expect(after - before).to.be.lessThan(30)
    expect(Number(await repository.git('rev-list', '--count', 'HEAD'))).to.equal(103)
  })

  it('reports whether updates are accepted without waiting for earlier ones', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const { id, documentType } = await createNote(services, 'one')
    let written = 0
    const updates = Array.from({ length: 1000 }, async (_, index) => {
      const edit = (record: StoredRecord) => ({ ...record, titles: [{ value: `Title ${index}` }] })
      await services.collections.metadata.revise(selfPrincipal, id, { any: true }, { draft: { edit } })
      written++
    })

    const { status } = await services.health(selfPrincipal)

    expect(status).to.equal('UP')
    expect(written).to.be.lessThan(1000)
    await Promise.all(updates)
    expect(services.collections.metadata.read(selfPrincipal, id)).to.include({ version: 1001, documentType })
  })

  it('accepts only one of many updates with the same ETag', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const created = await createNote(services, 'one')

    const answers = await Promise.allSettled(
      Array.from({ length: 32 }, (_, index) => reviseNote(services, created, `version ${index}`)),
    )

    const refusals = answers
      .filter(answer => answer.status === 'rejected')
      .map(answer => answer.reason as unknown)
    expect(refusals).to.have.length(31)
    for (const refusal of refusals) {
      expect(refusal).to.be.instanceOf(ProblemError)
      expect(refusal).to.include({ kind: 'precondition-failed' })
    }
    expect(services.collections.metadata.read(selfPrincipal, created.id).version).to.equal(2)
  })

  for (const git of ['auto', 'none']) {
    it(`leaves a clean status and a sound repository after many mixed operations (git: ${git})`, async () => {
      const notes = isLongForm ? 60 : 30
      const repository = await temporaryRepository()
      const services = await repository.compose({ git })
      await registerNote(services)
      let revisions = await Promise.all(
        Array.from({ length: notes }, (_, index) => createNote(services, `note ${index}`)),
      )

      for (let round = 0; round < 4; round++) {
        revisions = await Promise.all(
          revisions.map(old => reviseNote(services, old, `round ${round} of ${old.id}`)),
        )
        if (round === 1) await services.workTreeUpToDate()
      }
      await Promise.all(revisions.slice(0, 20).map(revision => removeNote(services, revision)))
      await Promise.all(revisions.slice(0, 20).map(revision => removeNote(services, revision)))
      await services.workTreeUpToDate()

      expect(await repository.git('status', '--porcelain', '--ignored')).to.equal('')
      expect(await repository.git('fsck', '--strict', '--full')).to.equal('')
      for (const revision of revisions.slice(0, 20)) {
        expect(existsSync(join(repository.dir, recordDirectory('metadata', revision.id)))).to.equal(false)
      }
      for (const { id } of revisions.slice(20)) {
        const file = join(repository.dir, recordDirectory('metadata', id), 'document.json')
        expect(await readFile(file)).to.deep.equal(noteDocument(`round 3 of ${id}`))
      }
      expect(Number(await repository.git('rev-list', '--count', '--first-parent', 'HEAD'))).to.equal(
        5 * notes + 42,
      )
    })
  }

  it('works in a bare repository', async () => {
    const repository = await temporaryRepository({ bare: true })
    const services = await repository.compose()
    await registerNote(services)

    const created = await createNote(services, 'bare')
    await services.workTreeUpToDate()

    expect(await repository.git('rev-parse', 'main')).to.equal(created.commit)
    expect(await repository.git('fsck', '--strict')).to.equal('')
  })

  it('checks out a file whose content the repository already has under another name', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    const part = Buffer.from('{"type":"object"}')
    const refersTo = (...names: string[]) =>
      Buffer.from(JSON.stringify({ allOf: names.map(name => ({ $ref: name })) }))
    const files = (...names: string[]) => new Map(names.map(name => [name, part]))
    await services.collections.schema.create(
      selfPrincipal,
      { id: noteId, edit: base => base },
      { document: refersTo('a.json'), files: files('a.json') },
      { bases: [] },
    )
    await services.workTreeUpToDate()

    const change = { document: refersTo('b/c.json'), files: files('b/c.json') }
    await services.collections.schema.revise(selfPrincipal, noteId, { any: true }, change, { bases: [] })
    await services.workTreeUpToDate()

    expect(await readFile(join(repository.dir, 'schemas/note/b/c.json'))).to.deep.equal(part)
    expect(existsSync(join(repository.dir, 'schemas/note/a.json'))).to.equal(false)
    expect(await repository.git('status', '--porcelain')).to.equal('')
    expect(repository.reports).to.deep.equal([])
  })

  it('keeps uncommitted edits, with a report', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const created = await createNote(services, 'one')
    await services.workTreeUpToDate()
    const path = `${recordDirectory('metadata', created.id)}/document.json`
    await writeFile(join(repository.dir, path), '{"title":"edited by hand"}')

    await reviseNote(services, created, 'two')
    await services.workTreeUpToDate()

    expect(await readFile(join(repository.dir, path), 'utf8')).to.equal('{"title":"edited by hand"}')
    expect(await repository.git('show', `HEAD:${path}`)).to.equal('{"title":"two"}')
    expect(await repository.git('status', '--porcelain')).to.equal(` M ${path}`)
    expect(repository.reports.join('\n')).to.include(path)
  })
})
