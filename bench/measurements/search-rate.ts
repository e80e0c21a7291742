import { readdirSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gitGrep, grepFiles, writeWorkTree } from '../baselines/grep-documents.js'
import { git } from '../baselines/plain-git.js'
import { createBytes, createRequests, idOfRecord, numbers } from '../load/create-requests.js'
import { type Connection, openConnection } from '../load/http-connection.js'
import { rateOf } from '../load/load-generator.js'
import { indexed, search, timed, upToDate, withFacets } from '../load/timed-searches.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { type Server, withServer } from '../support/server-process.js'
import { quantile } from '../support/statistics.js'
import { addFirstSearch } from './first-search.js'

/*
 * Searches of a server: alone, while records arrive, and their cost for clients that create records. The words are
 * those of the generated documents: each title has three of sixty nouns, all titles have "specimen", and a number of
 * three digits is a measured value of 3 % of the documents.
 */

/** Words, each of which is in 4 % of the titles, so that no search repeats the previous one. */
const inTitles = [
  'steel',
  'ceramic',
  'crystal',
  'quartz',
  'polymer',
  'grain',
  'wafer',
  'zinc',
  'oxide',
  'mineral',
]
/** Words, each of which is in 3 % of the documents, at any place. */
const anywhere = ['329', '287', '151', '257', '454', '444', '293', '174', '463', '292']
const grepped = 'steel'
const everywhere = 'specimen'
/** Limit of the records for which a work tree is written, unless the options ask for the largest one. */
const maxFiles = 200_000
/** Number of records that arrive per second. */
const arriving = 200
/** Milliseconds in which records arrive before the measurement. */
const warming = 5000
/** Number of searches per second while their cost for creates is measured. */
const searching = 10

export async function run(bench: Bench): Promise<void> {
  for (const records of new Set([bench.options.sizes.large, bench.options.sizes.largest]))
    await searches(bench, records)
  await creates(bench)
}

async function searches(bench: Bench, records: number): Promise<void> {
  const { options, repositories, table } = bench
  const place = `${many(records)} documents`
  await repositories.withCopy({ records, bare: true }, async dir => {
    const times = await withServer(dir, server => timesOf(bench, server, records))
    await addFirstSearch(bench, dir, place)
    table.add({
      work: `start of a server and its search index, ${place}`,
      unit: 's',
      ours: { what: 'until searches answer', values: [times.built] },
      against: { what: 'the same', values: [times.built] },
    })
    table.add(sizeRow(dir, place))
    const grep = gitGrep(dir, grepped, Math.min(options.repeats, 3))
    const against = { what: '`git grep -lw` of the documents', values: grep }
    const add = (work: string, what: string, values: readonly number[], below: number, note?: string) =>
      table.add({
        work: `${work}, ${place}`,
        unit: 'ms',
        ours: { what, values },
        against,
        goal: { below },
        ...(note !== undefined && { note }),
      })
    for (const { what, alone, busy, arrived } of times.pages) {
      const note = `Without arriving records: ${quantile(alone, 0.5).toFixed(1)} ms, p99 ${quantile(alone, 0.99).toFixed(1)} ms. ${Math.round(arrived)} a second arrived.`
      for (const [share, below] of [
        [0.5, 60],
        [0.99, 250],
      ] as const)
        add(
          `first page with five facets of ${what}, ${arriving} a second arrive, p${share * 100}`,
          'while records arrive',
          [quantile(busy, share)],
          below,
          note,
        )
    }
    add('newest records with a word that all have', 'the search', times.newest, 10)
    add('best records with a word that all have', 'the search', times.best, 500)
    add('the same with five facets', 'the search', times.bestWithFacets, 1000)
    add('from an update to its search', 'create, then search with `since` and `wait`', times.awaited, 1000)
    for (const [when, values] of [
      ['', times.findable],
      [`, ${arriving} a second arrive`, times.findableWhileBusy],
    ] as const) {
      const what = 'create, then search again and again, without waiting'
      add(`from an update to its search${when}`, what, values, 1000)
    }
    const [, titles] = times.pages
    await addOthers(bench, dir, records, titles.alone)
  })
}

