// test-schedule: quick
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import Database from 'libsql'
import type { LongList, PageJob } from '../../../src/catalog/read/long-list-reader.js'
import { openLongListAnswers } from '../../../src/catalog/read/revision-batch-thread.js'
import { isPlain } from '../../../src/core/plain-mode.js'
import type { PageRequest } from '../../../src/core/records/list-page.js'
import type { ListQuery } from '../../../src/core/records/list-query.js'
import type { Revision } from '../../../src/core/records/revision.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import { renderByKey, renderingKey } from '../../../src/http/rendering/rendered-record.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'

const as = renderingKey({ version: 2 }, 'http://localhost:8040/api/v2')
const how = { renderAs: as, client: undefined }
const records = 300
/** Every tenth record is too long for the row of a page. */
const titleOf = (at: number) => (at % 10 === 0 ? `${at} ${'x'.repeat(20_000)}` : `title ${at}`)

describe('long lists', () => {
  let history: HistoryBuilder
  let oids: readonly Oid[]
  let catalog: TestCatalog

  before(async () => {
    history = buildHistory()
    history.server('schema', 's' as Id, { record: { id: 's' as Id }, documentType: 'JSON', document: '{}' })
    for (let at = 0; at < records; at++) {
      history.server('metadata', `m${at}` as Id, {
        record: {
          id: `m${at}` as Id,
          schema: { schemaId: 's' as Id, version: asVersion(1) },
          titles: [{ value: titleOf(at) }],
          relatedIdentifiers: [{ value: `r${at % 5}`, relationType: 'IS_METADATA_FOR' }],
          acls: [{ sid: at % 3 === 0 ? 'eve' : 'adam', permission: 'READ' }],
        },
        documentType: 'JSON',
        document: `{"of": ${at}}`,
      })
    }
    oids = await history.finish()
    catalog = openTestCatalog(history.gitDir)
    await catalog.writer.catchUp(oids.at(-1) as Oid)
  })
  after(async () => {
    await catalog.end()
    history.remove()
  })

  const metadata = (query: ListQuery, cut: PageRequest) => catalog.committed.list('metadata', query, cut)

  async function textOf(list: LongList | undefined): Promise<string> {
    if (!list) throw new Error('The thread has read nothing.')
    const pieces: string[] = []
    for await (const piece of list.pieces()) pieces.push(piece)
    if (list.items.length === records) expect(pieces.length, 'pieces').to.be.above(2)
    return `[${pieces.join('')}]`
  }
  const shown = (items: readonly Revision[]) =>
    `[${items.map(revision => renderByKey(revision, as)).join(',')}]`

  it('are the same if another thread reads them', async () => {
    const cuts: readonly PageRequest[] = [
      { offset: 0, limit: 2000 },
      { offset: 250, limit: 30 },
      { offset: 299, limit: 30 },
      { offset: 400, limit: 30 },
      { offset: 0, limit: 40, at: { commit: oids[200] as Oid } },
      { offset: 0, limit: 2000, bytes: 100_000 },
    ]
    const queries: readonly ListQuery[] = [
      {},
      { readableBy: ['eve'] },
      { resources: ['r1', 'r2'] },
      { schemaIds: ['s', 'none'], sort: { by: 'id', direction: 'asc' } },
    ]
    for (const query of queries) {
      for (const cut of cuts) {
        const { items, ...expected } = metadata(query, cut)
        const found = await catalog.longLists.list('metadata', query, cut, how)
        const { items: rows, pieces, revisions, ...told } = found as LongList
        expect(told).to.deep.equal(expected)
        expect(await textOf(found)).to.equal(shown(items))
        expect(shown(revisions())).to.equal(shown(items))
      }
    }
    expect(metadata({}, { offset: 0, limit: 2000, bytes: 100_000 }).items.length).to.be.below(100)
  })

  it('run a bounded number of statements, regardless of the number of records on a page', () => {
    const answers = openLongListAnswers(renderByKey)
    const { file } = catalog
    const page = (limit: number): PageJob => {
      return { do: 'page', file, kind: 'metadata', of: { query: {} }, window: { offset: 0, limit } }
    }
    try {
      // Fills the caches of the list first.
      answers.answer(page(1) as never)
      metadata({}, { offset: 0, limit: 1 })
      for (const [what, ask] of [
        ['the event loop', (limit: number) => metadata({}, { offset: 0, limit }).items.length],
        ['the thread', (limit: number) => lengthOf(answers.answer(page(limit) as never))],
      ] as const) {
        const few = statements(() => expect(ask(20)).to.equal(20))
        const many = statements(() => expect(ask(300)).to.equal(300))
        expect(many, what).to.equal(few)
        expect(few, what).to.be.below(12)
      }
      // 30 long records with 20 KiB each. One statement reads three of them.
      const inFull = statements(() => {
        for (const revision of metadata({}, { offset: 0, limit: 300 }).items)
          expect(revision.record.id).to.be.ok
      })
      expect(inFull).to.be.below(12 + 12)
    } finally {
      answers.close()
    }
  })

  it('of a filter are found once for all pages until the catalog changes', function () {
    if (isPlain) this.skip()
    const pages = ['r1', 'r2', 'r3'].flatMap(resource =>
      [0, 20, 40].map(offset => [{ resources: [resource] }, { offset, limit: 20 }] as const),
    )
    const found = pages.map(([query, window]) => catalog.quickPage('metadata', query, window))
    expect(found.map(page => page?.items.length)).to.deep.equal(pages.map(() => 20))
    const again = statements(() => {
      for (const [at, [query, window]] of pages.entries())
        expect(catalog.quickPage('metadata', query, window)).to.equal(found[at])
    })
    expect(again, 'the state of the catalog for each').to.equal(pages.length)
  })

  it('are read on the event loop if the thread cannot read', async () => {
    const failing = openTestCatalog(history.gitDir, {
      name: 'failing',
      readingThread: pathToFileURL('/nothing-here.js'),
    })
    try {
      await failing.writer.catchUp(oids.at(-1) as Oid)
      expect(await failing.longLists.list('metadata', {}, { offset: 0, limit: 100 }, how)).to.equal(undefined)
      expect(await failing.longLists.versions('metadata', 'm1' as Id, { offset: 0, limit: 9 }, how)).to.equal(
        undefined,
      )
    } finally {
      await failing.end()
    }
  })

  it('of a disconnected client are not read', async () => {
    const client = { key: 'gone', isKnown: false, signal: AbortSignal.abort() }
    const cut = { offset: 0, limit: 100 }
    const asked = [
      catalog.longLists.list('metadata', {}, cut, { renderAs: as, client }),
      catalog.longLists.versions('metadata', 'm1' as Id, cut, { renderAs: as, client }),
      catalog.rows.read(new URL('file:///none.js'), {}, client),
    ]
    for (const each of asked)
      expect(
        await each.then(
          () => undefined,
          (error: Error) => error.message,
        ),
      ).to.equal('The client has gone.')
  })

  it('end with an error if the catalog is rebuilt meanwhile', async () => {
    const anew = openTestCatalog(history.gitDir, { name: 'anew' })
    try {
      await anew.writer.catchUp(oids.at(-1) as Oid)
      const list = await anew.longLists.list('metadata', {}, { offset: 0, limit: 300 }, how)
      const pieces = (list as LongList).pieces()
      expect((await pieces.next()).done).to.equal(false)
      anew.clear()
      await anew.writer.catchUp(oids[100] as Oid)
      const failed = await pieces.next().then(
        () => undefined,
        (error: Error) => error,
      )
      expect(failed?.message).to.equal('The catalog was rebuilt meanwhile.')
      expect(() => (list as LongList).revisions()).to.throw()
    } finally {
      await anew.end()
    }
  })

  it('alternate between clients', async () => {
    const order: string[] = []
    const ask = (key: string) =>
      catalog.longLists
        .list('metadata', {}, { offset: 0, limit: 300 }, { renderAs: as, client: { key, isKnown: false } })
        .then(() => order.push(key))
    await Promise.all([...Array.from({ length: 20 }, () => ask('busy')), ask('other')])
    expect(order.indexOf('other')).to.be.below(5)
  })
})

function lengthOf(result: ReturnType<ReturnType<typeof openLongListAnswers>['answer']>): number {
  return 'page' in result ? (result.page?.items.length ?? 0) : 0
}

/** Number of SQLite statements that the work runs. */
function statements(work: () => void): number {
  const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as Record<
    'get' | 'all' | 'run',
    (...values: unknown[]) => unknown
  >
  let count = 0
  const originals = { get: prototype.get, all: prototype.all, run: prototype.run }
  for (const name of ['get', 'all', 'run'] as const) {
    prototype[name] = function (this: unknown, ...values: unknown[]) {
      count++
      return originals[name].apply(this, values)
    }
  }
  try {
    work()
  } finally {
    Object.assign(prototype, originals)
  }
  return count
}
