import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import { asVersion } from '../../src/core/value-types.js'
import { git } from '../baselines/plain-git.js'
import type { Size } from '../data/repository-cache.js'
import { documentFor, idOfRecord, numbers } from '../load/create-requests.js'
import { type LoadRequest, rateOf } from '../load/load-generator.js'
import { anyOf, documentRequest, recordRequest, versionsOf } from '../load/read-requests.js'
import { type Bench, many } from '../support/measurement.js'
import { type Server, startProcess, withServer } from '../support/server-process.js'
import { median } from '../support/statistics.js'

/* GETs of evenly distributed records over kept-alive connections. Every answer is compared byte for byte. */

export async function run(bench: Bench): Promise<void> {
  await againstKoa(bench)
  await oldVersions(bench)
}

const bareKoa = fileURLToPath(new URL('../baselines/koa-read-server.js', import.meta.url))

async function againstKoa(bench: Bench): Promise<void> {
  const { options, repositories, table, load } = bench
  const size: Size = { records: options.sizes.large, bare: true }
  const all = numbers(0, size.records)
  const count = options.count(100_000, 2_000)
  const { clients } = options
  for (const what of ['record', 'document'] as const) {
    const rates = { ours: [] as number[], koa: [] as number[] }
    const cpu: number[] = []
    await repositories.withCopy(size, dir =>
      repositories.withFolder(async folder => {
        const answers = await withServer(dir, async ({ port }) => {
          await load.prepare(
            'first',
            all.map(number => (what === 'record' ? recordRequest(number) : documentOf(number))),
          )
          const collected = await load.run('first', { port, clients, collect: true })
          await load.forget('first')
          return collected.answers
        })
        const bodies = answers.map(({ body }) => Buffer.from(body))
        if (what === 'record') bodies.forEach(assertRecord)
        const byPath = new Map(
          answers.map((answer, number) => [`/api/v1/metadata/${idOfRecord(number)}`, answer]),
        )
        const file = join(folder, 'answers')
        await writeFile(file, serialize(byPath))
        await load.prepare('known', requests(what, bodies))
        for (let repeat = 0; repeat < options.repeats; repeat++) {
          const order = anyOf(all.length, count, repeat)
          const warm = anyOf(all.length, options.count(20_000, 500), 1000 + repeat)
          const measure = async ({ port }: Server) => {
            await load.run('known', { port, clients, order: warm })
            return await load.run('known', { port, clients, order })
          }
          const ours = await withServer(dir, measure)
          const koa = await startProcess([bareKoa, file])
          try {
            const theirs = await measure(koa)
            rates.koa.push(rateOf(theirs))
            cpu.push(theirs.cpu)
          } finally {
            await koa.stop()
          }
          rates.ours.push(rateOf(ours))
        }
        await load.forget('known')
      }),
    )
    table.add({
      work: `GET of a ${what}, ${clients} clients, ${many(size.records)} records`,
      unit: '/s',
      ours: { what: 'any record', values: rates.ours },
      against: { what: 'a bare Koa handler, the same bytes from memory, headers too', values: rates.koa },
      goal: { atLeast: 1 / 2 },
      note: `The clients took ${Math.round(median(cpu) * 100)} % of a core to ask the bare handler.`,
    })
  }
}

function documentOf(number: number): LoadRequest {
  return documentRequest(number, documentFor(number))
}

function* requests(what: 'record' | 'document', answers: readonly Buffer[]): Generator<LoadRequest> {
  for (const [number, body] of answers.entries())
    yield what === 'record' ? recordRequest(number, body) : documentRequest(number, body)
}

function assertRecord(body: Buffer, number: number): void {
  const record = JSON.parse(body.toString()) as { id?: string; recordVersion?: number }
  if (record.id !== idOfRecord(number) || record.recordVersion !== 1)
    throw new Error(`The answer for record ${number} is ${body.toString().slice(0, 300)}`)
}

/** Reads old versions from a single pack with the longest chains of deltas that git makes by default. */
async function oldVersions({ options, repositories, table, load }: Bench): Promise<void> {
  const size: Size = { records: options.sizes.large, versions: 1.5, bare: true }
  const several = versionsOf(size).flatMap((version, number) => (version > 1 ? [{ number, version }] : []))
  const some = several.filter((_, index) => index % Math.ceil(several.length / 20_000) === 0)
  const count = options.count(50_000, 1_000)
  const { clients } = options
  const rates = { old: [] as number[], newest: [] as number[] }
  await repositories.withCopy(size, async dir => {
    git(dir, 'repack', '-a', '-d', '-q')
    const first = asVersion(1)
    await load.prepare(
      'old',
      some.map(({ number }) => documentRequest(number, documentFor(number, first), first)),
    )
    await load.prepare(
      'newest',
      some.map(({ number, version }) => documentRequest(number, documentFor(number, version))),
    )
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      const order = anyOf(some.length, count, repeat)
      const warm = anyOf(some.length, options.count(5_000, 200), 1000 + repeat)
      // Each series has a new server, so that no server has cached the records of the other series.
      for (const which of ['old', 'newest'] as const) {
        await withServer(dir, async ({ port }) => {
          await load.run(which, { port, clients, order: warm })
          rates[which].push(rateOf(await load.run(which, { port, clients, order })))
        })
      }
    }
  })
  await load.forget('old')
  await load.forget('newest')
  table.add({
    work: `GET of an old version after packs were merged, ${clients} clients, ${many(size.records)} records`,
    unit: '/s',
    ours: { what: 'version 1', values: rates.old },
    against: { what: 'the newest of the same records', values: rates.newest },
    goal: { atLeast: 1 / 2 },
    note: `${many(some.length)} records of several versions.`,
  })
}
