// test-schedule: alone
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { asVersion, type Id, type Oid } from '../../../../src/core/value-types.js'
import { openEmbeddedEngine } from '../../../../src/features/search/embedded-engine.js'
import type { SearchEngine } from '../../../../src/features/search/search-engine.js'
import { expectProblem } from '../../../support/data/expect-problem.js'
import { searchRequest } from '../../../support/data/search-requests.js'
import { descendantsOf, killProcess } from '../../../support/program/child-processes.js'
import { buildHistory, type HistoryBuilder } from '../../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../../support/repository/temporary-catalog.js'
import { waitUntil } from '../../../support/repository/test-repository.js'

/** The engine tries each phrase at every place of the word. This takes many seconds. */
const longText = Array.from({ length: 1500 }, () => '"a a"').join(' OR ')
const never = new AbortController().signal

describe('long searches', () => {
  let history: HistoryBuilder
  let [earlier, head]: Oid[] = []
  let catalog: TestCatalog
  let engine: SearchEngine

  before(async () => {
    history = buildHistory()
    const put = (id: string, text: string) => {
      const document = JSON.stringify({ text })
      const schema = { schemaId: 's' as Id, version: asVersion(1) }
      const record = { id: id as Id, schema, titles: [], acls: [] }
      history.server('metadata', id as Id, { record, documentType: 'JSON', document })
    }
    put('large', 'a '.repeat(1_500_000))
    put('small', 'common')
    put('small', 'common words')
    ;[earlier, head] = (await history.finish()).slice(1)
    catalog = openTestCatalog(history.gitDir)
    await catalog.writer.catchUp(head as Oid)
  })
  after(async () => {
    await catalog.end()
    history.remove()
  })

  async function open(maxTime: number, quickTime = 200): Promise<void> {
    mkdirSync(dirname(catalog.file), { recursive: true })
    engine = openEmbeddedEngine({
      catalog,
      objects: catalog.objects,
      folder: dirname(catalog.file),
      gitDir: history.gitDir,
      textLimit: 4_000_000,
      report: () => undefined,
      limits: { quickTime, maxTime },
    })
    expect(await engine.waitFor(head as Oid, 60_000, never)).to.equal(true)
  }
  beforeEach(() => open(1000))
  afterEach(() => engine.close())

  function search(text: string, key: string, signal?: AbortSignal) {
    const client = { key, isKnown: true, ...(signal && { signal }) }
    return engine.search({ visibility: {}, client }, searchRequest(text))
  }

  const processes = () => descendantsOf(process.pid, 'find-process-entry')

  it('end at the limit of time, and do not delay other searches', async () => {
    let answered = 0
    const long = ['first', 'second', 'third'].map(client =>
      expectProblem(() => search(longText, client), 'unavailable'),
    )
    const isOver = Promise.all(long).then(() => 'over')
    for (const client of ['other', 'another']) {
      expect(await Promise.race([isOver, search('common', client)])).to.have.property('total', 1)
      answered++
    }

    expect(answered).to.equal(2)
    for (const { message } of await Promise.all(long)) expect(message).to.contain('took too long')
    expect(await search('common', 'first')).to.have.property('total', 1)
  })

  it('delay only the searches of their own client', async () => {
    await engine.close()
    await open(120_000)
    const gone = new AbortController()
    const long = [longText, longText].map(text =>
      expectProblem(() => search(text, 'greedy', gone.signal), 'unavailable'),
    )
    await search('common', 'other')
    await search('common', 'other')
    const behind = search('common', 'greedy')

    expect(await Promise.race([behind, search('common', 'other').then(() => 'first')])).to.equal('first')
    gone.abort()
    await Promise.all(long)
    expect(await behind).to.have.property('total', 1)
  })

  it('leave their process, which has read the index, to later searches', async () => {
    await engine.close()
    await open(60_000, 1)
    for (let count = 0; count < 4; count++) expect(await search('common', 'one')).to.have.property('total', 1)

    expect(processes()).to.have.length(1)
  })

  it('end when their client disconnects', async () => {
    const gone = new AbortController()
    const long = expectProblem(() => search(longText, 'gone', gone.signal), 'unavailable')
    await waitUntil('a process runs', () => processes().length > 0)
    const [first] = processes()
    gone.abort()

    expect((await long).message).to.contain('has gone')
    expect(processes().map(({ pid }) => pid)).to.not.include(first?.pid)
  })

  it('end for a point of history too', async () => {
    const caller = { visibility: {}, client: undefined }

    await expectProblem(async () => {
      await engine.searchAt?.(caller, searchRequest(longText), earlier as Oid)
    }, 'unavailable')
    expect(await engine.searchAt?.(caller, searchRequest('common'), earlier as Oid)).to.have.property(
      'total',
      1,
    )
  })

  it('start again when another program ends their process', async () => {
    expect(await search('common', 'one')).to.have.property('total', 1)
    const pids = processes()
    for (const each of pids) killProcess(each)
    const found = await Promise.all(['one', 'two', 'three'].map(client => search('words', client)))

    expect(pids).to.have.length(1)
    expect(found.map(({ total }) => total)).to.deep.equal([1, 1, 1])
  })

  it('leave no process when the engine closes', async () => {
    const long = expectProblem(() => search(longText, 'one'), 'unavailable')
    await waitUntil('a process runs', () => processes().length > 0)
    await engine.close()

    expect(processes()).to.deep.equal([])
    await long
    await expectProblem(() => search('common', 'one'), 'unavailable')
  })
})
