import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { git } from '../baselines/plain-git.js'
import { generate } from '../data/generate-repository.js'
import { say, schemas, seed } from '../data/repository-cache.js'
import { documentFor, idOfRecord } from '../load/create-requests.js'
import { openConnection } from '../load/http-connection.js'
import { getBytes } from '../load/read-requests.js'
import { openOracle } from '../soak/acknowledged-records.js'
import { commitWithGit } from '../soak/commit-with-git.js'
import { type Interval, percentiles, summary, textLine, titleLine } from '../soak/interval-report.js'
import { openTraffic } from '../soak/mixed-traffic.js'
import { positive, programArguments, whole } from '../support/command-options.js'
import { canLook, look } from '../support/process-memory.js'
import { machine } from '../support/result-table.js'
import { program, type Server, startServer } from '../support/server-process.js'

const usage = `npm run bench -- soak [options]

Mixed load at a fixed rate, while packs are merged, a git user commits, and the server is restarted, in turn by
SIGTERM and by SIGKILL. Ends with 1 where anything that was acknowledged is lost, or anything is not sound; never for
being slow.`

const given = programArguments(usage, {
  minutes: { ...positive('Minutes it takes'), default: 60 },
  rate: { ...positive('Requests a second'), default: 200 },
  records: { ...whole('Records there are at the beginning'), default: 10_000 },
  clients: { ...whole('Connections at once'), default: 64 },
  bare: { type: 'boolean', default: false, describe: 'A repository without a work tree' },
  restart: positive('Minutes between two restarts; a sixth of all where none is given'),
  commit: { ...positive('Seconds between two commits with git'), default: 20 },
})
const { rate, records, clients, bare, commit: commitEvery } = given
const seconds = given.minutes * 60
const restartEvery = given.restart === undefined ? seconds / 6 : given.restart * 60
/** Seconds between two lines: a minute, or less in a short run, which has twelve lines. */
const lineEvery = Math.min(60, seconds / 12)
/** Seconds within which the server must serve a commit made with git. */
const patience = 30

