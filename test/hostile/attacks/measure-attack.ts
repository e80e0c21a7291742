import { setMaxListeners } from 'node:events'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { canLook, look, memoryOfAll } from '../../../bench/support/process-memory.js'
import { quantile } from '../../../bench/support/statistics.js'
import { type Crowd, openCrowd } from '../../overload/client-processes.js'
import { registerSchemas } from '../../overload/register-schemas.js'
import { holdLimit, longestHold, longestHoldSince } from '../../support/program/event-loop-monitor.js'
import { temporaryFolder } from '../../support/program/run-program.js'
import { startVictim, type Victim } from './attacked-server.js'
import type { Attack } from './attacks.js'

/** The effects of an attack on a server and on its other clients. */
export interface Outcome {
  readonly name: string
  /** Requests of the attackers that got another status than 429 or 503. */
  readonly answered: number
  /** The longest time in milliseconds that the event loop was held. */
  readonly hold: number
  readonly quiet: Times
  readonly attacked: Times
  /** The largest increase of the memory of the server and its processes, in MiB. */
  readonly memory: number
  /** Violations of the limits. */
  readonly complaints: readonly string[]
}

/** Waiting times of the other clients in milliseconds, by the kind of request. */
export interface Times {
  /** Creates and validations. */
  readonly changes: Waits
  readonly reads: Waits
}

interface Waits {
  readonly p50: number
  readonly p99: number
}

export interface HostileOptions {
  /** Length of each attack in seconds. */
  readonly seconds: number
  /** Seconds of the measurement without an attack. */
  readonly quiet: number
  /** Number of loopback addresses of the attackers. */
  readonly addresses: number
  /** Number of parallel attackers; 0 for the number of the attack. */
  readonly attackers: number
  /** Whether to report no complaint about the p99 of other clients. */
  readonly ignoreWaits: boolean
}

/** Allowed ratio of the waiting time of other clients to their time without the attack. Short times are ignored. */
const maxTimes = 10
/** Allowed ratio of the median of other clients to their median without the attack, while few attack. */
const maxMedians = 2
const few = 4
/** Limit of the waiting time of other clients in milliseconds, even on a slow machine. */
const maxWait = 1000
/** Waiting time in milliseconds that is ignored. */
const unnoticed = 250
/** Limit of the memory that an attack may cost, in MiB. */
const maxMemory = 1024
/**
 * Milliseconds until a refused attacker sends its next request. The rate limit, which is not tested here, handles
 * faster ones.
 */
const afterRefusal = 25
/** Seconds after the end of the attack until a running step of an attacker is abandoned. */
const patience = 60

/** Starts a server, measures its other clients without and with the attack, and stops the server. */
export async function runAttack(attack: Attack, options: HostileOptions): Promise<Outcome> {
  const folder = await temporaryFolder()
  const victim = await startVictim(folder, attack.args ?? [])
  const crowd = openCrowd(1, 1)
  try {
    await registerSchemas(victim.port)
    await attack.prepare?.(victim)
    const quiet = await timesOfOthers(crowd, victim.port, options.quiet)
    const pid = victim.server.child.pid as number
    const began = Date.now()
    const memory = watchMemory(pid)
    const attackers = attackWith(attack, victim, options)
    const others = timesOfOthers(crowd, victim.port, options.seconds)
    await sleep(options.seconds * 1000)
    const answered = await attackers.end()
    // The last answers to the other clients may have to wait for work that the attack has left.
    const attacked = await others
    const hold = longestHoldSince(victim.holds, began)
    const taken = memory.end()
    const outcome = { name: attack.name, answered, hold, quiet, attacked, memory: taken }
    const wrong = victim.server.child.exitCode === null ? [] : [`The server ended: ${victim.server.stderr()}`]
    return { ...outcome, complaints: [...wrong, ...attacked.wrong, ...complaintsAbout(outcome, options)] }
  } finally {
    await crowd.close()
    await victim.server.stop('SIGKILL')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Creates, validates and reads on two connections, from a separate process and address. */
async function timesOfOthers(
  crowd: Crowd,
  port: number,
  seconds: number,
): Promise<Times & { readonly wrong: readonly string[] }> {
  const changes: number[] = []
  const reads: number[] = []
  const wrong: string[] = []
  const mix = { create: 1, validate: 1, read: 2 }
  await crowd.run({ port, mix, seconds, connections: 2 }, tally => {
    changes.push(...tally.changes)
    reads.push(...tally.reads)
    wrong.push(...tally.wrong)
    if (tally.refused.length > 0) wrong.push(`${tally.refused.length} requests of others were refused.`)
  })
  return { changes: waits(changes), reads: waits(reads), wrong }
}

/** Infinite if there was no answer. */
function waits(times: readonly number[]): Waits {
  if (times.length === 0) return { p50: Number.POSITIVE_INFINITY, p99: Number.POSITIVE_INFINITY }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

/** Runs the attackers until `end` is called. */
function attackWith(attack: Attack, victim: Victim, { addresses, attackers }: HostileOptions) {
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  let answered = 0
  async function attacker(number: number): Promise<void> {
    const address = `127.0.1.${1 + (number % addresses)}`
    for (let step = 0; !over.signal.aborted; step++) {
      try {
        const status = await attack.act(victim, { address, over: over.signal }, step)
        if (status === 429 || status === 503) await sleep(afterRefusal)
        else answered++
      } catch {
        // The server has closed the connection, or the attack is over.
        await sleep(afterRefusal)
      }
    }
  }
  const all = Promise.all(
    Array.from({ length: attackers || attack.attackers }, (_, number) => attacker(number)),
  )
  return {
    async end(): Promise<number> {
      over.abort()
      await Promise.race([all, sleep(patience * 1000, undefined, { ref: false })])
      return answered
    },
  }
}

/** Watches the memory. @returns `end`, which stops that and returns the largest increase in MiB */
function watchMemory(pid: number): { end(): number } {
  if (!canLook) return { end: () => 0 }
  const before = memoryOfAll(pid)
  let max = before
  const looking = setInterval(() => {
    max = Math.max(max, memoryOfAll(pid))
  }, 50)
  return {
    end() {
      clearInterval(looking)
      return Math.max(max, look(pid).peakMemory) - before
    },
  }
}

function complaintsAbout(
  { hold, quiet, attacked, memory }: Omit<Outcome, 'complaints'>,
  { ignoreWaits, attackers }: HostileOptions,
): readonly string[] {
  const complaints: string[] = []
  const complain = (what: string, wait: number, max: number) => {
    if (wait > max)
      complaints.push(`${what} was ${wait.toFixed(1)} ms; at most it may be ${max.toFixed(1)} ms.`)
  }
  const allowedHold = holdLimit(hold, longestHold)
  if (hold > allowedHold)
    complaints.push(`The event loop was held for ${hold.toFixed()} ms; at most it may be ${allowedHold} ms.`)
  if (memory > maxMemory)
    complaints.push(`It took ${memory.toFixed()} MiB more; at most it may be ${maxMemory} MiB.`)
  for (const kind of ignoreWaits ? [] : (['changes', 'reads'] as const)) {
    const max = Math.min(maxWait, Math.max(unnoticed, maxTimes * quiet[kind].p99))
    complain(`p99 of ${kind}`, attacked[kind].p99, max)
    if (attackers > 0 && attackers <= few)
      complain(`median of ${kind}`, attacked[kind].p50, maxMedians * quiet[kind].p50)
  }
  return complaints
}
