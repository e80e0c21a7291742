import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import { leaveLauncher, startProgram, useLauncher } from '../../../src/store/process/launcher.js'
import type { Program, StartedProgram } from '../../../src/store/process/started-program.js'
import { descendantsOf, dropOutput, isRunning, killProcess } from '../../support/program/child-processes.js'
import { runProgram } from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const shell = (script: string, more: Partial<Program> = {}): Program => ({
  command: 'sh',
  args: ['-c', script],
  env: process.env,
  ...more,
})

/** Id of the process that starts programs. */
async function starter(): Promise<number> {
  const { stdout, stderr } = await startProgram(shell('echo $PPID'))
  stderr.resume()
  return Number(await text(stdout))
}

async function useReadyLauncher(): Promise<void> {
  useLauncher()
  await waitUntil('a launcher with a socket', async () => (await starter()) !== process.pid)
}

const socketFolders = () => readdirSync(tmpdir()).filter(name => name.startsWith('git-metastore-launcher-'))

for (const { from, begin } of [
  { from: 'this process', begin: async () => leaveLauncher() },
  { from: 'the launcher', begin: useReadyLauncher },
]) {
  describe(`a program whose streams are used, started by ${from}`, () => {
    before(begin)
    // Helpers of tests use the launcher.
    after(useLauncher)

    it('is started by that process', async () => {
      expect((await starter()) === process.pid).to.equal(from === 'this process')
    })

    it('has its three streams, and reports its end', async () => {
      const program = await startProgram(shell('cat; pwd >&2; exit 3', { cwd: '/' }))
      program.stdin.end('ä'.repeat(300_000))
      const [output, complaint] = await Promise.all([text(program.stdout), text(program.stderr)])
      expect([output === 'ä'.repeat(300_000), complaint]).to.deep.equal([true, '/\n'])
      const end = { code: 3, signal: undefined }
      expect([await program.exited, await program.closed]).to.deep.equal([end, end])
    })

    it('waits while its output is not read, and while it gets no input', async () => {
      const program = await startProgram(shell('head -c 20000000 /dev/zero; read line; echo "$line"'))
      await waitUntil(
        'a full pipe',
        () => program.stdout.readableLength >= program.stdout.readableHighWaterMark,
      )
      program.stdin.end('over\n')
      const output = await buffer(program.stdout)
      expect([output.length, output.subarray(-5).toString()]).to.deep.equal([20_000_005, 'over\n'])
    })

    it('cannot start without its file: the error is that of the system', async () => {
      const error = await startProgram({ command: '/no/such/program', args: [], env: {} }).catch(e => e)
      expect(error).to.have.property('code', 'ENOENT')
    })

    it('has its own streams beside many others', async () => {
      const numbers = Array.from({ length: 60 }, (_, index) => index)
      const said = await Promise.all(
        numbers.map(async at => {
          const { stdin, stdout, stderr } = await startProgram(
            shell(`cat; echo out ${at}; echo err ${at} >&2`),
          )
          stdin.end(`in ${at}\n`)
          return await Promise.all([text(stdout), text(stderr)])
        }),
      )
      expect(said).to.deep.equal(numbers.map(at => [`in ${at}\nout ${at}\n`, `err ${at}\n`]))
    })

    it('may end before this process learns of its start', async () => {
      for (let run = 0; run < 100; run++) {
        const program = await startProgram({ command: 'true', args: [], env: process.env })
        expect(await dropOutput(program)).to.deep.equal({ code: 0, signal: undefined })
      }
    })

    it('may end before it reads its input', async () => {
      const program = await startProgram(shell('exec true'))
      program.stdin.on('error', () => undefined)
      expect(await program.exited).to.deep.equal({ code: 0, signal: undefined })
      program.stdin.write('x'.repeat(1_000_000))
      await waitUntil('the end of its input', () => program.stdin.destroyed)
    })

    for (const how of ['kill', 'signal'] as const) {
      it(`ends with its child processes in a session of its own: ${how}`, async () => {
        const over = new AbortController()
        const sleeper = shell('sleep 3000 & sleep 3001', { hasOwnSession: true })
        const program = await startProgram(sleeper, over.signal)
        const all = await waitUntil('both', () => {
          const found = descendantsOf(process.pid, 'sleep 300')
          return found.length >= 2 && found
        })
        if (how === 'kill') program.kill()
        else over.abort()
        expect((await dropOutput(program)).code).to.equal(undefined)
        await waitUntil('their end', () => !all.some(isRunning))
      })
    }

    it('ends if the signal was aborted before its start', async () => {
      const program = await startProgram(shell('exec sleep 3002'), AbortSignal.abort())
      expect(await program.exited).to.deep.equal({ code: undefined, signal: 'SIGTERM' })
    })

    it('is ended with SIGKILL if its child process stays after SIGTERM', async () => {
      const stays = `trap '' TERM; echo ready; while :; do sleep 0.05; done`
      const program = await startProgram(shell(`(${stays}) & wait`, { hasOwnSession: true }))
      await new Promise(resolve => program.stdout.once('data', resolve))
      program.kill()
      expect((await program.exited).signal).to.equal('SIGTERM')
      await dropOutput(program)
    })
  })
}

