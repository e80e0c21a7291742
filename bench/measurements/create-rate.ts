import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertSound, commitOneByOne, fastImport, git, type StoredFiles } from '../baselines/plain-git.js'
import { throughService, throughStore, withIsomorphic } from '../baselines/without-http.js'
import type { Size } from '../data/repository-cache.js'
import { assertCreated, createRequests, numbers } from '../load/create-requests.js'
import { type LoadResult, rateOf } from '../load/load-generator.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { canLook } from '../support/process-memory.js'
import { withServer } from '../support/server-process.js'
import { median } from '../support/statistics.js'
import {
  allCalls,
  countingCommand,
  countSystemCalls,
  readSystemCalls,
  type SystemCalls,
} from '../support/system-calls.js'

/*
 * Durable creates of validated documents of about 2 KB. Each is one commit, which is on disk before the answer. The
 * baselines store the same two files per record without validation. `git fast-import` and a usual `git commit` do not
 * sync them either.
 */

/** Limit of the records up to which git checks every object afterwards. */
const maxForFsck = 100_000
/** Number of updates that wait for a flush of the store together. */
const perFlush = 100

interface Created {
  readonly result: LoadResult
  /** The stored files of the run, read with git. */
  readonly stored: readonly StoredFiles[]
}

export async function run(bench: Bench): Promise<void> {
  await againstGit(bench)
  await storeAlone(bench)
  await loneCreate(bench)
  await oneClient(bench)
  if (canLook && !bench.options.brief) await systemCallsOfOne(bench)
  await atSize(bench)
}

/**
 * Creates records on a new server, so that all runs start with the same conditions. The first creates are not counted,
 * because the code is not compiled yet.
 */
async function throughHttp(
  { options, load, repositories }: Bench,
  size: Size,
  count: number,
  { clients = options.clients, pause = 0, warm = options.count(3_000, 50) } = {},
): Promise<Created> {
  const warmUp = numbers(fresh(warm), warm)
  const counted = numbers(fresh(count), count)
  return await repositories.withCopy(size, async dir => {
    const before = git(dir, 'rev-parse', 'HEAD')
    const result = await withServer(dir, async ({ port }) => {
      await load.prepare('warm', createRequests(warmUp))
      await load.prepare('counted', createRequests(counted))
      await load.run('warm', { port, clients: options.clients })
      // A lone create finds an idle server.
      if (pause > 0) await sleep(500)
      return await load.run('counted', { port, clients, pause })
    })
    await load.forget('warm')
    await load.forget('counted')
    const stored = assertCreated(dir, before, [...warmUp, ...counted]).slice(warmUp.length)
    if (size.records <= maxForFsck) assertSound(dir, size.bare)
    return { result, stored }
  })
}

async function againstGit(bench: Bench): Promise<void> {
  const { options, repositories, table } = bench
  const count = options.count(10_000, 100)
  for (const records of options.brief ? [options.sizes.middle] : [0, options.sizes.middle]) {
    const rates = { bare: [] as number[], tree: [] as number[], git: [] as number[], import: [] as number[] }
    const others = { service: [] as number[], isomorphic: [] as number[] }
    const cpu: number[] = []
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      const bare = await throughHttp(bench, { records, bare: true }, count)
      const tree = await throughHttp(bench, { records, bare: false }, count)
      rates.bare.push(rateOf(bare.result))
      rates.tree.push(rateOf(tree.result))
      cpu.push(bare.result.cpu)
      const { stored } = bare
      await repositories.withCopy({ records, bare: true }, async dir => {
        rates.import.push(perSecond(count, await fastImport(dir, stored)))
      })
      await repositories.withCopy({ records, bare: false }, async dir => {
        const some = stored.slice(0, options.count(100, 10))
        const { add, commit } = await commitOneByOne(dir, some)
        rates.git.push(perSecond(some.length, sum(add) + sum(commit)))
        if (options.brief) return
        const few = stored.slice(-(records === 0 ? options.count(30, 5) : 2))
        others.isomorphic.push(perSecond(few.length, await withIsomorphic(dir, few)))
      })
      if (options.brief) continue
      await repositories.withCopy({ records, bare: true }, async dir => {
        const warm = numbers(fresh(500), 500)
        const created = numbers(fresh(count), count)
        const before = git(dir, 'rev-parse', 'HEAD')
        others.service.push(perSecond(count, await throughService(dir, created, options.clients, warm)))
        assertCreated(dir, before, [...warm, ...created])
      })
    }
    const place = records === 0 ? 'an empty repository' : `${many(records)} records`
    const git_ = { what: '`git add` + `git commit` a record', values: rates.git }
    const import_ = { what: '`git fast-import` of the same records', values: rates.import }
    const bareWay = { what: 'bare repository', values: rates.bare }
    const treeWay = { what: 'work tree', values: rates.tree }
    const times = records === 0 ? 15 : 150
    const work = `durable creates through HTTP, ${options.clients} clients, ${place}`
    const note = `The clients took ${Math.round(median(cpu) * 100)} % of a core.`
    table.add({ work, unit: '/s', ours: treeWay, against: git_, goal: { atLeast: times } })
    table.add({ work, unit: '/s', ours: bareWay, against: git_, goal: { atLeast: times }, note })
    table.add({ work, unit: '/s', ours: bareWay, against: import_, goal: { atLeast: 1 / 3 } })
    table.add({ work, unit: '/s', ours: treeWay, against: import_ })
    if (options.brief) continue
    table.add({
      work,
      unit: '/s',
      ours: bareWay,
      against: { what: 'through the service layer, without HTTP', values: others.service },
    })
    table.add({
      work,
      unit: '/s',
      ours: treeWay,
      against: { what: 'isomorphic-git, add + commit', values: others.isomorphic },
    })
  }
}

