import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../../bench/support/server.js'
import { median } from '../../bench/support/statistics.js'
import { machine } from '../../bench/support/table.js'
import { serverDefaults } from '../../src/config.js'
import { cleanUpProcesses, metastore, temporaryFolder } from '../support/cli.js'
import type { Mix } from './clients.js'
import { complaintsAboutTimes } from './judgement.js'
import { type Line, type Overloaded, overload } from './overload.js'

/*
 * npm run faults -- overload [--minutes 3] [--mix all] [--times 5] [--connections 2000] [--measure 20] [--bare]
 *
 * Finds out what a server can take, sends it several times as much for minutes, whatever it answers, and holds it
 * against what it has acknowledged. Ends with 1 where anything is lost, anything is answered otherwise than by what was
 * asked for or a refusal, or anything is not sound; and, of a minute or more, where updates that were accepted were not answered
 * within the bounds of `judgement.ts`.
 */

/** Complaints that are told word for word. */
const mostComplaints = 50

const mixes: Readonly<Record<string, Mix>> = {
  all: { create: 5, update: 3, validate: 3, read: 8, list: 1 },
  changes: { create: 5, update: 3 },
  creates: { create: 1 },
  validations: { validate: 1 },
  slow: { slow: 19, create: 1 },
  reads: { create: 1, read: 90, list: 9 },
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    mix: { type: 'string', default: 'all' },
    times: { type: 'string', default: '5' },
    connections: { type: 'string', default: '2000' },
    measure: { type: 'string', default: '20' },
    bare: { type: 'boolean', default: false },
  },
})
const mix = mixes[values.mix]
if (!mix) throw new Error(`--mix has to be one of ${Object.keys(mixes).join(', ')}, not "${values.mix}".`)
const { bare } = values

const whole = (of: (line: Line) => number) => (line: Line) => of(line).toFixed(0)
const columns: readonly (readonly [title: string, width: number, of: (line: Line) => string])[] = [
  ['s', 4, whole(({ at }) => at)],
  ['offered/s', 10, whole(({ offered }) => offered)],
  ['changed', 8, whole(({ changed }) => changed)],
  ['read', 6, whole(({ read }) => read)],
  ['refused', 8, whole(({ refused }) => refused)],
  ['unsent', 7, whole(({ unsent }) => unsent)],
  ['change p50', 11, whole(({ changes }) => changes.p50)],
  ['p99', 6, whole(({ changes }) => changes.p99)],
  ['most', 6, whole(({ changes }) => changes.most)],
  ['read p50', 9, whole(({ reads }) => reads.p50)],
  ['p99', 6, whole(({ reads }) => reads.p99)],
  ['503 p99', 8, whole(({ refusals }) => refusals.p99)],
  ['live', 6, whole(({ live }) => live)],
  ['ready', 6, whole(({ ready }) => ready)],
  ['MB', 5, whole(({ memory }) => memory)],
  ['lag', 5, whole(({ lag }) => lag)],
  ['queue', 6, whole(({ waiting }) => waiting)],
  ['checks', 7, whole(({ validations }) => validations)],
]

try {
  const dir = join(await temporaryFolder(), 'data')
  const made = await metastore(['init', '--empty', ...(bare ? ['--bare'] : []), dir])
  if (made.code !== 0) throw new Error(made.stderr)
  print(`${machine()}; ${values.mix}, ${bare ? 'bare repository' : 'work tree'}`)
  const server = await startServer(dir)
  print(columns.map(([title, width]) => title.padStart(width)).join(''))
  const done = await overload(
    { port: server.port, pid: server.pid, dir, bare },
    {
      mix,
      measuring: positive('measure', values.measure),
      seconds: positive('minutes', values.minutes) * 60,
      times: positive('times', values.times),
      connections: positive('connections', values.connections),
      processes: 2,
      interval: 10,
      heard: line => print(columns.map(([, width, of]) => of(line).padStart(width)).join('')),
    },
  )
  await server.stop()
  for (const line of summary(done)) print(line)
  const complaints = [...complaintsAboutTimes(done.lines, serverDefaults), ...done.complaints]
  for (const complaint of complaints.slice(0, mostComplaints)) print(`WRONG: ${complaint}`)
  if (complaints.length > 0) process.exitCode = 1
} finally {
  await cleanUpProcesses()
}

function summary({
  capacity,
  lines,
  log,
  refused,
  alone,
  memory,
  complaints,
}: Overloaded): readonly string[] {
  const third = Math.ceil(lines.length / 3)
  const of = (value: (line: Line) => number) => {
    const [first, last] = [lines.slice(0, third), lines.slice(-third)].map(some => median(some.map(value)))
    return `${first?.toFixed(0)} in the first third, ${last?.toFixed(0)} in the last`
  }
  return [
    `64 clients that wait were answered ${capacity.toFixed(0)} times a second`,
    `p99 of changes in ms: ${of(line => line.changes.p99)}`,
    `p99 of reads in ms: ${of(line => line.reads.p99)}`,
    `MB: ${of(line => line.memory)}; ${memory.toFixed(0)} at most`,
    `a create with nobody else there: ${alone.before.toFixed(1)} ms before, ${alone.after.toFixed(1)} ms after`,
    `${log.acknowledged} updates acknowledged, ${refused} requests refused, ${complaints.length} complaints`,
  ]
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`--${name} has to be a number above 0, not "${text}".`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
