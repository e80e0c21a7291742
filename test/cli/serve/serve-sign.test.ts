// test-schedule: waits
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
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
    const ids = Array.from({ length: 20 }, (_, index) => `signed-${index}`)
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
      `git-metastore: There is no key ${join(hand.folder, 'none')} to sign with. --sign takes the file of an ssh key; ` +
        'OpenPGP keys (gpg) are not supported.\n',
    ])
    const env = { PATH: join(hand.folder, 'nothing') }
    const without = await runMetastore(['serve', '--port', '0', '--data', hand.data, '--sign', key], { env })
    expect(without.code).to.equal(1)
    expect(without.stderr).to.contain('there is no ssh-keygen on the PATH')
  })

  const refusal = async (file: string) => {
    const { code, stderr } = await runMetastore(['serve', '--port', '0', '--data', hand.data, '--sign', file])
    expect(code, stderr).to.equal(1)
    expect(stderr).to.contain(`Commits cannot be signed with ${file}: `)
    return stderr
  }

  it('names a remedy for a key with a passphrase: an ssh-agent, or another key', async () => {
    const locked = join(hand.folder, 'locked')
    await makeKey(locked, 'secret')
    for (const file of [locked, `${locked}.pub`]) {
      expect(await refusal(file))
        .to.contain('the key has a passphrase, which the server cannot enter.')
        .and.contain(`ssh-add ${locked}`)
        .and.contain(`--sign ${locked}.pub`)
        .and.contain('a key without a passphrase')
    }

    const askpass = join(hand.folder, 'askpass')
    await writeFile(askpass, '#!/bin/sh\necho secret\n', { mode: 0o755 })
    const agent = await runProgram('ssh-agent', ['-a', join(hand.folder, 'agent'), '-s'])
    const variables = /SSH_AUTH_SOCK=([^;]+).*SSH_AGENT_PID=(\d+)/s.exec(agent.stdout)
    const env = { SSH_AUTH_SOCK: variables?.[1] ?? '' }
    try {
      const asking = { ...env, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' }
      expect((await runProgram('ssh-add', ['-q', locked], { env: asking })).code).to.equal(0)
      const server = await startServer(['--data', hand.data, '--sign', `${locked}.pub`], { env })
      expect(await postExampleRecord(server, 'by-agent')).to.equal(201)
      await server.stop()
    } finally {
      process.kill(Number(variables?.[2]))
    }
    expect(await hand.git('cat-file', '-p', 'HEAD')).to.contain('BEGIN SSH SIGNATURE')
  })

  it('reports the fault of a file that is not an ssh key, or that other users may read', async () => {
    for (const [name, content] of [
      ['key.asc', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlIYEZ\n-----END PGP PRIVATE KEY BLOCK-----\n'],
      ['key.txt', 'no key\n'],
    ] as const) {
      const file = join(hand.folder, name)
      await writeFile(file, content, { mode: 0o600 })
      expect(await refusal(file))
        .to.contain('ssh-keygen finds no ssh key in it')
        .and.contain('OpenPGP keys (gpg) are not supported')
    }
    await chmod(key, 0o644)
    expect(await refusal(key))
      .to.contain('other users may read it')
      .and.contain(`chmod 600 ${key}`)
  })

  it('leaves OpenPGP signatures of manual commits to git and gpg', async function () {
    if ((await runProgram('sh', ['-c', 'command -v gpg'])).code !== 0) this.skip()
    const home = join(hand.folder, 'gnupg')
    await mkdir(home, { mode: 0o700 })
    const env = { GNUPGHOME: home }
    const made = [
      '--batch',
      '--quiet',
      '--passphrase',
      '',
      '--quick-gen-key',
      'jane@example.org',
      'ed25519',
      'sign',
    ]
    expect((await runProgram('gpg', made, { env })).code).to.equal(0)
    try {
      await hand.git('config', 'commit.gpgsign', 'true')
      await hand.git('config', 'user.signingkey', 'jane@example.org')
      await hand.write('notes.txt', 'signed\n')
      const commit = ['commit', '--all', '-m', 'Signed', '--data', hand.data]
      expect((await runMetastore(commit, { env })).code).to.equal(0)
      const { stdout } = await runMetastore(['verify', '--signatures', '--data', hand.data], { env })
      expect(stdout).to.contain('1 of 2 commits with a signature by an allowed signer')

      await hand.git('config', 'user.signingkey', 'nobody@example.org')
      await hand.write('notes.txt', 'not signed\n')
      const refused = await runMetastore(commit, { env })
      expect([refused.code, refused.stderr.includes('gpg failed to sign the data')]).to.deep.equal([1, true])
      expect(await hand.git('status', '--porcelain')).to.equal('M notes.txt')
    } finally {
      await runProgram('gpgconf', ['--kill', 'all'], { env })
    }
  })

  it('refuses an update that it cannot sign, and stores no part of it with the next one', async () => {
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
