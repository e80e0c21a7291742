import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Size } from '../data/repository-cache.js'
import { idOfRecord } from '../load/create-requests.js'
import { startMixedUpdates } from '../load/mixed-updates.js'
import { latestFirst } from '../load/read-requests.js'
import { indexed } from '../load/timed-searches.js'
import { type Bench, many } from '../support/measurement.js'
import { canLook, look } from '../support/process-memory.js'
import { withServer } from '../support/server-process.js'
import { median } from '../support/statistics.js'

/*
 * Harvests of a whole repository by one harvester, at two sizes: alone, and while clients create, update and delete
 * records. The smaller repository is harvested repeatedly, until it has returned as many records as the larger one. The
 * memory of earlier requests then differs only by the size. A harvest begins when the search index is complete, because
 * building that of the larger repository uses the processor for a minute. Every id must come once, in the order of the
 * list; ids that clients change may move or be missing. After the writers stop, the harvest and a following incremental
 * harvest must together equal the list.
 */

const harvesting = { METASTORE_OAI_ADMIN: 'admin@example.org' }

/** Milliseconds between two measurements of the memory. */
const interval = 100

interface Harvested {
  readonly rate: number
  /** Memory of the server in mebibytes. */
  readonly memory: number
}

export async function run({ options, repositories, table }: Bench): Promise<void> {
  const { small, largest } = options.sizes
  const sides = { small: [] as Harvested[], largest: [] as Harvested[] }
  for (const which of ['small', 'largest'] as const) {
    const size: Size = { records: which === 'small' ? small : largest, bare: true }
    const ids = latestFirst(size).map(idOfRecord).toReversed()
    await repositories.withCopy(size, async dir => {
      for (let repeat = 0; repeat < options.repeats; repeat++)
        await withServer(
          dir,
          async ({ port, pid }) => {
            await indexed(port)
            sides[which].push(await measure(port, pid, ids, largest))
          },
          harvesting,
        )
    })
  }
  const at = (records: number) => `at the rate of ${many(records)} records`
  const alone = sides.largest.map(secondsOf)
  table.add({
    work: 'a harvest of 1,000,000 records, oai_dc',
    unit: 's',
    ours: { what: at(largest), values: alone },
    against: { what: `${at(small)}, which caches hold`, values: sides.small.map(secondsOf) },
    goal: { below: 1800 },
  })
  const duringUpdates = await measureAllDuringUpdates(
    repositories,
    { records: largest, bare: true },
    options.repeats,
  )
  const updates = duringUpdates.map(each => each.updates)
  table.add({
    work: `the same, while clients create, update and delete ${many(Math.round(median(updates)))} records a second`,
    unit: 's',
    ours: { what: at(largest), values: duringUpdates.map(secondsOf) },
    against: { what: 'without the updates', values: alone },
    goal: { below: 1800 },
  })
  if (!canLook) return
  table.add({
    work: 'memory of the server during a harvest, the most',
    unit: 'MB',
    ours: { what: `of ${many(largest)} records`, values: sides.largest.map(({ memory }) => memory) },
    against: { what: `of ${many(small)} records`, values: sides.small.map(({ memory }) => memory) },
    goal: { atMost: 1.5 },
  })
}

/** Seconds per 1,000,000 records. */
function secondsOf({ rate }: Harvested): number {
  return 1_000_000 / rate
}

/** @param min least number of records in all harvests together */
async function measure(port: number, pid: number, ids: readonly string[], min: number): Promise<Harvested> {
  const harvests: Harvested[] = []
  for (let count = 0; count < min; count += ids.length) {
    const { items, ...measured } = await harvest(port, pid)
    if (items.length !== ids.length || items.some(({ id }, index) => id !== ids[index]))
      throw new Error(`A harvest of ${ids.length} records has ${items.length} records, or another order.`)
    harvests.push(measured)
  }
  return {
    rate: harvests.length / harvests.reduce((sum, { rate }) => sum + 1 / rate, 0),
    memory: Math.max(...harvests.map(({ memory }) => memory)),
  }
}

