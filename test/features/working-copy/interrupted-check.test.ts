import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { terminationSignals } from '../../../src/core/child-processes.js'
import { killGroup } from '../../../src/store/process/process-group.js'
import {
  programScript,
  runProgram,
  stopProcesses,
  temporaryFolder,
  testEnvironment,
} from '../../support/program/run-program.js'
import { initExampleRepository, initialise } from '../../support/repository/example-repository.js'
import { waitUntil } from '../../support/repository/test-repository.js'

/** Runs git, but waits if TMPDIR has a folder of a command. */
const waitingGit = `#!/bin/sh
if ls "$TMPDIR" | grep -q '^git-metastore-\\(check\\|verify\\)-'; then
  : > "$WAITS"
  sleep 60
fi
exec git "$@"
`

describe('temporary folders of a command', () => {
  let folder: string
  let data: string
  let git: string
  before(async () => {
    folder = await temporaryFolder()
    data = join(folder, 'data')
    git = join(folder, 'waiting-git')
    await initialise(data, [])
    await writeFile(git, waitingGit)
    await chmod(git, 0o755)
  })
  after(stopProcesses)

  let runs = 0
  async function newFolder(): Promise<string> {
    runs++
    const made = join(folder, `temporary-${runs}`)
    await mkdir(made)
    return made
  }

  for (const args of [['check', 'HEAD'], ['verify', '--full'], ['verify']]) {
    for (const signal of terminationSignals) {
      it(`are removed when ${signal} ends it: ${args.join(' ')}`, async () => {
        const temporary = await newFolder()
        const waits = `${temporary}-waits`
        const child = spawn(process.execPath, [programScript, ...args, '--data', data, '--git', git], {
          env: { ...testEnvironment, TMPDIR: temporary, WAITS: waits },
          stdio: 'ignore',
          detached: true,
        })
        const ended = new Promise<NodeJS.Signals | null>(resolve =>
          child.once('exit', (_, by) => resolve(by)),
        )
        try {
          await waitUntil('git waits', async () => existsSync(waits) || child.exitCode !== null)
          child.kill(signal)

          expect(await ended).to.equal(signal)
          expect((await readdir(temporary)).filter(isOurs)).to.deep.equal([])
        } finally {
          killGroup(child.pid as number, 'SIGKILL')
        }
      })
    }
  }

  for (const args of [['check', 'HEAD'], ['verify', '--full'], ['verify']]) {
    it(`are removed after a failed write: ${args.join(' ')}`, async () => {
      const temporary = await newFolder()

      // The limit is zero blocks for each file.
      const { code } = await runProgram(
        'sh',
        [
          '-c',
          'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"',
          process.execPath,
          programScript,
          ...args,
          '--data',
          data,
        ],
        { env: { TMPDIR: temporary } },
      )

      expect(code).to.equal(1)
      expect((await readdir(temporary)).filter(isOurs)).to.deep.equal([])
    })
  }
})

describe('a commit interrupted by a signal', () => {
  after(stopProcesses)

  for (const signal of terminationSignals) {
    it(`leaves no lock and no staged file: ${signal}`, async () => {
      const { folder, data, git, write } = await initExampleRepository()
      const waits = join(folder, 'waits')
      const hook = join(data, '.git/hooks/pre-commit')
      await mkdir(dirname(hook), { recursive: true })
      await writeFile(hook, `#!/bin/sh\n: > ${waits}\nsleep 60\n`, { mode: 0o755 })
      await write('notes.txt', 'notes')
      const args = ['commit', '--all', '-m', 'Notes', '--data', data]
      const child = spawn(process.execPath, [programScript, ...args], {
        env: testEnvironment,
        stdio: 'ignore',
        detached: true,
      })
      const ended = new Promise<NodeJS.Signals | null>(resolve => child.once('exit', (_, by) => resolve(by)))
      try {
        await waitUntil('the hook waits', async () => existsSync(waits) || child.exitCode !== null)
        // A terminal signals the whole process group.
        killGroup(child.pid as number, signal)

        expect(await ended).to.equal(signal)
        expect(existsSync(join(data, '.git/index.lock'))).to.equal(false)
        expect(await git('status', '--porcelain')).to.equal('?? notes.txt')
      } finally {
        killGroup(child.pid as number, 'SIGKILL')
      }
    })
  }
})

function isOurs(name: string): boolean {
  return /^git-metastore-(check|verify)-/.test(name)
}
