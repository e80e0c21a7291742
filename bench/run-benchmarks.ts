import { openRepositories, say } from './data/repository-cache.js'
import { openLoad } from './load/load-generator.js'
import { type Options, parseOptions } from './support/benchmark-options.js'
import type { Group } from './support/measurement.js'
import { isReached, machine, markdown, openTable, type Row } from './support/result-table.js'

const groups: Readonly<Record<string, () => Promise<{ readonly run: Group }>>> = {
  write: () => import('./measurements/create-rate.js'),
  read: () => import('./measurements/read-rate.js'),
  list: () => import('./measurements/list-rate.js'),
  search: () => import('./measurements/search-rate.js'),
  harvest: () => import('./measurements/harvest-rate.js'),
  access: () => import('./measurements/access-control-cost.js'),
  validate: () => import('./measurements/validation-rate.js'),
  describe: () => import('./measurements/description-cost.js'),
  catalog: () => import('./measurements/start-and-rebuild.js'),
  memory: () => import('./measurements/memory-use.js'),
  transfer: () => import('./measurements/import-and-export.js'),
  browser: () => import('./measurements/long-list-in-browser.js'),
  commits: () => import('./measurements/commits-during-updates.js'),
}
/** Programs that are not measurements. They read all further arguments. */
const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  against: () => import('./programs/against-commit.js'),
  generate: () => import('./programs/generate-data.js'),
  house: () => import('./programs/count-house.js'),
  'json-schema-suite': () => import('./programs/json-schema-suite.js'),
  real: () => import('./programs/published-schemas.js'),
  soak: () => import('./programs/soak-test.js'),
  w3c: () => import('./programs/w3c-xml-schemas.js'),
  xerces: () => import('./programs/compare-with-xerces.js'),
}

const args = process.argv.slice(2)
const [first = ''] = args
if (first in programs) {
  process.argv.splice(2, 1)
  await programs[first]?.()
} else {
  const end = args.findIndex(arg => arg.startsWith('--'))
  const names = end < 0 ? args : args.slice(0, end)
  const isCi = names.length === 1 && names[0] === 'ci'
  const wanted = names.length === 0 || isCi ? Object.keys(groups) : names
  const unknown = wanted.find(name => !(name in groups))
  if (unknown !== undefined) {
    const known = [...Object.keys(groups), 'ci', ...Object.keys(programs)]
    say(`There is no benchmark "${unknown}": npm run bench, or npm run bench -- ${known.join('|')}`)
    process.exitCode = 2
  } else {
    await measure(
      wanted,
      parseOptions(end < 0 ? [] : args.slice(end), Object.keys(groups), isCi ? 'ci' : 'whole'),
    )
  }
}

async function measure(names: readonly string[], options: Options): Promise<void> {
  const rows: Row[] = []
  const repositories = await openRepositories(options.keep)
  process.stdout.write(`${machine()}\n`)
  if (options.sizes.largest < 100_000) process.stdout.write('Small repositories: the ratios mean little.\n')
  try {
    for (const name of names) {
      const started = performance.now()
      const table = openTable(name)
      const load = openLoad()
      try {
        const group = await groups[name]?.()
        await group?.run({ options, table, repositories, load })
      } catch (error) {
        process.exitCode = 1
        process.stdout.write(
          `\n  ${name} went wrong: ${error instanceof Error ? error.stack : String(error)}\n`,
        )
      } finally {
        await load.close()
      }
      rows.push(...table.rows)
      process.stdout.write(`\n  ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    }
  } finally {
    await repositories.close()
  }
  const goals = rows.filter(row => row.goal)
  const reached = goals.filter(isReached).length
  process.stdout.write(`\n${reached} of ${goals.length} goals reached, ${rows.length} rows\n`)
  if (options.markdown) process.stdout.write(`\n${machine()}\n\n${markdown(rows)}`)
}
