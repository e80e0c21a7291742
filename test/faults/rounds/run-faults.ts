import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openRandom } from '../../../bench/data/seeded-random.js'
import { programArguments, whole } from '../../../bench/support/command-options.js'
import { stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { type Outcome, openRounds, type Rounds } from './kill-rounds.js'
import { canTrace, type Fault, type SeenCall } from './system-call-faults.js'

const usage = `npm run faults -- [options], or npm run faults -- overload [options]

Starts a server on a repository of its own, lets clients write, and hurts it: killed at random moments, killed at each
system call of an update in turn, each call on a file failing with EIO, ENOSPC and EROFS. After every start everything
that was acknowledged has to be there, and everything sound. Ends with 1 where anything is not.`

const { kills, seed, seconds, only } = programArguments(usage, {
  kills: { ...whole('Kills at least', { from: 0 }), default: 500 },
  seed: { ...whole('Decides what is random', { from: 0 }), default: 1 },
  seconds: { ...whole('Seconds it may take', { from: 0 }), default: 5400 },
  only: { type: 'string', default: '', describe: 'Only faults whose name has this in it: EIO of fsync' },
})
const random = openRandom(seed).next
const end = performance.now() + seconds * 1000

/** Number of rounds with one repository. The checks take longer with each round. */
const roundsEach = 60

interface Sum {
  rounds: number
  missed: number
  /** Number of rounds in which the next update after the failure was refused. */
  refused: number
  acknowledged: number
  complaints: number
}
const emptySum = (): Sum => ({ rounds: 0, missed: 0, refused: 0, acknowledged: 0, complaints: 0 })
const sums = new Map<string, Sum>()
let repositories = 0

try {
  // The calls are almost the same in every process. They are traced once for each kind of repository.
  const calls = canTrace ? await callsOfBoth() : []
  if (!canTrace) say('strace is not to be had here: servers are killed at random only.')
  const places = calls
    .flatMap(({ bare, call }) => faultsFor(call).map(fault => ({ bare, call, fault })))
    .filter(({ call, fault }) => nameOf(call, fault).includes(only))
  const deadly = places.filter(({ fault }) => fault === 'KILL')
  const others = places.filter(({ fault }) => fault !== 'KILL')
  const atRandom = only === '' ? Math.max(0, kills - deadly.length) : 0
  say(`${deadly.length} kills at a system call, ${atRandom} at random, ${others.length} failing calls`)
  // The kills come first, because they are the most important part of a short run.
  for (const bare of [false, true]) {
    const half = bare ? Math.floor(atRandom / 2) : Math.ceil(atRandom / 2)
    await run(
      bare,
      Array.from({ length: half }, () => ['killed at random', rounds => rounds.kill(random() * 400)]),
    )
  }
  for (const some of [deadly, others]) {
    for (const bare of [false, true]) {
      await run(
        bare,
        some
          .filter(place => place.bare === bare)
          .map(({ call, fault }) => [nameOf(call, fault), rounds => rounds.hurt(call, fault)]),
      )
    }
  }
  for (const [name, { rounds, missed, refused, acknowledged, complaints }] of sums) {
    say(
      `${name}: ${rounds} rounds, ${missed} missed, ${refused} refused afterwards, ${acknowledged} acknowledged, ${complaints} complaints`,
    )
  }
  const killed = [...sums]
    .filter(([name]) => name.startsWith('killed'))
    .reduce((sum, [, { rounds }]) => sum + rounds, 0)
  const wanted = deadly.length + atRandom
  if (killed < wanted) {
    say(`Only ${killed} of ${wanted} kills were made.`)
    process.exitCode = 1
  }
} finally {
  await stopProcesses()
}

type Job = readonly [name: string, hurt: (rounds: Rounds) => Promise<Outcome>]

async function run(bare: boolean, jobs: readonly Job[]): Promise<void> {
  for (let at = 0; at < jobs.length; at += roundsEach) {
    const folder = join(await temporaryFolder(), `repository-${++repositories}`)
    const rounds = await openRounds(folder, bare, random)
    let sum = emptySum()
    for (const [name, hurt] of jobs.slice(at, at + roundsEach)) {
      if (performance.now() > end) break
      const before = rounds.log.acknowledged
      const { call, next, complaints } = await hurt(rounds)
      const kind = name.replace(/ \d+.*$/, '')
      sum = sums.get(kind) ?? emptySum()
      sums.set(kind, sum)
      sum.rounds++
      if (call === undefined && !name.includes('random')) sum.missed++
      if (next === 'refused') sum.refused++
      sum.acknowledged += rounds.log.acknowledged - before
      complain(sum, `${bare ? 'bare' : 'work tree'}, ${name}: ${call ?? ''}`, complaints)
    }
    complain(sum, 'all versions at the end', await rounds.close())
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    if (performance.now() > end) return say('The time is over.')
  }
}

function complain(sum: Sum, where: string, complaints: readonly string[]): void {
  sum.complaints += complaints.length
  for (const complaint of complaints) process.stdout.write(`WRONG after ${where}\n      ${complaint}\n`)
  if (complaints.length > 0) process.exitCode = 1
}

async function callsOfBoth(): Promise<readonly { readonly bare: boolean; readonly call: SeenCall }[]> {
  const found: { bare: boolean; call: SeenCall }[] = []
  for (const bare of [false, true]) {
    const rounds = await openRounds(join(await temporaryFolder(), 'looked-at'), bare, random)
    found.push(...(await rounds.calls()).map(call => ({ bare, call })))
    await rounds.close()
  }
  return found
}

/** Faults that a disk or a kill can cause at a call. A message between threads has none. */
function faultsFor({ ofFile, ofSocket }: SeenCall): readonly Fault[] {
  const errors = ['EIO', 'ENOSPC', 'EROFS'] as const
  if (ofFile) return ['KILL', ...errors.map(error => ({ error, lasting: false }))]
  return ofSocket ? ['KILL'] : []
}

function nameOf({ thread, name, which }: SeenCall, fault: Fault): string {
  return `${fault === 'KILL' ? 'killed at' : `${fault.error} of`} ${name} ${which} of thread ${thread}`
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