/**
 * Measures the store with a constant number of waiting updates, because the store flushes all waiting updates together.
 */
async function storeAlone(bench: Bench): Promise<void> {
  const { options, repositories, table } = bench
  const records = options.sizes.middle
  const count = options.count(10_000, 200)
  const { stored } = await throughHttp(bench, { records: 0, bare: true }, count)
  for (const bare of options.brief ? [true] : [true, false]) {
    const rates = { store: [] as number[], import: [] as number[] }
    let flushed = 0
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      await repositories.withCopy({ records, bare }, async dir => {
        const before = Number(git(dir, 'rev-list', '--count', 'HEAD'))
        const { elapsed, flushes } = await throughStore(dir, stored, perFlush)
        rates.store.push(perSecond(count, elapsed))
        flushed = count / flushes
        const made = Number(git(dir, 'rev-list', '--count', 'HEAD')) - before
        if (made !== count) throw new Error(`The store made ${made} commits, not ${count}.`)
        assertSound(dir, bare)
      })
      await repositories.withCopy({ records, bare: true }, async dir => {
        rates.import.push(perSecond(count, await fastImport(dir, stored)))
      })
    }
    table.add({
      work: `the store alone, durable, ${perFlush} updates a flush, ${many(records)} records`,
      unit: '/s',
      ours: { what: bare ? 'bare repository' : 'work tree', values: rates.store },
      against: { what: '`git fast-import` of the same records', values: rates.import },
      ...(bare && { goal: { atLeast: 1 } }),
      note: `${flushed.toFixed(0)} updates a flush.`,
    })
  }
}

async function loneCreate(bench: Bench): Promise<void> {
  const { options, repositories, table } = bench
  const count = options.count(200, 10)
  for (const records of options.brief ? [options.sizes.middle] : [0, options.sizes.middle]) {
    const times = {
      bare: [] as number[],
      tree: [] as number[],
      commit: [] as number[],
      synced: [] as number[],
    }
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      // The pause is longer than the work tree needs to follow, so that each create finds an idle repository.
      const lone = { clients: 1, pause: options.brief ? 20 : 100, warm: options.count(1_000, 20) }
      const bare = await throughHttp(bench, { records, bare: true }, count, lone)
      const tree = await throughHttp(bench, { records, bare: false }, count, lone)
      times.bare.push(median([...bare.result.latencies]))
      times.tree.push(median([...tree.result.latencies]))
      const some = bare.stored.slice(0, options.count(100, 10))
      for (const sync of ['none', 'all'] as const) {
        await repositories.withCopy({ records, bare: false }, async dir => {
          const { commit } = await commitOneByOne(dir, some, sync)
          times[sync === 'none' ? 'commit' : 'synced'].push(median(commit))
        })
      }
    }
    const place = records === 0 ? 'an empty repository' : `${many(records)} records`
    const work = `one lone durable create, latency, ${place}`
    const commit = { what: '`git commit`, without its `git add`', values: times.commit }
    const synced = { what: 'the same, synced (`core.fsync=all`)', values: times.synced }
    const bare = { what: 'bare repository', values: times.bare }
    const tree = { what: 'work tree', values: times.tree }
    table.add({ work, unit: 'ms', ours: tree, against: commit, goal: { atMost: 1 / 5 } })
    table.add({ work, unit: 'ms', ours: bare, against: commit, goal: { atMost: 1 / 5 } })
    table.add({ work, unit: 'ms', ours: tree, against: synced })
  }
}

