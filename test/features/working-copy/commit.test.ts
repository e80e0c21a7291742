// test-schedule: waits
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { runMetastore, startServer, stopProcesses } from '../../support/program/run-program.js'
import {
  badDocument,
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  goodDocument,
  initExampleRepository,
  postExampleRecord,
  recordFolder,
  smallRecord,
} from '../../support/repository/example-repository.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const one = '0a000000-0000-4000-8000-000000000001'

describe('git-metastore commit', () => {
  let hand: ExampleRepository
  beforeEach(async () => {
    hand = await initExampleRepository()
  })
  afterEach(stopProcesses)

  it('commits edited, new and removed records with the author of git, and leaves other files', async () => {
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    await hand.write(`${recordFolder(one)}/record.json`, smallRecord('https://example.org/1'))
    await hand.write(`${recordFolder(one)}/document.json`, goodDocument('one'))
    await hand.git('rm', '-rqf', 'metadata/7')
    await hand.write('notes.txt', 'not ours')

    const { code, stdout, stderr } = await hand.run('commit', '-m', 'By hand', '-m', 'And why')

    expect(code, stderr).to.equal(0)
    expect(stdout).to.match(/^Committed [0-9a-f]{10}: 3 revisions of records\n$/)
    expect(stderr).to.equal('Not committed, because it is not part of a record: notes.txt\n')
    expect(await hand.git('status', '--porcelain')).to.equal('?? notes.txt')
    expect(await hand.git('log', '-1', '--format=%an <%ae>%n%B')).to.equal(
      'Jane <jane@example.org>\nBy hand\n\nAnd why',
    )
    expect((await hand.run('verify')).stdout).to.contain('no complaint')
    expect((await hand.run('commit', '-m', 'Again')).stdout).to.equal('There is nothing to commit.\n')
  })

  it('commits nothing if it finds a fault, and names the fault', async () => {
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.write(`${recordFolder(one)}/record.json`, '{')
    const before = await hand.git('rev-parse', 'HEAD')

    const { code, stdout } = await hand.run('commit', '-m', 'Bad')

    expect(code).to.equal(4)
    expect(stdout).to.contain(`work tree  ${exampleRecordFolder}/document.json:1: `)
    expect(stdout).to.contain(`work tree  ${recordFolder(one)}`)
    expect(stdout).to.contain('Nothing is committed: ')
    expect(await hand.git('rev-parse', 'HEAD')).to.equal(before)
    expect(await hand.git('diff', '--cached', '--name-only')).to.equal('')
    const { faults } = JSON.parse((await hand.run('commit', '-m', 'Bad', '--json')).stdout) as {
      faults: object[]
    }
    expect(faults.length).to.be.above(2)
  })

  it('commits given paths, staged files, and all files with --all, like git', async () => {
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    await hand.write('schemas/note/record.json', '{}\n')
    await hand.write('schemas/note/schema.json', '{ "type": "object" }\n')
    await hand.write('a.txt', 'a')
    await hand.write('b.txt', 'b')

    expect((await hand.run('commit', 'schemas/note', '-m', 'Only the schema')).code).to.equal(0)
    expect(await hand.git('show', '--name-only', '--format=')).to.equal(
      'schemas/note/record.json\nschemas/note/schema.json',
    )
    await hand.git('add', 'a.txt')
    expect((await hand.run('commit', '-m', 'Records and what is staged')).code).to.equal(0)
    expect(await hand.git('show', '--name-only', '--format=')).to.equal(
      `a.txt\n${exampleRecordFolder}/document.json`,
    )
    expect((await hand.run('commit', '-am', 'All')).code).to.equal(0)
    expect(await hand.git('show', '--name-only', '--format=')).to.equal('b.txt')
    expect((await hand.run('commit', 'nothing', '-m', 'x')).code).to.equal(1)
    expect((await hand.run('commit', 'a.txt', '--all', '-m', 'x')).code).to.equal(2)
    expect((await hand.run('commit')).code).to.equal(2)
  })

  it('runs the hooks of git, and checks only once', async () => {
    await hand.run('hooks', 'install')
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    expect((await hand.run('commit', '-m', 'With our hook')).code).to.equal(0)
    await hand.run('hooks', 'remove')
    await writeFile(
      join(hand.data, '.git', 'hooks', 'pre-commit'),
      '#!/bin/sh\necho "Not on a Friday" >&2\nexit 1\n',
      { mode: 0o755 },
    )
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Eve', 'Ada'))

    const { code, stderr } = await hand.run('commit', '-m', 'With a hook that says no')

    expect(code).to.equal(1)
    expect(stderr).to.contain('Not on a Friday')
  })

  for (const [what, ...options] of [
    ['everything', '--all'],
    ['the records'],
    ['a path', exampleRecordFolder],
  ] as const) {
    it(`restores the index if git refuses to commit ${what}`, async () => {
      await hand.write('staged.txt', 'staged\n')
      await hand.git('add', 'staged.txt')
      await hand.write('staged.txt', 'edited since\n')
      await hand.write('untracked.txt', 'untracked\n')
      await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
      const hook = join(hand.data, '.git', 'hooks', 'pre-commit')
      await mkdir(dirname(hook), { recursive: true })
      await writeFile(hook, '#!/bin/sh\necho "Not on a Friday" >&2\nexit 1\n', { mode: 0o755 })
      const before = [await hand.git('status', '--porcelain'), await hand.git('ls-files', '--stage')]

      const { code, stderr } = await hand.run('commit', '-m', 'Refused', ...options)

      expect([code, stderr.includes('Not on a Friday')], stderr).to.deep.equal([1, true])
      expect([await hand.git('status', '--porcelain'), await hand.git('ls-files', '--stage')]).to.deep.equal(
        before,
      )
      await rm(hook)
      expect((await hand.run('commit', '-m', 'Accepted', ...options)).code).to.equal(0)
      await hand.git('fsck', '--strict', '--no-dangling')
    })
  }

  it('refuses conflicts of a merge, and a repository without a work tree', async () => {
    await hand.git('checkout', '-q', '-b', 'side')
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    await hand.git('commit', '-qam', 'Side')
    await hand.git('checkout', '-q', 'main')
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Bob'))
    await hand.git('commit', '-qam', 'Main')
    expect((await hand.tryGit('merge', 'side')).code).to.equal(1)

    const refused = await hand.run('commit', '-m', 'Merge')
    expect(refused.code).to.equal(3)
    expect(refused.stderr).to.contain(`conflicts in ${exampleRecordFolder}/document.json`)
    await hand.git('checkout', '--theirs', exampleRecordFolder)
    await hand.git('add', '-A')
    expect((await hand.run('commit', '-m', 'Merge')).code).to.equal(0)
    expect((await hand.git('log', '-1', '--format=%P')).split(' ')).to.have.length(2)

    const bare = await initExampleRepository('--bare')
    expect((await bare.run('commit', '-m', 'x')).code).to.equal(2)
  })

  it('loses no update beside a busy server, and the server serves its commit at once', async () => {
    const server = await startServer(['--data', hand.data])
    const url = `${server.url}api/v1/metadata`
    const enough = new AbortController()
    let written = 0
    const updates = (async () => {
      for (; !enough.signal.aborted; written++) {
        expect(await postExampleRecord(server, `through-${written}`)).to.equal(201)
        await sleep(30)
      }
    })()
    for (const title of ['first', 'second', 'third']) {
      await hand.write(`${exampleRecordFolder}/document.json`, goodDocument(title))
      const { code, stderr } = await runMetastore(['commit', '-m', title, '--data', hand.data])
      expect(code, stderr).to.equal(0)
    }
    enough.abort()
    await updates
    const last = async () => (await fetch(`${url}/${exampleRecordId}`)).text()
    await waitUntil('the last commit', async () => (await last()).includes('third'))
    expect(await last()).to.equal(goodDocument('third'))
    const listed = (await (await fetch(`${url}?size=2000`)).json()) as { id: string }[]
    expect(listed).to.have.length(2 + written)
    expect((await server.stop()).code).to.equal(0)
    expect(await hand.git('status', '--porcelain')).to.equal('')
    expect((await hand.run('verify')).stdout).to.contain('no complaint')
  })
})