describe('the launcher of programs whose streams are used', () => {
  const usual = process.env.TMPDIR
  before(async () => {
    // Other processes of this test run may have launchers, too.
    leaveLauncher()
    process.env.TMPDIR = await mkdtemp(join(tmpdir(), 'git-metastore-test-'))
    await useReadyLauncher()
  })
  after(async () => {
    leaveLauncher()
    await rm(tmpdir(), { recursive: true, maxRetries: 5 })
    if (usual === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = usual
    useLauncher()
  })

  it('removes its socket when it ends', async () => {
    expect(socketFolders()).to.have.length(1)
    leaveLauncher()
    await waitUntil('an end without a socket', () => socketFolders().length === 0)
    await useReadyLauncher()
  })

  it('fails with its programs after a kill, and starts again', async () => {
    const command = 'echo begun; cat'
    const program: StartedProgram = await startProgram(shell(command))
    await new Promise(resolve => program.stdout.once('data', resolve))
    // This process may have started others with "cat" in their command line, such as git cat-file.
    const [started] = descendantsOf(process.pid, command)
    const launcher = await starter()
    const reading = buffer(program.stdout).catch(e => e)
    killProcess({ pid: launcher, command: '' })
    for (const failed of [program.exited, program.closed, reading]) {
      const error = await failed.catch(e => e)
      expect(error).to.be.instanceOf(ProblemError).with.property('kind', 'unavailable')
    }
    await waitUntil('the end of the program', () => started && !isRunning(started))
    await waitUntil('a launcher', async () => ![launcher, process.pid].includes(await starter()))
    expect(socketFolders()).to.have.length(1)
  })

  it('ends with a process that ends before the launcher is ready', async () => {
    const launcher = new URL('../../../src/store/process/launcher.js', import.meta.url).href
    for (let milliseconds = 0; milliseconds <= 200; milliseconds += 20) {
      const script = `
        import { startProgram, useLauncher } from '${launcher}'
        useLauncher()
        await startProgram({ command: 'true', args: [], env: {} })
        setTimeout(() => process.exit(), ${milliseconds})`
      // A remaining launcher would keep the standard error open.
      const { code, stderr } = await runProgram(process.execPath, ['--input-type=module', '-e', script], {
        env: { TMPDIR: tmpdir() },
      })
      expect([code, stderr]).to.deep.equal([0, ''])
    }
    await waitUntil('one socket', () => socketFolders().length === 1)
  })

  it('is not needed if its socket was removed: this process starts the programs, and reports the reason once', async () => {
    const notes: string[] = []
    useLauncher(line => notes.push(line))
    const launcher = await starter()
    for (const name of socketFolders()) rmSync(join(tmpdir(), name), { recursive: true })
    expect(await starter()).to.equal(process.pid)
    expect(await starter()).to.equal(process.pid)
    expect(notes.join()).to.match(/the launcher has no socket: connect ENOENT \S+\. Set TMPDIR to/)
    expect(notes).to.have.length(1)
    killProcess({ pid: launcher, command: '' })
    await waitUntil('another launcher', async () => ![launcher, process.pid].includes(await starter()))
  })

  it('removes the files of a killed launcher, and keeps those of a running one', async () => {
    const running = socketFolders()
    const stale = await mkdtemp(join(tmpdir(), 'git-metastore-launcher-'))
    const listener = `require('node:net').createServer().listen(${JSON.stringify(join(stale, 'socket'))}, () => process.kill(process.pid, 'SIGKILL'))`
    expect((await runProgram(process.execPath, ['-e', listener])).code).to.equal(null)
    const old = new Date(Date.now() - 2 * 60 * 60 * 1000)
    for (const name of socketFolders()) await utimes(join(tmpdir(), name), old, old)
    const launcher = new URL('../../../src/store/process/launcher.js', import.meta.url).href
    const script = `
      import { existsSync } from 'node:fs'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { leaveLauncher, startProgram, useLauncher } from '${launcher}'
      useLauncher()
      await startProgram({ command: 'true', args: [], env: {} })
      while (existsSync('${stale}')) await sleep(20)
      leaveLauncher()`
    expect(
      (
        await runProgram(process.execPath, ['--input-type=module', '-e', script], {
          env: { TMPDIR: tmpdir() },
        })
      ).code,
    ).to.equal(0)
    expect(socketFolders()).to.deep.equal(running)
    expect((await starter()) === process.pid).to.equal(false)
  })

  for (const [defect, folder] of [
    ['is missing', 'missing'],
    ['has a path that is too long for a socket', 'a'.repeat(200)],
  ] as const) {
    it(`is not needed if the folder of temporary files ${defect}: this process starts the programs, and reports the reason`, async () => {
      const usable = tmpdir()
      const notes: string[] = []
      leaveLauncher()
      useLauncher(line => notes.push(line))
      process.env.TMPDIR = join(usable, folder)
      if (folder !== 'missing') await mkdir(tmpdir())
      try {
        expect(await starter()).to.equal(process.pid)
        await waitUntil('a note', () => notes.length > 0)
        expect(notes.join()).to.match(/the launcher has no socket: .+\. Set TMPDIR to/)
        expect(await starter()).to.equal(process.pid)
        expect(notes).to.have.length(1)
        expect(readdirSync(usable).filter(name => /^a+$/.test(name) && name !== folder)).to.deep.equal([])
      } finally {
        process.env.TMPDIR = usable
        leaveLauncher()
        await useReadyLauncher()
      }
    })
  }

  it('has a socket that only its own user can reach', async () => {
    const [folder = ''] = socketFolders()
    expect(statSync(join(tmpdir(), folder)).mode & 0o777).to.equal(0o700)
    expect(existsSync(join(tmpdir(), folder, 'socket'))).to.equal(true)
  })
})
