// test-schedule: waits
import { execFileSync } from 'node:child_process'
import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import type { RevisionExtras } from '../../../src/catalog/read/revision-batch-reader.js'
import type { Collection } from '../../../src/core/records/collection.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import { renderByKey, renderingKey } from '../../../src/http/rendering/rendered-record.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const root = 'http://localhost:8040/api/v1'
const all: RevisionExtras = { document: true, renderAs: renderingKey({ version: 1 }, root) }
/** A document too long to copy to the thread. */
const long = `{"long": "${'x'.repeat(40_000)}"}`

describe('newest revisions that many clients request', () => {
  let history: HistoryBuilder
  let oids: readonly Oid[]
  const open: TestCatalog[] = []
  /** Three full batches. The reader leaves a small rest to the event loop if the thread is idle. */
  const ids = Array.from({ length: 48 }, (_, number) => `record-${number}` as Id)
  const documentOf = (id: Id) => (id === 'record-7' ? long : `{"of": "${id}, größer"}`)

  before(async () => {
    history = buildHistory()
    for (const id of ids) {
      history.server('metadata', id, {
        record: {
          id,
          schema: { schemaId: 's' as Id, version: asVersion(1) },
          titles: [{ value: `Größe ${id}` }],
        },
        documentType: 'JSON',
        document: documentOf(id),
      })
    }
    history.server('schema', 's' as Id, { record: { id: 's' as Id }, documentType: 'JSON', document: '{}' })
    oids = await history.finish()
  })
  after(() => history.remove())
  afterEach(async () => {
    for (const catalog of open.splice(0)) await catalog.end()
  })

  async function openOne(readingThread?: URL): Promise<TestCatalog> {
    const catalog = openTestCatalog(history.gitDir, { ...(readingThread && { readingThread }) })
    open.push(catalog)
    await catalog.writer.catchUp(oids.at(-1) as Oid)
    return catalog
  }

  const askAll = (catalog: TestCatalog, along = all) =>
    Promise.all(ids.map(id => catalog.newest('metadata', id, along)))
  const newest = (catalog: TestCatalog, kind: Collection, id: Id) =>
    catalog.committed.newest(kind, id) as Revision

  it('equal those for one client, with documents and renderings', async () => {
    const catalog = await openOne()

    const found = await askAll(catalog)

    for (const [index, id] of ids.entries()) {
      const revision = newest(catalog, 'metadata', id)
      const read = found[index]
      expect(read?.revision).to.deep.equal(revision)
      expect(read?.revision.record.titles).to.deep.equal([{ value: `Größe ${id}` }])
      expect([...(read?.revision.files.keys() ?? [])]).to.have.members(['record.json', 'document.json'])
      expect(read?.rendered).to.equal(renderByKey(revision, renderingKey({ version: 1 }, root)))
      expect(JSON.parse(read?.rendered ?? '')).to.include({
        id,
        metadataDocumentUri: `${root}/metadata/${id}?version=1`,
      })
      expect(read?.document?.toString()).to.equal(id === 'record-7' ? undefined : documentOf(id))
    }
  })

  it('have only the requested extras, in both versions of the interface', async () => {
    const catalog = await openOne()
    const second = renderingKey({ version: 2 }, root)

    const [plain, document, shown] = await Promise.all([
      catalog.newest('metadata', ids[0] as Id, {}),
      catalog.newest('metadata', ids[1] as Id, { document: true }),
      catalog.newest('schema', 's' as Id, { renderAs: second }),
      catalog.newest('schema', 's' as Id, {}),
    ])

    expect(plain).to.have.all.keys('revision')
    expect(document).to.have.all.keys('revision', 'document')
    expect(shown).to.have.all.keys('revision', 'rendered')
    expect(shown?.rendered).to.equal(renderByKey(newest(catalog, 'schema', 's' as Id), second))
    expect(JSON.parse(shown?.rendered ?? '').resourceType).to.deep.include({ value: 'JSON_Schema' })
  })

  it('have no record if it is not used, and never another record', async () => {
    const catalog = await openOne()

    const found = await askAll(catalog, { document: true, record: false })

    for (const [index, id] of ids.entries()) {
      const revision = found[index]?.revision
      expect(revision?.commit).to.equal(newest(catalog, 'metadata', id).commit)
      expect(() => revision?.record).to.throw('The record has not been read')
    }
  })

  it('are read on the event loop if they are few, or missing', async () => {
    const catalog = await openOne()

    expect(await Promise.all(ids.slice(0, 3).map(id => catalog.newest('metadata', id, all)))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ])
    const asked = ['record-1', 'nothing', 'record-2', 's', 'record-3'].map(id =>
      catalog.newest('metadata', id as Id, all),
    )

    const found = await Promise.all(asked)
    expect(found.map(read => read?.revision.id)).to.deep.equal([
      'record-1',
      undefined,
      'record-2',
      undefined,
      'record-3',
    ])
  })

  it('come from the new file after a rebuild of the catalog', async () => {
    const catalog = await openOne()
    await askAll(catalog)
    rmSync(catalog.file)

    await waitUntil('the file is missed', async () =>
      (await askAll(catalog)).every(read => read === undefined),
    )
    await catalog.writer.catchUp(oids.at(-1) as Oid)

    const found = await askAll(catalog)
    expect(found.map(read => read?.revision)).to.deep.equal(ids.map(id => newest(catalog, 'metadata', id)))
    expect(catalog.reports.join()).to.contain('rebuilt')
  })

  it('are read on the event loop if the thread ends or cannot read', async () => {
    const scripts = {
      'ends.mjs':
        "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3))",
      'throws.mjs':
        "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('no') })",
      'refuses.mjs':
        "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => parentPort.postMessage({ error: { message: 'no', code: undefined } }))",
      'nothing.mjs': 'export {}',
    }
    for (const [name, text] of Object.entries(scripts)) {
      const script = join(history.gitDir, name)
      writeFileSync(script, text)
      const catalog = await openOne(pathToFileURL(script))
      for (let round = 0; round < 2; round++) {
        expect(new Set(await askAll(catalog)), name).to.deep.equal(new Set([undefined]))
      }
      expect(newest(catalog, 'metadata', ids[0] as Id).id).to.equal(ids[0])
      await catalog.end()
      open.splice(open.indexOf(catalog), 1)
    }
  })

  it('release packs that git has deleted, even without further requests', async () => {
    const catalog = await openOne()
    const held = (name: RegExp) =>
      readdirSync('/proc/self/fd').filter(fd => {
        const path = linkOf(`/proc/self/fd/${fd}`)
        return path.includes(history.gitDir) && name.test(path)
      })
    await askAll(catalog)
    expect(held(/\.(?:pack|idx)$/)).not.to.deep.equal([])
    execFileSync('git', ['-C', history.gitDir, 'repack', '-a', '-d', '-f', '-q'])

    await waitUntil('they are let go of', () => held(/\.(?:pack|idx) \(deleted\)$/).length === 0)

    expect((await askAll(catalog)).filter(read => read?.document)).to.have.lengthOf(ids.length - 1)
  })

  it('are read on the event loop after the end of the thread', async () => {
    const catalog = await openOne()
    const under = askAll(catalog)
    await catalog.end()
    open.splice(0)

    expect((await under).filter(read => read === undefined).length).to.be.lessThan(ids.length)
    expect(new Set(await askAll(catalog))).to.deep.equal(new Set([undefined]))
  })
})

/** Target of a link; empty if its file descriptor is closed. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
