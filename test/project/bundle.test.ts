import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'

// test-schedule: quick

/** A module that starts a script as a thread and prints its message. */
const startsThread = `import { Worker } from 'node:worker_threads'
new Worker(new URL('./count-thread.js', import.meta.url)).on('message', said => console.log(said))
`
const thread = "import { parentPort } from 'node:worker_threads'\nparentPort.postMessage('counted')\n"

/** Names of the folders of bundles. */
async function buildsIn(root: string): Promise<readonly string[]> {
  return (await readdir(join(root, 'dist/program'))).filter(name => !name.includes('.'))
}

/** Ends the input of a process that runs. @returns what it prints until its end, errors included */
async function outputOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  child.stdin.end('\n')
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  return stdout + stderr
}

describe('the bundling of the program', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'git-metastore-bundle-'))
    await cp('bin', join(root, 'bin'), { recursive: true })
    await writeFile(join(root, 'package.json'), '{"type": "module"}')
    await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  })
  afterEach(async () => {
    await rm(root, { recursive: true, force: true })
  })

  /** Bundles a program of these modules. @param modules text by path in `src` */
  async function bundle(
    modules: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number | null; readonly stderr: string }> {
    for (const [path, text] of Object.entries(modules)) {
      const file = join(root, 'src', path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    const child = spawn(process.execPath, [join(root, 'bin/bundle.js')], { cwd: root })
    const [stderr] = await Promise.all([textOf(child.stderr), once(child, 'close')])
    return { code: child.exitCode, stderr }
  }

  it('makes a program that starts the scripts of its threads', async () => {
    const { code, stderr } = await bundle({
      'cli/main.ts': "import '../work/count.js'\n",
      'work/count.ts': startsThread,
      'work/count-thread.ts': thread,
    })
    expect(code, stderr).to.equal(0)
    const [build = ''] = await buildsIn(root)
    expect(await readdir(join(root, 'dist/program', build))).to.include.members([
      'main.js',
      'count-thread.js',
    ])
    await rm(join(root, 'src'), { recursive: true })
    const { stdout } = spawnSync(process.execPath, [join(root, 'dist/program/main.js')], { encoding: 'utf8' })
    expect(stdout).to.equal('counted\n')
  })

  it('joins what a server loads in a few files, and requires its packages', async () => {
    const says = (text: string) => `console.log('${text}')\n`
    const { code, stderr } = await bundle({
      'cli/main.ts': "await import('./command-line.js').then(({ run }) => run(process.argv[2]))\n",
      'cli/command-line.ts':
        "export const run = (name) => (name === 'serve' ? import('./serve/run-server.js') : import('./list.js'))\n",
      'cli/list.ts': "import '../work/first.js'\nimport '../work/second.js'\n",
      'cli/count.ts': "import '../work/second.js'\n",
      'cli/serve/run-server.ts': [
        "import Koa from 'koa'",
        "import { LRUCache } from 'lru-cache'",
        "import '../list.js'",
        "import '../../work/third.js'",
        'console.log(new Koa().use !== undefined, new LRUCache({ max: 1 }).size)',
        "export const count = () => import('../count.js')\n",
      ].join('\n'),
      ...{ 'work/first.ts': says('first'), 'work/second.ts': says('second'), 'work/third.ts': says('third') },
    })
    expect(code, stderr).to.equal(0)
    const [build = ''] = await buildsIn(root)
    const files = (await readdir(join(root, 'dist/program', build))).filter(name => name.endsWith('.js'))
    const named = (name: string) => files.filter(file => file.startsWith(`${name}-`))
    expect([...named('shared'), ...named('server')]).to.have.lengthOf(2)
    expect([...named('first'), ...named('second'), ...named('third')]).to.deep.equal([])
    const server = await readFile(join(root, 'dist/program', build, named('server')[0] ?? ''), 'utf8')
    expect(server)
      .to.match(/require\("koa"\)/)
      .and.not.match(/from "(koa|lru-cache)"/)
    const { stdout } = spawnSync(process.execPath, [join(root, 'dist/program/main.js'), 'serve'], {
      encoding: 'utf8',
    })
    expect(stdout.trim().split('\n')).to.have.members(['first', 'second', 'third', 'true 0'])
  })

  it('joins what features load when a server starts, without what their commands load', async () => {
    const { code, stderr } = await bundle({
      'cli/main.ts':
        "import { words } from '../features/words/feature.js'\nawait words[process.argv[2] as 'load' | 'open']()\n",
      'features/words/feature.ts': [
        'export const words = {',
        "  load: async () => (await import('./say.js')).say,",
        "  open: async () => [(await import('./first.js')).first(), (await import('./second.js')).second()],",
        '}\n',
      ].join('\n'),
      'features/words/say.ts': "export const say = 'something'\n",
      'features/words/first.ts':
        "import { both } from './both.js'\nexport const first = () => both('first')\n",
      'features/words/second.ts':
        "import { both } from './both.js'\nexport const second = () => both('second')\n",
      'features/words/both.ts': 'export const both = (text: string) => console.log(text)\n',
    })
    expect(code, stderr).to.equal(0)
    const [build = ''] = await buildsIn(root)
    const folder = join(root, 'dist/program', build)
    const features = (await readdir(folder)).filter(name => name.startsWith('features-'))
    expect(features).to.have.lengthOf(1)
    expect(await readFile(join(folder, features[0] ?? ''), 'utf8'))
      .to.contain('both("first")')
      .and.contain('both("second")')
      .and.not.contain('something')
    const { stdout } = spawnSync(process.execPath, [join(root, 'dist/program/main.js'), 'open'], {
      encoding: 'utf8',
    })
    expect(stdout).to.equal('first\nsecond\n')
  })

  it('replaces a program that runs or starts meanwhile without taking files from it', async () => {
    const modules = (text: string) => ({
      'cli/main.ts': `process.stdin.once('data', async () => {
        process.stdin.destroy()
        console.log((await import('./later.js')).text)
      })\nconsole.log('started')\n`,
      'cli/later.ts': `export const text = '${text}'\n`,
    })
    await bundle(modules('first'))
    const start = () => spawn(process.execPath, [join(root, 'dist/program/main.js')])
    const running = start()
    await once(running.stdout, 'data')

    const starts = [await outputOf(start())]
    const built = bundle(modules('second'))
    for (let isBuilt = false; !isBuilt; ) {
      isBuilt = await Promise.race([built.then(() => true), pause(20, false)])
      starts.push(await outputOf(start()))
    }

    expect(starts[0]).to.equal('started\nfirst\n')
    expect(starts.at(-1)).to.equal('started\nsecond\n')
    expect(starts.filter(output => !/^started\n(first|second)\n$/.test(output))).to.deep.equal([])
    expect(await outputOf(running)).to.equal('first\n')
    await bundle(modules('third'))
    await bundle(modules('third'))
    expect(await buildsIn(root)).to.have.lengthOf(1)
  })

  const refused: readonly [what: string, modules: Readonly<Record<string, string>>, message: RegExp][] = [
    [
      'a module that does not export what another one imports',
      { 'cli/main.ts': "import { missing } from './other.js'\nmissing()\n", 'cli/other.ts': 'export {}\n' },
      /missing/,
    ],
    [
      'what the bundler only warns of',
      {
        'cli/main.ts': "import * as other from './other.js'\nother.missing()\n",
        'cli/other.ts': 'export {}\n',
      },
      /missing/,
    ],
    [
      'a script in another folder than the module that starts it',
      {
        'cli/main.ts': startsThread.replace('./count-thread.js', '../work/count-thread.js'),
        'work/count-thread.ts': thread,
      },
      /src\/cli\/main\.ts starts \.\.\/work\/count-thread\.js, which is not in its own folder\./,
    ],
    [
      'two scripts with one name',
      {
        'cli/main.ts': `import '../work/count.js'\n${startsThread}`,
        'cli/count-thread.ts': thread,
        'work/count.ts': startsThread,
        'work/count-thread.ts': thread,
      },
      /Two files that are started are named count-thread\.ts\./,
    ],
  ]
  for (const [what, modules, message] of refused)
    it(`refuses ${what}`, async () => {
      const { code, stderr } = await bundle(modules)
      expect(code).to.equal(1)
      expect(stderr).to.match(message)
    })
})
