import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
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
  await waitUntil(
    'a clean status',
    async () => {
      const { code, stdout } = await inside('git', '-C', data, 'status', '--porcelain')
      return code === 0 && stdout === ''
    },
    60_000,
  )
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

describe('.git/git-metastore', function () {
  this.timeout(300_000)
  before(function () {
    if (canMount()) return
    console.log('      Skipped: no process may have mounts of its own here, so no file system can be made.')
    this.skip()
  })
  afterEach(async () => {
    await stopProcesses()
    for (const holder of holders.splice(0)) holder.kill('SIGKILL')
  })

  it('may be on another file system: updates, pushes, the work tree and merges of packs work', async () => {
    const place = await mounted('git-metastore', '64m')
    const server = await place.serve('--allow-push')

    expect(await postExampleRecord(server, 'one')).to.equal(201)
    expect(await update(server, 'second')).to.equal(200)
    const many = await Promise.all(
      Array.from({ length: 40 }, (_, index) => postExampleRecord(server, `note-${index}`)),
    )
    expect(new Set(many)).to.deep.equal(new Set([201]))
    expect((await fetch(`${server.url}api/v1/metadata/one`, { method: 'DELETE' })).status).to.be.oneOf([
      204, 428,
    ])
    await isClean(place)
    expect(
      (await runProgram('cat', [join(place.data, exampleRecordFolder, 'document.json')])).stdout,
    ).to.include('second')
    const clone = join(place.folder, 'clone')
    expect((await runProgram('git', ['clone', '-q', `${server.url}repository.git`, clone])).code).to.equal(0)
    await runProgram('sh', ['-c', `echo note > '${clone}/notes.txt'`])
    for (const args of [
      ['add', '.'],
      ['commit', '-q', '-m', 'Add a note'],
      ['push', '-q'],
    ])
      expect((await runProgram('git', ['-C', clone, ...args])).code, args.join(' ')).to.equal(0)
    expect(await statusOf(server, 'health')).to.equal(200)
    await isClean(place)
    expect(readdirSync(join(place.gitDir, 'git-metastore-staging'))).to.not.include('index.damaged')
    expect((await server.stop()).code).to.equal(0)
    expect(server.stderr()).to.not.match(/EXDEV|could not/)
    const fsck = await place.inside('git', '-C', place.data, 'fsck', '--full', '--strict', '--no-dangling')
    expect(fsck.stdout + fsck.stderr).to.equal('')
  })

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

  it('on a full disk: records that may exist are not 404, and the server continues when there is space', async () => {
    const place = await mounted('git-metastore', '4m')
    const server = await place.serve()
    expect(await postExampleRecord(server, 'one')).to.equal(201)
    await isClean(place)
    expect(await statusOf(server, 'api/v1/metadata/none')).to.equal(404)
    const filler = join(place.gitDir, 'git-metastore/filler')
    fill(filler)

    // The first updates may fit into the write-ahead log of the catalog.
    const stored: string[] = []
    let refused = 0
    for (let round = 0; refused < 5 && round < 200; round++) {
      const status = await postExampleRecord(server, `n-${round}`)
      expect(status).to.be.oneOf([201, 507, 503])
      if (status === 201) stored.push(`n-${round}`)
      else refused++
    }
    expect(refused).to.equal(5)

    // A stored record is in the history, even if the catalog lacks it. No answer denies that it exists.
    const history = await place.inside('git', '-C', place.data, 'log', '--format=%s')
    const known = [...history.stdout.matchAll(/^Create metadata (n-\d+) /gm)].map(([, id = '']) => id)
    expect(known).to.include.members(stored)
    for (const id of known)
      expect(await statusOf(server, `api/v1/metadata/${id}`), id).to.be.oneOf([200, 503])
    const hidden: string[] = []
    for (const id of known) if ((await statusOf(server, `api/v1/metadata/${id}`)) === 503) hidden.push(id)
    expect(hidden).to.have.length(1)
    const [id] = hidden
    for (const path of [
      `api/v1/metadata/${id}?version=1`,
      `api/v2/metadata/${id}`,
      `metastore/api/v1/metadata/${id}`,
      `api/v1/metadata/${id}/blame`,
      `api/v1/metadata?resourceId=https://example.org/${id}`,
      `api/v1/metadata?page=400`,
      `schema-landing-page?schemaId=${id}`,
      `metadata-landing-page?id=${id}`,
    ]) {
      expect(await statusOf(server, path), path).to.equal(503)
    }
    const page = await fetch(`${server.url}api/v1/metadata/${id}`, { headers: { accept: 'text/html' } })
    expect(page.status).to.equal(503)
    const answer = await fetch(`${server.url}api/v1/metadata/${id}`)
    expect(answer.headers.get('retry-after')).to.equal('5')
    expect(((await answer.json()) as { detail: string }).detail).to.include('lacks the newest commits')
    // Routes with their own form of errors report this problem in that form.
    const missing = await fetch(`${server.url}metadata-landing-page?id=${id}`, {
      headers: { accept: 'text/html' },
    })
    expect(missing.status).to.equal(503)
    expect(missing.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(missing.headers.get('retry-after')).to.equal('5')
    expect(await missing.text()).to.include('lacks the newest commits')
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
    expect(await statusOf(server, 'nowhere')).to.equal(404)
    expect(await statusOf(server, 'api/v1/metadata/one')).to.equal(200)
    expect(await statusOf(server, `api/v1/metadata/${exampleRecordId}`)).to.equal(200)
    expect(await statusOf(server, 'api/v1/schemas/measurement')).to.equal(200)
    expect(await statusOf(server, 'api/v1/metadata')).to.equal(200)
    expect(await update(server, 'refused')).to.be.oneOf([503, 507])
    const health = await fetch(`${server.url}health`)
    expect(health.status).to.equal(503)
    expect(await health.text()).to.match(/disk is full|ENOSPC/i)
    expect(await statusOf(server, 'health/ready')).to.equal(503)
    expect(await statusOf(server, 'health/live')).to.equal(200)

    rmSync(filler)

    expect(await postExampleRecord(server, 'after')).to.equal(201)
    for (const each of [...known, 'after', 'one'])
      expect(await statusOf(server, `api/v1/metadata/${each}`), each).to.equal(200)
    expect(await statusOf(server, 'api/v1/metadata/none')).to.equal(404)
    await waitUntil('the server is ready', async () => (await statusOf(server, 'health/ready')) === 200)
    await isClean(place)
    expect((await server.stop()).code).to.equal(0)
    const verified = await place.inside(process.execPath, programScript, 'verify', '--data', place.data)
    expect(verified.code, verified.stdout + verified.stderr).to.equal(0)
  })

  it('on a full disk: a search is refused if its index cannot be written', async () => {
    const place = await mounted('git-metastore', '4m')
    const server = await place.serve()
    expect(await postExampleRecord(server, 'one')).to.equal(201)
    const filler = join(place.gitDir, 'git-metastore/filler')
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
