import { asVersion } from '../../src/core/value-types.js'
import { recordOf, schemaIdOf, schemaOf } from '../data/generated-records.js'
import { type Size, schemas, seed } from '../data/repository-cache.js'
import { createBytes, idOfRecord } from '../load/create-requests.js'
import { type Answer, openConnection } from '../load/http-connection.js'
import { getBytes, latestFirst } from '../load/read-requests.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { withServer } from '../support/server-process.js'
import { median } from '../support/statistics.js'

/*
 * Pages of lists, one after the other, at two sizes. The order of a generated repository is known, so every page is
 * compared with the expected ids, and every total with the expected number.
 */

const pageSize = 20

interface Page {
  readonly path: string
  readonly ids: readonly string[]
  readonly total: number
}

/** A kind of list, and different pages of it. */
interface Kind {
  readonly name: string
  pages(list: List, count: number): readonly Page[]
}

/** The records of a repository in the orders of its lists. */
interface List {
  readonly latest: readonly string[]
  readonly byId: readonly string[]
  readonly bySchema: readonly (readonly string[])[]
}

export async function run({ options, repositories, table }: Bench): Promise<void> {
  const { small, largest } = options.sizes
  const count = options.count(100, 10)
  const times = new Map<string, { small: number[]; largest: number[] }>()
  function note(name: string, which: 'small' | 'largest', latencies: readonly number[]): void {
    const known = times.get(name) ?? { small: [], largest: [] }
    times.set(name, known)
    known[which].push(median(latencies))
  }
  for (const which of ['small', 'largest'] as const) {
    const size: Size = { records: which === 'small' ? small : largest, bare: true }
    const list = listOf(size)
    const shown = listOf(size, isShown)
    await repositories.withCopy(size, async dir => {
      for (let repeat = 0; repeat < options.repeats; repeat++) {
        await withServer(dir, async ({ port }) => {
          for (const [name, latencies] of await measure(port, list, count))
            note(`${name} of a list`, which, latencies)
        })
        await withServer(
          dir,
          async ({ port }) => {
            for (const [name, latencies] of await measure(port, shown, count))
              note(`${name} of a list, for a caller without a token`, which, latencies)
          },
          authenticating,
        )
      }
      // This runs at the end in one pass, because every other page is compared with the generated list.
      await withServer(dir, async ({ port }) => {
        const latencies = await afterUpdates(port, list, count * options.repeats)
        for (let from = 0; from < latencies.length; from += count)
          note(`${afterUpdate} of a list`, which, latencies.slice(from, from + count))
      })
    })
  }
  for (const [name, values] of times) {
    table.add({
      work: name,
      unit: 'ms',
      ours: { what: `at ${many(largest)} records`, values: values.largest },
      against: { what: `at ${many(small)} records`, values: values.small },
      // A page by its number is found by skipping entries: the time grows with the list.
      goal: name.includes('deep page') ? { below: 100 } : { atMost: 2 },
    })
  }
}

/** With this, callers without a token see about four of five records. */
const authenticating = {
  METASTORE_AUTH: 'true',
  METASTORE_JWT_SECRET: 'a secret of a benchmark, which is none',
}

function isShown(number: number): boolean {
  const record = recordOf(seed, number, asVersion(1), schemaOf(seed, number, schemas))
  return record.includes('"anonymousUser"')
}

function listOf(size: Size, isListed: (number: number) => boolean = () => true): List {
  const numbers = latestFirst(size).filter(isListed)
  const latest = numbers.map(idOfRecord)
  const bySchema: string[][] = Array.from({ length: schemas }, () => [])
  numbers.forEach((number, index) => {
    bySchema[schemaOf(seed, number, schemas)]?.push(latest[index] as string)
  })
  return { latest, byId: [...latest].sort(), bySchema }
}

const goldenRatio = 0.618_034

/**
 * Pages spread over the part of the list from `from` on with length `width` (both shares of the list). They are far
 * apart, so that no page helps to find another.
 */
function pagesOf(ids: readonly string[], query: string, count: number, from: number, width: number): Page[] {
  const pages = Math.ceil(ids.length / pageSize)
  return Array.from({ length: count }, (_, index) => {
    const page = Math.min(pages - 1, Math.floor(pages * (from + width * ((index * goldenRatio) % 1))))
    return {
      path: `/api/v1/metadata?page=${page}${query}`,
      ids: ids.slice(page * pageSize, (page + 1) * pageSize),
      total: ids.length,
    }
  })
}

function ofSchemas({ bySchema }: List, which: readonly number[], count: number): readonly Page[] {
  return Array.from({ length: count }, (_, index) => {
    const schema = which[index % which.length] as number
    const [page] = pagesOf(bySchema[schema] ?? [], `&schemaId=${schemaIdOf(schema)}`, 1, 0, 0)
    return page as Page
  })
}

