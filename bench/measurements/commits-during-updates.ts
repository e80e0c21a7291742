import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertSound, git } from '../baselines/plain-git.js'
import { throughService } from '../baselines/without-http.js'
import { assertCreated, createRequests, numbers } from '../load/create-requests.js'
import { type Load, openLoad } from '../load/load-generator.js'
import { type Bench, fresh, many } from '../support/measurement.js'
import { type Server, startServer } from '../support/server-process.js'

/*
 * A person commits with plain git in the work tree of servers under constant updates. Measures the time of a commit
 * with ten attempts per second, and the cost of git's turns for the updates.
 */

/** Milliseconds between two attempts. */
const pause = 100
/** Number of clients that create without a pause, on all servers together. */
const clients = 32

export async function run(bench: Bench): Promise<void> {
  const { options, table } = bench
  const { small, middle } = options.sizes
  for (const records of options.brief ? [small] : [small, middle]) {
    const alone: number[] = []
    const busy = { one: [] as number[], two: [] as number[] }
    const rates = { turns: [] as number[], none: [] as number[] }
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      alone.push(...(await waits(bench, records, 1, 0)))
      busy.one.push(...(await waits(bench, records, 1, clients)))
      if (!options.brief) busy.two.push(...(await waits(bench, records, 2, clients / 2)))
      rates.turns.push(await rate(bench, records, undefined))
      rates.none.push(await rate(bench, records, 0))
    }
    const idle = { what: 'the same while the server is idle', values: alone }
    const place = `${many(records)} records`
    for (const [servers, values] of [
      ['a server', busy.one],
      ['two servers', busy.two],
    ] as const) {
      if (values.length === 0) continue
      const work = `\`git add && git commit\` in the work tree of ${servers}, ${clients} clients creating, ${place}`
      const ours = { what: 'tried every 100 ms', values }
      table.add({ work, unit: 'ms', ours, against: idle, goal: { below: 5000 } })
      const longest = { what: 'the longest', values: [Math.max(...values)] }
      table.add({ work, unit: 'ms', ours: longest, against: idle, goal: { below: 5000 } })
    }
    table.add({
      work: `durable creates through the service layer, work tree, ${options.clients} under way, ${place}`,
      unit: '/s',
      ours: { what: 'with turns of git', values: rates.turns },
      against: { what: 'without', values: rates.none },
      goal: { atLeast: 0.95 },
    })
  }
}

/** @returns milliseconds of each commit, from the first attempt to the end */
async function waits(
  { options, repositories }: Bench,
  records: number,
  servers: number,
  width: number,
): Promise<readonly number[]> {
  const commits = options.count(20, 2)
  return await repositories.withCopy({ records, bare: false }, async dir => {
    const before = git(dir, 'rev-parse', 'HEAD')
    const running: Server[] = []
    const loads: Load[] = []
    const taken: number[] = []
    try {
      for (let at = 0; at < servers; at++) {
        running.push(await startServer(dir))
        if (width > 0) loads.push(openLoad())
      }
      let done = false
      const created = Promise.all(
        loads.map((load, index) => createOn(load, (running[index] as Server).port, width, () => done)),
      )
      // Prevents an unhandled rejection; the error surfaces when awaited.
      created.catch(() => undefined)
      // After this time the server has held the lock for its limit.
      if (width > 0) await sleep(Math.min(3000, 100 * options.seconds))
      try {
        for (let at = 0; at < commits; at++) {
          await sleep(Math.random() * 1500)
          taken.push(await commitTime(dir, `Note ${at}`))
        }
      } finally {
        done = true
      }
      const theirs = git(dir, 'log', '--first-parent', '--format=%s', `${before}..HEAD`, '--', notes).split(
        '\n',
      )
      if (theirs.length !== commits) throw new Error(`The branch has ${theirs.length} of ${commits} commits.`)
      assertCreated(dir, before, (await created).flat(), commits)
    } finally {
      await Promise.allSettled([...running.map(server => server.stop()), ...loads.map(load => load.close())])
    }
    assertSound(dir, false)
    return taken
  })
}

/** Creates records until `isDone`. @returns the numbers of the created records */
async function createOn(
  load: Load,
  port: number,
  width: number,
  isDone: () => boolean,
): Promise<readonly number[]> {
  const created: number[] = []
  // A server whose code is not compiled yet would refuse updates of many clients, because it expects to remain slow.
  for (let now = Math.min(8, width); !isDone(); now = width) {
    const some = numbers(fresh(100), 100)
    await load.prepare('more', createRequests(some))
    await load.run('more', { port, clients: now })
    await load.forget('more')
    created.push(...some)
  }
  return created
}

const notes = 'notes.txt'

async function commitTime(dir: string, subject: string): Promise<number> {
  await writeFile(join(dir, notes), `${subject}\n`)
  const started = performance.now()
  while (!((await succeeds(dir, 'add', notes)) && (await succeeds(dir, 'commit', '-q', '-m', subject)))) {
    if (performance.now() - started > 60_000)
      throw new Error('Git found no gap between updates within a minute.')
    await sleep(pause)
  }
  return performance.now() - started
}

async function succeeds(dir: string, ...args: string[]): Promise<boolean> {
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org']
  const [code] = await once(spawn('git', [...identity, ...args], { cwd: dir, stdio: 'ignore' }), 'close')
  return code === 0
}

/** Creates per second. @param gitTurn length of a turn of git in milliseconds; undefined: as in a server */
async function rate(
  { options, repositories }: Bench,
  records: number,
  gitTurn: number | undefined,
): Promise<number> {
  const count = options.count(15_000, 100)
  return await repositories.withCopy({ records, bare: false }, async dir => {
    const [warm, created] = [numbers(fresh(500), 500), numbers(fresh(count), count)]
    const before = git(dir, 'rev-parse', 'HEAD')
    const elapsed = await throughService(dir, created, options.clients, warm, gitTurn)
    assertCreated(dir, before, [...warm, ...created])
    return (count * 1000) / elapsed
  })
}
