import { execFile } from 'node:child_process'
import fs, { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mock } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { ProblemError } from '../../../src/core/problem.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { isLongForm } from '../../support/program/long-form.js'
import { runMetastore } from '../../support/program/run-program.js'
import { createNote, registerNote, reviseNote } from '../../support/repository/note-records.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

const run = promisify(execFile)

describe('races between the server and git users', () => {
  afterEach(removeRepositories)

  it('a git commit cannot undo updates that the index lacks', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    let updating = true
    let committed = 0

    const updates = Promise.all(
      Array.from({ length: isLongForm ? 400 : 150 }, (_, index) => createNote(services, `note ${index}`)),
    ).finally(() => {
      updating = false
    })
    const person = (async () => {
      for (let at = 0; updating || committed === 0; at++) {
        await writeFile(join(repository.dir, 'notebook.txt'), `line ${at}\n`)
        try {
          await repository.git('add', 'notebook.txt')
          await repository.git('commit', '-q', '-m', 'Keep a notebook')
          committed += 1
        } catch (thrown) {
          expect(String(thrown)).to.match(/index\.lock|cannot lock ref|nothing to commit|File exists/)
          await sleep(2)
        }
      }
    })()
    const revisions = await updates
    await person
    await services.workTreeUpToDate()

    const removed = await repository.git(
      'log',
      '--first-parent',
      '-m',
      '--diff-filter=D',
      '--name-only',
      '--format=',
    )
    expect(removed).to.equal('')
    const files = (await repository.git('ls-tree', '-r', '--name-only', 'HEAD')).split('\n')
    for (const { id } of revisions) expect(files.filter(path => path.includes(id))).to.have.length(2)
    expect(await repository.git('status', '--porcelain', '--', 'schemas', 'metadata')).to.equal('')
    expect(committed).to.be.greaterThan(0)
  })

  for (const { count, named } of [
    { count: 1, named: 'a server' },
    { count: 2, named: 'two servers' },
  ])
    it(`a git commit that read the index before the updates of ${named} does not undo them`, async () => {
      const repository = await temporaryRepository()
      const servers = await Promise.all(Array.from({ length: count }, () => repository.compose()))
      const [first] = servers as [(typeof servers)[0]]
      await registerNote(first)
      await first.workTreeUpToDate()
      await writeFile(join(repository.dir, 'notebook.txt'), 'a line\n')
      await repository.git('add', 'notebook.txt')
      const commit = await commitThatStops(repository)

      const revisions = []
      for (const server of servers) {
        revisions.push(await createNote(server, `note ${revisions.length}`))
        await server.workTreeUpToDate()
      }
      const refused = await commit.goOn()
      await waitUntil('the updates are back in the index', async () => {
        const staged = await repository.git('diff', '--cached', '--name-only')
        return staged === 'notebook.txt'
      })
      await repository.patiently('commit', '-q', '-m', 'Keep a notebook')

      expect(refused).to.match(/cannot lock ref 'HEAD'/)
      const files = (await repository.git('ls-tree', '-r', '--name-only', 'HEAD')).split('\n')
      for (const { id } of revisions) expect(files.filter(path => path.includes(id))).to.have.length(2)
      expect(files).to.include('notebook.txt')
      expect(await repository.git('status', '--porcelain')).to.equal('')
    })

  it('git-metastore commit does not undo an update that a git commit has lost from the index', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    await services.workTreeUpToDate()
    await writeFile(join(repository.dir, 'notebook.txt'), 'a line\n')
    await repository.git('add', 'notebook.txt')
    const commit = await commitThatStops(repository)
    const { id } = await createNote(services, 'note')
    await services.workTreeUpToDate()
    await services.close()
    await commit.goOn()

    const { code, stderr } = await runMetastore(['commit', '-m', 'Keep a notebook'], { cwd: repository.dir })

    expect(code, stderr).to.equal(0)
    const files = (await repository.git('ls-tree', '-r', '--name-only', 'HEAD')).split('\n')
    expect(files.filter(path => path.includes(id))).to.have.length(2)
    expect(files).to.include('notebook.txt')
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('what a user has staged in a new record stays staged', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const { id } = await createNote(services, 'one')
    await services.workTreeUpToDate()
    const path = `${recordDirectory('metadata', id)}/document.json`
    const file = join(repository.dir, path)
    const stored = await readFile(file)
    await writeFile(file, '{"title":"staged"}')
    await repository.git('add', path)
    await writeFile(file, stored)

    await createNote(services, 'two')
    await services.workTreeUpToDate()

    expect(await repository.git('diff', '--cached', '--name-only')).to.equal(path)
    expect(await repository.git('show', `:${path}`)).to.equal('{"title":"staged"}')
  })

  it('the index lock is held while the index lags behind the branch', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    await services.workTreeUpToDate()
    const lagging = new Set<boolean>()

    for (let index = 0; index < 20; index++) {
      await createNote(services, `note ${index}`)
      // The branch has moved. In this iteration of the event loop, the server has not updated the index yet.
      lagging.add(existsSync(join(repository.dir, '.git/index.lock')))
    }
    await services.workTreeUpToDate()

    expect([...lagging]).to.deep.equal([true])
    expect(existsSync(join(repository.dir, '.git/index.lock'))).to.equal(false)
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('an update is refused, without a loss, while git holds the index lock', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose({ patience: 100 })
    await registerNote(services)
    await services.workTreeUpToDate()
    const head = await repository.head()
    await writeFile(join(repository.dir, '.git/index.lock'), '')

    const refused = await createNote(services, 'refused').catch((thrown: unknown) => thrown)
    await rm(join(repository.dir, '.git/index.lock'))
    await createNote(services, 'accepted')
    await services.workTreeUpToDate()

    expect(refused).to.be.instanceOf(ProblemError)
    expect(refused).to.include({ kind: 'unavailable' })
    expect((refused as ProblemError).extra.retryAfter).to.be.a('number')
    expect(await repository.git('rev-parse', 'HEAD~1')).to.equal(head)
    expect(await repository.git('status', '--porcelain')).to.equal('')
  })

  it('an index lock is stale after the wait of an update, even if the check of the lock took long', async () => {
    const repository = await temporaryRepository()
    const patience = 200
    const services = await repository.compose({ patience })
    await registerNote(services)
    await services.workTreeUpToDate()
    const lock = join(repository.dir, '.git/index.lock')
    await writeFile(lock, '')
    // The time of the file does not count. The age of the lock begins with the first check.
    const future = new Date(Date.now() + 3_600_000)
    await utimes(lock, future, future)
    const { statSync } = fs
    let isFirst = true
    const looking = mock.method(fs, 'statSync', (...args: Parameters<typeof statSync>) => {
      if (isFirst && args[0] === lock) {
        isFirst = false
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patience / 2)
      }
      return statSync(...args)
    })
    syncBuiltinESMExports()
    try {
      const refused = await createNote(services, 'refused').catch((thrown: unknown) => thrown)
      expect(refused).to.include({ kind: 'unavailable' })
      expect(isFirst).to.equal(false)
    } finally {
      looking.mock.restore()
      syncBuiltinESMExports()
    }

    const { locks = [] } = await services.health(selfPrincipal)
    expect(locks.map(({ file }) => file)).to.deep.equal(['index.lock'])
    await rm(lock)
  })

  it('version numbers and ETags stay when a merge makes the served branch its second parent', async () => {
    const repository = await temporaryRepository({ bare: true })
    const services = await repository.compose()
    await registerNote(services)
    const first = await createNote(services, 'one')
    const second = await reviseNote(services, first, 'two')
    const served = await repository.git('rev-parse', 'main')
    const clone = await mkdtemp(join(tmpdir(), 'git-metastore-clone-'))
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=Jane', '-c', 'user.email=jane@example.org', ...args], { cwd: clone })
    try {
      await git('clone', '-q', repository.dir, '.')
      await git('checkout', '-q', '-b', 'side', 'main~1')
      await writeFile(join(clone, 'README.md'), 'Written on the side.\n')
      await git('add', 'README.md')
      await git('commit', '-q', '-m', 'Describe the repository')
      await git('merge', '-q', '--no-edit', 'main')
      await git('push', '-q', 'origin', 'side:main')
    } finally {
      await rm(clone, { recursive: true, force: true })
    }

    const third = await reviseNote(services, second, 'three')

    const chain = (await repository.git('rev-list', '--first-parent', 'main')).split('\n')
    expect(chain).to.include(served)
    expect(third.version).to.equal(3)
    expect(services.collections.metadata.read(selfPrincipal, first.id, first.version).commit).to.equal(
      first.commit,
    )
    expect(services.collections.metadata.read(selfPrincipal, first.id, second.version).commit).to.equal(
      second.commit,
    )
    expect(await repository.git('show', 'main:README.md')).to.equal('Written on the side.')
    expect(await repository.git('fsck', '--strict')).to.equal('')
  })

  it('git gc --prune=now between a pack and its branch loses nothing', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    await services.workTreeUpToDate()
    const packs = join(repository.dir, '.git/objects/pack')
    const lock = join(repository.dir, '.git/refs/heads/main.lock')
    await writeFile(lock, '')
    const indexes = async () => (await readdir(packs)).filter(name => name.endsWith('.idx'))
    const before = (await indexes()).length

    const update = createNote(services, 'kept')
    await waitUntil('the pack is written', async () => (await indexes()).length > before)
    // The steps of gc that change objects. A complete gc needs the lock of the branch, which simulates a slow disk
    // here.
    await repository.git('repack', '-a', '-d', '-q')
    await repository.git('prune', '--expire=now')
    await rm(lock)
    const revision = await update
    await services.workTreeUpToDate()

    expect(await repository.git('fsck', '--strict', '--full')).to.equal('')
    expect(await repository.git('log', '-1', '--format=%H')).to.equal(revision.commit)
    expect((await services.readDocument(revision)).toString()).to.equal('{"title":"kept"}')
    expect((await readdir(packs)).filter(name => name.endsWith('.keep'))).to.deep.equal([])
  })
})

/**
 * Starts `git commit`, which stops after it has read the index and before it takes the lock of the index: there git asks
 * the monitor of the file system.
 * @see git-config(1), "core.fsmonitor"
 */
async function commitThatStops(repository: TestRepository): Promise<{ goOn(): Promise<string> }> {
  const folder = dirname(repository.dir)
  const [monitor, asked, goesOn] = ['monitor', 'asked', 'goes-on'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const lines = [
    '#!/bin/sh',
    `touch '${asked}'`,
    `until [ -e '${goesOn}' ]; do sleep 0.02; done`,
    "printf '/\\0'",
  ]
  await writeFile(monitor, `${lines.join('\n')}\n`, { mode: 0o755 })
  const args = ['-c', `core.fsmonitor=${monitor}`, 'commit', '-q', '-m', 'Keep a notebook']
  const ended = repository.git(...args).catch((thrown: Error) => thrown.message)
  await waitUntil('the commit has read the index', () => existsSync(asked))
  expect(existsSync(join(repository.dir, '.git/index.lock'))).to.equal(false)
  return {
    async goOn() {
      await writeFile(goesOn, '')
      return await ended
    },
  }
}
