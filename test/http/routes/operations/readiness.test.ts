// test-schedule: waits
import { existsSync, linkSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { openProcessLock } from '../../../../src/store/locks/process-lock.js'
import {
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
} from '../../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  goodDocument,
  initExampleRepository,
  postExampleRecord,
} from '../../../support/repository/example-repository.js'
import { waitUntil } from '../../../support/repository/test-repository.js'

interface Lock {
  readonly file: string
  readonly seconds: number
  readonly stops: string
  readonly detail: string
}

interface Said {
  readonly code: number
  readonly status: string
  readonly locks?: readonly Lock[]
  readonly checks: { readonly writable: { readonly ok: boolean; readonly detail?: string } }
}

async function ask({ url }: RunningServer, path: 'health' | 'health/ready'): Promise<Said> {
  const answer = await fetch(url + path)
  return { code: answer.status, ...((await answer.json()) as Omit<Said, 'code'>) }
}

/** Waits until the cached answer of `/health/ready` has expired, after one second. */
const isReady = (server: RunningServer) =>
  waitUntil('it is ready', async () => (await ask(server, 'health/ready')).code === 200)

/**
 * Leaves files in the Git directory while no server writes there, as a process can that was killed while it wrote: a
 * server holds the writer lock until its work tree is at the branch.
 */
async function whileNoneWrites(gitDir: string, leave: () => void): Promise<void> {
  const lock = openProcessLock(join(gitDir, 'git-metastore/writer.lock'))
  try {
    expect(await lock.acquire(60_000)).to.equal(true)
    leave()
  } finally {
    lock.close()
  }
}

const tenSecondsAgo = () => new Date(Date.now() - 10_000)

describe('/health/ready', () => {
  let hand: ExampleRepository
  let gitDir: string
  async function startRepository(): Promise<void> {
    hand = await initExampleRepository()
    gitDir = join(hand.data, '.git')
  }

  for (const file of ['index.lock', 'refs/heads/main.lock']) {
    describe(`while a stale ${file} blocks updates`, () => {
      let whileFresh: Said
      let ready: Said
      let health: Said
      let status: string
      let refused: number
      let lockStays: boolean
      let afterRemoval: Said
      let accepted: number
      before(async () => {
        await startRepository()
        const server = await startServer(['--data', hand.data])
        expect(await postExampleRecord(server, 'one')).to.equal(201)
        const lock = join(gitDir, file)
        await whileNoneWrites(gitDir, () => writeFileSync(lock, ''))
        whileFresh = await ask(server, 'health/ready')
        utimesSync(lock, tenSecondsAgo(), tenSecondsAgo())

        ready = await waitUntil('it is not ready', async () => {
          const said = await ask(server, 'health/ready')
          return said.code === 503 ? said : undefined
        })
        health = await ask(server, 'health')
        status = (await runMetastore(['status', '--data', hand.data])).stdout
        refused = await postExampleRecord(server, 'refused')
        lockStays = existsSync(lock)

        rmSync(lock)
        await isReady(server)
        afterRemoval = await ask(server, 'health')
        accepted = await postExampleRecord(server, 'two')
      })
      after(stopProcesses)

      it('answers 503 with READ_ONLY', () => {
        expect([ready.code, ready.status]).to.deep.equal([503, 'READ_ONLY'])
      })

      it('names the lock, its age, what it stops, and what to do', () => {
        expect(ready.locks).to.have.length(1)
        expect(ready.locks?.[0]).to.include({ file, stops: 'updates' })
        expect(ready.locks?.[0]?.seconds).to.be.within(10, 60)
        expect(ready.locks?.[0]?.detail).to.include('remove the file')
      })

      it('agrees with /health, which answers 503 and names the lock', () => {
        expect(health.code).to.equal(503)
        expect(health.checks.writable.detail).to.include(file).and.to.include('remove the file')
      })

      it('agrees with the command status, which names the lock', () => {
        expect(status).to.match(new RegExp(`^lock +${file} of the Git directory has been there`, 'm'))
      })

      it('agrees with updates, which are refused with 503', () => {
        expect(refused).to.equal(503)
      })

      it('does not remove the lock of another process', () => {
        expect(lockStays).to.equal(true)
      })

      it('answers 200 before the lock is stale', () => {
        expect(whileFresh.code).to.equal(200)
      })

      it('answers 200 after the removal of the lock; /health names no lock, and an update succeeds', () => {
        expect(afterRemoval.locks).to.equal(undefined)
        expect(accepted).to.equal(201)
      })
    })
  }

  describe('with other locks', () => {
    beforeEach(startRepository)
    afterEach(stopProcesses)

    it('answers 503 from the first update that a lock blocked, regardless of the age of the file', async () => {
      const server = await startServer(['--data', hand.data])
      await isReady(server)
      const lock = join(gitDir, 'index.lock')
      writeFileSync(lock, '')
      utimesSync(lock, new Date(Date.now() + 3_600_000), new Date(Date.now() + 3_600_000))

      expect(await postExampleRecord(server, 'refused')).to.equal(503)

      expect((await ask(server, 'health/ready')).code).to.equal(503)
      rmSync(lock)
      await isReady(server)
    })

    it('ignores locks that a server without a work tree and without pushes does not need', async () => {
      const bare = await initExampleRepository('--bare')
      for (const file of ['index.lock', 'HEAD.lock', 'packed-refs.lock']) {
        writeFileSync(join(bare.data, file), '')
        utimesSync(join(bare.data, file), tenSecondsAgo(), tenSecondsAgo())
      }
      const server = await startServer(['--data', bare.data])

      const ready = await ask(server, 'health/ready')
      expect(ready).to.deep.include({ code: 200, status: 'UP' })
      expect(ready.locks).to.equal(undefined)
      expect(await postExampleRecord(server, 'one')).to.equal(201)
      const { code, locks = [] } = await ask(server, 'health')
      expect(code).to.equal(200)
      expect(locks.map(({ file, stops }) => `${file}: ${stops}`)).to.deep.equal([
        'HEAD.lock: pushes',
        'packed-refs.lock: packing of refs',
      ])
    })

    it('answers 503 while a stale HEAD.lock blocks pushes, if the server accepts pushes', async () => {
      const server = await startServer(['--data', hand.data, '--allow-push'])
      expect(await postExampleRecord(server, 'one')).to.equal(201)
      const clone = join(hand.folder, 'clone')
      expect((await runProgram('git', ['clone', '-q', `${server.url}repository.git`, clone])).code).to.equal(
        0,
      )
      writeFileSync(join(clone, exampleRecordFolder, 'document.json'), goodDocument('pushed'))
      expect((await runProgram('git', ['-C', clone, 'commit', '-q', '-a', '-m', 'Edit'])).code).to.equal(0)
      const lock = join(gitDir, 'HEAD.lock')
      writeFileSync(lock, '')
      utimesSync(lock, tenSecondsAgo(), tenSecondsAgo())

      await waitUntil('it is not ready', async () => (await ask(server, 'health/ready')).code === 503)
      expect((await runProgram('git', ['-C', clone, 'push', '-q'])).code).to.not.equal(0)

      rmSync(lock)
      await isReady(server)
      expect((await runProgram('git', ['-C', clone, 'push', '-q'])).code).to.equal(0)
    })

    it('answers 503 while another git-metastore process holds the writer lock, and names that process', async () => {
      const server = await startServer(['--data', hand.data])
      expect(await postExampleRecord(server, 'one')).to.equal(201)
      const other = openProcessLock(join(gitDir, 'git-metastore/writer.lock'))
      try {
        expect(await other.acquire(60_000)).to.equal(true)

        const health = await ask(server, 'health')

        expect(health.code).to.equal(503)
        expect(health.checks.writable.detail).to.include('git-metastore/writer.lock')
        expect((await ask(server, 'health/ready')).code).to.equal(503)
      } finally {
        other.close()
      }
      await isReady(server)
    })
  })
})

