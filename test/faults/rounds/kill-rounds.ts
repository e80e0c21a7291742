import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
} from '../../support/program/run-program.js'
import { isThere, type Log, openLog, pathOf } from './acknowledged-updates.js'
import { complaintsAbout, type Subject } from './check-soundness.js'
import {
  type CallPlace,
  callsDuring,
  type Fault,
  isOfFile,
  type SeenCall,
  tamper,
} from './system-call-faults.js'
import { openClients, type Outcome as Written } from './update-clients.js'

/*
 * Starts and damages servers on one repository in turn. Compares the repository with the updates as clients see them
 * after every start.
 */

export interface Rounds {
  readonly log: Log
  /**
   * Kills the server while clients write. The kill comes some milliseconds after the first acknowledged update, or
   * after as many updates as there are clients, because the first updates compile schemas.
   * @param after milliseconds
   * @param isReady delays the kill until it returns true
   */
  kill(after: number, isReady?: () => boolean): Promise<Outcome>
  /** The system calls of two updates, one after the other: a create, and a change set. */
  calls(): Promise<readonly SeenCall[]>
  /** Kills the server at a system call, or makes the call fail, during these two updates. */
  hurt(place: CallPlace, fault: Fault): Promise<Outcome>
  /**
   * Makes the first matching system call fail during two updates. Retries a few times, because a busy machine runs
   * threads in another order.
   * @throws Error if there is no such call
   */
  hurtFirst(name: string, file: RegExp, fault: Fault): Promise<Outcome & { readonly acknowledged: number }>
  /** Checks every version of every record and stops the server. */
  close(): Promise<readonly string[]>
}

export interface Outcome {
  /** The system call that failed; undefined if it did not occur. */
  readonly call?: string | undefined
  /** The outcome of the next update; undefined if the server was killed. */
  readonly next?: Written
  /** Differences from the updates as clients see them, and other errors. */
  readonly complaints: readonly string[]
}

/** Number of clients that write when the server is killed at a random time. */
const clientsAtOnce = 16
/** Time limit, in milliseconds, for a new server to acknowledge as many updates as there are clients. */
const patience = 60_000
/** Limit of the attempts to meet a call. On a busy machine, the calls of an update have another order. */
const maxAttempts = 15
/** Milliseconds within which the work tree follows two updates on an idle machine. */
const untilFollowed = 120
/** Limit of the further wait on a busy machine, in milliseconds. A failed call can leave the lock in place. */
const maxFollowing = 2000

/**
 * @param random returns numbers from 0 to below 1
 * @param ownProcess whether each server starts in a new process; default: true, because most servers are killed
 */
