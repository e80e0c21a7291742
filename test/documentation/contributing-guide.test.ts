import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'

// test-schedule: quick

describe('CONTRIBUTING.md', () => {
  it('shows a diff that adds a query parameter in one file and applies to the source', async () => {
    const guide = await readFile('CONTRIBUTING.md', 'utf8')
    const [, diff = ''] = /^```diff\n(.*?)^```$/ms.exec(guide) ?? []
    expect([...diff.matchAll(/^diff --git /gm)]).to.have.lengthOf(1)

    const applied = promisify(execFile)('git', ['apply', '--check', '--verbose', '-'])
    applied.child.stdin?.end(diff)

    expect((await applied).stderr).to.match(/^Checking patch src\/http\/routes\/.+-routes\.ts/)
  })
})
