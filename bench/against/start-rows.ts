import { execFileSync } from 'node:child_process'
import { openConnection } from '../load/http-connection.js'
import { getBytes } from '../load/read-requests.js'
import { many } from '../support/measurement.js'
import { canLook, memoryOfAll, processorTimeOfAll, processorTimeOfEnded } from '../support/process-memory.js'
import { median, timed } from '../support/statistics.js'
import type { Build } from './build-commit.js'
import type { Figures } from './comparison.js'
import type { RowGroup, Tools } from './rows.js'

/* Starts of servers until the first answer, and commands. */

/** Number of starts of a round, whose median counts. */
const repeats = 3

/** @param records number of records of the data folders */
export function startGroups(records: number): readonly RowGroup[] {
  return [startGroup(0), startGroup(records), listGroup(records), versionGroup()]
}

function startGroup(records: number): RowGroup {
  const row = `start until the first answer, ${records === 0 ? 'no' : many(records)} records`
  const one = ({ folders }: Tools, build: Build) =>
    folders.withServer(build, { bare: true, search: true, records }, async ({ port, pid, startup }) => {
      const connection = await openConnection(port)
      const first = await timed(() => connection.send(getBytes('/api/v1/schemas')))
      const cpu = canLook ? processorTimeOfAll(pid) : Number.NaN
      connection.close()
      return { p50: startup + first, cpu, ...(canLook && { memory: memoryOfAll(pid) }) }
    })
  return {
    rows: [row],
    measure: async (tools, build) => new Map([[row, await medianOf(() => one(tools, build))]]),
  }
}

function listGroup(records: number): RowGroup {
  const row = '`git-metastore list schemas`'
  return {
    rows: [row],
    measure: ({ folders }, build) =>
      folders.withData(build, { bare: true, records }, async dir => {
        const args = ['list', 'schemas', '--data', dir]
        return new Map([[row, await medianOf(() => command(build, args))]])
      }),
  }
}

function versionGroup(): RowGroup {
  const row = '`git-metastore --version`'
  return {
    rows: [row],
    measure: async (_, build) => new Map([[row, await medianOf(() => command(build, ['--version']))]]),
  }
}

async function command(build: Build, args: readonly string[]): Promise<Figures> {
  const ended = () => (canLook ? processorTimeOfEnded(process.pid) : Number.NaN)
  const before = ended()
  const p50 = await timed(() =>
    execFileSync(process.execPath, [build.program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  return { p50, cpu: ended() - before }
}

/** Measures several times. @returns the median of each figure */
async function medianOf(one: () => Promise<Figures>): Promise<Figures> {
  const all: Figures[] = []
  for (let at = 0; at < repeats; at++) all.push(await one())
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[]
  return Object.fromEntries(names.map(name => [name, median(all.map(each => each[name] ?? Number.NaN))]))
}
