// test-schedule: waits
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, runProgram, startServer, stopProcesses } from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  initExampleRepository,
  postExampleRecord,
} from '../../support/repository/example-repository.js'

describe('serve --sign', () => {
  let hand: ExampleRepository
  let key: string
  let signers: string
  beforeEach(async function () {
    if ((await runProgram('sh', ['-c', 'command -v ssh-keygen'])).code !== 0) this.skip()
    hand = await initExampleRepository()
    key = join(hand.folder, 'key')
    signers = join(hand.folder, 'signers')
    await makeKey(key, '')
    await writeFile(signers, `service@example.org ${await readFile(`${key}.pub`, 'utf8')}`)
  })
  afterEach(stopProcesses)

  async function makeKey(file: string, passphrase: string): Promise<void> {
    const args = ['-q', '-t', 'ed25519', '-N', passphrase, '-C', '', '-f', file]
    expect((await runProgram('ssh-keygen', args)).code).to.equal(0)
  }

  it('signs every commit, also several of one flush, so that git accepts them', async () => {
    const before = await hand.git('rev-parse', 'HEAD')
    const server = await startServer(['--data', hand.data, '--sign', key])
    const ids = Array.from({ length: 20 }, (_, at) => `signed-${at}`)
    expect(new Set(await Promise.all(ids.map(id => postExampleRecord(server, id))))).to.deep.equal(
      new Set([201]),
    )
    await server.stop()

    const commits = (await hand.git('rev-list', `${before}..HEAD`)).split('\n')
    expect(commits).to.have.length(20)
    for (const commit of commits) {
      const verified = await hand.tryGit(
        '-c',
        `gpg.ssh.allowedSignersFile=${signers}`,
        'verify-commit',
        commit,
      )
      expect(verified.code, verified.stderr).to.equal(0)
      expect(verified.stderr).to.contain('Good "git" signature for service@example.org')
    }
    await hand.git('fsck', '--strict')
    const { stdout } = await hand.run('verify', '--full', '--signatures', '--allowed-signers', signers)
    expect(stdout).to.contain(`signature none  ${before.slice(0, 10)}`)
    expect(stdout).to.contain('20 of 21 commits with a signature by an allowed signer')
    expect(stdout).to.contain('no complaint')
  })

  it('refuses to start with a key that cannot sign', async () => {
    const start = (...args: string[]) => runMetastore(['serve', '--port', '0', '--data', hand.data, ...args])
    const missing = await start('--sign', join(hand.folder, 'none'))
    expect([missing.code, missing.stderr]).to.deep.equal([
      1,
      `git-metastore: There is no key ${join(hand.folder, 'none')} to sign with.\n`,
    ])
    await makeKey(join(hand.folder, 'locked'), 'secret')
    const locked = await start('--sign', join(hand.folder, 'locked'))
    expect(locked.code).to.equal(1)
    expect(locked.stderr).to.contain('Commits cannot be signed with')
    const env = { PATH: join(hand.folder, 'nothing') }
    const without = await runMetastore(['serve', '--port', '0', '--data', hand.data, '--sign', key], { env })
    expect(without.code).to.equal(1)
    expect(without.stderr).to.contain('there is no ssh-keygen on the PATH')
  })

  it('refuses an update that it cannot sign, and keeps nothing of it for the next one', async () => {
    const server = await startServer(['--data', hand.data, '--sign', key])
    const kept = await readFile(key)
    await rm(key)
    expect(await postExampleRecord(server, 'unsigned')).to.equal(503)
    await writeFile(key, kept)
    await chmod(key, 0o600)
    expect(await postExampleRecord(server, 'signed')).to.equal(201)
    expect((await fetch(`${server.url}api/v1/metadata/unsigned`)).status).to.equal(404)
    await server.stop()

    expect(await hand.git('rev-list', '--count', 'HEAD')).to.equal('2')
    expect(await hand.git('ls-files', '--', ':(glob)metadata/**/unsigned/**')).to.equal('')
    expect((await hand.run('verify')).stdout).to.contain('no complaint')
  })
})