export async function openRounds(
  folder: string,
  bare: boolean,
  random: () => number,
  ownProcess = true,
): Promise<Rounds> {
  const subject: Subject = { dir: join(folder, 'data'), bare }
  const indexLock = join(subject.dir, bare ? '' : '.git', 'index.lock')
  const log = openLog()
  const clients = openClients(log, random)
  await mkdir(folder, { recursive: true })
  const made = await runMetastore(['init', '--empty', ...(bare ? ['--bare'] : []), subject.dir])
  if (made.code !== 0) throw new Error(made.stderr)
  let server = await startServer(['--data', subject.dir], { ownProcess })
  await clients.register(server.url)

  async function restarted(): Promise<readonly string[]> {
    server = await startServer(['--data', subject.dir], { ownProcess })
    return [...(await complaintsAbout(subject, server.url, log, { whole: false })), ...clients.takeWrong()]
  }

  /** Makes two updates in turn and waits for the work that follows them. @returns whether both were acknowledged */
  async function twoUpdates(url: string): Promise<boolean> {
    const [first, second] = [await clients.write(url, 'create'), await clients.write(url, 'set')]
    const areAcknowledged = first === 'acknowledged' && second === 'acknowledged'
    await sleep(untilFollowed)
    const end = performance.now() + maxFollowing
    while ((existsSync(indexLock) || (areAcknowledged && !(await isFollowed()))) && performance.now() < end)
      await sleep(10)
    return areAcknowledged
  }

  /** Whether the index of git has all updates. */
  async function isFollowed(): Promise<boolean> {
    if (bare) return true
    const command = ['-C', subject.dir, 'diff-index', '--cached', '--quiet', 'HEAD']
    return (await runProgram('git', command)).code === 0
  }

  /** Makes two updates, because threads start with the first update. */
  async function warmUp(running: RunningServer): Promise<readonly string[]> {
    return (await twoUpdates(running.url)) ? [] : ['A server that was just started refused an update.']
  }

  /** Checks that a server still answers after a failure, and makes another update. */
  async function lookAfterFailure(running: RunningServer): Promise<Pick<Outcome, 'next' | 'complaints'>> {
    const known = log.records.find(record => isThere(record) && !record.unsure)
    const complaints: string[] = []
    if (known) {
      const answer = await fetch(running.url + pathOf(known))
      if ((await answer.text()) !== known.history.at(-1)?.bytes)
        complaints.push(`${known.id} cannot be read after a failure: ${answer.status}`)
    }
    return { next: await clients.write(running.url), complaints }
  }

  /**
   * The calls of two updates. They are almost the same in every process. They are traced again if a call did not occur.
   */
  let seen: readonly SeenCall[] | undefined

  const rounds: Rounds = {
    log,
    async kill(after, isReady = () => true) {
      const enough = log.acknowledged + (random() < 0.3 ? 1 : clientsAtOnce)
      const driven = clients.drive(server.url, clientsAtOnce, Number.POSITIVE_INFINITY)
      const until = performance.now() + patience
      while (log.acknowledged < enough || !isReady()) {
        if (performance.now() > until)
          throw new Error(`Fewer updates than required were acknowledged in ${patience / 1000} s.`)
        await sleep(1)
      }
      await sleep(after)
      await server.stop('SIGKILL')
      await driven
      return { complaints: await restarted() }
    },
    async calls() {
      const { pid } = server.child
      if (pid === undefined) throw new Error('The server has no process.')
      await warmUp(server)
      seen = await callsDuring(pid, folder, () => twoUpdates(server.url))
      return seen
    },
    async hurt(place, fault) {
      const { pid } = server.child
      if (pid === undefined) throw new Error('The server has no process.')
      const complaints = [...(await warmUp(server))]
      const running = server
      const tampered = await tamper(pid, place, fault, folder, () => twoUpdates(running.url))
      // Threads can wake each other a different number of times. The fault then meets another call, which is not one of
      // a disk.
      const call = fault === 'KILL' || (tampered && isOfFile(tampered)) ? tampered : undefined
      const survived = running.child.exitCode === null && running.child.signalCode === null
      if (fault === 'KILL') {
        await running.stop('SIGKILL')
        return { call, complaints: [...complaints, ...(await restarted())] }
      }
      if (!survived && call !== undefined)
        complaints.push(`The server ended: ${running.stderr().slice(-2000)}`)
      const after = survived ? await lookAfterFailure(running) : { complaints: [] }
      await running.stop()
      return {
        call,
        ...('next' in after && { next: after.next }),
        complaints: [...complaints, ...after.complaints, ...(await restarted())],
      }
    },
    async hurtFirst(name, file, fault) {
      const isIt = (text: string | undefined) => text !== undefined && file.test(text)
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        if (attempt > 1 || seen === undefined) seen = await rounds.calls()
        const place = seen.find(call => call.name === name && call.ofFile && isIt(call.text))
        if (!place) continue
        const before = log.acknowledged
        const outcome = await rounds.hurt(place, fault)
        if (isIt(outcome.call) || outcome.complaints.length > 0 || attempt === maxAttempts)
          return { ...outcome, acknowledged: log.acknowledged - before }
      }
      throw new Error(`An update does not call ${name} on ${file}.`)
    },
    async close() {
      const complaints = await complaintsAbout(subject, server.url, log, { whole: true })
      const { code } = await server.stop()
      return code === 0 ? complaints : [...complaints, `The server ended with ${code}.`]
    },
  }
  return rounds
}
