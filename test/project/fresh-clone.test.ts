import { once } from 'node:events'
import { cp, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { runProgram, start, stopProcesses, temporaryFolder } from '../support/program/run-program.js'

/**
 * Makes a copy of the project like a checkout with installed packages. It shares `node_modules`, because a test cannot
 * install from the registry. `.ci/run` begins with an installation.
 * @param source whether the copy contains the program; without it, the copy has only a test and builds quickly
 */
async function checkout(source: 'with source' | 'without source'): Promise<string> {
  const folder = join(await temporaryFolder(), 'git-metastore')
  await mkdir(folder)
  for (const name of [
    'bin',
    ...(source === 'with source' ? ['src'] : []),
    'data-template',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    '.npmrc',
  ]) {
    await cp(join(packageFolder(), name), join(folder, name), { recursive: true, preserveTimestamps: true })
  }
  await mkdir(join(folder, 'src'), { recursive: true })
  // One small test replaces the tests and benchmarks of the project, which take as long to build as all other code.
  await mkdir(join(folder, 'test'))
  await mkdir(join(folder, 'bench'))
  await writeFile(
    join(folder, 'test', 'sum.test.ts'),
    `it('adds', () => { if (1 + 1 !== 2) throw new Error() })\n`,
  )
  await symlink(join(packageFolder(), 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const run = (folder: string, ...args: string[]) => runProgram(npm, args, { cwd: folder })

describe('npm start in a fresh clone', function () {
  this.timeout(90_000)
  let folder: string
  before(async () => {
    folder = await checkout('with source')
  })
  after(stopProcesses)

  it('builds, creates its data folder and serves it; a second start only serves', async () => {
    const first = await start(npm, ['start', '--', '--port', '0'], { cwd: folder })
    const answer = await fetch(`${first.url}api/v1/schemas`)
    await first.stop('SIGINT')
    const second = await start(npm, ['start', '--', '--port', '0'], { cwd: folder })

    expect(first.stderr()).to.contain('Building…').and.to.contain('Making data from the template…')
    expect(await answer.json()).to.have.length(2)
    expect((await runProgram('git', ['-C', join(folder, 'data'), 'status', '--porcelain'])).stdout).to.equal(
      '',
    )
    expect(second.stderr()).to.not.match(/Building|Installing|Making/)
    await second.stop('SIGINT')
  })

  it('ends the server if only npm gets the signal', async () => {
    const server = await start(npm, ['start', '--', '--port', '0'], { cwd: folder })
    const ended = once(server.child, 'close')

    process.kill(server.child.pid as number, 'SIGTERM')

    // `close` waits for every process that writes to the output of npm.
    expect(await Promise.race([ended.then(() => 'ended'), sleep(20_000, 'goes on')])).to.equal('ended')
    const refused = await fetch(server.url).catch((error: TypeError) => error.cause)
    expect(refused).to.have.property('code', 'ECONNREFUSED')
    expect((await runProgram('git', ['-C', join(folder, 'data'), 'status', '--porcelain'])).stdout).to.equal(
      '',
    )
  })
})

describe('npm test in a fresh clone', function () {
  this.timeout(90_000)
  let folder: string
  before(async () => {
    folder = await checkout('without source')
  })
  after(stopProcesses)

  it('runs the tests and prints their number', async () => {
    const { code, stdout, stderr } = await run(folder, 'test')

    expect(code, stderr).to.equal(0)
    expect(stderr).to.contain('Building…')
    expect(stdout).to.match(/\n1 passed, 0 failed\n$/)
  })

  it('fails if no test ran, and builds only changed files', async () => {
    const { code, stdout, stderr } = await run(folder, 'test', '--', '--grep', 'no such title')

    expect(stderr).to.not.contain('Building…')
    expect(code).to.not.equal(0)
    expect(stdout).to.contain('No test was run.')
  })

  it('builds changed files, and fails if a test fails', async () => {
    const failing = `it('adds', () => { throw new Error('wrong') })\n`
    await writeFile(join(folder, 'test', 'sum.test.ts'), failing)

    const { code, stdout, stderr } = await run(folder, 'test')

    expect(stderr).to.contain('Building…')
    expect(code).to.not.equal(0)
    expect(stdout).to.match(/\n0 passed, 1 failed\n/)
  })

  it('runs each group of test files in its own process and temporary folder', async () => {
    await mkdir(join(folder, 'test', 'below'))
    const note = `// test-schedule: first
      import { appendFileSync } from 'node:fs'
      it('notes', () => appendFileSync(process.env.NOTES ?? '', process.pid + ' ' + process.env.TMPDIR + '\\n'))`
    await writeFile(join(folder, 'test', 'sum.test.ts'), note)
    await writeFile(join(folder, 'test', 'below', 'other.test.ts'), note)
    const notes = join(folder, 'notes')

    const { stdout } = await runProgram(npm, ['test'], { cwd: folder, env: { NOTES: notes } })

    expect(stdout).to.match(/\n2 passed, 0 failed\n$/)
    const lines = (await readFile(notes, 'utf8')).trim().split('\n')
    for (const place of [0, 1]) expect(new Set(lines.map(line => line.split(' ')[place]))).to.have.lengthOf(2)
  })

  it('fails if it finds no test file', async () => {
    for (const name of ['sum', 'below/other'])
      await rename(join(folder, 'test', `${name}.test.ts`), join(folder, 'test', `${name}.ts`))

    const { code, stdout, stderr } = await run(folder, 'test')

    expect(code).to.not.equal(0)
    expect(stderr).to.contain('There are no test files in ')
    expect(stdout).to.not.contain('0 passed')
  })
})

describe('a fresh clone', () => {
  afterEach(stopProcesses)

  it('reports an installation that is older than the lock file', async () => {
    const folder = await checkout('without source')
    const now = new Date()
    await utimes(join(folder, 'package-lock.json'), now, now)
    // npm must not change `node_modules`, which all checkouts of this test share.
    await mkdir(join(folder, 'none'))
    await writeFile(join(folder, 'none', 'npm'), '#!/bin/sh\necho "npm $*" >&2\nexit 7\n', { mode: 0o755 })
    const env = { PATH: `${join(folder, 'none')}:${process.env.PATH}` }

    const { code, stderr } = await runProgram(process.execPath, ['bin/start.js'], { cwd: folder, env })

    expect(code).to.equal(7)
    expect(stderr).to.match(/^Installing dependencies…\nnpm ci --ignore-scripts /)
  })

  it('needs no install script of any dependency', async () => {
    const lock = JSON.parse(await readFile(join(packageFolder(), 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>
    }
    const scripted = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript)

    expect(scripted.filter(([, entry]) => !entry.optional).map(([name]) => name)).to.deep.equal([])
    expect(await readFile(join(packageFolder(), '.npmrc'), 'utf8')).to.match(/^ignore-scripts=true$/m)
  })
})

describe('npm run build', function () {
  this.timeout(90_000)
  let folder: string
  const write = async (name: string, text: string) => {
    const path = join(folder, 'src', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const starting = (path: string) => `export const script = new URL('${path}', import.meta.url)\n`
  beforeEach(async () => {
    folder = await checkout('without source')
    const main = `const { script } = await import('../starter.js')\nawait import(script.href)\nexport {}\n`
    await write('cli/main.ts', main)
    await write('thread.ts', `import { name } from './parts/name.js'\nconsole.log(name)\n`)
    await write('parts/name.ts', `export const name = 'started'\n`)
  })
  after(stopProcesses)

  it('makes a program whose threads start with files in its folder', async () => {
    await write('starter.ts', starting('./thread.js'))

    const built = await run(folder, 'run', 'build')

    expect(built.code, built.stderr).to.equal(0)
    await rm(join(folder, 'dist', 'src'), { recursive: true })
    const { stdout, stderr } = await runProgram(process.execPath, [join(folder, 'dist/program/main.js')])
    expect(stdout, stderr).to.equal('started\n')
  })

  it('is refused if a thread starts with a file in another folder', async () => {
    await write('starter.ts', starting('./parts/name.js'))

    const { code, stderr } = await run(folder, 'run', 'build')

    expect(code).to.equal(1)
    expect(stderr).to.contain('dist/src/starter.js starts ./parts/name.js, which is not in its own folder.')
  })

  it('is refused if two started files have the same name', async () => {
    await write('starter.ts', starting('./thread.js'))
    await write('parts/starter.ts', starting('./thread.js'))
    await write('parts/thread.ts', `export {}\n`)

    const { code, stderr } = await run(folder, 'run', 'build')

    expect(code).to.equal(1)
    expect(stderr).to.contain('Two files that are started are named thread.js.')
  })
})
