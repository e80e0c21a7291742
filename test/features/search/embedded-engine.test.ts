import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { openHeadChangeNotifier } from '../../../src/catalog/follow/head-change-notifier.js'
import { tryParseJson } from '../../../src/core/json/try-parse.js'
import { asVersion, type Id, type Oid } from '../../../src/core/value-types.js'
import {
  type EmbeddedEngineOptions,
  openEmbeddedEngine,
} from '../../../src/features/search/embedded-engine.js'
import type { FindLimits } from '../../../src/features/search/find/find-jobs.js'
import type {
  SearchCaller,
  SearchEngine,
  SearchRequest,
  SuggestionRequest,
} from '../../../src/features/search/search-engine.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import { searchRequest } from '../../support/data/search-requests.js'
import { buildHistory, type HistoryBuilder } from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const anna: SearchCaller = { visibility: { readableBy: ['anna'] }, client: undefined }
const everyone: SearchCaller = { visibility: {}, client: undefined }
const records = 40
/** Number of records that contain the word "needle". */
const withNeedle = 10
/** Longest time between two checks of the catalog while changes are pending, in milliseconds. */
const longestRest = 1200
const never = new AbortController().signal

const suggestion = (beginning: string): SuggestionRequest => ({
  beginning,
  limit: 100,
  kinds: ['schema', 'metadata'],
})