/** Measures the seconds until the index is complete, and the milliseconds of each search. */
async function timesOf({ options }: Bench, server: Server, records: number) {
  const started = performance.now() - server.startup
  const count = options.count(200, 5)
  const few = options.count(20, 3)
  const connection = await openConnection(server.port)
  const isAll = (total: number) => total >= records
  const timesOfPages = async ({ what, query }: (typeof pages)[number]) => {
    const times = await aloneAndBusy(server, connection, query, count)
    // The next measurement must not wait for the records that have arrived.
    await upToDate(connection)
    return { what, ...times }
  }
  try {
    await upToDate(connection)
    const built = (performance.now() - started) / 1000
    // The first creates after a start take longer, because code is compiled and caches are empty.
    await whileRecordsArrive(server, () => sleep(options.count(warming, 100)))
    await upToDate(connection)
    const newest = await timed(connection, () => `q=${everywhere}&sort=lastUpdate&size=20`, count, isAll)
    const found = [await timesOfPages(pages[0]), await timesOfPages(pages[1])] as const
    const best = await timed(connection, () => `q=${everywhere}&size=20`, few, isAll)
    const bestWithFacets = await timed(connection, () => withFacets(everywhere), few, isAll)
    const awaited = await untilFound(connection, count, searchSince)
    const findable = await untilFound(connection, count, pollFor)
    const { result } = await whileRecordsArrive(server, () => untilFound(connection, few, pollFor))
    return {
      ...{ built, newest, pages: found, best, bestWithFacets, awaited, findable },
      findableWhileBusy: result,
    }
  } finally {
    connection.close()
  }
}

/** Makes the query of a first page with five facets. @param at number of the search */
type PageQuery = (at: number) => string

const titlePage: PageQuery = at => withFacets(`document.title:${inTitles[at % inTitles.length]}`)
const wordPage: PageQuery = at => withFacets(anywhere[at % anywhere.length] ?? '')

/** Searches that are measured alone and during the arrival of records. */
const pages = [
  { what: 'a word in 3 %', query: wordPage },
  { what: 'a word in the titles of 4 %', query: titlePage },
] as const

/** Measures the milliseconds of each search, first alone and then during the arrival of records. */
async function aloneAndBusy(server: Server, connection: Connection, query: PageQuery, count: number) {
  const alone = await timed(connection, query, count)
  const { result, arrived } = await whileRecordsArrive(server, () => timed(connection, query, count))
  return { alone, busy: result, arrived }
}

/**
 * Adds rows for other ways to find the word: grep in a work tree, and a cluster if there is one.
 * @param ours milliseconds of each search
 */
async function addOthers(bench: Bench, dir: string, records: number, ours: readonly number[]): Promise<void> {
  const { options, repositories, table } = bench
  const add = (what: string, values: readonly number[], note?: string) =>
    table.add({
      work: `first page with five facets of a word in the titles of 4 %, ${many(records)} documents`,
      unit: 'ms',
      ours: { what: 'the search', values: ours },
      against: { what, values },
      ...(note !== undefined && { note }),
    })
  if (records <= maxFiles || options.largestWorkTree) {
    await repositories.withFolder(async folder => {
      writeWorkTree(dir, folder)
      const times = grepFiles(folder, grepped, Math.min(options.repeats, 3))
      add('`grep -rliw` of the documents in a work tree', times)
    })
  }
  const cluster = process.env.OPENSEARCH_URL
  if (cluster === undefined) return
  const settings = { METASTORE_SEARCH_URL: cluster, METASTORE_SEARCH_INDEX: `bench-${Date.now()}-` }
  await repositories.withCopy({ records, bare: true }, async copy => {
    await withServer(
      copy,
      async server => {
        const connection = await openConnection(server.port)
        try {
          await upToDate(connection)
          const count = options.count(200, 5)
          const { alone, busy, arrived } = await aloneAndBusy(server, connection, titlePage, count)
          const [p50, p99] = [quantile(busy, 0.5).toFixed(1), quantile(busy, 0.99).toFixed(1)]
          const note = `While ${Math.round(arrived)} records a second arrive, p50 and p99 of the cluster: ${p50} and ${p99} ms.`
          add('a server with an OpenSearch of one node', alone, note)
        } finally {
          connection.close()
        }
      },
      settings,
    )
  })
}

