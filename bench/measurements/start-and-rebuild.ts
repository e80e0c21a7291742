import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compose } from '../../src/compose/compose.js'
import { defaults } from '../../src/config.js'
import { selfPrincipal } from '../../src/core/access-control.js'
import { asVersion } from '../../src/core/value-types.js'
import { PackMerger } from '../../src/store/packs/pack-merger.js'
import { ownFolder } from '../../src/store/repository/open-repository.js'
import { assertSound, git } from '../baselines/plain-git.js'
import { recordOf, schemaOf } from '../data/generated-records.js'
import { type Size, schemas, seed } from '../data/repository-cache.js'
import { assertCreated, createRequests, documentFor, numbers } from '../load/create-requests.js'
import { bytesIn, deflatedSize } from '../support/disk-usage.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { program, startProcess, withServer } from '../support/server-process.js'
import { timed } from '../support/statistics.js'

/* Derived data, start-up, and the size on disk. */

const separateModules = fileURLToPath(new URL('../baselines/separate-modules.js', import.meta.url))

export async function run(bench: Bench): Promise<void> {
  await rebuild(bench)
  await startUp(bench)
  await bundled(bench)
  await diskOfOurs(bench)
  await diskOfGenerated(bench)
}

async function rebuild({ options, repositories, table }: Bench): Promise<void> {
  const size: Size = { records: options.sizes.largest, bare: true }
  const template = await repositories.template(size)
  const times = { ours: [] as number[], log: [] as number[] }
  const log = (dir: string) =>
    timed(() => execFileSync('git', ['log', '--raw'], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] }))
  await repositories.withFolder(async folder => {
    const dir = join(folder, 'clone')
    git(folder, 'clone', '--quiet', '--bare', template, dir)
    // The first run reads the files from the disk.
    await log(dir)
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      times.log.push((await log(dir)) / 1000)
      await rm(join(dir, ownFolder), { recursive: true, force: true })
      const started = performance.now()
      const services = await compose({ ...defaults, data: dir }, { report: () => undefined })
      times.ours.push((performance.now() - started) / 1000)
      const { total } = services.collections.metadata.list(selfPrincipal, {}, { offset: 0, limit: 1 })
      const { faults } = await services.health(selfPrincipal)
      await services.close()
      if (total !== size.records) throw new Error(`The catalog has ${total} records, not ${size.records}.`)
      if (faults.length > 0) throw new Error(`The catalog has faults: ${JSON.stringify(faults[0])}`)
    }
  })
  table.add({
    work: `rebuild of the catalog from a fresh clone, ${many(size.records)} records`,
    unit: 's',
    ours: { what: 'opened without a catalog', values: times.ours },
    against: { what: '`git log --raw`', values: times.log },
    goal: { atMost: 3 },
  })
}

async function startUp({ options, repositories, table }: Bench): Promise<void> {
  for (const records of [options.sizes.small, options.sizes.largest]) {
    const template = await repositories.template({ records, bare: true })
    const times = { ours: [] as number[], git: [] as number[] }
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      const { startup, notes } = await withServer(template, async server => server)
      if (notes().includes('Reading the history')) throw new Error('The catalog was not at HEAD.')
      times.ours.push(startup / 1000)
      times.git.push((await timed(() => git(template, 'rev-parse', 'HEAD'))) / 1000)
    }
    table.add({
      work: `start-up with a catalog at HEAD, ${many(records)} records`,
      unit: 's',
      ours: { what: '`git-metastore serve`, until it listens', values: times.ours },
      against: { what: '`git rev-parse HEAD`', values: times.git },
      ...(records === options.sizes.largest && { goal: { below: 1 } }),
    })
  }
}

