import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type FinishedProcess,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
} from '../../support/program/run-program.js'
import {
  badDocument,
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  exampleRepositoryAt,
  goodDocument,
  initExampleRepository,
  recordFolder,
  smallRecord,
} from '../../support/repository/example-repository.js'

let hand: ExampleRepository
/** Makes the example repository. */
async function start(): Promise<void> {
  hand = await initExampleRepository()
}

/** A bare repository and a clone of it. */
async function shared(): Promise<{ bare: string; clone: ExampleRepository }> {
  const bare = join(hand.folder, 'shared.git')
  await runProgram('git', ['clone', '-q', '--bare', hand.data, bare])
  await runProgram('git', ['clone', '-q', bare, join(hand.folder, 'clone')])
  return { bare, clone: exampleRepositoryAt(hand.folder, join(hand.folder, 'clone')) }
}

describe('git-metastore hooks', () => {
  beforeEach(start)
  afterEach(stopProcesses)

  it('refuse a bad commit and accept a good one', async () => {
    const installed = await hand.run('hooks', 'install')
    expect(installed.code, installed.stderr).to.equal(0)
    expect(installed.stdout).to.contain('Installed pre-commit, pre-merge-commit, pre-receive in')
    const head = await hand.git('rev-parse', 'HEAD')

    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    const refused = await hand.tryGit('commit', '-am', 'Break it')
    expect(refused.code).to.equal(1)
    expect(refused.stderr + refused.stdout).to.contain(`${exampleRecordFolder}/document.json:1: `)
    expect(await hand.git('rev-parse', 'HEAD')).to.equal(head)

    await hand.write(`${exampleRecordFolder}/document.json`, goodDocument('mended'))
    await hand.git('commit', '-qam', 'Good')
    // A partial commit: git gives the hook a separate index.
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.write('README.md', 'Changed')
    await hand.git('commit', '-qm', 'Only this', 'README.md')
    expect((await hand.tryGit('commit', '-qm', 'Only that', exampleRecordFolder)).code).to.equal(1)
    expect(await hand.git('rev-list', '--count', `${head}..`)).to.equal('2')
  })

  it('check a merge before it is committed', async () => {
    const one = '0a000000-0000-4000-8000-000000000001'
    const two = '0a000000-0000-4000-8000-000000000002'
    const add = async (id: string) => {
      await hand.write(`${recordFolder(id)}/record.json`, smallRecord('https://example.org/same'))
      await hand.write(`${recordFolder(id)}/document.json`, goodDocument(id))
      await hand.git('add', '-A')
      await hand.git('commit', '-qm', id)
    }
    await hand.git('checkout', '-q', '-b', 'side')
    await add(one)
    await hand.git('checkout', '-q', 'main')
    await add(two)
    await hand.run('hooks', 'install')

    const merged = await hand.tryGit('merge', '--no-edit', 'side')

    expect(merged.code).to.not.equal(0)
    expect(merged.stderr + merged.stdout).to.contain('already has a document')
  })

  it('leave pushes over HTTP to the server, which checks them once, and check all other pushes', async () => {
    await hand.run('hooks', 'install')
    const server = await startServer(['--data', hand.data, '--allow-push'])
    await runProgram('git', ['clone', '-q', `${server.url}repository.git`, join(hand.folder, 'clone')])
    const clone = exampleRepositoryAt(hand.folder, join(hand.folder, 'clone'))
    const served = async () => {
      const answer = await fetch(`${server.url}api/v1/metadata/${exampleRecordId}`)
      return await answer.text()
    }
    const before = await served()

    await clone.write(`${exampleRecordFolder}/document.json`, badDocument)
    await clone.git('commit', '-qam', 'Break it')
    for (const target of ['origin', hand.data]) {
      const refused = await clone.tryGit('push', '-q', target, 'main')
      expect(refused.code).to.equal(1)
      // One line for each of the two missing members, without repetitions.
      expect(refused.stderr.split(`${exampleRecordFolder}/document.json:1: `)).to.have.length(3)
    }
    expect(await served()).to.equal(before)
    const own = await hand.tryGit('commit', '-q', '--allow-empty', '-m', 'Nothing')
    expect(own.code, own.stderr).to.equal(0)

    await clone.git('reset', '-q', '--hard', 'HEAD~1')
    await clone.git('pull', '-q', '--ff-only')
    await clone.write(`${exampleRecordFolder}/document.json`, goodDocument('pushed'))
    await clone.git('commit', '-qam', 'Good')
    const pushed = await clone.tryGit('push', '-q', 'origin', 'main')
    expect(pushed.code, pushed.stderr).to.equal(0)
    expect(await served()).to.equal(goodDocument('pushed'))
    expect((await server.stop()).code).to.equal(0)
  })

  it('check the whole history of a new branch', async () => {
    const bare = join(hand.folder, 'empty.git')
    await runProgram('git', ['init', '-q', '--bare', '-b', 'main', bare])
    await runMetastore(['hooks', 'install', '--data', bare])
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('commit', '-qam', 'Break it')

    expect((await hand.tryGit('push', '-q', bare, 'main')).code).to.equal(1)
    await hand.git('reset', '-q', '--hard', 'HEAD~1')
    await hand.git('push', '-q', bare, 'main')
  })

  it('keep hooks of the user: install refuses, --force moves them aside, remove restores them', async () => {
    const folder = join(hand.data, '.git', 'hooks')
    const own = '#!/bin/sh\nexit 0\n'
    await mkdir(folder)
    await writeFile(join(folder, 'pre-commit'), own, { mode: 0o755 })

    const refused = await hand.run('hooks', 'install')
    expect(refused.code).to.equal(3)
    expect(refused.stderr).to.contain('pre-commit: git-metastore check --staged --data . || exit 1')
    expect(refused.stderr).to.contain('--force')
    expect(await readFile(join(folder, 'pre-commit'), 'utf8')).to.equal(own)

    for (let time = 0; time < 2; time++) {
      expect((await hand.run('hooks', 'install', '--force')).code).to.equal(0)
      expect(await readFile(join(folder, 'pre-commit'), 'utf8')).to.contain('git-metastore')
    }
    const removed = await hand.run('hooks', 'remove')
    expect(removed.stdout).to.contain('Removed pre-commit, pre-merge-commit, pre-receive')
    expect(await readFile(join(folder, 'pre-commit'), 'utf8')).to.equal(own)
    expect(await readdir(folder)).to.deep.equal(['pre-commit'])
    expect((await hand.run('hooks', 'remove')).stdout).to.contain('There are no hooks of git-metastore')
  })

  it('are installed in core.hooksPath, and ignore other repositories there', async () => {
    const folder = join(hand.folder, 'hooks of mine')
    await hand.git('config', 'core.hooksPath', folder)
    expect((await hand.run('hooks', 'install', '--json')).stdout).to.contain(JSON.stringify(folder))
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    expect((await hand.tryGit('commit', '-qam', 'Break it')).code).to.equal(1)

    const other = exampleRepositoryAt(hand.folder, join(hand.folder, 'other'))
    await runProgram('git', ['init', '-q', other.data])
    await other.git('config', 'core.hooksPath', folder)
    await other.write('a.txt', 'a')
    await other.git('add', '-A')
    await other.git('commit', '-qm', 'Something else')
  })

  it('find a moved program on the PATH, and refuse with a message if it is missing', async () => {
    await hand.run('hooks', 'install')
    const hook = join(hand.data, '.git', 'hooks', 'pre-commit')
    const script = await readFile(hook, 'utf8')
    const entry = /\[ -f '([^']+)' \]/.exec(script)?.[1] ?? ''
    await writeFile(hook, script.replaceAll(entry, join(hand.folder, 'gone.js')))
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)

    const missing = await hand.tryGit('commit', '-qam', 'Break it')
    expect(missing.code).to.equal(1)
    expect(missing.stderr).to.match(/git-metastore is neither at .*gone\.js nor on the PATH/)

    const bin = join(hand.folder, 'bin')
    await runProgram('mkdir', [bin])
    await writeFile(join(bin, 'git-metastore'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, {
      mode: 0o755,
    })
    const env = { PATH: `${bin}:${process.env.PATH}` }
    const found = await runProgram('git', ['-C', hand.data, 'commit', '-qam', 'Break it'], { env })
    expect(found.code).to.equal(1)
    expect(found.stdout + found.stderr).to.contain('document.json')
    await rm(bin, { recursive: true })
  })
})