describe('a lock of a killed git-metastore process beside a server', () => {
  afterEach(stopProcesses)

  for (const name of ['index', 'refs/heads/main']) {
    it(`is removed before the next update: ${name}`, async () => {
      const hand = await initExampleRepository()
      const gitDir = join(hand.data, '.git')
      const server = await startServer(['--data', hand.data])
      expect(await postExampleRecord(server, 'one')).to.equal(201)
      const own = join(gitDir, `git-metastore/locks/${encodeURIComponent(name)}~0123456789ab`)
      const lock = join(gitDir, `${name}.lock`)
      await whileNoneWrites(gitDir, () => {
        mkdirSync(dirname(own), { recursive: true })
        writeFileSync(own, 'git-metastore is bringing the work tree up to date\n')
        linkSync(own, lock)
      })

      expect(await postExampleRecord(server, 'two')).to.equal(201)

      expect(existsSync(own)).to.equal(false)
      await waitUntil('git works', async () => (await hand.tryGit('status', '--porcelain')).stdout === '')
      await waitUntil('the server has released its own lock', () => !existsSync(lock))
      expect((await ask(server, 'health')).code).to.equal(200)
    })
  }

  it('does not let a commit by hand undo an update that the work tree lacks', async () => {
    const hand = await initExampleRepository()
    const gitDir = join(hand.data, '.git')
    const server = await startServer(['--data', hand.data])
    expect(await postExampleRecord(server, 'one')).to.equal(201)
    // The state after a command that was killed between two steps: the branch has moved, index and files are old and
    // locked.
    const before = await hand.git('rev-parse', 'HEAD')
    const env = { GIT_INDEX_FILE: join(hand.folder, 'index') }
    const document = join(hand.folder, 'document.json')
    writeFileSync(document, goodDocument('by a command'))
    const run = async (...args: string[]) =>
      (await runProgram('git', ['-C', hand.data, ...args], { env })).stdout.trim()
    await run('read-tree', before)
    const blob = await run('hash-object', '-w', '--no-filters', document)
    await run('update-index', '--cacheinfo', `100644,${blob},${exampleRecordFolder}/document.json`)
    const head = await run('commit-tree', '-m', 'Update metadata', '-p', before, await run('write-tree'))
    await whileNoneWrites(gitDir, () => {
      const own = join(gitDir, 'git-metastore/locks/index~0123456789ab')
      writeFileSync(own, 'git-metastore is bringing the work tree up to date\n')
      linkSync(own, join(gitDir, 'index.lock'))
      writeFileSync(join(gitDir, 'git-metastore/work-tree'), `${before}\n`)
      writeFileSync(join(gitDir, 'refs/heads/main'), `${head}\n`)
    })

    expect(await postExampleRecord(server, 'two')).to.equal(201)

    await waitUntil(
      'the work tree is whole',
      async () => (await hand.tryGit('status', '--porcelain')).stdout === '',
    )
    expect(await hand.git('show', `HEAD:${exampleRecordFolder}/document.json`)).to.include('by a command')
    expect(
      (await runProgram('cat', [join(hand.data, exampleRecordFolder, 'document.json')])).stdout,
    ).to.include('by a command')
  })
})
