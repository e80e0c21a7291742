import { mkdir, symlink } from 'node:fs/promises'
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

  /** Checks that the command fails with one line of output. */
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
    it(`reports a missing data folder: ${args.join(' ')}`, async () => {
      const none = join(folder, 'none')
      const all = args[0] === 'log' ? ['log', 'measurement'] : args

      failsWith(
        await runMetastore([...all, '--data', none]),
        `There is no folder ${none}. Make one with \`git-metastore init ${none}\`.`,
      )
    })
  }

  it('reports that the data folder is a file', async () => {
    const file = join(data, 'metastore.json')

    failsWith(
      await runMetastore(['status', '--data', file]),
      `${file} is not a folder. Name the folder that holds the data.`,
    )
  })

  it('reports that git is missing', async () => {
    const { code, stderr } = await runProgram(process.execPath, [programScript, 'status', '--data', data], {
      env: { PATH: join(folder, 'none') },
    })

    expect(code).to.equal(1)
    expect(stderr).to.equal('git-metastore: This command needs a git binary, of version 2.31 or newer.\n')
  })

  for (const args of [['check', 'HEAD'], ['verify', '--full'], ['verify']]) {
    it(`reports that TMPDIR is missing: ${args.join(' ')}`, async () => {
      const none = join(folder, 'none')

      failsWith(
        await runMetastore([...args, '--data', data], { env: { TMPDIR: none } }),
        `No temporary folder can be made in ${none}: no such file or directory. ` +
          'Set TMPDIR to a folder that you may write to.',
      )
    })
  }

  for (const args of [['init'], ['serve', '--port', '0', '--data']]) {
    it(`reports that a link leads nowhere: ${args.join(' ')}`, async () => {
      const link = join(folder, `${args[0]}-link`)
      await symlink(join(folder, 'none'), link)

      const { code, stderr } = await runMetastore([...args, link])

      expect(code).to.equal(1)
      expect(stderr).to.include(
        `The repository ${link} cannot be made: a part of its path is a symbolic link that leads to nothing.`,
      )
      expect(stderr).to.not.match(/^ +at /m)
    })
  }

  it('reports that the current folder was removed', async () => {
    await mkdir(join(folder, 'gone'))
    for (const args of [['list'], ['list', '--data', data], ['init', 'x']]) {
      const ended = await runProgram(
        'sh',
        ['-c', 'rmdir ../gone; exec "$0" "$@"', process.execPath, programScript, ...args],
        { cwd: join(folder, 'gone') },
      )
      await mkdir(join(folder, 'gone'))

      failsWith(ended, 'The current folder was removed. Change to another folder.')
    }
  })

  for (const args of [
    ['init', '/proc/none'],
    ['serve', '--port', '0', '--data', '/proc/none'],
    ['init', '/proc/none/below'],
    ['export', '--format', 'tree', '-o', '/proc/none'],
    ['export', '--format', 'ro-crate', '-o', '/proc/none'],
  ]) {
    it(`reports at once that a folder cannot be made: ${args.join(' ')}`, async function () {
      if (process.platform !== 'linux') this.skip()
      const env = { METASTORE_DATA: args[0] === 'export' ? data : '' }
      const all = ['60', process.execPath, programScript, ...args]

      const { code, stderr } = await runProgram('timeout', all, args[0] === 'export' ? { env } : {})

      expect(code, stderr).to.equal(1)
      expect(stderr).to.match(/\/proc\/none(\/below)? cannot be made: .+\n$/)
      expect(stderr).to.not.match(/^ +at /m)
    })
  }
})
