import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as isomorphic from 'isomorphic-git'
import { compose } from '../src/compose.js'
import { defaults } from '../src/config.js'
import { self } from '../src/core/access.js'
import { initRepository } from '../src/store/init.js'
import { directoryOf } from '../src/store/layout.js'
import { openClient } from './support/client.js'
import { fill, git } from './support/fill.js'
import {
  benchDocument,
  benchRecord,
  benchResource,
  benchSchema,
  benchSchemaId,
  uuid,
} from './support/records.js'
import { median, rate } from './support/statistics.js'

/*
 * Durable creates of metadata records: through HTTP with 64 clients and through the service layer, against what a
 * person or a script would do with git, on an empty repository and on one with 10,000 records. Every way stores the
 * same two files a record and makes one commit a record. Ours are validated and synced to disk; git's are neither.
 */

const quick = process.argv.includes('--quick')
const repeats = 3
const clients = 64
const large = quick ? 2_000 : 10_000
const counts = {
  http: quick ? 1_000 : 2_000,
  service: quick ? 1_000 : 2_000,
  git: quick ? 30 : 60,
  isomorphic: { empty: quick ? 10 : 30, large: 1 },
}

/** Creates before the clock starts: the server is started for each measurement, and its code is cold at first. */
const warmUp = 500

/** Numbers of records, never used twice. */
let fresh = 1_000_000
const take = (count: number) => {
  fresh += count
  return fresh - count
}

const report = (line: string) => process.stderr.write(`${line}\n`)
const folders: string[] = []

/** A repository with the schema and so many records, its catalog up to date. */
async function makeRepository(records: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'git-metastore-bench-'))
  folders.push(root)
  const dir = join(root, 'data')
  await initRepository(dir, { bare: false })
  const services = await compose({ ...defaults, data: dir }, { report })
  await services.schemas.register(
    self,
    { id: benchSchemaId, edit: base => base },
    { document: benchSchema },
    { bases: [] },
  )
  await services.close()
  if (records > 0) await fill(dir, 0, records)
  await (await compose({ ...defaults, data: dir }, { report })).close()
  return dir
}

/** Hands over a copy of a repository: each repeat starts from the same state. What is left must be sound. */
async function onCopy(template: string, use: (dir: string) => Promise<void>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'git-metastore-bench-'))
  try {
    const dir = join(root, 'data')
    await cp(template, dir, { recursive: true, preserveTimestamps: true })
    git(dir, 'update-index', '-q', '--refresh')
    await use(dir)
    const status = git(dir, 'status', '--porcelain')
    if (status !== '') throw new Error(`The work tree is not clean:\n${status.slice(0, 500)}`)
    git(dir, 'fsck', '--strict', '--no-dangling')
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

async function writeFiles(dir: string, number: number): Promise<string[]> {
  const folder = directoryOf('metadata', uuid(number))
  await mkdir(join(dir, folder), { recursive: true })
  await writeFile(join(dir, folder, 'record.json'), benchRecord(number))
  await writeFile(join(dir, folder, 'document.json'), benchDocument(number))
  return [`${folder}/record.json`, `${folder}/document.json`]
}

async function withGit(dir: string, count: number): Promise<number> {
  const first = take(count)
  return rate(count, 1, async at => {
    const paths = await writeFiles(dir, first + at)
    git(dir, 'add', '--', ...paths)
    git(
      dir,
      '-c',
      'user.name=bench',
      '-c',
      'user.email=bench@example.org',
      'commit',
      '-q',
      '-m',
      `Create ${first + at}`,
    )
  })
}

async function withIsomorphic(dir: string, count: number): Promise<number> {
  const first = take(count)
  const author = { name: 'bench', email: 'bench@example.org' }
  return rate(count, 1, async at => {
    const filepath = await writeFiles(dir, first + at)
    await isomorphic.add({ fs, dir, filepath })
    await isomorphic.commit({ fs, dir, author, message: `Create ${first + at}` })
  })
}

async function throughService(dir: string, count: number): Promise<number> {
  const services = await compose({ ...defaults, data: dir }, { report })
  const first = take(count)
  const create = (number: number) =>
    services.metadata.create(
      self,
      {
        id: uuid(number),
        schema: { schemaId: benchSchemaId },
        edit: base => ({
          ...base,
          relatedIdentifiers: [
            { identifierType: 'URL', value: benchResource(number), relationType: 'IS_METADATA_FOR' },
          ],
        }),
      },
      benchDocument(number),
    )
  const warm = take(warmUp)
  await rate(warmUp, clients, at => create(warm + at))
  const result = await rate(count, clients, at => create(first + at))
  await services.close()
  return result
}

async function throughHttp(dir: string, count: number): Promise<number> {
  const program = fileURLToPath(new URL('../../bin/git-metastore.js', import.meta.url))
  const server = spawn(process.execPath, [program, 'serve', '--data', dir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise(resolve => server.on('exit', resolve))
  let said = ''
  server.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const port = await new Promise<number>((resolve, reject) => {
    let out = ''
    server.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      const found = /listening on http:\/\/[^:]+:(\d+)\//.exec(out)
      if (found) resolve(Number(found[1]))
    })
    server.on('exit', code => reject(new Error(`The server ended with ${code}: ${said}`)))
  })
  const client = openClient(port, clients)
  const first = take(count)
  const warm = take(warmUp)
  await rate(warmUp, clients, at => client.create(warm + at))
  const result = await rate(count, clients, at => client.create(first + at))
  client.close()
  server.kill('SIGTERM')
  await ended
  return result
}

type Way = 'http' | 'service' | 'git' | 'isomorphic'

/** Git first, so that it never sees more records than the others do. */
async function measure(template: string, isomorphicCount: number): Promise<Record<Way, number>> {
  const runs: Record<Way, number[]> = { git: [], isomorphic: [], http: [], service: [] }
  for (let repeat = 0; repeat < repeats; repeat++) {
    await onCopy(template, async dir => {
      runs.git.push(await withGit(dir, counts.git))
      runs.isomorphic.push(await withIsomorphic(dir, isomorphicCount))
      runs.http.push(await throughHttp(dir, counts.http))
      runs.service.push(await throughService(dir, counts.service))
    })
  }
  return {
    http: median(runs.http),
    service: median(runs.service),
    git: median(runs.git),
    isomorphic: median(runs.isomorphic),
  }
}

function print(title: string, rates: Record<Way, number>): void {
  const row = (name: string, value: number) => {
    const times = (other: number) => `${(value / other).toFixed(1)}×`.padStart(9)
    process.stdout.write(
      `${name.padEnd(34)}${value.toFixed(1).padStart(9)}/s${times(rates.git)}${times(rates.isomorphic)}\n`,
    )
  }
  process.stdout.write(`\n${title.padEnd(45)}  of git  of isomorphic-git\n`)
  row(`through HTTP, ${clients} clients`, rates.http)
  row(`through the service layer, ${clients} at once`, rates.service)
  row('git add + git commit', rates.git)
  row('isomorphic-git add + commit', rates.isomorphic)
}

try {
  const onEmpty = await measure(await makeRepository(0), counts.isomorphic.empty)
  print('Durable creates, empty repository', onEmpty)

  const onLarge = await measure(await makeRepository(large), counts.isomorphic.large)
  print(`Durable creates, ${large.toLocaleString('en')} records`, onLarge)

  process.stdout.write(
    `\nThrough HTTP at ${large.toLocaleString('en')} records, of the rate on the empty repository: ${(onLarge.http / onEmpty.http).toFixed(2)}\n`,
  )
} finally {
  for (const root of folders) await rm(root, { recursive: true, force: true })
}
