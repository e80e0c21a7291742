import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildCommit, buildOfToday, commitNamed, sourcesOfToday } from '../against/build-commit.js'
import { comparisonTable, isTooExpensive, losses } from '../against/comparison.js'
import { openDataFolders } from '../against/data-folders.js'
import { harvestGroups } from '../against/harvest-rows.js'
import { type Measured, measureInTurn } from '../against/measure-in-turn.js'
import { readGroups } from '../against/read-rows.js'
import { startGroups } from '../against/start-rows.js'
import { writeGroups } from '../against/write-rows.js'
import { openRepositories, say } from '../data/repository-cache.js'
import { openLoad } from '../load/load-generator.js'
import { programArguments, refuse, whole } from '../support/command-options.js'
import { many } from '../support/measurement.js'
import { machine } from '../support/result-table.js'

const usage = `npm run bench -- against [options] [commit]

Builds another commit of this repository, and measures it and today's build in turn, row by row, each time on a new data
folder. Prints each figure as "today : other = ratio (smallest–largest ratio of a round)" and marks what is worse by
more than a tenth. Without a commit, takes the one in bench/baseline. With --short, ends with 1 if the processor time of
a request has grown to more than 1.5 times in every round.`

const {
  _: [
    name = (
      await readFile(fileURLToPath(new URL('../../../bench/baseline', import.meta.url)), 'utf8')
    ).trim(),
  ],
  ...options
} = programArguments(
  usage,
  {
    rounds: { ...whole('Times each row is measured for each build'), default: 3 },
    rows: { type: 'string', requiresArg: true, describe: 'Regular expression of the rows to measure' },
    records: {
      ...whole('Records of the data folders', { from: 20 }),
      describe: 'Records of the data folders; default: 10000, short 1000',
    },
    seconds: { ...whole('Seconds'), describe: 'Seconds of each row; default: 3, short 1' },
    keep: {
      type: 'string',
      requiresArg: true,
      describe: 'Folder in which builds and generated repositories are kept',
    },
    short: { type: 'boolean', default: false, describe: 'Few rows, for continuous integration' },
    list: { type: 'boolean', default: false, describe: 'Only list the rows' },
  },
  { max: 1 },
)
const { rounds, short, records = short ? 1_000 : 10_000, seconds = short ? 1 : 3 } = options

/** Rows of the short form, which takes two minutes on two cores. */
const shortRows =
  /^(creates, 64 .* work tree, search on, warm|lone .* work tree, search on|(GET of a record|list .*(first|resource)).* search on, warm|.* all match.* warm|.*--version.*)$/
/** Milliseconds after which the short form begins no more work, because others wait for it. */
const longest = 150_000
const end = short ? performance.now() + longest : Number.POSITIVE_INFINITY
const pattern = patternOf(options.rows)
const isWanted = (row: string) => pattern?.test(row) ?? (!short || shortRows.test(row))

const groups = [writeGroups, readGroups, harvestGroups, startGroups].flatMap(groupsOf => groupsOf(records))
const wanted = groups.flatMap(({ rows }) => rows).filter(isWanted)
if (wanted.length === 0) refuse('--rows matches no row; --list prints them.')
const commit = commitNamed(name)
if (options.list) {
  process.stdout.write(`${wanted.join('\n')}\n`)
} else if (commit === undefined && short) {
  say(`This clone does not have the commit ${name}, so nothing is compared with it.`)
} else if (commit === undefined) {
  refuse(`This repository has no commit ${name}.`)
} else {
  await compareWith(commit)
}

function patternOf(text: string | undefined): RegExp | undefined {
  try {
    return text === undefined ? undefined : new RegExp(text)
  } catch (error) {
    return refuse(`--rows has to be a regular expression: ${(error as Error).message}`)
  }
}

async function compareWith(id: string): Promise<void> {
  const own = await mkdtemp(join(tmpdir(), 'git-metastore-against-'))
  const kept = resolve(options.keep ?? own)
  const repositories = await openRepositories(kept)
  const load = openLoad()
  try {
    say(`Building ${id.slice(0, 8)}…`)
    const other = await buildCommit(id, join(kept, `build-${id}`))
    const builds = { today: buildOfToday(), other }
    const rows = await repositories.withFolder(async folder => {
      const folders = openDataFolders(repositories, folder)
      return await measureInTurn(groups, { folders, load, seconds, isWanted }, builds, { rounds, end })
    })
    report(rows, other.name)
  } finally {
    await load.close()
    await repositories.close()
    await rm(own, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Prints the table for the closing note of an issue. */
function report(rows: Measured, other: string): void {
  const lost = losses(rows).map(line => `\n- ${line}`)
  const expensive = short ? [...rows].filter(([, pairs]) => isTooExpensive(pairs)).map(([row]) => row) : []
  if (expensive.length > 0) process.exitCode = 1
  const lines = [
    machine(),
    `today: ${sourcesOfToday()}, other: ${other}, ${many(records)} records, rounds: ${rounds}`,
    `\n${comparisonTable(rows)}`,
    lost.length === 0 ? 'No loss above a tenth.' : `Losses above a tenth:${lost.join('')}`,
    ...expensive.map(row => `Every round needed more than 1.5 times the processor time a request: ${row}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
