import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Build,
  buildCommit,
  buildOfToday,
  commitNamed,
  sourcesOfToday,
} from '../against/build-commit.js'
import { comparisonTable, type Figures, isTooExpensive, losses } from '../against/comparison.js'
import { openDataFolders } from '../against/data-folders.js'
import { readGroups } from '../against/read-rows.js'
import type { Tools } from '../against/rows.js'
import { startGroups } from '../against/start-rows.js'
import { writeGroups } from '../against/write-rows.js'
import { openRepositories, say } from '../data/repository-cache.js'
import { openLoad } from '../load/load-generator.js'
import { programArguments, refuse, whole } from '../support/command-options.js'
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

/** Rows of the short form. */
const shortRows =
  /^(creates, 64|lone|updates).* work tree, search on|^(GET of a record|list).* search on, warm|all match.* warm|--version/
const pattern = patternOf(options.rows)
const isWanted = (row: string) => pattern?.test(row) ?? (!short || shortRows.test(row))

const groups = [...writeGroups(records), ...readGroups(records), ...startGroups(records)]
const commit = commitNamed(name)
if (options.list) {
  process.stdout.write(
    `${groups
      .flatMap(({ rows }) => rows)
      .filter(isWanted)
      .join('\n')}\n`,
  )
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
    const today = buildOfToday()
    await repositories.withFolder(async folder => {
      const folders = openDataFolders(repositories, folder)
      await measure({ folders, load, seconds, isWanted }, today, other)
    })
  } finally {
    await load.close()
    await repositories.close()
    await rm(own, { recursive: true, force: true, maxRetries: 3 })
  }
}

interface Measured {
  readonly today: Figures[]
  readonly other: Figures[]
}

async function measure(tools: Tools, today: Build, other: Build): Promise<void> {
  const rows = new Map<string, Measured>()
  process.stdout.write(
    `${machine()}\ntoday: ${sourcesOfToday()}, other: ${other.name}, ${records} records, ${rounds} rounds\n\n`,
  )
  for (const group of groups) {
    const wanted = group.rows.filter(isWanted)
    if (wanted.length === 0) continue
    if (group.needsSearch && !other.hasSearch) {
      say(`${other.name} has no search: ${wanted.join('; ')}`)
      continue
    }
    for (const row of wanted) rows.set(row, { today: [], other: [] })
    for (let round = 1; round <= rounds; round++) {
      say(`Round ${round} of ${rounds}: ${wanted.join('; ')}`)
      for (const [side, build] of [
        ['today', today],
        ['other', other],
      ] as const) {
        const figures = await group.measure(tools, build)
        for (const row of wanted) rows.get(row)?.[side].push(figures.get(row) ?? {})
      }
    }
    await group.close?.(tools.load)
    if (!short) say(comparisonTable(new Map(wanted.map(row => [row, rows.get(row) as Measured]))))
  }
  report(rows)
}

function report(rows: ReadonlyMap<string, Measured>): void {
  process.stdout.write(comparisonTable(rows))
  const lost = losses(rows)
  process.stdout.write(
    lost.length === 0
      ? '\nNo loss above a tenth.\n'
      : `\nLosses above a tenth:\n${lost.map(line => `- ${line}\n`).join('')}`,
  )
  if (!short) return
  const expensive = [...rows].filter(([, pairs]) => isTooExpensive(pairs)).map(([row]) => row)
  if (expensive.length === 0) return
  process.exitCode = 1
  process.stdout.write(
    `\nThe processor time of a request has grown to more than 1.5 times: ${expensive.join('; ')}\n`,
  )
}
