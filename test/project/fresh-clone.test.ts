// test-schedule: first
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import {
  type RunningServer,
  runProgram,
  start,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'

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

describe('npm start in a fresh clone', () => {
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

  it('takes at most 10 s of processor time to build, with the browser application', async () => {
    const print =
      'process.on("exit", () => { const { user, system } = process.cpuUsage(); console.log(user + system) })'
    const times: number[] = []
    // Another process can only make it slower.
    while (times.length < 3 && !(Math.min(...times) <= 10e6)) {
      const args = [
        '--import',
        `data:text/javascript,${encodeURIComponent(print)}`,
        'bin/bundle.js',
        'program',
      ]
      const { code, stdout, stderr } = await runProgram(process.execPath, args, { cwd: folder })
      expect(code, stderr).to.equal(0)
      times.push(Number(stdout))
    }

    expect(Math.min(...times), `microseconds: ${times.join(', ')}`).to.be.within(1, 10e6)
  })

  it('builds the browser application; without it, the server serves its plain pages and says so once', async () => {
    const built = join(folder, 'dist', 'program', 'browser')
    const read = async (path: string) => {
      const server = await start(npm, ['start', '--', '--port', '0'], { cwd: folder })
      const page = await fetch(new URL('schema-landing-page?schemaId=sample', server.url))
      const answer = await fetch(new URL(path, server.url))
      const found = { page: await page.text(), status: answer.status, stderr: '' }
      await server.stop('SIGINT')
      return { ...found, stderr: server.stderr() }
    }
    const { files } = JSON.parse(await readFile(join(built, 'manifest.json'), 'utf8')) as { files: string[] }
    const whole = await read(`assets/${files[0]}`)
    await rename(built, `${built}.away`)

    const plain = await read('app/schemas/sample/versions')

    await rename(`${built}.away`, built)
    expect(whole.status).to.equal(200)
    expect(whole.page).to.contain('app/schemas/sample/versions')
    expect(whole.stderr).to.not.contain('the browser application was not built')
    expect(plain.status).to.equal(404)
    expect(plain.page).to.contain('<h1').and.not.contain('app/schemas/sample')
    expect(plain.stderr.match(/the browser application was not built/g)).to.have.lengthOf(1)
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

describe('npm test in a fresh clone', () => {
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
    const note = `// test-schedule: alone
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

/** Puts another `npm` on the path. @param script lines of a shell script */
async function withNpm(folder: string, script: string): Promise<Readonly<Record<string, string>>> {
  await mkdir(join(folder, 'other'))
  await writeFile(join(folder, 'other', 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return { PATH: `${join(folder, 'other')}:${process.env.PATH}` }
}

/** Shell code that installs what `npm ci` would: links to the packages of this checkout, as the lock file says. */
function linkPackages(folder: string): string {
  const file = join(folder, 'link-packages.mjs')
  writeFileSync(
    file,
    `import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
     import { dirname, join } from 'node:path'
     const prefix = process.argv.indexOf('--prefix')
     const into = prefix < 0 ? ${JSON.stringify(folder)} : process.argv[prefix + 1]
     const { packages } = JSON.parse(readFileSync(join(into, 'package-lock.json')))
     const isThere = path => path !== '' && existsSync(join(${JSON.stringify(packageFolder())}, path))
     const isWanted = ({ dev }) => !dev || !process.argv.includes('--omit=dev')
     const found = Object.entries(packages).filter(([path, entry]) => isThere(path) && isWanted(entry))
     for (const [path] of found.filter(([path]) => path.lastIndexOf('node_modules/') === 0)) {
       mkdirSync(dirname(join(into, path)), { recursive: true })
       symlinkSync(join(${JSON.stringify(packageFolder())}, path), join(into, path))
     }
     writeFileSync(join(into, 'node_modules/.package-lock.json'), JSON.stringify({ packages: Object.fromEntries(found) }))`,
  )
  return `exec ${process.execPath} ${file} "$@"`
}

/** Bytes of the files of a package, without those of packages in it. */
function bytesBelow(folder: string): number {
  const ofEach = readdirSync(folder, { withFileTypes: true }).map(entry => {
    if (entry.name === 'node_modules') return 0
    const path = join(folder, entry.name)
    return entry.isDirectory() ? bytesBelow(path) : entry.isFile() ? statSync(path).size : 0
  })
  return ofEach.reduce((sum, size) => sum + size, 0)
}

const pick = ({ version, integrity }: { version?: string; integrity?: string } = {}) => ({
  version,
  integrity,
})

describe('a fresh clone without packages', () => {
  let folder: string
  let env: Readonly<Record<string, string>>
  let server: RunningServer
  before(async () => {
    folder = await checkout('with source')
    await rm(join(folder, 'node_modules'))
    // Replaces npm, which the test cannot use: it has the packages of this checkout, and takes a while.
    env = await withNpm(folder, `echo "npm $*" >&2; sleep 5; ${linkPackages(folder)}`)
    server = await start(process.execPath, ['bin/start.js', '--port', '0'], { cwd: folder, env })
  })
  after(stopProcesses)

  it('installs and builds only what the program needs to start, and says every few seconds what it does', async () => {
    const answer = await fetch(`${server.url}api/v1/schemas`)
    expect(await answer.json()).to.have.length(2)
    await server.stop()
    const lines = server.stderr().split('\n')
    expect(lines.slice(0, 3).join('\n')).to.match(
      /^Installing the packages that the program needs…\nnpm ci --ignore-scripts .*--omit=dev\n.* \d s$/,
    )
    expect(lines[3]).to.equal('Installing the bundler…')
    expect(existsSync(join(folder, 'node_modules/typescript'))).to.equal(false)
    expect(existsSync(join(folder, 'dist/src'))).to.equal(false)
  })

  it('installs the bundler in the version and with the hash of the lock file', async () => {
    const read = async (path: string) =>
      JSON.parse(await readFile(join(folder, path), 'utf8')) as {
        packages: Record<string, { version?: string; integrity?: string; optional?: boolean }>
      }
    const { packages: all } = await read('package-lock.json')
    const { packages } = await read('.build/bundler/package-lock.json')
    for (const [path, { version, integrity }] of Object.entries(packages)) {
      if (path !== '') expect({ version, integrity }, path).to.deep.equal(pick(all[path]))
    }
    expect(Object.keys(packages)).to.include('node_modules/rolldown').and.not.include('node_modules/koa')
  })

  it('installs at most 100 MB in 200 packages, as the README says', async () => {
    const installed = ['', '.build/bundler'].map(prefix => {
      const list = join(folder, prefix, 'node_modules', '.package-lock.json')
      const { packages } = JSON.parse(readFileSync(list, 'utf8')) as { packages: Record<string, object> }
      const paths = Object.keys(packages)
      expect(paths, prefix).to.not.be.empty
      return { paths, bytes: paths.reduce((sum, path) => sum + bytesBelow(join(folder, prefix, path)), 0) }
    })

    const megabytes = Math.round(installed.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6)
    const readme = await readFile(join(packageFolder(), 'README.md'), 'utf8')
    const stated = Number(/installs only what the program\s+needs to run \((\d+) MB\)/.exec(readme)?.[1])
    expect(megabytes)
      .to.be.within(stated - 20, stated)
      .and.at.most(100)
    expect(installed.flatMap(({ paths }) => paths)).to.have.length.within(100, 200)
    // The bundler and what the browser application consists of.
    expect(installed[1]?.bytes).to.be.at.most(80e6)
  })

  it('installs the other packages before the tests', async () => {
    // The build and the tests of the whole source take long, so the installation fails.
    await writeFile(join(folder, 'other', 'npm'), '#!/bin/sh\necho "npm $*" >&2\nexit 7\n')

    const { code, stderr } = await runProgram(process.execPath, ['bin/test.js'], { cwd: folder, env })

    expect(code).to.equal(7)
    expect(stderr).to.match(/^Installing dependencies…\nnpm ci --ignore-scripts [^\n]*(?<!--omit=dev)\n/)
  })
})

describe('a fresh clone', () => {
  afterEach(stopProcesses)

  it('reports an installation that is older than the lock file', async () => {
    const folder = await checkout('without source')
    const now = new Date()
    await utimes(join(folder, 'package-lock.json'), now, now)
    // npm must not change `node_modules`, which all checkouts of this test share.
    const env = await withNpm(folder, 'echo "npm $*" >&2\nexit 7')

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

describe('npm run build', () => {
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

  it('leaves the program as it is if it fails', async () => {
    await write('starter.ts', starting('./thread.js'))
    await run(folder, 'run', 'build')
    await write('cli/main.ts', 'const wrong: number = true\nexport { wrong }\n')

    const { code } = await run(folder, 'run', 'build')

    expect(code).to.not.equal(0)
    const { stdout, stderr } = await runProgram(process.execPath, [join(folder, 'dist/program/main.js')])
    expect(stdout, stderr).to.equal('started\n')
  })

  it('is refused if a thread starts with a file in another folder', async () => {
    await write('starter.ts', starting('./parts/name.js'))

    const { code, stderr } = await run(folder, 'run', 'build')

    expect(code).to.equal(1)
    expect(stderr).to.contain('src/starter.ts starts ./parts/name.js, which is not in its own folder.')
  })

  it('is refused if two started files have the same name', async () => {
    await write('starter.ts', starting('./thread.js'))
    await write('parts/starter.ts', starting('./thread.js'))
    await write('parts/thread.ts', `export {}\n`)

    const { code, stderr } = await run(folder, 'run', 'build')

    expect(code).to.equal(1)
    expect(stderr).to.contain('Two files that are started are named thread.ts.')
  })
})
