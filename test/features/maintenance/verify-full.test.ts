// test-schedule: waits
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, runProgram, stopProcesses } from '../../support/program/run-program.js'
import {
  badDocument,
  type ExampleRepository,
  exampleRecordFolder,
  goodDocument,
  initExampleRepository,
} from '../../support/repository/example-repository.js'

describe('git-metastore verify', () => {
  let hand: ExampleRepository
  beforeEach(async () => {
    hand = await initExampleRepository()
  })
  afterEach(stopProcesses)

  it('proves a clone with --full, and states the counts and the commit', async () => {
    const file = join(hand.folder, 'new.json')
    await writeFile(file, goodDocument('by command'))
    await hand.run('update', exampleRecordFolder.slice(-36), file)
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('by command', 'by hand'))
    await hand.git('commit', '-qam', 'By hand')
    await runProgram('git', ['clone', '-q', '--bare', hand.data, 'clone.git'], { cwd: hand.folder })
    const clone = join(hand.folder, 'clone.git')

    const { code, stdout, stderr } = await runMetastore(['verify', '--full', '--data', clone])
    expect(code, stdout + stderr).to.equal(0)
    const head = await hand.git('rev-parse', 'HEAD')
    const commits = await hand.git('rev-list', '--count', 'HEAD')
    expect(stdout).to.match(
      new RegExp(
        `\\nProven: commit ${head}, ${commits} commits with 6 revisions, 4 records in 6 versions, 6 documents, in [0-9.]+ s\\n$`,
      ),
    )

    const json = JSON.parse(
      (await runMetastore(['verify', '--full', '--json', '--data', clone])).stdout,
    ) as object
    expect(json).to.deep.include({ complaints: [], faults: [] })
    expect(json).to.have.nested.include({
      'statement.commit': head,
      'statement.proven': true,
      'statement.versions': 6,
    })
  })

  it('does not prove a history with a broken commit, even if a later one corrects it and it claims to be a server commit', async () => {
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    const env = { GIT_COMMITTER_NAME: 'git-metastore' }
    const forged = ['commit', '-qam', 'Forged', '-m', 'Recorded-At: 2026-03-14T05:12:00.123Z']
    await runProgram('git', ['-C', hand.data, ...forged], { env })
    const bad = await hand.git('rev-parse', 'HEAD')
    await hand.git('revert', '--no-edit', 'HEAD')

    const { code, stdout } = await hand.run('verify', '--full')

    expect(code).to.equal(4)
    expect(stdout).to.contain(`${bad.slice(0, 10)}  ${exampleRecordFolder}/document.json:1: `)
    expect(stdout).to.contain('Not proven: commit ')
  })

  it('names with --signatures the commits without a signature by an allowed signer', async function () {
    if ((await runProgram('sh', ['-c', 'command -v ssh-keygen'])).code !== 0) this.skip()
    const keys = ['known', 'unknown'].map(name => join(hand.folder, name))
    for (const key of keys)
      await runProgram('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key])
    const [known = '', unknown = ''] = keys
    const signed = async (key: string) => {
      await hand.git(
        ...['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`],
        ...['commit', '-q', '-S', '--allow-empty', '-m', 'Signed'],
      )
      return await hand.git('rev-parse', 'HEAD')
    }
    const first = await hand.git('rev-parse', 'HEAD')
    const good = await signed(known)
    const stranger = await signed(unknown)
    const signers = join(hand.folder, 'signers')
    const { stdout: key } = await runProgram('cat', [`${known}.pub`])
    await writeFile(signers, `jane@example.org ${key}`)

    const silent = await hand.run('verify', '--signatures')
    expect(silent.code).to.equal(2)
    expect(silent.stderr).to.contain('--allowed-signers')

    const { code, stdout } = await hand.run('verify', '--signatures', '--allowed-signers', signers)
    expect(code).to.equal(4)
    expect(stdout).to.contain(`signature none  ${first.slice(0, 10)}: It is not signed.`)
    expect(stdout).to.contain(`signature not valid  ${stranger.slice(0, 10)}: `)
    expect(stdout).to.not.contain(good.slice(0, 10))
    expect(stdout).to.contain('1 of 3 commits with a signature by an allowed signer')
    expect((await hand.run('verify', '--allowed-signers', signers)).code).to.equal(2)

    const missing = await hand.run('verify', '--signatures', '--allowed-signers', `${signers}.none`)
    expect(missing.code).to.equal(2)
    expect(missing.stderr).to.contain(`There is no file ${signers}.none.`)
  })
})
