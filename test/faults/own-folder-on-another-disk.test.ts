import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isSearchFile } from '../../src/features/search/index/search-tables.js'
import { isLongForm } from '../support/program/long-form.js'
import { canMount, fill } from '../support/program/mount-namespaces.js'
import {
  type FinishedProcess,
  programScript,
  type RunningServer,
  runProgram,
  start,
  stopProcesses,
  testEnvironment,
} from '../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  goodDocument,
  initExampleRepository,
  postExampleRecord,
} from '../support/repository/example-repository.js'
import { waitUntil } from '../support/repository/test-repository.js'

const holders: ChildProcess[] = []

/** A repository in which a folder of the Git directory is a separate file system. */
interface Mounted extends ExampleRepository {
  /** Path of the Git directory outside the mount namespace. */
  readonly gitDir: string
  /** Runs a command inside the mount namespace. */
  inside(...command: readonly string[]): Promise<FinishedProcess>
  serve(...args: readonly string[]): Promise<RunningServer>
}

/** @param folder a folder in the Git directory @param size in the syntax of tmpfs */
async function mounted(folder: string, size: string): Promise<Mounted> {
  const hand = await initExampleRepository()
  const place = join(hand.data, '.git', folder)
  mkdirSync(place, { recursive: true })
  // Only this process and processes that enter its namespace see the mount.
  const keep = ['-e', "require('fs').writeFileSync(process.argv[1], ''); setInterval(() => {}, 1000)"]
  const command = [process.execPath, ...keep, `${place}/mounted`].map(
    word => `'${word.replaceAll("'", `'\\''`)}'`,
  )
  const script = `mount -t tmpfs -o size=${size} none '${place}' && exec ${command.join(' ')}`
  const holder = spawn('unshare', ['-rm', 'sh', '-c', script], {
    env: { ...testEnvironment },
    stdio: 'inherit',
  })
  holders.push(holder)
  const pid = String(holder.pid)
  const gitDir = `/proc/${pid}/root${hand.data}/.git`
  await waitUntil('the mount', () => existsSync(join(gitDir, folder, 'mounted')))
  const entering = ['-t', pid, '-U', '-m', '--preserve-credentials']
  return {
    ...hand,
    gitDir,
    inside: (...args) => runProgram('nsenter', [...entering, ...args]),
    serve: (...args) =>
      start('nsenter', [
        ...[...entering, process.execPath, programScript, 'serve', '--port', '0'],
        ...['--data', hand.data, ...args],
      ]),
  }
}

async function isClean({ inside, data }: Mounted): Promise<void> {
  await waitUntil('a clean status', async () => {
    const { code, stdout } = await inside('git', '-C', data, 'status', '--porcelain')
    return code === 0 && stdout === ''
  })
}

async function update({ url }: RunningServer, title: string): Promise<number> {
  const { headers } = await fetch(`${url}api/v1/metadata/${exampleRecordId}`)
  const body = new FormData()
  body.set('document', new Blob([goodDocument(title)]), 'document.json')
  const answer = await fetch(`${url}api/v1/metadata/${exampleRecordId}`, {
    ...{ method: 'PUT', body },
    headers: { 'If-Match': headers.get('etag') ?? '' },
  })
  await answer.arrayBuffer()
  return answer.status
}

const statusOf = async ({ url }: RunningServer, path: string) => (await fetch(url + path)).status

/** Whether a process of a process group runs. */
function isAnyInGroup(pid: number | undefined): boolean {
  try {
    process.kill(-(pid ?? 0), 0)
    return true
  } catch {
    return false
  }
}

function skipWithoutMounts(context: Mocha.Context): never {
  console.log('      Skipped: no process may have mounts of its own here, so no file system can be made.')
  context.skip()
}

async function endProcesses(): Promise<void> {
  await stopProcesses()
  for (const holder of holders.splice(0)) holder.kill('SIGKILL')
}

describe('a server whose own folder is on another file system', () => {
  let place: Mounted
  let server: RunningServer
  let created: number
  let updated: number
  before(async function () {
    if (!canMount()) skipWithoutMounts(this)
    place = await mounted('git-metastore', '64m')
    server = await place.serve('--allow-push')
    created = await postExampleRecord(server, 'one')
    updated = await update(server, 'second')
  })
  after(endProcesses)

  it('allows records to be created and updated', () => {
    expect([created, updated]).to.deep.equal([201, 200])
  })

  it('allows many records to be created at once', async () => {
    const many = await Promise.all(
      Array.from({ length: 40 }, (_, index) => postExampleRecord(server, `note-${index}`)),
    )
    expect(new Set(many)).to.deep.equal(new Set([201]))
  })

  it('allows a record to be deleted, with its ETag only', async () => {
    expect(await postExampleRecord(server, 'short-lived')).to.equal(201)
    const remove = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`${server.url}api/v1/metadata/short-lived`, { method: 'DELETE', headers })).status
    expect(await remove({})).to.equal(428)
    expect(await remove({ 'If-Match': '*' })).to.equal(204)
  })

  it('lets the work tree follow', async () => {
    await isClean(place)
    const path = join(place.data, exampleRecordFolder, 'document.json')
    expect((await runProgram('cat', [path])).stdout).to.include('second')
  })

  it('allows clones and pushes', async () => {
    const clone = join(place.folder, 'clone')
    expect((await runProgram('git', ['clone', '-q', `${server.url}repository.git`, clone])).code).to.equal(0)
    await runProgram('sh', ['-c', `echo note > '${clone}/notes.txt'`])
    for (const args of [
      ['add', '.'],
      ['commit', '-q', '-m', 'Add a note'],
      ['push', '-q'],
    ])
      expect((await runProgram('git', ['-C', clone, ...args])).code, args.join(' ')).to.equal(0)
  })

  it('leaves the server healthy and the index whole', async () => {
    expect(await statusOf(server, 'health')).to.equal(200)
    await isClean(place)
    expect(readdirSync(join(place.gitDir, 'git-metastore-staging'))).to.not.include('index.damaged')
  })

  it('leaves a sound repository and no error in the log at the stop', async () => {
    expect((await server.stop()).code).to.equal(0)
    expect(server.stderr()).to.not.match(/EXDEV|could not/)
    const fsck = await place.inside('git', '-C', place.data, 'fsck', '--full', '--strict', '--no-dangling')
    expect(fsck.stdout + fsck.stderr).to.equal('')
  })
})

describe('.git/git-metastore', () => {
  before(function () {
    if (!canMount()) skipWithoutMounts(this)
  })
  afterEach(endProcesses)

  it('may be on another file system: a killed server leaves no lock for the next one', async () => {
    const place = await mounted('git-metastore', '64m')
    for (let round = 0; round < (isLongForm ? 3 : 2); round++) {
      const server = await place.serve()
      const busy = Array.from({ length: 30 }, (_, index) =>
        postExampleRecord(server, `n-${round}-${index}`).catch(() => 0),
      )
      await waitUntil('an answer', () => Promise.race(busy))
      await server.stop('SIGKILL')
      await Promise.all(busy)
    }
    const server = await place.serve()
    expect(await postExampleRecord(server, 'last')).to.equal(201)
    await isClean(place)
    expect((await server.stop()).code).to.equal(0)
    expect(existsSync(join(place.gitDir, 'index.lock'))).to.equal(false)
  })

  it('may be on another file system: `repair` works', async () => {
    const place = await mounted('git-metastore', '64m')
    const mirror = join(place.folder, 'mirror.git')
    expect(
      (await runProgram('git', ['clone', '-q', '--no-local', '--mirror', place.data, mirror])).code,
    ).to.equal(0)
    const packs = join(place.gitDir, 'objects/pack')
    for (const name of readdirSync(packs).filter(each => each.endsWith('.pack'))) {
      chmodSync(join(packs, name), 0o644)
      truncateSync(join(packs, name), Math.floor(statSync(join(packs, name)).size / 2))
    }

    const args = [programScript, 'repair', '--data', place.data, '--from', mirror]
    const { code, stdout, stderr } = await place.inside(process.execPath, ...args)

    expect(code, stdout + stderr).to.equal(0)
    expect(stdout).to.include('Sound again').and.to.include('git-metastore-staging/damaged')
    const verified = await place.inside(process.execPath, programScript, 'verify', '--data', place.data)
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0)
  })

  for (const folder of ['objects/pack', 'refs/heads']) {
    it(`needs ${folder} on its own file system: otherwise the server refuses to start and names the remedy`, async () => {
      const place = await mounted(folder, '16m')
      const files = await runProgram('sh', [
        '-c',
        `cp -a '${place.data}/.git/${folder}/.' '${place.gitDir}/${folder}/'`,
      ])
      expect(files.code, files.stderr).to.equal(0)

      const args = [programScript, 'serve', '--port', '0', '--data', place.data]
      const { code, stderr } = await place.inside(process.execPath, ...args)

      expect(code).to.equal(1)
      expect(stderr).to.include(folder).and.to.include('on one file system')
      expect(stderr).to.not.match(/^ +at /m)
    })
  }

  it('on a full disk: a search is refused if its index cannot be written', async () => {
    const place = await mounted('git-metastore', '4m')
    const server = await place.serve()
    expect(await postExampleRecord(server, 'one')).to.equal(201)
    expect((await server.stop()).code).to.equal(0)
    // A child process that has a file of the index open would give its space back after the disk is full.
    await waitUntil('all processes of the server have ended', () => !isAnyInGroup(server.child.pid))
    const own = join(place.gitDir, 'git-metastore')
    for (const name of readdirSync(own)) if (isSearchFile(name)) rmSync(join(own, name))
    const filler = join(own, 'filler')
    fill(filler)

    const args = [programScript, 'search', 'one', '--data', place.data]
    const full = await place.inside(process.execPath, ...args)

    expect(full.code, full.stdout + full.stderr).to.equal(1)
    expect(full.stderr).to.match(/full/)
    expect(full.stderr).to.not.match(/^ +at /m)
    rmSync(filler)
    expect((await place.inside(process.execPath, ...args)).stdout).to.match(/^metadata +one /m)
  })

  it('on a full disk: a server does not start, and reports the reason', async () => {
    const place = await mounted('git-metastore', '1m')
    fill(join(place.gitDir, 'git-metastore/filler'))

    const args = [programScript, 'serve', '--port', '0', '--data', place.data]
    const { code, stderr } = await place.inside(process.execPath, ...args)

    expect(code).to.equal(1)
    expect(stderr).to.match(/full/)
    expect(stderr).to.not.match(/^ +at /m)
  })
})

describe('a server whose own folder is on a full disk', () => {
  let place: Mounted
  let server: RunningServer
  let filler: string
  /** Status before the disk is full. */
  let unknownBefore: number
  /** Updates that were stored before the write-ahead log of the catalog was full, too. */
  const stored: string[] = []
  let refused = 0
  /** Ids that are in the history. */
  let known: readonly string[]
  /** The record that is in the history and not in the catalog. */
  let hidden: readonly string[]

  before(async function () {
    if (!canMount()) skipWithoutMounts(this)
    place = await mounted('git-metastore', '4m')
    server = await place.serve()
    expect(await postExampleRecord(server, 'one')).to.equal(201)
    await isClean(place)
    unknownBefore = await statusOf(server, 'api/v1/metadata/none')
    filler = join(place.gitDir, 'git-metastore/filler')
    fill(filler)
    // The first updates may fit into the write-ahead log of the catalog.
    for (let round = 0; refused < 5 && round < 200; round++) {
      const status = await postExampleRecord(server, `n-${round}`)
      expect(status).to.be.oneOf([201, 507, 503])
      if (status === 201) stored.push(`n-${round}`)
      else refused++
    }
    const history = await place.inside('git', '-C', place.data, 'log', '--format=%s')
    known = [...history.stdout.matchAll(/^Create metadata (n-\d+) /gm)].map(([, id = '']) => id)
    const statuses = await Promise.all(known.map(id => statusOf(server, `api/v1/metadata/${id}`)))
    for (const [index, status] of statuses.entries()) expect(status, known[index]).to.be.oneOf([200, 503])
    hidden = known.filter((_, index) => statuses[index] === 503)
  })
  after(endProcesses)

  it('refuses new records with 507 or 503', () => {
    expect(refused).to.equal(5)
  })

  it('has every stored record in the history, even if the catalog lacks it', () => {
    expect(known).to.include.members(stored)
  })

  it('lacks one record of the history', () => {
    expect(hidden).to.have.length(1)
  })

  for (const pathOf of [
    (id: string) => `api/v1/metadata/${id}`,
    (id: string) => `api/v1/metadata/${id}?version=1`,
    (id: string) => `api/v2/metadata/${id}`,
    (id: string) => `metastore/api/v1/metadata/${id}`,
    (id: string) => `api/v1/metadata/${id}/blame`,
    (id: string) => `api/v1/metadata?resourceId=https://example.org/${id}`,
    () => 'api/v1/metadata?page=400',
    (id: string) => `schema-landing-page?schemaId=${id}`,
    (id: string) => `metadata-landing-page?id=${id}`,
  ]) {
    it(`answers 503 where this record may be missing, not 404: ${pathOf('{id}')}`, async () => {
      expect(await statusOf(server, pathOf(hidden[0] ?? ''))).to.equal(503)
    })
  }

  it('answers 503 to a browser, too', async () => {
    const accept = { headers: { accept: 'text/html' } }
    expect((await fetch(`${server.url}api/v1/metadata/${hidden[0]}`, accept)).status).to.equal(503)
  })

  it('says what the catalog lacks and when to try again', async () => {
    const answer = await fetch(`${server.url}api/v1/metadata/${hidden[0]}`)
    expect(answer.headers.get('retry-after')).to.equal('5')
    expect(((await answer.json()) as { detail: string }).detail).to.include('lacks the newest commits')
  })

  it('says so on a page at the address of a page', async () => {
    const page = await fetch(`${server.url}metadata-landing-page?id=${hidden[0]}`, {
      headers: { accept: 'text/html' },
    })
    expect(page.status).to.equal(503)
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(page.headers.get('retry-after')).to.equal('5')
    expect(await page.text()).to.include('lacks the newest commits')
  })

  it('says so in the form of Elasticsearch at the address of its search', async () => {
    const search = await fetch(`${server.url}api/v1/none/_search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(search.status).to.equal(503)
    expect(search.headers.get('content-type')).to.equal('application/json')
    expect(await search.json()).to.nested.include({
      status: 503,
      'error.reason': 'The catalog lacks the newest commits, which may contain the record. Try again.',
    })
  })

  for (const path of [
    'api/v1/metadata/one',
    `api/v1/metadata/${exampleRecordId}`,
    'api/v1/schemas/measurement',
    'api/v1/metadata',
  ]) {
    it(`still serves what the catalog has: ${path}`, async () => {
      expect(await statusOf(server, path)).to.equal(200)
    })
  }

  it('still answers 404 for an address that does not exist', async () => {
    expect(await statusOf(server, 'nowhere')).to.equal(404)
  })

  it('refuses an update with 507 or 503', async () => {
    expect(await update(server, 'refused')).to.be.oneOf([503, 507])
  })

  it('reports the full disk in /health', async () => {
    const health = await fetch(`${server.url}health`)
    expect(health.status).to.equal(503)
    expect(await health.text()).to.match(/disk is full|ENOSPC/i)
  })

  it('is live, but not ready', async () => {
    expect(await statusOf(server, 'health/ready')).to.equal(503)
    expect(await statusOf(server, 'health/live')).to.equal(200)
  })

  describe('once there is space again', () => {
    let after: number
    before(async () => {
      rmSync(filler)
      after = await postExampleRecord(server, 'after')
    })

    it('accepts updates', () => {
      expect(after).to.equal(201)
    })

    it('serves every record of the history', async () => {
      for (const each of [...known, 'after', 'one'])
        expect(await statusOf(server, `api/v1/metadata/${each}`), each).to.equal(200)
    })

    it('answers 404 again for a record that does not exist', async () => {
      expect([unknownBefore, await statusOf(server, 'api/v1/metadata/none')]).to.deep.equal([404, 404])
    })

    it('is ready, with a clean work tree', async () => {
      await waitUntil('the server is ready', async () => (await statusOf(server, 'health/ready')) === 200)
      await isClean(place)
    })

    it('leaves a repository that verify finds sound', async () => {
      expect((await server.stop()).code).to.equal(0)
      const verified = await place.inside(process.execPath, programScript, 'verify', '--data', place.data)
      expect(verified.code, verified.stdout + verified.stderr).to.equal(0)
    })
  })
})
