import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { asVersion } from '../../src/core/value-types.js'
import { documentFileName, recordDirectory, recordFile } from '../../src/store/records/repository-layout.js'
import { assertSound, fastImport, git, type StoredFiles } from '../baselines/plain-git.js'
import { recordOf, schemaOf } from '../data/generated-records.js'
import { type Size, schemas, seed } from '../data/repository-cache.js'
import { documentFor, idOfRecord, numbers } from '../load/create-requests.js'
import { type Bench, many } from '../support/measurement.js'
import { program } from '../support/server-process.js'
import { timed } from '../support/statistics.js'

/*
 * Import and export on the command line, each measured from the start of the command to its end. An import validates
 * all documents, and its records are on disk at the end.
 */

export async function run({ options, repositories, table }: Bench): Promise<void> {
  const size: Size = { records: options.sizes.middle, bare: true }
  const { records } = size
  const files = numbers(0, records).map(storedFiles)
  const rates = {
    import: [] as number[],
    squash: [] as number[],
    export: [] as number[],
    git: [] as number[],
    gitExport: [] as number[],
  }
  const perSecond = (milliseconds: number) => (records * 1000) / milliseconds
  const source = await repositories.template(size)
  for (let repeat = 0; repeat < options.repeats; repeat++) {
    await repositories.withFolder(async folder => {
      const lines = join(folder, 'records.jsonl')
      rates.export.push(perSecond(await command('export', '--data', source, '-o', lines)))
      const fastExport = ['fast-export', 'main']
      rates.gitExport.push(
        perSecond(
          await timed(() =>
            execFileSync('git', fastExport, { cwd: source, stdio: ['ignore', 'ignore', 'inherit'] }),
          ),
        ),
      )
      for (const squash of [false, true]) {
        const dir = join(folder, squash ? 'squashed' : 'imported')
        await command('init', '--bare', '--empty', dir)
        const options = squash ? ['--squash'] : []
        const elapsed = await command('import', lines, '--data', dir, ...options)
        rates[squash ? 'squash' : 'import'].push(perSecond(elapsed))
        assertSound(dir, true)
        if (
          tree(dir, 'metadata') !== tree(source, 'metadata') ||
          tree(dir, 'schemas') !== tree(source, 'schemas')
        )
          throw new Error('The imported records differ from the exported ones.')
        const commits = Number(git(dir, 'rev-list', '--count', 'HEAD'))
        const wanted = 1 + schemas + (squash ? 1 : records)
        if (commits !== wanted) throw new Error(`There are ${commits} commits, not ${wanted}.`)
      }
    })
    await repositories.withCopy({ records: 0, bare: true }, async dir => {
      rates.git.push(perSecond(await fastImport(dir, files)))
    })
  }
  const against = { what: '`git fast-import` of the same records', values: rates.git }
  const unit = '/s'
  const what = (name: string) => `${name}, JSON lines, ${many(records)} records`
  const row = (work: string, command: string, values: readonly number[]) =>
    table.add({
      work: what(work),
      unit,
      ours: { what: `\`git-metastore ${command}\``, values },
      against,
      goal: { atLeast: 1 / 2 },
    })
  row('import, a commit each', 'import', rates.import)
  row('import, one commit for all', 'import --squash', rates.squash)
  row('export', 'export', rates.export)
  table.add({
    work: what('export'),
    unit,
    ours: { what: '`git-metastore export`', values: rates.export },
    against: { what: '`git fast-export` of the same commits', values: rates.gitExport },
  })
}

function command(...args: string[]): Promise<number> {
  return timed(() =>
    execFileSync(process.execPath, [program, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      maxBuffer: 1 << 28,
    }),
  )
}

/** Returns the tree id of a folder of the newest commit. */
function tree(dir: string, folder: string): string {
  return git(dir, 'rev-parse', `HEAD:${folder}`)
}

function storedFiles(number: number): StoredFiles {
  const name = idOfRecord(number)
  const folder = recordDirectory('metadata', name)
  return {
    name,
    files: new Map([
      [`${folder}/${recordFile}`, recordOf(seed, number, asVersion(1), schemaOf(seed, number, schemas))],
      [`${folder}/${documentFileName('metadata', 'JSON')}`, documentFor(number)],
    ]),
  }
}
