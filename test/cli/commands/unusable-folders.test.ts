import { join } from 'node:path'
import { expect } from 'chai'
import {
  type FinishedProcess,
  programScript,
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'

describe('a command with an unusable folder', () => {
  let folder: string
  let data: string
  before(async () => {
    folder = await temporaryFolder()
    data = join(folder, 'data')
    await initialise(data, [])
  })
  after(stopProcesses)

  /** Expects one line of message. */
  function failsWith({ code, stderr }: FinishedProcess, message: string): void {
    expect(stderr).to.equal(`git-metastore: ${message}\n`)
    expect(code).to.equal(1)
  }

  for (const args of [
    ['check'],
    ['commit', '-m', 'x'],
    ['status'],
    ['hooks', 'install'],
    ['verify', '--full'],
    ['list'],
    ['log'],
  ]) {
    it(`says that there is no data folder: ${args.join(' ')}`, async () => {
      const none = join(folder, 'none')
      const all = args[0] === 'log' ? ['log', 'measurement'] : args

      failsWith(
        await runMetastore([...all, '--data', none]),
        `There is no folder ${none}. Make one with \`git-metastore init ${none}\`.`,
      )
    })
  }

  it('says that the data folder is a file', async () => {
    const file = join(data, 'metastore.json')

    failsWith(
      await runMetastore(['status', '--data', file]),
      `${file} is not a folder. Name the folder that holds the data.`,
    )
  })

  it('says that git is missing if it is', async () => {
    const { code, stderr } = await runProgram(process.execPath, [programScript, 'status', '--data', data], {
      env: { PATH: join(folder, 'none') },
    })

    expect(code).to.equal(1)
    expect(stderr).to.equal('git-metastore: This command needs a git binary, of version 2.31 or newer.\n')
  })
})
