import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningServer, runMetastore, startServer } from '../../support/program/run-program.js'
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
 * One repository whose server is started, hurt and started again, and held against what its clients know after every
 * start.
 */

export interface Rounds {
  readonly log: Log
  /**
   * Kills the server while clients write, so many milliseconds after the first update was acknowledged, or after as many as
   * there are clients: at first schemas have to be compiled.
   * @param isReady the server is not killed before it returns true
   */
  kill(after: number, isReady?: () => boolean): Promise<Outcome>
  /** The calls of two updates, one after the other: a document is created, and a change set made. */
  calls(): Promise<readonly SeenCall[]>
  /** Kills the server as it makes a call, or has the call fail, while those two updates are made. */
  hurt(place: CallPlace, fault: Fault): Promise<Outcome>
  /**
   * Has the first call of a name on such a file fail, while those two updates are made. Threads take turns in another order
   * where much else is done on the machine: where another call was met, or none, it is looked for again, a few times.
   * @throws Error where no such call is made
   */
  hurtFirst(name: string, file: RegExp, fault: Fault): Promise<Outcome & { readonly acknowledged: number }>
  /** Looks at every version of every record, and stops the server. */
  close(): Promise<readonly string[]>
}

export interface Outcome {
  /** The call that was tampered with; undefined where it did not come to that. */
  readonly call?: string | undefined
  /** What the server answered to the next update, where it was not killed. */
  readonly next?: Written
  /** What is not as it has to be. */
  readonly complaints: readonly string[]
}

/** Clients that write at once when the server is killed at random. */
const clientsAtOnce = 16
/** Milliseconds a server that was just started may take to acknowledge as many updates as there are clients. */
const patience = 60_000
/** How often a call is looked for: on a machine that has much to do, the calls of an update have another order. */
const maxAttempts = 15
/** Milliseconds the work tree takes to follow two updates, at rest. */
const untilFollowed = 120
/** Milliseconds it is waited for beyond that on a machine that has much to do; what was hurt may keep the lock. */
const maxFollowing = 2000

/**
 * @param random from 0 to below 1
 * @param ownProcess whether each server starts in a new process; default: yes, as most are killed
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

  /** One after the other, and what follows them without anybody waiting. @returns whether both were acknowledged */
  async function twoUpdates(url: string): Promise<boolean> {
    const [first, second] = [await clients.write(url, 'create'), await clients.write(url, 'set')]
    await sleep(untilFollowed)
    const end = performance.now() + maxFollowing
    while (existsSync(indexLock) && performance.now() < end) await sleep(10)
    return first === 'acknowledged' && second === 'acknowledged'
  }

  /** Threads start with the first update. */
  async function warmUp(running: RunningServer): Promise<readonly string[]> {
    return (await twoUpdates(running.url)) ? [] : ['A server that was just started refused an update.']
  }

  /** A server that had a failure goes on answering, and is honest about updates. */
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

  /** The calls of two updates. Most are the same in every process: they are traced again where one was not met. */
  let seen: readonly SeenCall[] | undefined

  const rounds: Rounds = {
    log,
    async kill(after, isReady = () => true) {
      const enough = log.acknowledged + (random() < 0.3 ? 1 : clientsAtOnce)
      const driven = clients.drive(server.url, clientsAtOnce, Number.POSITIVE_INFINITY)
      const until = performance.now() + patience
      while (log.acknowledged < enough || !isReady()) {
        if (performance.now() > until)
          throw new Error(`Too few updates were acknowledged in ${patience / 1000} s.`)
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
      // Threads wake each other once more or less often: then another call was met, and no disk fails like that.
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
      throw new Error(`An update makes no call of ${name} on ${file}.`)
    },
    async close() {
      const complaints = await complaintsAbout(subject, server.url, log, { whole: true })
      const { code } = await server.stop()
      return code === 0 ? complaints : [...complaints, `The server ended with ${code}.`]
    },
  }
  return rounds
}