describe('git-metastore hooks of a bare repository', () => {
  let bare: string
  let clone: ExampleRepository
  let installed: FinishedProcess
  let head: string
  let bad: string
  let refused: FinishedProcess
  const served = async () => (await runProgram('git', ['-C', bare, 'rev-parse', 'main'])).stdout
  before(async () => {
    await start()
    const { bare: folder, clone: copy } = await shared()
    bare = folder
    clone = copy
    installed = await runMetastore(['hooks', 'install', '--data', bare])
    head = await served()
    await clone.write(`${exampleRecordFolder}/document.json`, badDocument)
    await clone.git('commit', '-qam', 'Break it')
    bad = await clone.git('rev-parse', 'HEAD')
    refused = await clone.tryGit('push', '-q', 'origin', 'main')
  })
  after(stopProcesses)

  it('are installed for pushes only', () => {
    expect(installed.stdout).to.contain('Installed pre-receive in')
  })

  it('refuse a bad push with the message of check', () => {
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.contain(`remote: ${bad.slice(0, 10)}  ${exampleRecordFolder}/document.json:1: `)
    expect(refused.stderr).to.contain('correct the commits themselves')
  })

  it('keep the branch from a refused push', async () => {
    expect(await served()).to.equal(head)
  })

  it('accept the same commits on a branch that is not served', async () => {
    await clone.git('push', '-q', 'origin', 'main:refs/heads/draft')
  })

  // Tests of pushes over HTTP cover every kind of such a name. The short form has one name of a branch and one of a
  // tag.
  const names = ['refs/heads/refs/heads/main', 'refs/tags/main', 'refs/heads/HEAD', 'refs/tags/COMMIT']
  for (const name of isLongForm ? names : names.slice(0, 2)) {
    it(`refuse a name that means something else already: ${name}`, async () => {
      const ref = name.replace('COMMIT', bad)
      const confusing = await clone.tryGit('push', '-q', 'origin', `main:${ref}`)
      expect(confusing.code).to.equal(1)
      expect(confusing.stderr).to.contain(`${ref} cannot be used as a name: `)
    })
  }

  describe('after a good push', () => {
    before(async () => {
      await clone.git('reset', '-q', '--hard', 'origin/main')
      await clone.write(`${exampleRecordFolder}/document.json`, goodDocument('good'))
      await clone.git('commit', '-qam', 'Good')
      await clone.git('push', '-q', 'origin', 'main')
    })

    it('have let the branch move', async () => {
      expect(await served()).to.not.equal(head)
    })

    it('refuse another history, even with --force', async () => {
      await clone.git('reset', '-q', '--hard', 'HEAD~1')
      await clone.write('README.md', 'Another history')
      await clone.git('commit', '-qam', 'Rewritten')
      const forced = await clone.tryGit('push', '-q', '--force', 'origin', 'main')
      expect(forced.code).to.equal(1)
      expect(forced.stderr).to.contain('history must only grow')
    })

    it('refuse to delete the branch', async () => {
      const deleted = await clone.tryGit('push', '-q', 'origin', ':main')
      expect(deleted.code).to.equal(1)
      expect(deleted.stderr).to.contain('cannot be deleted')
    })
  })
})
