import { join } from 'node:path'
import { expect } from 'chai'
import {
  type FinishedProcess,
  programScript,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'

describe('a command whose output goes to a full device', () => {
  let data: string
  before(async function () {
    if (process.platform !== 'linux') this.skip()
    data = join(await temporaryFolder(), 'data')
    await initialise(data, [])
  })
  after(stopProcesses)

  const runFull = (stream: '1' | '2', ...args: readonly string[]): Promise<FinishedProcess> =>
    runProgram('sh', ['-c', `exec "$0" "$@" ${stream}> /dev/full`, process.execPath, programScript, ...args])

  const message = 'Standard output cannot be written to: no space left on device.'
  const commands = [['list'], ['list', '--json'], ['log', 'measurement'], ['export'], ['verify'], ['status']]
  for (const args of [...commands, ['serve', '--port', '0']]) {
    it(`reports this in one line and ends with 1: ${args.join(' ')}`, async () => {
      const { code, stderr } = await runFull('1', ...args, '--data', data)

      expect(code, stderr).to.equal(1)
      expect(stderr).to.equal(
        args.includes('--json')
          ? `${JSON.stringify({ kind: 'no-space', message })}\n`
          : `git-metastore: ${message}\n`,
      )
    })
  }

  for (const args of [['--help'], ['list', '--help'], ['--version'], ['completion']]) {
    it(`reports this in one line and ends with 1: ${args.join(' ')}`, async () => {
      const { code, stderr } = await runFull('1', ...args)

      expect(code, stderr).to.equal(1)
      expect(stderr).to.equal(`git-metastore: ${message}\n`)
    })
  }

  it('keeps its exit code if only standard error is full', async () => {
    const { code, stdout } = await runFull('2', 'list', '--no-such-option')

    expect(code).to.equal(2)
    expect(stdout).to.equal('')
  })
})