/** Measures creates of one client without pauses, and one sync of a new file on the same disk. */
async function oneClient(bench: Bench): Promise<void> {
  const { options, repositories, table } = bench
  const records = options.sizes.middle
  const count = options.count(2_000, 20)
  for (const bare of options.brief ? [true] : [true, false]) {
    const measured = { latency: [] as number[], sync: [] as number[] }
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      const { result } = await throughHttp(bench, { records, bare }, count, { clients: 1 })
      measured.latency.push(median([...result.latencies]))
      await repositories.withCopy({ records: 0, bare: true }, async dir => {
        measured.sync.push(median(syncTimes(dir, options.count(500, 20))))
      })
    }
    const what = bare ? 'bare repository' : 'work tree'
    const against = { what: 'one `fsync` of a new file of 4 KiB', values: measured.sync }
    table.add({
      work: `one client, creates one after another, ${many(records)} records: latency`,
      unit: 'ms',
      ours: { what, values: measured.latency },
      against,
      goal: { below: 3 },
    })
  }
}

/** System calls of a create by one client, including the work after its answer. */
async function systemCallsOfOne({ options, load, repositories, table }: Bench): Promise<void> {
  const records = options.sizes.middle
  const count = options.count(200, 10)
  const [warm, counted] = [2_000, count].map(amount => numbers(fresh(amount), amount)) as [number[], number[]]
  await repositories.withCopy({ records, bare: true }, async dir => {
    const before = git(dir, 'rev-parse', 'HEAD')
    const summary = join(dir, 'system-calls')
    const ours = await withServer(dir, async ({ port, pid }) => {
      await load.prepare('warm', createRequests(warm))
      await load.prepare('counted', createRequests(counted))
      await load.run('warm', { port, clients: options.clients })
      await sleep(1000)
      return await countSystemCalls(pid, summary, async () => {
        await load.run('counted', { port, clients: 1 })
      })
    })
    await load.forget('warm')
    await load.forget('counted')
    if (!ours) return
    const stored = assertCreated(dir, before, [...warm, ...counted]).slice(-10)
    await repositories.withCopy({ records, bare: false }, async theirs => {
      await commitOneByOne(theirs, stored, 'all', countingCommand(summary))
    })
    const git_ = readSystemCalls(summary)
    const work = `one client, creates one after another, ${many(records)} records`
    for (const [what, of, below] of [
      ['all system calls', allCalls, undefined],
      ['`fsync`', (calls: SystemCalls) => calls.get('fsync') ?? 0, 3.5],
    ] as const) {
      table.add({
        work: `${work}: ${what}`,
        unit: 'calls',
        ours: { what: 'bare repository', values: [of(ours) / count] },
        against: {
          what: '`git add` + `git commit`, synced (`core.fsync=all`)',
          values: [of(git_) / stored.length],
        },
        ...(below !== undefined && { goal: { below } }),
      })
    }
  })
}

/** Milliseconds of each of several syncs of a new file. */
function syncTimes(folder: string, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const file = openSync(join(folder, `sync-${index}`), 'w')
    try {
      writeSync(file, Buffer.alloc(4096, index))
      const started = performance.now()
      fsyncSync(file)
      return performance.now() - started
    } finally {
      closeSync(file)
    }
  })
}

async function atSize(bench: Bench): Promise<void> {
  const { options, table } = bench
  const { small, largest } = options.sizes
  const count = options.count(10_000, 100)
  for (const bare of options.largestWorkTree ? [true, false] : [true]) {
    const rates = { small: [] as number[], largest: [] as number[] }
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      rates.small.push(rateOf((await throughHttp(bench, { records: small, bare }, count)).result))
      rates.largest.push(rateOf((await throughHttp(bench, { records: largest, bare }, count)).result))
    }
    table.add({
      work: `creates through HTTP at ${many(largest)} records, ${bare ? 'bare repository' : 'work tree'}`,
      unit: '/s',
      ours: { what: `at ${many(largest)} records`, values: rates.largest },
      against: { what: `at ${many(small)} records`, values: rates.small },
      ...(bare && { goal: { atLeast: 0.8 } }),
    })
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function perSecond(count: number, milliseconds: number): number {
  return (count * 1000) / milliseconds
}