const folder = await mkdtemp(join(tmpdir(), 'git-metastore-soak-'))
const dir = join(folder, 'data')
try {
  say(`Making a repository of ${records.toLocaleString('en')} records…`)
  await generate(dir, { records, versions: 1, schemas, seed, bare })
  process.stdout.write(
    `${machine()}; ${rate} requests/s, ${records.toLocaleString('en')} records, ${bare ? 'bare repository' : 'work tree'}\n`,
  )
  const wrong = await soak()
  for (const line of wrong) process.stdout.write(`WRONG: ${line}\n`)
  if (wrong.length > 0) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** @returns differences from the required state, and other errors */
async function soak(): Promise<readonly string[]> {
  const wrong: string[] = []
  const oracle = openOracle()
  const traffic = openTraffic(oracle, rate, clients)
  const notes: string[] = []
  const seenAfter: number[] = []
  let server: Server | undefined = await startServer(dir)
  /** Milliseconds without a server since the last line, and the time at which the server stopped. */
  let down = 0
  let downSince: number | undefined
  const before = Number(git(dir, 'rev-list', '--count', '--first-parent', 'HEAD'))
  let commits = 0
  const started = performance.now()
  const elapsed = () => (performance.now() - started) / 1000

  /** Runs a job at an interval until the end. Skips a turn if the previous one took longer. */
  async function every(interval: number, job: () => Promise<void> | void): Promise<void> {
    for (;;) {
      const next = (Math.floor(elapsed() / interval) + 1) * interval
      if (next > seconds) return
      await sleep((next - elapsed()) * 1000)
      try {
        await job()
      } catch (error) {
        wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
      }
    }
  }

  let restarts = 0
  async function restart(): Promise<void> {
    if (elapsed() > seconds - lineEvery || !server) return
    const old = server
    downSince = performance.now()
    server = undefined
    const way = restarts++ % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
    traffic.pointAt(undefined)
    await (way === 'SIGTERM' ? old.stop() : old.kill())
    server = await startServer(dir)
    traffic.pointAt(server.port)
    down += performance.now() - downSince
    downSince = undefined
    notes.push(`restart by ${way}, listening after ${Math.round(server.startup)} ms`)
  }

  async function commitAndLook(): Promise<void> {
    const { number, waited } = await commitWithGit(dir, bare)
    commits++
    const made = performance.now()
    while (!(await isServed(number))) {
      if (performance.now() - made > patience * 1000) {
        wrong.push(`record ${idOfRecord(number)}, committed with git, was not served within ${patience} s`)
        return
      }
      await sleep(20)
    }
    seenAfter.push(performance.now() - made)
    if (waited > 1) notes.push(`git had to wait ${waited.toFixed(0)} s`)
  }

  async function isServed(number: number): Promise<boolean> {
    if (!server) return false
    try {
      const connection = await openConnection(server.port)
      const answer = await connection.send(getBytes(`/api/v1/metadata/${idOfRecord(number)}`))
      connection.close()
      return answer.status === 200 && answer.body.equals(documentFor(number))
    } catch (error) {
      // The server is restarting.
      if (error instanceof Error && server === undefined) return false
      if (/ECONNREFUSED|ECONNRESET|closed/.test(String(error))) return false
      throw error
    }
  }

  const lines: Interval[] = []
  function note(): void {
    const { latencies, refused, lost, skipped } = traffic.take()
    const since = lines.at(-1)?.at ?? 0
    const at = elapsed()
    if (downSince !== undefined) {
      const now = performance.now()
      down += now - downSince
      downSince = now
    }
    const up = at - since - down / 1000
    const seen = server && canLook ? look(server.pid) : { memory: 0, files: 0 }
    const line: Interval = {
      at,
      rate: up > 0 ? latencies.length / up : 0,
      ...percentiles(latencies),
      memory: seen.memory,
      files: seen.files,
      packs: packCount(),
      refused,
      lost,
      down: down / 1000,
      note: [...notes.splice(0), ...(skipped > 0 ? [`${skipped} left out`] : [])].join('; '),
    }
    down = 0
    lines.push(line)
    process.stdout.write(`${textLine(line)}\n`)
  }

  process.stdout.write(`${titleLine()}\n`)
  traffic.pointAt(server.port)
  await Promise.all([every(lineEvery, note), every(restartEvery, restart), every(commitEvery, commitAndLook)])
  await traffic.stop()
  const told = server?.notes() ?? ''
  await server?.stop()
  if (told !== '') process.stdout.write(`\nThe server said:\n${told}`)

  process.stdout.write(`\n${summary(lines).join('\n')}\n`)
  process.stdout.write(
    `${oracle.acknowledged} updates acknowledged, ${commits} commits with git, ${restarts} restarts\n`,
  )
  if (seenAfter.length > 0) {
    const { p50, p99 } = percentiles(seenAfter)
    process.stdout.write(
      `commits with git served after ${p50.toFixed(0)} ms (median), ${p99.toFixed(0)} ms (p99)\n`,
    )
  }
  return [
    ...wrong,
    ...traffic.wrong,
    ...(await inspect(oracle.differences(dir), before + oracle.acknowledged + commits)),
  ]
}

/** Checks the repository after the end of all traffic. */
async function inspect(differences: readonly string[], minCommits: number): Promise<readonly string[]> {
  const wrong = [...differences]
  const commits = Number(git(dir, 'rev-list', '--count', 'HEAD'))
  if (commits < minCommits) wrong.push(`There are ${commits} commits; ${minCommits} were acknowledged.`)
  const status = bare ? '' : git(dir, 'status', '--porcelain')
  if (status !== '') wrong.push(`git status is not clean: ${status.slice(0, 500)}`)
  // `verify` includes git fsck, a comparison with a rebuilt catalog, and every version of every record.
  const verify = [program, 'verify', '--data', dir]
  try {
    const { stdout } = await promisify(execFile)(process.execPath, verify, { maxBuffer: 1 << 28 })
    process.stdout.write(`\nverify: ${stdout.trim().split('\n').at(-1)}\n`)
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    wrong.push(`verify complains: ${stdout.slice(-2000)} ${stderr.slice(-2000)}`)
  }
  if (wrong.length === 0) process.stdout.write('nothing lost, nothing damaged, git status clean\n')
  return wrong
}

function packCount(): number {
  const packs = join(bare ? dir : join(dir, '.git'), 'objects', 'pack')
  return readdirSync(packs).filter(name => name.endsWith('.pack')).length
}
