import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Size } from '../data/repository-cache.js'
import { idOfRecord } from '../load/create-requests.js'
import { latestFirst } from '../load/read-requests.js'
import { type Bench, many } from '../support/measurement.js'
import { canLook, look } from '../support/process-memory.js'
import { withServer } from '../support/server-process.js'

/*
 * A harvest of a whole repository by one harvester, at two sizes. Every id has to come once, in the order of the list.
 */

/** Milliseconds between two looks at the memory. */
const interval = 100

interface Harvested {
  readonly rate: number
  /** Mebibytes of the server. */
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
            sides[which].push(await measure(port, pid, ids))
          },
          { METASTORE_OAI_ADMIN: 'admin@example.org' },
        )
    })
  }
  const pick = (of: keyof Harvested) => ({
    ours: { what: `of ${many(largest)} records`, values: sides.largest.map(each => each[of]) },
    against: { what: `of ${many(small)} records`, values: sides.small.map(each => each[of]) },
  })
  table.add({
    work: 'records of a whole harvest, oai_dc',
    unit: '/s',
    ...pick('rate'),
    goal: { atLeast: 0.8 },
    note: '1,000,000 records in 30 minutes are 556 /s.',
  })
  if (!canLook) return
  table.add({
    work: 'memory of the server during a harvest, the most',
    unit: 'MB',
    ...pick('memory'),
    goal: { atMost: 1.5 },
  })
}

async function measure(port: number, pid: number, ids: readonly string[]): Promise<Harvested> {
  const agent = new Agent({ keepAlive: true })
  const url = `http://127.0.0.1:${port}/oaipmh?verb=ListRecords`
  const looks: number[] = []
  const timer = canLook ? setInterval(() => looks.push(look(pid).memory), interval) : undefined
  const found: string[] = []
  const started = performance.now()
  try {
    let query: string | undefined = '&metadataPrefix=oai_dc'
    while (query !== undefined) {
      const body = await answerOf(url + query, agent)
      for (const [, id = ''] of body.matchAll(/<header><identifier>([^<]*)</g)) found.push(id)
      const token: string | undefined = /<resumptionToken [^>]*>([^<]+)</.exec(body)?.[1]
      query = token && `&resumptionToken=${token}`
    }
  } finally {
    clearInterval(timer)
    agent.destroy()
  }
  const seconds = (performance.now() - started) / 1000
  if (found.length !== ids.length || found.some((id, at) => id !== ids[at]))
    throw new Error(`A harvest of ${ids.length} records has ${found.length}, or another order.`)
  return { rate: ids.length / seconds, memory: Math.max(0, ...looks) }
}

function answerOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, answer => text(answer).then(resolve, reject)).on('error', reject)
  })
}
