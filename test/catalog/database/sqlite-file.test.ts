// test-schedule: waits
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import Database from 'libsql'
import { copyCatalog } from '../../../src/catalog/read/read-only-snapshot.js'
import { ProblemError } from '../../../src/core/problem.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import { MissingObject } from '../../../src/store/objects/object-errors.js'
import type { WrittenRevision } from '../../../src/store/write/catalog-interface.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import {
  catalogContent,
  openTestCatalog,
  type TestCatalog,
} from '../../support/repository/temporary-catalog.js'

const everything = { offset: 0, limit: 100 }

describe('the catalog file', () => {
  let history: HistoryBuilder
  let told: (() => WrittenRevision)[]
  let oids: readonly Oid[]
  const open: TestCatalog[] = []

  beforeEach(async () => {
    history = buildHistory()
    told = ['a', 'b', 'c'].map(name =>
      history.server('metadata', name as Id, {
        record: {
          id: name as Id,
          schema: { schemaId: 's' as Id, version: asVersion(1) },
          titles: [{ value: `Größe "of" ${name}` }],
        },
        documentType: 'JSON',
        document: `{"word": "apple-${name}", "common": true}`,
      }),
    )
    oids = await history.finish()
  })
  afterEach(async () => {
    for (const catalog of open.splice(0)) await catalog.end()
    history.remove()
  })

  function openOne(name = 'one', fewestInBackground?: number): TestCatalog {
    const catalog = openTestCatalog(history.gitDir, {
      name,
      ...(fewestInBackground !== undefined && { fewestInBackground }),
    })
    open.push(catalog)
    return catalog
  }
  async function close(catalog: TestCatalog): Promise<void> {
    open.splice(open.indexOf(catalog), 1)
    await catalog.end()
  }
  const oid = (at: number) => oids[at] as Oid
  const revision = (at: number) => (told[at] as () => WrittenRevision)()

  it('is copied in its state at the request, even if its writer continues before the copy begins', async () => {
    const catalog = openOne()
    await catalog.writer.catchUp(oid(0))
    const copy = `${catalog.file}.copy`
    const asked: Oid[] = []
    const goesOn = (to: Oid, wanted: (head: Oid) => boolean) => async (head: Oid) => {
      asked.push(head)
      await catalog.writer.catchUp(to)
      return wanted(head)
    }

    expect(
      await copyCatalog(
        catalog.file,
        copy,
        goesOn(oid(1), head => head === oid(0)),
      ),
    ).to.equal(false)
    expect(asked).to.deep.equal([oid(0), oid(1)])
    expect([copy, `${copy}-wal`, `${copy}-shm`].filter(existsSync)).to.deep.equal([])

    expect(
      await copyCatalog(
        catalog.file,
        copy,
        goesOn(oid(2), () => true),
      ),
    ).to.equal(true)
    expect(catalogContent(copy)).to.deep.equal(catalogContent(catalog.file))
  })

  it('shows committed rows to readers, and planned rows to the writer', async () => {
    const catalog = openOne()
    const total = (which: 'committed' | 'planning') => catalog[which].list('metadata', {}, everything).total
    catalog.writer.begin()
    catalog.writer.add([revision(0)])
    expect([total('committed'), total('planning')]).to.deep.equal([0, 1])
    expect(catalog.head()).to.equal(undefined)
    await catalog.writer.rollback()
    expect([total('committed'), total('planning')]).to.deep.equal([0, 0])

    catalog.writer.begin()
    catalog.writer.add([revision(0)])
    catalog.writer.add([revision(1)])
    await catalog.writer.commit(oid(1))
    expect([total('committed'), total('planning')]).to.deep.equal([2, 2])
    expect(catalog.head()).to.equal(oid(1))
    expect(catalog.writer.latestTime()).to.equal(revision(1).time)
    expect(() => catalog.writer.add([revision(2)])).to.throw()
  })

  it('is shared by processes: each sees commits of the other', async () => {
    const one = openOne()
    const other = openOne()
    one.writer.begin()
    one.writer.add([revision(0)])
    await one.writer.commit(oid(0))
    expect(other.committed.list('metadata', {}, everything).total).to.equal(1)
    other.writer.begin()
    other.writer.add([revision(1)])
    await other.writer.commit(oid(1))
    expect(one.committed.list('metadata', {}, everything).total).to.equal(2)
    expect(one.head()).to.equal(oid(1))
  })

  it('is written by another thread after `prepare`, and visible after `commit`', async () => {
    const catalog = openOne('beside', 1)
    const { writer, committed, planning } = catalog
    writer.begin()
    writer.add([revision(0)])
    writer.add([revision(1)])
    expect(planning.owner('b')).to.deep.equal({ kind: 'metadata', id: 'b', gone: false })
    await writer.rollback()
    expect(planning.owner('b')).to.equal(undefined)

    writer.begin()
    writer.add([revision(0)])
    writer.prepare()
    await writer.rollback()
    expect(catalog.head()).to.equal(undefined)

    writer.begin()
    writer.add([revision(0)])
    writer.add([revision(1)])
    writer.prepare()
    expect(committed.newest('metadata', 'b' as Id)).to.equal(undefined)
    await writer.commit(oid(1))
    expect(committed.newest('metadata', 'b' as Id)).to.include({ commit: oid(1) })
    expect(catalog.written('metadata', 'b' as Id, oid(1))).to.include({ commit: oid(1), version: 1 })
    expect(catalog.written('metadata', 'b' as Id, oid(0))).to.equal(undefined)
    await writer.catchUp(oid(2))
    await close(catalog)

    const other = openOne('here')
    await other.writer.catchUp(oid(2))
    await close(other)
    expect(catalogContent(catalog.file)).to.deep.equal(catalogContent(other.file))
  })

  it('reports that the other thread cannot write, and catches up afterwards', async () => {
    const catalog = openOne('locked', 1)
    const { writer } = catalog
    writer.begin()
    writer.add([revision(0)])
    const otherConnection = new Database(catalog.file)
    otherConnection.exec('BEGIN IMMEDIATE')
    // Without `prepare`, this thread would notice the lock at once.
    writer.prepare()
    const failure = await writer.commit(oid(0)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(failure).to.be.instanceOf(ProblemError).with.property('kind', 'unavailable')
    await writer.rollback()
    otherConnection.exec('ROLLBACK')
    otherConnection.close()
    expect(catalog.head()).to.equal(undefined)

    await writer.catchUp(oid(1))
    writer.begin()
    writer.add([revision(2)])
    writer.prepare()
    await writer.commit(oid(2))
    expect(catalog.committed.list('metadata', {}, everything).total).to.equal(3)
  })

  for (const table of ['state', 'record']) {
    it(`is rebuilt if a transaction finds its table ${table} damaged`, async () => {
      for (const how of ['follow', 'write'] as const) {
        const first = openOne(`${table}-${how}`)
        await first.writer.catchUp(oid(1))
        await close(first)
        overwriteTables(first.file, [table])

        const second = openOne(`${table}-${how}`)
        const failure = await (how === 'follow' ? second.writer.catchUp(oid(2)) : write(second)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        expect(failure, how).to.be.instanceOf(ProblemError).with.property('kind', 'unavailable')
        await second.writer.catchUp(oid(2))
        expect(second.committed.list('metadata', {}, everything).total).to.equal(3)
      }
    })
  }

  /** Writes one revision as the writer does. */
  async function write({ writer }: TestCatalog): Promise<void> {
    writer.begin()
    try {
      writer.add([revision(2)])
      writer.prepare()
      await writer.commit(oid(2))
    } catch (thrown) {
      await writer.rollback()
      throw thrown
    }
  }

  it('is rebuilt if it is damaged or of another version, with a report', async () => {
    const first = openOne()
    await first.writer.catchUp(oid(2))
    await close(first)
    const good = catalogContent(first.file)

    overwrite(first.file, 0)
    const second = openOne()
    expect(second.head()).to.equal(undefined)
    expect(second.reports).to.have.length(1)
    await second.writer.catchUp(oid(2))
    await close(second)
    expect(catalogContent(first.file)).to.deep.equal(good)

    const database = new Database(first.file)
    database.exec('PRAGMA user_version = 4711')
    database.close()
    const third = openOne()
    expect(third.head()).to.equal(undefined)
    expect(third.reports).to.have.length(1)
    await third.writer.catchUp(oid(2))
    await close(third)
    expect(catalogContent(first.file)).to.deep.equal(good)
  })

  it('is rebuilt by catching up if a read finds it damaged', async () => {
    const first = openOne()
    await first.writer.catchUp(oid(2))
    await close(first)
    const good = catalogContent(first.file)
    // SQLite can still read the list of tables, so that the catalog opens without an error.
    overwriteTables(first.file)

    const catalog = openOne()
    expect(catalog.reports).to.deep.equal([])
    expect(() => catalog.committed.list('metadata', {}, everything)).to.throw()
    expect(catalog.head()).to.equal(undefined)
    await catalog.writer.catchUp(oid(2))

    expect(catalog.reports).to.have.length(1)
    expect(catalog.committed.list('metadata', {}, everything).total).to.equal(3)
    expect(catalogContent(catalog.file)).to.deep.equal(good)
  })

  it('is the same after a rebuild', async () => {
    const catalog = openOne()
    await catalog.writer.catchUp(oid(2))
    const before = catalogContent(catalog.file)

    catalog.clear()
    expect(catalog.head()).to.equal(undefined)
    expect(catalog.committed.counts()).to.deep.equal({ schemas: 0, metadata: 0 })
    await catalog.writer.catchUp(oid(2))

    expect(catalogContent(catalog.file)).to.deep.equal(before)
  })

  it('stays unchanged if catching up fails', async () => {
    const catalog = openOne()
    await catalog.writer.catchUp(oid(0))
    const before = catalogContent(catalog.file)
    await catalog.objects.close()

    const failure = await catalog.writer.catchUp(oid(2)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )

    expect(failure).to.be.instanceOf(Error).and.not.instanceOf(MissingObject)
    expect(catalogContent(catalog.file)).to.deep.equal(before)
    expect(catalog.committed.counts().metadata).to.equal(1)
  })
})

/** Page size of the databases, in bytes. */
const pageSize = 4096

/**
 * Overwrites the first page of each table and index, or of the given ones.
 * @see https://sqlite.org/schematab.html, "rootpage"
 */
function overwriteTables(file: string, names?: readonly string[]): void {
  const database = new Database(file)
  const all = database
    .prepare('SELECT name, rootpage FROM sqlite_master WHERE rootpage > 1')
    .raw(true)
    .all([])
  database.close()
  for (const [name, page] of all as readonly (readonly [name: string, page: number])[])
    if (names?.includes(name) ?? true) overwrite(file, (page - 1) * pageSize, pageSize)
}

function overwrite(file: string, offset: number, length?: number): void {
  const database = new Database(file)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  const bytes = readFileSync(file)
  bytes.fill('no database at all ', offset, length === undefined ? undefined : offset + length)
  rmSync(file)
  writeFileSync(file, bytes)
}