/** Compares starts of the bundled program with starts of its separate modules. */
async function bundled({ options, repositories, table }: Bench): Promise<void> {
  const template = await repositories.template({ records: options.sizes.small, bare: true })
  const programs = { ours: program, against: separateModules }
  const starts = { ours: [] as number[], against: [] as number[] }
  const commands = { ours: [] as number[], against: [] as number[] }
  for (let repeat = 0; repeat < options.repeats * 3; repeat++) {
    for (const which of ['ours', 'against'] as const) {
      const server = await startProcess([programs[which], 'serve', '--data', template, '--port', '0'])
      await server.stop()
      starts[which].push(server.startup)
      const args = [programs[which], 'status', '--data', template]
      commands[which].push(await timed(() => execFileSync(process.execPath, args)))
    }
  }
  for (const [work, values] of [
    ['start of `git-metastore serve`, until it listens', starts],
    ['`git-metastore status`', commands],
  ] as const) {
    table.add({
      work: `${work}, ${many(options.sizes.small)} records`,
      unit: 'ms',
      ours: { what: 'the bundled program', values: values.ours },
      against: { what: 'its modules one by one', values: values.against },
      ...(values === starts && { goal: { atMost: 0.9 } }),
    })
  }
}

/** Measures a repository that creates through HTTP have filled, with packs of the server. */
async function diskOfOurs({ options, repositories, table, load }: Bench): Promise<void> {
  const records = options.sizes.middle
  const created = numbers(fresh(records), records)
  await repositories.withCopy({ records: 0, bare: true }, async dir => {
    const before = git(dir, 'rev-parse', 'HEAD')
    await withServer(dir, async ({ port }) => {
      await load.prepare('create', createRequests(created))
      await load.run('create', { port, clients: options.clients })
    })
    await load.forget('create')
    const stored = assertCreated(dir, before, created)
    const contents = stored.flatMap(({ files }) => [...files.values()])
    const against = {
      what: 'its two files, each deflated',
      values: [deflatedSize(contents) / records],
    }
    const asServed = (await bytesIn(join(dir, 'objects'))) / records
    const ownDir = join(dir, ownFolder)
    const merger = new PackMerger({ gitDir: dir, ownDir, stagingDir: ownDir, git: 'git' })
    await merger.repack()
    await merger.close()
    assertSound(dir, true)
    const merged = (await bytesIn(join(dir, 'objects'))) / records
    git(dir, 'repack', '-a', '-d', '-q')
    const whole = (await bytesIn(join(dir, 'objects'))) / records
    const catalog = (await bytesIn(join(dir, ownFolder))) / records
    const work = `disk a record, ${many(records)} records created through HTTP`
    const unit = 'bytes'
    table.add({ work, unit, ours: { what: 'as the server leaves it', values: [asServed] }, against })
    table.add({
      work: `${work}, after merging packs`,
      unit,
      ours: { what: 'as the server merges them', values: [merged] },
      against,
      goal: { atMost: 2 },
    })
    table.add({ work, unit, ours: { what: 'after `git repack -a -d`', values: [whole] }, against })
    table.add({ work, unit, ours: { what: 'the catalog, which is derived', values: [catalog] }, against })
  })
}

/** Measures the single pack that `git fast-import` makes of many records. */
async function diskOfGenerated({ options, repositories, table }: Bench): Promise<void> {
  const records = options.sizes.largest
  const template = await repositories.template({ records, bare: true })
  const some = Math.min(records, 10_000)
  const sample = numbers(0, some).map(at => Math.floor((at * records) / some))
  const contents = sample.flatMap(number => [
    recordOf(seed, number, asVersion(1), schemaOf(seed, number, schemas)),
    documentFor(number),
  ])
  const against = { what: 'its two files, each deflated', values: [deflatedSize(contents) / some] }
  table.add({
    work: `disk a record, ${many(records)} generated records, one pack`,
    unit: 'bytes',
    ours: {
      what: '`git fast-import`’s pack',
      values: [(await bytesIn(join(template, 'objects'))) / records],
    },
    against,
    goal: { atMost: 2 },
  })
  table.add({
    work: `disk a record, ${many(records)} generated records`,
    unit: 'bytes',
    ours: {
      what: 'the catalog, which is derived',
      values: [(await bytesIn(join(template, ownFolder))) / records],
    },
    against,
  })
}