describe('the embedded search engine', () => {
  let history: HistoryBuilder
  let oids: readonly Oid[]
  let catalog: TestCatalog
  let engine: SearchEngine
  /** Time of the engine's last check of the catalog. */
  let lastStep = 0
  let headChanges: ReturnType<typeof openHeadChangeNotifier>
  const oid = (at: number) => oids[at] as Oid

  before(async () => {
    history = buildHistory()
    const state = (at: number, text: string, sid = 'anna') => ({
      record: {
        id: `m${at}` as Id,
        schema: { schemaId: 's' as Id, version: asVersion(1) },
        titles: [{ value: `Title ${at}` }],
        acls: [{ sid, permission: 'READ' as const }],
      },
      documentType: 'JSON' as const,
      document: JSON.stringify({ word: `common ${'filler '.repeat(at % 7)}${text}` }),
    })
    const put = (at: number, text = '', sid = 'anna') =>
      history.server('metadata', `m${at}` as Id, state(at, text, sid))
    for (let at = 0; at < records; at++) put(at, at < withNeedle ? 'needle' : '')
    // One narrowed access list, one removal, two changed texts, and one new record.
    put(5, '', 'berta')
    history.server('metadata', 'm6' as Id)
    put(7, 'common common common')
    put(8, 'rare')
    put(records)
    for (let at = 1; at <= 20; at++) put(records + at, 'needle')
    oids = await history.finish()
  })
  after(() => history.remove())

  beforeEach(async function () {
    catalog = openTestCatalog(history.gitDir, { name: this.currentTest?.title.replace(/\W+/g, '-') ?? 'one' })
    await catalog.writer.catchUp(oid(records - 1))
    headChanges = openHeadChangeNotifier()
    engine = openEngine()
    expect(await engine.waitFor(oid(records - 1), 60_000, never)).to.equal(true)
  })
  afterEach(async () => {
    headChanges.close()
    await engine.close()
    await catalog.end()
  })

  /** The engine learns of changes only from `headChanges.notify`. */
  function openEngine(
    limits: Partial<FindLimits> = {},
    change: Partial<Pick<EmbeddedEngineOptions, 'textLimit'>> = {},
  ): SearchEngine {
    mkdirSync(dirname(catalog.file), { recursive: true })
    return openEmbeddedEngine({
      catalog: {
        ...catalog,
        headChanges,
        identity() {
          lastStep = performance.now()
          return catalog.identity()
        },
      },
      objects: catalog.objects,
      folder: dirname(catalog.file),
      gitDir: history.gitDir,
      textLimit: 1000,
      ...change,
      report: () => undefined,
      limits,
    })
  }

  function search(caller: SearchCaller, text: string, more: Partial<SearchRequest> = {}) {
    return engine.search(caller, searchRequest(text, more))
  }

  /** Resolves when the engine waits for a change, so that it follows the next notification. */
  async function idle(): Promise<void> {
    await waitUntil('the index rests', () => performance.now() - lastStep > longestRest)
  }

  async function follow(commit: Oid): Promise<void> {
    headChanges.notify()
    expect(await engine.waitFor(commit, 60_000, never)).to.equal(true)
  }

  it('applies a narrowed access list and a removal before the index follows', async () => {
    await idle()
    expect((await search(anna, 'common')).total).to.equal(records)
    expect(await engine.suggest(anna, suggestion('title'))).to.include('Title 5')
    await catalog.writer.catchUp(oid(records + 1))

    const facets = [
      { name: 's', field: 'schema', counts: { type: 'terms', size: 9, order: 'count' } },
    ] as const
    const found = await search(anna, 'common', { facets })

    expect(found).to.include({ total: records - 2, upToDate: false, commit: oid(records - 1) })
    expect(found.facets.get('s')?.buckets).to.deep.equal([{ value: 's', count: records - 2 }])
    expect(found.hits.map(({ revision }) => revision.id)).to.not.include.members(['m5', 'm6'])
    expect(await engine.suggest(anna, suggestion('title'))).to.not.include('Title 5')
    expect((await search(everyone, 'common')).total).to.equal(records - 1)
    expect(engine.progress()).to.include({ upToDate: false, commit: oid(records - 1) })
  })

  it('finds former states of readable records once the index has these states', async () => {
    await idle()
    await catalog.writer.catchUp(oid(records + 4))
    const before = oid(records - 1)
    const searchAt = async (commit: Oid, text: string, more: Partial<SearchRequest> = {}) =>
      await engine.searchAt?.(anna, searchRequest(text, more), commit)

    const found = await searchAt(before, 'common')
    expect(found).to.include({ total: records - 2, upToDate: false, commit: before })
    expect(await searchAt(oid(records + 2), 'common')).to.equal(undefined)
    await follow(oid(records + 4))
    expect(await searchAt(before, 'common')).to.deep.equal(found)
    expect(await searchAt(before, 'rare')).to.include({ total: 0 })
    expect(await searchAt(oid(records + 3), 'rare')).to.include({ total: 1 })
    const ids = found?.hits.map(({ revision }) => revision.id)
    expect(ids)
      .to.include.members(['m7', 'm8'])
      .and.not.include.members(['m5', 'm6', `m${records}`])
  })

  it('refuses a point after which too many readable records have changed', async () => {
    await catalog.writer.catchUp(oid(records + 4))
    await follow(oid(records + 4))
    await engine.close()
    // Four records changed. Anna may read the two with another text and the new one.
    for (const [changed, isEnough] of [
      [3, true],
      [2, false],
    ] as const) {
      engine = openEngine({ changed })
      expect(await engine.waitFor(oid(records + 4), 60_000, never)).to.equal(true)
      const search = async () => await engine.searchAt?.(anna, searchRequest(''), oid(records - 1))
      if (isEnough) expect(await search()).to.include({ total: records - 2 })
      else await expectProblem(search, 'malformed-request')
      if (isEnough) await engine.close()
    }
  })

  it('finds a change after it has waited for the commit', async () => {
    await idle()
    await catalog.writer.catchUp(oid(records + 3))
    expect((await search(anna, 'rare')).total).to.equal(0)
    await follow(oid(records + 3))

    expect(await search(anna, 'rare')).to.include({ total: 1, upToDate: true, commit: oid(records + 3) })
    await expectProblem(() => engine.waitFor(oid(records + 4), 10, never), 'not-found')
    await catalog.writer.catchUp(oid(records + 4))
    expect(await engine.waitFor(oid(records + 4), 0, never)).to.equal(false)
    expect(await engine.waitFor(oid(records + 4), 60_000, AbortSignal.abort())).to.equal(false)
  })

  for (const sort of ['score', 'id', 'newest']) {
    it(`pages by cursor while records change, by ${sort}`, async () => {
      const keys = sort === 'newest' ? [] : [{ field: sort, order: sort === 'id' ? 'asc' : 'desc' } as const]
      const seen: string[] = []
      let after: string | undefined
      for (let page = 0; ; page++) {
        const window = after === undefined ? { offset: 0, limit: 7 } : { after, limit: 7 }
        const found = await search(everyone, 'common', { window, sort: keys })
        seen.push(...found.hits.map(({ revision }) => revision.id as string))
        after = found.next
        if (after === undefined) break
        if (page === 1) {
          await catalog.writer.catchUp(oid(records + 4))
          await follow(oid(records + 4))
        }
      }

      expect(new Set(seen).size, 'no record appears twice').to.equal(seen.length)
      const changed = new Set(['m5', 'm6', 'm7', 'm8', `m${records}`])
      const others = Array.from({ length: records }, (_, index) => `m${index}`).filter(id => !changed.has(id))
      expect(seen).to.include.members(others)
    })
  }

  it('does not repeat records by score after all scores have decreased', async () => {
    const first = await search(everyone, 'needle', { window: { offset: 0, limit: 2 } })
    const idsOf = ({ hits }: typeof first) => hits.map(({ revision }) => revision.id as string)
    const seen = idsOf(first)
    await catalog.writer.catchUp(oid(records + 24))
    await follow(oid(records + 24))
    for (let { next } = first; next !== undefined; ) {
      const found = await search(everyone, 'needle', { window: { after: next, limit: 2 } })
      seen.push(...idsOf(found))
      next = found.next
    }

    expect(new Set(seen).size, 'no record appears twice').to.equal(seen.length)
    // The updates removed m6, and took the word from three others.
    expect(seen).to.include.members(['m0', 'm1', 'm2', 'm3', 'm4', 'm9'])
  })

  for (const [sort, order] of [
    ['score', 'desc'],
    ['lastUpdate', 'desc'],
    ['lastUpdate', 'asc'],
    ['title', 'asc'],
    ['schema', 'desc'],
    ['version', 'asc'],
  ] as const) {
    it(`finds each of many hits once, by ${sort} ${order}, and counts them in slices`, async () => {
      await engine.close()
      engine = openEngine({ ranked: 12, slice: 7 })
      await engine.waitFor(oid(records - 1), 60_000, never)
      const facets = [
        { name: 'id', field: 'title', counts: { type: 'terms', size: 9, order: 'count' } },
      ] as const
      const seen: string[] = []
      let window: SearchRequest['window'] = { offset: 0, limit: 3 }
      for (;;) {
        const found = await search(anna, 'common', { window, facets, sort: [{ field: sort, order }] })
        expect(found).to.include({ total: records, totalIs: 'exact' })
        expect(found.facets.get('id')).to.have.property('more', records - 9)
        if (sort === 'score') expect(found.ranked).to.equal('newest')
        seen.push(...found.hits.map(({ revision }) => revision.id as string))
        if (found.next === undefined) break
        window = { after: found.next, limit: 3 }
      }

      expect(seen).to.have.length(records)
      expect(new Set(seen).size).to.equal(records)
      const byTime = Array.from({ length: records }, (_, index) => `m${index}`)
      if (sort === 'lastUpdate') expect(seen).to.deep.equal(order === 'asc' ? byTime : byTime.toReversed())
      if (sort === 'score') expect(seen.slice(12)).to.deep.equal(byTime.toReversed().slice(12))
    })
  }

  it('counts facets over the newest of very many hits, and says so', async () => {
    const facets = [
      { name: 'schema', field: 'schema', counts: { type: 'terms', size: 9, order: 'count' } },
      { name: 'years', field: 'year', counts: { type: 'extent' } },
      {
        ...{ name: 'needles', field: '' },
        counts: {
          type: 'conditions',
          conditions: [{ key: 'needle', condition: searchRequest('needle').condition }],
        },
      },
    ] as const
    const countsOf = async (faceted: number) => {
      await engine.close()
      engine = openEngine({ faceted })
      await engine.waitFor(oid(records - 1), 60_000, never)
      const found = await search(anna, 'common', { facets })
      expect(found).to.include({ total: records, totalIs: 'exact' })
      return ['schema', 'needles', 'years'].map(name => found.facets.get(name))
    }
    const bucket = (value: string, count: number) => ({ buckets: [{ value, count }], more: 0 })

    expect(await countsOf(records)).to.deep.equal([
      bucket('s', records),
      bucket('needle', withNeedle),
      { buckets: [], more: 0 },
    ])
    // The records with the word are the oldest.
    expect(await countsOf(records - 3)).to.deep.equal([
      { ...bucket('s', records - 3), atLeast: true },
      { ...bucket('needle', withNeedle - 3), atLeast: true },
      { buckets: [], more: 0, atLeast: true },
    ])
  })

  it('omits facets whose values are too many to count', async () => {
    await engine.close()
    engine = openEngine({ facetBytes: 100 })
    await engine.waitFor(oid(records - 1), 60_000, never)
    const facets = [
      { name: 'id', field: 'title', counts: { type: 'terms', size: 9, order: 'count' } },
    ] as const

    const { facets: counted } = await search(anna, 'common', { facets })

    expect(counted.get('id')).to.deep.equal({ buckets: [], more: 0, tooMany: true })
  })

  it('refuses the cursor of another search, and invalid cursors', async () => {
    const { next = '' } = await search(everyone, 'common', { window: { offset: 0, limit: 1 } })
    const altered = Buffer.from(next, 'base64url')
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1

    for (const [text, after] of [
      ['filler', next],
      ['common', `${next}x`],
      ['common', altered.toString('base64url')],
      ['common', 'x'],
      ['common', ''],
      ['common', Buffer.from('[1,2,3]').toString('base64url')],
    ] as const) {
      await expectProblem(() => search(everyone, text, { window: { after, limit: 1 } }), 'malformed-request')
    }
  })

  it('writes cursors that do not reveal the number of records', async () => {
    for (const sort of ['score', 'id', 'lastUpdate']) {
      const window = { offset: 0, limit: 1 }
      const { next = '' } = await search(anna, 'common', { window, sort: [{ field: sort, order: 'desc' }] })
      const again = await search(anna, 'common', { window, sort: [{ field: sort, order: 'desc' }] })
      expect(next).to.match(/^[\w-]{40,}$/)
      // The server keeps the order of a search by score for the next pages of this search.
      if (sort !== 'score') expect(again.next, 'the same place').to.equal(next)
      expect(tryParseJson(Buffer.from(next, 'base64url').toString())).to.equal(undefined)
    }
  })

  it('has room for other clients while one client sends hundreds of searches', async () => {
    const caller = (key: string): SearchCaller => ({ visibility: {}, client: { key, isKnown: true } })
    const greedy = Array.from({ length: 300 }, () => search(caller('greedy'), 'common'))
    const answers = Promise.allSettled(greedy)

    expect((await search(caller('other'), 'common')).total).to.equal(records)

    const refused = (await answers).filter(({ status }) => status === 'rejected')
    expect(refused).to.have.length.within(90, 100)
    for (const each of refused)
      if (each.status === 'rejected') expect(each.reason).to.have.property('kind', 'unavailable')
  })

  it('suggests titles that have all words of a beginning of any length', async () => {
    expect(await engine.suggest(anna, suggestion(`${'title '.repeat(400)}ti`))).to.include('Title 5')
    expect(await engine.suggest(anna, suggestion(`${'t '.repeat(400)}title`))).to.deep.equal([])
  })

  it('answers from the former index while the catalog is rebuilt', async () => {
    await idle()
    catalog.clear()
    await catalog.writer.catchUp(oid(records + 1))

    expect(await search(anna, 'common')).to.include({ total: records - 2, upToDate: false })
    await follow(oid(records + 1))
    expect(await search(anna, 'common')).to.include({ total: records - 2, upToDate: true })
    await waitUntil('one file is left', () => files().length === 1)
  })

  it('does not answer from the former index after a rewrite of the history', async () => {
    await idle()
    await search(anna, 'common')
    const identity = ['-c', 'user.name=Jane', '-c', 'user.email=jane@example.org']
    const made = execFileSync(
      'git',
      [...identity, 'commit-tree', '-m', 'Rewritten', `${oid(records + 4)}^{tree}`],
      {
        cwd: history.gitDir,
        encoding: 'utf8',
      },
    )
    const rewritten = made.trim() as Oid
    catalog.clear()
    await catalog.writer.catchUp(rewritten)

    await expectProblem(() => search(anna, 'common'), 'unavailable', 'being built')
    await follow(rewritten)
    expect(await search(anna, 'common')).to.include({ upToDate: true, commit: rewritten })
  })

  it('answers the first search after a start without an index, once the index is complete', async () => {
    await engine.close()
    for (const name of files()) rmSync(join(dirname(catalog.file), name))
    engine = openEngine()

    expect(await search(everyone, 'common')).to.include({ total: records, upToDate: true })
  })

  it('continues an existing index', async () => {
    await engine.close()
    await catalog.writer.catchUp(oid(records + 4))
    engine = openEngine()

    expect(await engine.waitFor(oid(records + 4), 60_000, never)).to.equal(true)
    expect((await search(everyone, 'common')).total).to.equal(records)
    expect(files()).to.have.length(1)
  })

  it('rebuilds the index for another limit of text; a command uses any limit', async () => {
    for (const textLimit of [0, undefined]) {
      await engine.close()
      engine = openEngine({}, { textLimit })
      await engine.waitFor(oid(records - 1), 60_000, never)
      expect((await search(everyone, 'common')).total).to.equal(0)
      expect((await search(everyone, 'title')).total).to.equal(records)
      expect(files()).to.have.length(1)
    }
  })

  function files(): readonly string[] {
    return readdirSync(dirname(catalog.file)).filter(name => /^search.*\.sqlite$/.test(name))
  }
})
