import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { startServer, stopProcesses } from '../../support/program/run-program.js'
import { initExampleRepository, postExampleRecord } from '../../support/repository/example-repository.js'
import { waitUntil } from '../../support/repository/test-repository.js'

describe('one update of a quiet server with a work tree', () => {
  afterEach(stopProcesses)

  it('starts no git process', async () => {
    const hand = await initExampleRepository()
    const [git, log] = [join(hand.folder, 'git'), join(hand.folder, 'git.log')]
    await writeFile(git, `#!/bin/sh\necho "$*" >> ${log}\nexec git "$@"\n`, { mode: 0o755 })
    const server = await startServer(['--data', hand.data, '--git', git])
    const isFollowed = async () =>
      !existsSync(join(hand.data, '.git/index.lock')) &&
      (await hand.tryGit('diff', '--cached', '--quiet')).code === 0
    // The first update reads objects of the repository by `git cat-file`, which goes on.
    await postExampleRecord(server, 'first')
    await waitUntil('the index follows', isFollowed)
    const before = await readFile(log, 'utf8')

    await postExampleRecord(server, 'second')
    await waitUntil('the index follows', isFollowed)

    expect(await readFile(log, 'utf8')).to.equal(before)
    expect((await hand.tryGit('status', '--porcelain')).stdout).to.equal('')
  })
})
