import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile, copyProject, failuresOf, removeProjectCopies } from '../support/project/project-copy.js'

// The feature of the guide has a test of its own: test/features/feature-of-the-guide.test.ts.

describe('CONTRIBUTING.md', function () {
  this.timeout(600_000)
  after(removeProjectCopies)

  it('shows a diff that adds a query parameter in one file and applies to the source', () => {
    const diff = diffOf('src/http/routes/')
    expect(filesOf(diff)).to.have.lengthOf(1)
    expect(filesOf(diff)[0]).to.match(/^src\/http\/routes\/.+-routes\.ts$/)
    execFileSync('git', ['apply', '--check', '-'], { input: diff })
  })

  it('shows a diff that adds a filter of lists in one file and its test, which passes then', () => {
    const diff = diffOf('src/core/records/list-filters.ts')
    const [source, test = '', ...others] = filesOf(diff)
    expect(source).to.equal('src/core/records/list-filters.ts')
    expect(test).to.match(/^test\/.+\.test\.ts$/)
    expect(others).to.deep.equal([])

    const copy = copyProject()
    const env = { ...process.env, GIT_DIR: '/dev/null' }
    execFileSync('git', ['apply', '-'], { cwd: copy, input: diff, env })
    expect(readFileSync(join(copy, test), 'utf8')).to.include('idPrefix')
    expect(compile(copy, ['src', test])).to.equal('')
    expect(failuresOf(copy, [join('dist', test.replace(/\.ts$/, '.js'))])).to.equal('')
  })
})

/** The diff of the guide whose first file is in a folder, or has a path. */
function diffOf(path: string): string {
  const guide = readFileSync('CONTRIBUTING.md', 'utf8')
  const diffs = [...guide.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, diff = '']) => diff)
  return diffs.find(diff => filesOf(diff)[0]?.startsWith(path)) ?? ''
}

const filesOf = (diff: string) => [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file)
