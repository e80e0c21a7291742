import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { constants, getPriority, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

// test-schedule: quick

const passes = "it('passes', () => {})"
const fails = "it('fails', () => { throw new Error('It always fails.') })"
/** A test that fails only in the first run of its file. */
const failsOnce = `it('fails once', () => {
  const { existsSync, writeFileSync } = require('node:fs')
  if (existsSync('was-run')) return
  writeFileSync('was-run', '')
  throw new Error('It failed once.')
})`
const skipsThen = failsOnce
  .replace("it('fails once', () => {", "it('fails once', function () {")
  .replace("if (existsSync('was-run')) return", "if (existsSync('was-run')) this.skip()")
const hookFailsOnce = failsOnce.replace("it('fails once',", 'before(')

describe('npm test', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'git-metastore-test-run-'))
    await cp('bin', join(root, 'bin'), { recursive: true })
    await writeFile(
      join(root, 'bin/setup.js'),
      `export const root = ${JSON.stringify(root)}\nexport const setup = () => {}\n`,
    )
    await writeFile(join(root, 'package.json'), '{"type": "module"}')
    await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  })
  afterEach(async () => {
    await rm(root, { recursive: true, force: true })
  })

  async function run(
    files: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<{ code: number | null; output: string }> {
    await mkdir(join(root, 'dist/test'), { recursive: true })
    await writeFile(join(root, 'dist/test/package.json'), '{"type": "commonjs"}')
    for (const [name, content] of Object.entries(files)) {
      const file = join(root, `dist/test/${name}.test.js`)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    }
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'bin/test.js'), ...args], {
      encoding: 'utf8',
      cwd: root,
    })
    return { code: status, output: stdout }
  }

  it('gives files that run at the same time the lowest priority, and a file alone the usual one', async () => {
    const expects = (priority: number) =>
      `it('has its priority', () => require('node:assert').equal(require('node:os').getPriority(), ${priority}))`
    const { output } = await run({
      beside: expects(constants.priority.PRIORITY_LOW),
      alone: `// test-schedule: alone\n${expects(getPriority())}`,
    })

    expect(output.trimEnd()).to.match(/\n2 passed, 0 failed$/)
  })

  it('leaves attacks and faults out, and runs every file with --all, or with arguments for mocha', async () => {
    const files = { 'faults/kills': passes, 'hostile/bombs': passes, 'http/lists': passes }

    const { output } = await run(files)

    expect(output).to.contain('runs 2 more\n').and.not.contain('faults')
    expect(output.trimEnd()).to.match(/\n1 passed, 0 failed$/)
    for (const args of [['--all'], ['--grep', 'passes']])
      expect((await run(files, ...args)).output.trimEnd()).to.match(/ minutes\n3 passed, 0 failed$/)
  })

  it('leaves out no path that has no test file', async () => {
    const [, list = ''] = /const onlyWithAll = \[([^\]]*)\]/.exec(await readFile('bin/test.js', 'utf8')) ?? []
    const paths = [...list.matchAll(/'(.+)'/g)].map(([, path = '']) => path)
    expect(paths).to.include('faults/')
    const files = (await readdir('test', { recursive: true })).filter(name => name.endsWith('.test.ts'))
    for (const path of paths)
      expect(
        files.some(file => file.startsWith(path)),
        path,
      ).to.equal(true)
  })

  it('counts the tests of all files, and fails if a test failed', async () => {
    const { code, output } = await run({ one: passes, two: `${passes}\n${fails}` })

    expect(code).to.equal(1)
    expect(output).to.match(
      /\nFailed:\n\nfails\n {2}It always fails\.\n.*\n {2}First run: failed\. Second run, .*: failed\.\n/,
    )
    expect(output.trimEnd()).to.match(/\n2 passed, 1 failed$/)
  })

  for (const [what, content, count] of [
    ['test', failsOnce, '2 passed, 1 failed'],
    ['hook', `describe('a suite', () => { ${hookFailsOnce}\n${passes} })`, '2 passed, 1 failed'],
    ['test beside another failure', `${failsOnce}\n${fails}`, '2 passed, 2 failed'],
  ] as const)
    it(`fails if a ${what} passes only in the second run, and reports both outcomes`, async () => {
      const { code, output } = await run({ one: passes, two: `${passes}\n${content}` })

      expect(code, output).to.equal(1)
      expect(output).to.match(
        /\nFailed:\n\n.*\n {2}It failed once\.\n.*\n {2}First run: failed\. Second run, .*: passed\. /,
      )
      expect(output.trimEnd().endsWith(`\n${count}`), output).to.equal(true)
    })

  it('reports a test that is skipped in the second run', async () => {
    const { code, output } = await run({ one: passes, two: skipsThen })

    expect(code, output).to.equal(1)
    expect(output).to.match(/First run: failed\. Second run, .*: it was skipped or did not run\.\n/)
  })

  it('fails if the process of a group ended before its reporter, even if the group passes then', async () => {
    const { code, output } = await run({
      one: passes,
      two: `${passes}\n${failsOnce.replace("throw new Error('It failed once.')", "process.kill(process.pid, 'SIGKILL')")}`,
    })

    expect(code, output).to.equal(1)
    expect(output).to.match(
      /mocha ended by SIGKILL while it ran one\.test\.js, two\.test\.js\n {2}First run: .*: passed\. /,
    )
    expect(output.trimEnd()).to.match(/\n0 passed, 1 failed$/)
  })

  it('repeats no group if many fail', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 37 }, (_, index) => [
        `file${index}`,
        failsOnce.replaceAll('was-run', `was-run${index}`),
      ]),
    )
    const { code, output } = await run(files)

    expect(code).to.equal(1)
    expect(output.trimEnd()).to.match(/\n0 passed, 37 failed$/)
  })
})
