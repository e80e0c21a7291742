import { positive, programArguments, whole } from '../../../bench/support/command-options.js'
import { machine } from '../../../bench/support/result-table.js'
import { stopProcesses } from '../../support/program/run-program.js'
import { attacks } from './attacks.js'
import { type Outcome, runAttack } from './measure-attack.js'

const usage = `npm run hostile -- [options]

Attacks a server that it has started, with one kind of expensive request after the other, while another caller creates,
validates and reads documents. Prints the longest time the event loop was held, the median and the p99 of the other
caller without and with the attack, and the memory. Ends with 1 where one of them is beyond its bound.`

const {
  seconds,
  quiet,
  addresses,
  attackers,
  only,
  'ignore-waits': ignoreWaits,
} = programArguments(usage, {
  seconds: { ...positive('Seconds of each attack'), default: 10 },
  quiet: { ...positive('Seconds in which the other caller is measured alone'), default: 3 },
  addresses: { ...whole('Loopback addresses that attackers come from'), default: 32 },
  attackers: {
    ...whole('Attackers at the same time; 0: as many as the attack has', { from: 0 }),
    default: 0,
  },
  'ignore-waits': {
    type: 'boolean',
    default: false,
    describe: 'Does not fail for the p99 of the other caller: in a few seconds that is its slowest answer',
  },
  only: {
    type: 'string',
    default: '',
    describe: 'Attacks whose names begin with one of these, with commas between them',
  },
})

const beginnings = only.split(',')

type Column = readonly [title: string, width: number, of: (outcome: Outcome) => string]

function waitColumns(kind: 'changes' | 'reads'): readonly Column[] {
  return (['p50', 'p99'] as const).flatMap((wait): readonly Column[] => [
    [`${kind} ${wait} quiet`, 19, ({ quiet }) => quiet[kind][wait].toFixed(1)],
    ['attacked', 9, ({ attacked }) => attacked[kind][wait].toFixed(1)],
  ])
}

const columns: readonly Column[] = [
  ['answered', 9, ({ answered }) => `${answered}`],
  ['held ms', 8, ({ hold }) => hold.toFixed()],
  ...waitColumns('changes'),
  ...waitColumns('reads'),
  ['MiB', 6, ({ memory }) => memory.toFixed()],
]
const nameWidth = Math.max(...attacks.map(({ name }) => name.length))

print(machine())
print(''.padEnd(nameWidth) + columns.map(([title, width]) => title.padStart(width)).join(''))
try {
  for (const attack of attacks.filter(({ name }) => beginnings.some(each => name.startsWith(each)))) {
    const outcome = await runAttack(attack, { seconds, quiet, addresses, attackers, ignoreWaits })
    print(
      outcome.name.padEnd(nameWidth) + columns.map(([, width, of]) => of(outcome).padStart(width)).join(''),
    )
    for (const complaint of outcome.complaints.slice(0, 5)) print(`  WRONG: ${complaint}`)
    if (outcome.complaints.length > 0) process.exitCode = 1
  }
} finally {
  await stopProcesses()
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