const kinds: readonly Kind[] = [
  { name: 'first page', pages: ({ latest }, count) => pagesOf(latest, '', count, 0, 0) },
  {
    name: 'filtered page, the schema most records follow,',

    pages: (list, count) => ofSchemas(list, [0], count),
  },
  {
    name: 'filtered page, one of the other schemas,',

    pages: (list, count) => ofSchemas(list, [schemas - 1, schemas - 2, schemas - 3], count),
  },
  {
    name: 'deep page by `page=`',

    pages: ({ latest }, count) => pagesOf(latest, '', count, 0.5, 0.5),
  },
  {
    name: 'deep page by `page=`, by id,',

    pages: ({ byId }, count) => pagesOf(byId, '&sort=id', count, 0.5, 0.5),
  },
]
const firstDeep = 'deep page by `page=`, the first after a start,'
const following = 'page reached by following `next`'
const afterUpdate = 'deep page by `page=` right after an update'

/** @returns milliseconds of each page */
async function measure(
  port: number,
  list: List,
  count: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const connection = await openConnection(port)
  async function get(path: string): Promise<readonly [Answer, number]> {
    const request = getBytes(path)
    const started = performance.now()
    const answer = await connection.send(request)
    return [answer, performance.now() - started]
  }
  async function page({ path, ids, total }: Page): Promise<number> {
    const [answer, elapsed] = await get(path)
    assertPage(answer, path, ids, total)
    return elapsed
  }
  /** Follows the links from a page. */
  async function follow(from: number): Promise<readonly number[]> {
    const times: number[] = []
    let [answer] = await get(`/api/v1/metadata?page=${from}`)
    for (let at = from + 1; times.length < count; at++) {
      const next = /<([^>]*)>; ?rel="?next"?/.exec(answer.header('link') ?? '')?.[1]
      const ids = list.latest.slice(at * pageSize, (at + 1) * pageSize)
      if (next === undefined && ids.length === 0) break
      if (next === undefined) throw new Error(`Page ${at - 1} has no link to the next one.`)
      const { pathname, search } = new URL(next)
      const [following, elapsed] = await get(pathname + search)
      answer = following
      assertPage(answer, next, ids, list.latest.length)
      times.push(elapsed)
    }
    return times
  }
  try {
    const measured = new Map<string, readonly number[]>()
    // Warms up the code of the server.
    for (const one of pagesOf(list.latest, '&from=2000', 50, 0, 1)) await get(one.path)
    for (const one of pagesOf(list.latest, '', 1, 0.9, 0)) measured.set(firstDeep, [await page(one)])
    for (const kind of kinds) {
      const times: number[] = []
      for (const one of kind.pages(list, count)) times.push(await page(one))
      measured.set(kind.name, times)
    }
    measured.set(following, await follow(Math.floor(list.latest.length / pageSize / 2)))
    return measured
  } finally {
    connection.close()
  }
}

/**
 * Measures deep pages directly after updates.
 * @returns milliseconds of each page
 */
async function afterUpdates(port: number, { latest }: List, count: number): Promise<readonly number[]> {
  const connection = await openConnection(port)
  const times: number[] = []
  const first = fresh(count)
  const pages = Math.floor(latest.length / pageSize)
  try {
    for (let index = 0; index < count; index++) {
      const created = await connection.send(createBytes(first + index))
      if (created.status !== 201) throw new Error(`${created.status}: ${created.body.toString()}`)
      const number = Math.floor(pages * (0.5 + 0.5 * ((index * goldenRatio) % 1)))
      const path = `/api/v1/metadata?page=${number}`
      const request = getBytes(path)
      const started = performance.now()
      const answer = await connection.send(request)
      times.push(performance.now() - started)
      // Each created record moves all older records by one place.
      const start = number * pageSize - (index + 1)
      const ids = latest.slice(Math.max(0, start), start + pageSize)
      if (start >= 0) assertPage(answer, path, ids, latest.length + index + 1)
      else assertTotal(answer, path, latest.length + index + 1)
    }
    return times
  } finally {
    connection.close()
  }
}

function assertPage(answer: Answer, path: string, ids: readonly string[], total: number): void {
  if (answer.status !== 200)
    throw new Error(`${path}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
  const found = (JSON.parse(answer.body.toString()) as { id: string }[]).map(({ id }) => id)
  if (found.join() !== ids.join()) throw new Error(`${path} has the records ${found}, not ${ids}.`)
  assertTotal(answer, path, total)
}

function assertTotal(answer: Answer, path: string, total: number): void {
  const range = answer.header('content-range') ?? ''
  if (!range.endsWith(`/${total}`))
    throw new Error(`${path} has the range ${range}; there are ${total} records.`)
}