/** Measures harvests during updates. Each uses a new copy, because the updates change it. */
async function measureAllDuringUpdates(repositories: Bench['repositories'], size: Size, repeats: number) {
  const numbers = latestFirst(size).toReversed()
  const measured: (Harvested & { readonly updates: number })[] = []
  for (let repeat = 0; repeat < repeats; repeat++)
    await repositories.withCopy(size, dir =>
      withServer(
        dir,
        async ({ port, pid }) => {
          await indexed(port)
          measured.push(await measureDuringUpdates(port, pid, numbers))
        },
        harvesting,
      ),
    )
  return measured
}

async function measureDuringUpdates(port: number, pid: number, numbers: readonly number[]) {
  const writers = startMixedUpdates(port, numbers)
  const started = performance.now()
  const { items, begun, ...measured } = await harvest(port, pid)
  const seconds = (performance.now() - started) / 1000
  const updates = (await writers.stop()) / seconds
  requireWhole(items, numbers.map(idOfRecord), writers.touched)
  const copy = new Map(items.map(item => [item.id, item]))
  for (const item of (await harvest(port, pid, { from: begun })).items) copy.set(item.id, item)
  const now = (await harvest(port, pid)).items
  const told = ({ id, datestamp, isDeleted }: Item) => `${id} ${datestamp} ${isDeleted}`
  const held = new Set([...copy.values()].map(told))
  const missed = now.filter(item => !held.has(told(item)))
  if (missed.length > 0 || held.size !== now.length)
    throw new Error(
      `After an incremental harvest, ${missed.length} of ${now.length} records are not current.`,
    )
  return { ...measured, updates }
}

/** @throws Error if an id comes twice, or if an unchanged one is missing or comes in another order */
function requireWhole(items: readonly Item[], ids: readonly string[], touched: ReadonlySet<string>): void {
  if (new Set(items.map(({ id }) => id)).size !== items.length)
    throw new Error('A harvest during updates has an id twice.')
  const existing = new Set(ids)
  const found = items.map(({ id }) => id).filter(id => existing.has(id) && !touched.has(id))
  const expected = ids.filter(id => !touched.has(id))
  if (found.length !== expected.length || found.some((id, index) => id !== expected[index]))
    throw new Error(
      `A harvest during updates has ${found.length} of ${expected.length} records, or another order.`,
    )
}

interface Item {
  readonly id: string
  readonly datestamp: string
  readonly isDeleted: boolean
}

/** Harvests all records, or those that have changed since a time. */
export async function harvest(
  port: number,
  pid: number,
  { format = 'oai_dc', from }: { readonly format?: string; readonly from?: string } = {},
) {
  const agent = new Agent({ keepAlive: true })
  const url = `http://127.0.0.1:${port}/oaipmh?verb=ListRecords`
  const looks: number[] = []
  const timer = canLook ? setInterval(() => looks.push(look(pid).memory), interval) : undefined
  const items: Item[] = []
  let begun = ''
  const started = performance.now()
  try {
    let query: string | undefined = `&metadataPrefix=${format}${from === undefined ? '' : `&from=${from}`}`
    while (query !== undefined) {
      const body = await answerOf(url + query, agent)
      begun ||= /<responseDate>([^<]*)/.exec(body)?.[1] ?? ''
      for (const [, deleted, id = '', datestamp = ''] of body.matchAll(header))
        items.push({ id, datestamp, isDeleted: deleted !== undefined })
      const token: string | undefined = /<resumptionToken [^>]*>([^<]+)</.exec(body)?.[1]
      query = token && `&resumptionToken=${token}`
    }
  } finally {
    clearInterval(timer)
    agent.destroy()
  }
  const seconds = (performance.now() - started) / 1000
  return { items, begun, rate: items.length / seconds, memory: Math.max(0, ...looks) }
}

const header = /<header( status="deleted")?><identifier>([^<]*)<\/identifier><datestamp>([^<]*)</g

function answerOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, answer => text(answer).then(resolve, reject)).on('error', reject)
  })
}
