// test-schedule: first
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { killGroup } from '../../src/store/process/process-group.js'
import { compile, copyProject, failuresOf, removeProjectCopies } from '../support/project/project-copy.js'
import { waitUntil } from '../support/repository/test-repository.js'

describe('the feature that CONTRIBUTING.md adds', () => {
  let copy: string
  let server: ChildProcess
  let url: string
  const program = (...args: readonly string[]) => [
    '--input-type=module',
    '-e',
    `const { main } = await import('./dist/src/cli/main.js'); await main(${JSON.stringify(args)})`,
  ]
  const run = (...args: readonly string[]) =>
    execFileSync(process.execPath, program(...args), { cwd: copy }).toString()

  before(async () => {
    copy = copyProject()
    execFileSync('git', ['apply', '-'], {
      cwd: copy,
      input: featureDiff(),
      env: { ...process.env, GIT_DIR: '/dev/null' },
    })
    expect(compile(copy, ['src', 'test/features/activity'])).to.equal('')
    run('init', join(copy, 'data'))
    const args = program('serve', '--data', join(copy, 'data'), '--port', '0', '--activity-days', '3')
    server = spawn(process.execPath, args, { cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    if (!server.stdout) throw new Error('The server has no standard output.')
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
    url = line.replace('listening on ', '')
  })

  after(() => {
    if (server?.pid !== undefined) killGroup(server.pid, 'SIGKILL')
    removeProjectCopies()
  })

  it('has a test, which passes', () => {
    expect(failuresOf(copy, ['dist/test/features/activity/activity.test.js'])).to.equal('')
  })

  it('has a route and a reader of revisions', async () => {
    const count = await waitUntil('the feature has read the revisions', async () => {
      const answer = await fetch(`${url}activity`)
      expect(answer.status).to.equal(200)
      return ((await answer.json()) as { readonly changes: number }).changes
    })

    expect(count).to.be.above(3)
  })

  it('has a section on the page of each record, which knows the option', async () => {
    const [schema] = (await (await fetch(`${url}api/v1/schemas`)).json()) as readonly {
      readonly schemaId: string
    }[]
    const page = await (await fetch(`${url}schema-landing-page?schemaId=${schema?.schemaId}`)).text()

    expect(page).to.match(/<h2 id="activity">Activity<\/h2>\s*\d+ changes in 3 days/)
  })

  it('has a route in the OpenAPI description, and an option that is checked', async () => {
    const described = (await (await fetch(`${url}v3/api-docs`)).json()) as { readonly paths: object }
    expect(described.paths).to.include.keys('/activity')

    expect(() => run('serve', '--activity-days', '0')).to.throw('must be a whole number from 1 to 365')
  })

  it('has a command', () => {
    expect(run('activity', '--data', join(copy, 'data'))).to.match(/^[1-9]\d* changes in 7 days$/m)
  })
})

/** The diff of CONTRIBUTING.md that adds a feature. */
function featureDiff(): string {
  const diffs = [...readFileSync('CONTRIBUTING.md', 'utf8').matchAll(/^```diff\n(.*?)^```$/gms)]
  const [diff, ...others] = diffs.flatMap(([, text = '']) => (text.includes('src/features/') ? [text] : []))
  if (diff === undefined || others.length > 0) throw new Error('CONTRIBUTING.md needs one diff of a feature.')
  return diff
}
