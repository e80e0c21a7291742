import { readdirSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gitGrep, grepFiles, writeWorkTree } from '../baselines/grep-documents.js'
import { git } from '../baselines/plain-git.js'
import { createBytes, createRequests, idOfRecord, numbers } from '../load/create-requests.js'
import { type Connection, openConnection } from '../load/http-connection.js'
import { rateOf } from '../load/load-generator.js'
import { indexed, search, timed, upToDate, withFacets } from '../load/search-requests.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { type Server, withServer } from '../support/server-process.js'
import { quantile } from '../support/statistics.js'
import { addFirstSearch } from './first-search.js'

/*
 * Searches of a server: alone, while records arrive, and what the search costs those who create records. The words are
 * those of the generated documents: of sixty nouns three are in each title, "specimen" is in all titles, and a number of
 * three digits is a measured value of 3 % of the documents.
 */

/** Words each in 4 % of the titles, so that no search repeats the one before. */
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
/** Words each in 3 % of the documents, at any place. */
const anywhere = ['329', '287', '151', '257', '454', '444', '293', '174', '463', '292']
const grepped = 'steel'
const everywhere = 'specimen'
/** Records up to which a work tree is written, unless the largest one is wanted. */
const maxFiles = 200_000
/** Records that arrive in a second. */
const arriving = 200
/** Milliseconds for which records arrive before anything is measured. */
const warming = 5000
/** Searches in a second while it is measured what they cost those who create records. */
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

/** Seconds until the index is up to date, and milliseconds of each search. */
async function timesOf({ options }: Bench, server: Server, records: number) {
  const started = performance.now() - server.startup
  const count = options.count(200, 5)
  const few = options.count(20, 3)
  const connection = await openConnection(server.port)
  const isAll = (total: number) => total >= records
  const timesOfPages = async ({ what, query }: (typeof pages)[number]) => {
    const times = await aloneAndBusy(server, connection, query, count)
    // What is measured next does not wait for the records that have arrived.
    await upToDate(connection)
    return { what, ...times }
  }
  try {
    await upToDate(connection)
    const built = (performance.now() - started) / 1000
    // The first creates after a start take longer: code is compiled, and caches are empty.
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

/** The first page of a search with five facets. @param at the number of the search */
type PageQuery = (at: number) => string

const titlePage: PageQuery = at => withFacets(`document.title:${inTitles[at % inTitles.length]}`)
const wordPage: PageQuery = at => withFacets(anywhere[at % anywhere.length] ?? '')

/** Searches that are measured alone and while records arrive. */
const pages = [
  { what: 'a word in 3 %', query: wordPage },
  { what: 'a word in the titles of 4 %', query: titlePage },
] as const

/** Milliseconds of each search, first alone and then while records arrive. */
async function aloneAndBusy(server: Server, connection: Connection, query: PageQuery, count: number) {
  const alone = await timed(connection, query, count)
  const { result, arrived } = await whileRecordsArrive(server, () => timed(connection, query, count))
  return { alone, busy: result, arrived }
}

/** What else finds the word: grep in a work tree, and a cluster if there is one. @param ours milliseconds of each search */
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
 * Creates records at a steady rate meanwhile.
 * @returns the number of those that arrived in a second, and the milliseconds that each took, too
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
      if (created.status !== 201) throw new Error(`A create is ${created.status}.`)
      creates.push(performance.now() - begun)
      return true
    })
  })
  try {
    const result = await Promise.race([
      work(),
      Promise.all(creating).then(() => Promise.reject(new Error('It ended.'))),
    ])
    return { result, arrived: creates.length / ((performance.now() - started) / 1000), creates }
  } finally {
    over = true
    await Promise.allSettled(creating)
    for (const connection of connections) connection.close()
  }
}

/** Takes turns at a steady rate. @param rate a second @param turn returns false when there are no more */
async function atRate(rate: number, turn: () => Promise<boolean>): Promise<void> {
  const pause = 1000 / rate
  for (let next = performance.now(); await turn(); next += pause)
    await sleep(Math.max(0, next + pause - performance.now()))
}

/** @returns milliseconds from a create until a search finds it */
async function untilFound(
  connection: Connection,
  count: number,
  find: (connection: Connection, number: number, commit: string) => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const number = fresh(1)
    const started = performance.now()
    const created = await connection.send(createBytes(number))
    const commit = /[0-9a-f]{40}/.exec(created.header('etag') ?? '')?.[0]
    if (created.status !== 201 || commit === undefined) throw new Error(`A create is ${created.status}.`)
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
    if (performance.now() > end) throw new Error(`${query} finds nothing for half a minute.`)
    await sleep(10)
  }
}

/** Creates with the search, in turn with creates without it. */
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

/** Creates a second. A small repository is indexed meanwhile, on copies of its own, the largest one before. */
async function createRates(bench: Bench, records: number) {
  if (records === bench.options.sizes.middle)
    return await ratesInTurn(bench, (scope, use) => withSearch(bench, scope, use))
  return await bench.repositories.withCopy({ records, bare: true }, dir =>
    ratesInTurn(bench, (scope, use) =>
      withServer(
        dir,
        async server => {
          if (scope === 'full') await indexed(server.port)
          // A server with a large index reads columns of it in its first seconds.
          await sleep(bench.options.count(20_000))
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

/** A server over a copy of its own. */
async function withSearch(
  { options, repositories }: Bench,
  scope: SearchScope,
  use: (server: Server) => Promise<void>,
): Promise<void> {
  const size = { records: options.sizes.middle, bare: true }
  await repositories.withCopy(size, dir => withServer(dir, use, { METASTORE_SEARCH: scope }))
}

/**
 * The p99 of creates at a steady rate, in milliseconds, of a server with the search while searches with facets come and of
 * one without a search. Both run, and only one of them has work at a time: what the machine does otherwise differs from
 * minute to minute. The first turns of both are not counted: caches and compiled code come with them.
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

/** @param isSearched whether searches come meanwhile @param count of searches, or of their times */
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
    // Until the index has caught up, this server would take time from the turn of the other one.
    if (isSearched) await upToDate(connection)
    return quantile(creates, 0.99)
  } finally {
    connection.close()
  }
}
