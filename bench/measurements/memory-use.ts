import { git } from '../baselines/plain-git.js'
import { schemaIdOf } from '../data/generated-records.js'
import { schemas } from '../data/repository-cache.js'
import { openRandom } from '../data/seeded-random.js'
import { assertCreated, createRequests, documentFor, numbers } from '../load/create-requests.js'
import type { LoadRequest } from '../load/load-generator.js'
import { anyOf, documentRequest, getBytes, recordRequest } from '../load/read-requests.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { canLook, look, memoryOfChildren } from '../support/process-memory.js'
import { withServer } from '../support/server-process.js'
import { median, quantile } from '../support/statistics.js'

/*
 * Memory of the server process under a mixed load: of ten requests, three create, six read any record, and one lists.
 */

/** Milliseconds between two measurements. */
const interval = 100

interface Used {
  readonly max: number
  readonly usual: number
  readonly children: number
}

export async function run(bench: Bench): Promise<void> {
  const { options, table } = bench
  if (!canLook) {
    process.stdout.write('\n  This machine has no /proc: memory cannot be seen from outside.\n')
    return
  }
  const { small, largest } = options.sizes
  const used = { small: [] as Used[], largest: [] as Used[] }
  for (let repeat = 0; repeat < options.repeats; repeat++) {
    used.small.push(await measure(bench, small))
    used.largest.push(await measure(bench, largest))
  }
  const pick = (which: keyof Used) => ({
    ours: { what: `at ${many(largest)} records`, values: used.largest.map(each => each[which]) },
    against: { what: `at ${many(small)} records`, values: used.small.map(each => each[which]) },
  })
  const work = 'memory of the server under load'
  table.add({ work: `${work}, the most`, unit: 'MB', ...pick('max'), goal: { atMost: 2 } })
  table.add({ work: `${work}, the most`, unit: 'MB', ...pick('max'), goal: { below: 500 } })
  table.add({ work: `${work}, the median`, unit: 'MB', ...pick('usual') })
  table.add({ work: 'git processes beside it, their own', unit: 'MB', ...pick('children') })
}

async function measure({ options, repositories, load }: Bench, records: number): Promise<Used> {
  const count = options.seconds * 1_000
  const created = numbers(fresh(Math.round(count * 0.3)), Math.round(count * 0.3))
  return await repositories.withCopy({ records, bare: true }, async dir => {
    const before = git(dir, 'rev-parse', 'HEAD')
    await load.prepare(
      'mixed',
      shuffled([...createRequests(created), ...reads(records, count - created.length)]),
    )
    const used = await withServer(dir, async ({ port, pid }) => {
      const looks: number[] = []
      const children: number[] = []
      const timer = setInterval(() => {
        looks.push(look(pid).memory)
        children.push(memoryOfChildren(pid))
      }, interval)
      try {
        await load.run('mixed', { port, clients: options.clients })
      } finally {
        clearInterval(timer)
      }
      return { max: look(pid).peakMemory, usual: median(looks), children: quantile(children, 1) }
    })
    await load.forget('mixed')
    assertCreated(dir, before, created)
    return used
  })
}

function* reads(records: number, count: number): Generator<LoadRequest> {
  for (const [index, number] of anyOf(records, count, 7).entries()) {
    if (index % 7 === 0) yield listRequest(number)
    else yield index % 2 === 0 ? documentRequest(number, documentFor(number)) : recordRequest(number)
  }
}

/** A request for a page near the start, a deep page, or a page of a schema. */
function listRequest(number: number): LoadRequest {
  const deep = Math.floor(number / 20)
  const queries = [`page=${deep % 5}`, `page=${deep}&sort=id`, `schemaId=${schemaIdOf(number % schemas)}`]
  const query = queries[number % queries.length]
  return { bytes: getBytes(`/api/v1/metadata?${query}`), expected: { status: 200 } }
}

/** Shuffles values in place, in an order that is always the same. */
function shuffled<T>(values: T[]): T[] {
  const random = openRandom(11)
  for (let at = values.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[values[at], values[other]] = [values[other] as T, values[at] as T]
  }
  return values
}
