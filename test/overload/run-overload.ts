import { join } from 'node:path'
import { positive, programArguments, whole } from '../../bench/support/command-options.js'
import { machine } from '../../bench/support/result-table.js'
import { startServer } from '../../bench/support/server-process.js'
import { median } from '../../bench/support/statistics.js'
import { serverOptions } from '../../src/cli/serve/server-options.js'
import { runMetastore, stopProcesses, temporaryFolder } from '../support/program/run-program.js'
import { complaintsAboutTimes } from './check-latency.js'
import type { Mix } from './open-loop-clients.js'
import { type Line, type Overloaded, overload } from './overload-run.js'

const usage = `npm run faults -- overload [options]

Finds out what a server can take, sends it several times as much for minutes, whatever it answers, and holds it against
what it has acknowledged. Ends with 1 where anything is lost, anything is answered otherwise than by what was asked for
or a refusal, or anything is not sound; and, of a minute or more, where updates that were accepted were not answered in
time.`

/** Default limits of the server. */
const promised = {
  maxUpdates: serverOptions['max-updates'].default,
  maxWait: serverOptions['max-wait'].default,
}

/** Limit of the complaints that are printed. */
const maxComplaints = 50

const mixes = {
  all: { create: 5, update: 3, validate: 3, read: 8, list: 1 },
  changes: { create: 5, update: 3 },
  creates: { create: 1 },
  validations: { validate: 1 },
  slow: { slow: 19, create: 1 },
  reads: { create: 1, read: 90, list: 9 },
} as const satisfies Readonly<Record<string, Mix>>

const { minutes, mix, times, connections, measure, bare } = programArguments(usage, {
  minutes: { ...positive('Minutes it is sent too much'), default: 3 },
  mix: { choices: Object.keys(mixes) as (keyof typeof mixes)[], default: 'all', describe: 'What it is sent' },
  times: { ...positive('How much more than it can take'), default: 5 },
  connections: { ...whole('Connections at once'), default: 2000 },
  measure: { ...positive('Seconds in which is measured what it can take'), default: 20 },
  bare: { type: 'boolean', default: false, describe: 'A repository without a work tree' },
})

const rounded = (of: (line: Line) => number) => (line: Line) => of(line).toFixed(0)
const columns: readonly (readonly [title: string, width: number, of: (line: Line) => string])[] = [
  ['s', 4, rounded(({ at }) => at)],
  ['offered/s', 10, rounded(({ offered }) => offered)],
  ['changed', 8, rounded(({ changed }) => changed)],
  ['read', 6, rounded(({ read }) => read)],
  ['refused', 8, rounded(({ refused }) => refused)],
  ['unsent', 7, rounded(({ unsent }) => unsent)],
  ['change p50', 11, rounded(({ changes }) => changes.p50)],
  ['p99', 6, rounded(({ changes }) => changes.p99)],
  ['most', 6, rounded(({ changes }) => changes.max)],
  ['read p50', 9, rounded(({ reads }) => reads.p50)],
  ['p99', 6, rounded(({ reads }) => reads.p99)],
  ['503 p99', 8, rounded(({ refusals }) => refusals.p99)],
  ['live', 6, rounded(({ live }) => live)],
  ['ready', 6, rounded(({ ready }) => ready)],
  ['MB', 5, rounded(({ memory }) => memory)],
  ['lag', 5, rounded(({ lag }) => lag)],
  ['queue', 6, rounded(({ waiting }) => waiting)],
  ['checks', 7, rounded(({ validations }) => validations)],
]

try {
  const dir = join(await temporaryFolder(), 'data')
  const made = await runMetastore(['init', '--empty', ...(bare ? ['--bare'] : []), dir])
  if (made.code !== 0) throw new Error(made.stderr)
  print(`${machine()}; ${mix}, ${bare ? 'bare repository' : 'work tree'}`)
  const server = await startServer(dir)
  print(columns.map(([title, width]) => title.padStart(width)).join(''))
  const done = await overload(
    { port: server.port, pid: server.pid, dir, bare },
    {
      mix: mixes[mix],
      measuring: measure,
      seconds: minutes * 60,
      times,
      connections,
      processes: 2,
      interval: 10,
      heard: line => print(columns.map(([, width, of]) => of(line).padStart(width)).join('')),
    },
  )
  await server.stop()
  for (const line of summary(done)) print(line)
  const complaints = [...complaintsAboutTimes(done.lines, promised), ...done.complaints]
  for (const complaint of complaints.slice(0, maxComplaints)) print(`WRONG: ${complaint}`)
  if (complaints.length > 0) process.exitCode = 1
} finally {
  await stopProcesses()
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
    `a create without other clients: ${alone.before.toFixed(1)} ms before, ${alone.after.toFixed(1)} ms after`,
    `${log.acknowledged} updates acknowledged, ${refused} requests refused, ${complaints.length} complaints`,
  ]
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