function sizeRow(dir: string, place: string) {
  const own = `${dir}/git-metastore`
  const index = readdirSync(own).filter(name => /^search-.*\.sqlite$/.test(name))
  const bytes = index.reduce((sum, name) => sum + statSync(`${own}/${name}`).size, 0)
  const lines = git(dir, 'ls-tree', '-r', '-l', 'HEAD').split('\n')
  const text = lines.reduce((sum, line) => sum + Number(/ +(\d+)\t/.exec(line)?.[1] ?? 0), 0)
  return {
    work: `size of the search index, ${place}`,
    unit: 'bytes',
    ours: { what: 'the index', values: [bytes] },
    against: { what: 'records and documents', values: [text] },
    goal: { atMost: 1.5 },
  } as const
}

/**
 * Creates records at a steady rate during some work.
 * @returns the result of the work, the number of created records per second, and the milliseconds of each create
 */
async function whileRecordsArrive<T>(
  { port }: Server,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly arrived: number; readonly creates: readonly number[] }> {
  const connections = await Promise.all(Array.from({ length: 8 }, () => openConnection(port)))
  const started = performance.now()
  const creates: number[] = []
  let over = false
  const creating = connections.map(async connection => {
    await atRate(arriving / connections.length, async () => {
      if (over) return false
      const begun = performance.now()
      const created = await connection.send(createBytes(fresh(1)))
      if (created.status !== 201) throw new Error(`A create got the status ${created.status}.`)
      creates.push(performance.now() - begun)
      return true
    })
  })
  try {
    const result = await Promise.race([
      work(),
      Promise.all(creating).then(() => Promise.reject(new Error('All creates ended before the work.'))),
    ])
    return { result, arrived: creates.length / ((performance.now() - started) / 1000), creates }
  } finally {
    over = true
    await Promise.allSettled(creating)
    for (const connection of connections) connection.close()
  }
}

/** Takes turns at a steady rate. @param rate turns per second @param turn returns false at the end */
async function atRate(rate: number, turn: () => Promise<boolean>): Promise<void> {
  const pause = 1000 / rate
  for (let next = performance.now(); await turn(); next += pause)
    await sleep(Math.max(0, next + pause - performance.now()))
}

/** @returns milliseconds from each create until a search finds the record */
async function untilFound(
  connection: Connection,
  count: number,
  find: (connection: Connection, number: number, commit: string) => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const number = fresh(1)
    const started = performance.now()
    const created = await connection.send(createBytes(number))
    const commit = /[0-9a-f]{40}/.exec(created.header('etag') ?? '')?.[0]
    if (created.status !== 201 || commit === undefined)
      throw new Error(`A create got the status ${created.status}.`)
    await find(connection, number, commit)
    times.push(performance.now() - started)
  }
  return times
}

async function searchSince(connection: Connection, _number: number, commit: string): Promise<void> {
  await search(connection, `q=${everywhere}&size=1&since=${commit}&wait=10`)
}

async function pollFor(connection: Connection, number: number): Promise<void> {
  const query = `q=${encodeURIComponent(`id:${idOfRecord(number)}`)}&size=1`
  for (const end = performance.now() + 30_000; (await search(connection, query)).total === 0; ) {
    if (performance.now() > end) throw new Error(`${query} finds no record for half a minute.`)
    await sleep(10)
  }
}

