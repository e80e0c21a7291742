import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect } from 'chai'

// test-schedule: quick

const script = '.ci/run'

/** Replacements of programs that the script calls. They only print the values that the tests would get. */
const programs = {
  npm: 'if [ "$1" = test ]; then echo "cluster: [$OPENSEARCH_URL]"; echo "3 passed, 0 failed"; fi',
  npx: 'exit 0',
  node: 'exit 0',
  // The script installs a browser if there is none.
  chromium: 'exit 0',
}

describe('the script of continuous integration', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'git-metastore-ci-'))
    await mkdir(join(root, 'project', dirname(script)), { recursive: true })
    await cp(script, join(root, 'project', script))
    await mkdir(join(root, 'programs'))
    for (const [name, body] of Object.entries(programs)) await program(join(root, 'programs', name), body)
  })
  afterEach(async () => {
    await rm(root, { recursive: true, force: true })
  })

  async function program(file: string, body: string): Promise<void> {
    await writeFile(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  }

  /** Installs the program beside the project that starts an OpenSearch. */
  async function starter(body: string): Promise<void> {
    const [, place] = /^opensearch=(\S+)$/m.exec(await readFile(script, 'utf8')) ?? []
    if (place === undefined)
      throw new Error(`${script} does not contain the path of the program that starts an OpenSearch.`)
    const file = join(root, 'project', place)
    await mkdir(dirname(file), { recursive: true })
    await program(file, body)
  }

  async function run(): Promise<{ readonly code: number; readonly output: string }> {
    const { OPENSEARCH_URL: _, ...env } = process.env
    const path = [join(root, 'programs'), env.PATH].join(delimiter)
    return await new Promise(resolve => {
      execFile(
        'bash',
        [join(root, 'project', script)],
        { env: { ...env, PATH: path } },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      )
    })
  }

  it('runs the tests without a cluster if there is none', async () => {
    const { code, output } = await run()
    expect(output).to.contain('There is no OpenSearch here').and.contain('cluster: []')
    expect(output).to.contain('3 passed, 0 failed')
    expect(code).to.equal(0)
  })

  it('fails if one of the steps that run beside each other fails, and prints the output of each without a gap', async () => {
    await program(
      join(root, 'programs', 'npx'),
      'echo "begin $1"; sleep 0.2; echo "end $1"; [ "$1" != biome ]',
    )
    const { code, output } = await run()
    expect(output).to.contain('== npx biome ci .\nbegin biome\nend biome\n== failed: npx biome ci .\n')
    expect(output).to.match(/== npx tsc -p src\/features\/web\/browser\nbegin tsc\nend tsc\n== took /)
    expect(output).to.contain('3 passed, 0 failed')
    expect(code).to.equal(1)
  })

  it('runs the tests with a cluster that has started, and stops it', async () => {
    const log = join(root, 'log')
    await starter(`echo "$1" >>'${log}'; if [ "$1" = url ]; then echo http://127.0.0.1:1; fi`)
    const { code, output } = await run()
    expect(output).to.contain('cluster: [http://127.0.0.1:1]')
    expect(code).to.equal(0)
    expect(await readFile(log, 'utf8')).to.equal('start\nurl\nstop\n')
  })

  it('reports the skipped tests once, in the line before the count', async () => {
    const lines = ['SKIPPED: b. No y.', '    SKIPPED: a. No x.', 'SKIPPED: b. No y.', '3 passed, 0 failed']
    const npm = `if [ "$1" = test ]; then printf '%s\\n' ${lines.map(line => `'${line}'`).join(' ')}; fi`
    await program(join(root, 'programs', 'npm'), npm)
    const { output } = await run()
    expect(output).to.contain(
      'SKIPPED, because this machine lacks something: a. No x. b. No y.\n3 passed, 0 failed\n',
    )
  })

  it('fails if the cluster does not start, reports the reason, and still runs the tests', async () => {
    await starter('echo "not enough memory"; exit 1')
    const { code, output } = await run()
    expect(output).to.contain('not enough memory\nOpenSearch did not start')
    expect(output).to.contain('cluster: []').and.contain('3 passed, 0 failed')
    expect(output).to.contain('A step failed, see above.')
    expect(code).to.equal(1)
  })
})