/** Measures creates with the search and without it in turn. */
async function creates(bench: Bench): Promise<void> {
  const { options, table } = bench
  const { middle, largest } = options.sizes
  for (const size of new Set([middle, largest])) {
    const rates = await createRates(bench, size)
    table.add({
      work: `durable creates through HTTP, ${options.clients} clients, ${many(size)} records`,
      unit: '/s',
      ours: { what: 'with the search', values: rates.full },
      against: { what: 'with `--search none`', values: rates.none },
      goal: { atLeast: 0.9 },
    })
  }
  const slowest = await slowestCreates(bench)
  table.add({
    work: `p99 of creates, ${arriving} a second arrive, ${many(middle)} records`,
    unit: 'ms',
    ours: { what: `while ${searching} searches a second come`, values: slowest.full },
    against: { what: 'with `--search none`, two servers in turn', values: slowest.none },
    goal: { atMost: 1.1 },
  })
}

type SearchScope = 'full' | 'none'
/** @param scope value of `--search` */
type WithServer = (scope: SearchScope, use: (server: Server) => Promise<void>) => Promise<void>

/**
 * Measures creates per second. Each run on a small repository has a new copy and indexes it meanwhile. The largest one
 * is indexed before.
 */
async function createRates(bench: Bench, records: number) {
  if (records === bench.options.sizes.middle)
    return await ratesInTurn(bench, (scope, use) => withSearch(bench, scope, use))
  return await bench.repositories.withCopy({ records, bare: true }, dir =>
    ratesInTurn(bench, (scope, use) =>
      withServer(
        dir,
        async server => {
          if (scope === 'full') await indexed(server.port)
          await use(server)
        },
        { METASTORE_SEARCH: scope },
      ),
    ),
  )
}

async function ratesInTurn({ options, load }: Bench, onServer: WithServer) {
  const [count, warm] = [options.count(10_000, 100), options.count(3_000, 50)]
  const rates: Record<SearchScope, number[]> = { full: [], none: [] }
  for (let repeat = 0; repeat < options.repeats; repeat++) {
    for (const scope of ['full', 'none'] as const) {
      await onServer(scope, async ({ port }) => {
        await load.prepare('warm', createRequests(numbers(fresh(warm), warm)))
        await load.prepare('counted', createRequests(numbers(fresh(count), count)))
        await load.run('warm', { port, clients: options.clients })
        rates[scope].push(rateOf(await load.run('counted', { port, clients: options.clients })))
      })
      await load.forget('warm')
      await load.forget('counted')
    }
  }
  return rates
}

/** Starts a server with a new copy. */
async function withSearch(
  { options, repositories }: Bench,
  scope: SearchScope,
  use: (server: Server) => Promise<void>,
): Promise<void> {
  const size = { records: options.sizes.middle, bare: true }
  await repositories.withCopy(size, dir => withServer(dir, use, { METASTORE_SEARCH: scope }))
}

/**
 * Measures the p99 of creates at a steady rate, in milliseconds: of a server with searches with facets, and of a server
 * without a search. Both servers run, but only one has work at a time, because other load of the machine changes from
 * minute to minute. The first turn of each is not counted, because it fills caches and compiles code.
 */
async function slowestCreates(bench: Bench) {
  const count = bench.options.count(100, 5)
  const turns = bench.options.brief ? 1 : bench.options.repeats * 3
  const slowest = { full: [] as number[], none: [] as number[] }
  await withSearch(bench, 'full', full =>
    withSearch(bench, 'none', async none => {
      for (let turn = 0; turn <= turns; turn++) {
        for (const [scope, server] of Object.entries({ full, none }) as ['full' | 'none', Server][]) {
          const milliseconds = await slowestCreate(server, scope === 'full', count)
          if (turn > 0) slowest[scope].push(milliseconds)
        }
      }
    }),
  )
  return slowest
}

/** @param isSearched whether searches run meanwhile @param count number of searches, or of their time slots */
async function slowestCreate(server: Server, isSearched: boolean, count: number): Promise<number> {
  const connection = await openConnection(server.port)
  try {
    if (isSearched) await upToDate(connection)
    const { creates } = await whileRecordsArrive(server, () => {
      let at = 0
      return atRate(searching, async () => {
        if (at === count) return false
        if (isSearched) await search(connection, wordPage(at))
        at++
        return true
      })
    })
    // Without this wait, the index work of this server would slow the turn of the other one.
    if (isSearched) await upToDate(connection)
    return quantile(creates, 0.99)
  } finally {
    connection.close()
  }
}
