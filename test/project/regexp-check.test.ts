import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { runProgram, stopProcesses, temporaryFolder } from '../support/program/run-program.js'

describe('the check of regular expressions in npm run lint', () => {
  afterEach(stopProcesses)

  async function check(code: string) {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'code.js'), code)
    return await runProgram(process.execPath, [join(packageFolder(), 'bin', 'check-regexps.js'), folder])
  }

  for (const [time, expression] of [
    ['exponential', '/^(a+)+$/'],
    ['exponential', '/^(?:a|a)*$/'],
    ['exponential', "new RegExp('^(a+)+$')"],
    ['polynomial', '/\\s+$/'],
    ['polynomial', '/^(.+T.+) (?=\\d{2}:?(?:\\d{2})?$)/i'],
    ['polynomial', '/^a*a*b$/'],
  ] as const) {
    it(`refuses ${expression}, which can take ${time} time`, async () => {
      const { code, stderr } = await check(`const found = ${expression}.exec(text)`)

      expect(code).to.equal(1)
      expect(stderr).to.contain(`can take ${time} time`).and.to.contain('code.js:1')
    })
  }

  it('refuses an expression that is created at run time, unless a comment explains why its time is bounded', async () => {
    const made = 'const found = new RegExp(pattern).exec(text)\n'

    expect((await check(made)).stderr).to.contain('is made at run time and cannot be checked')
    expect((await check(`// regexp-time: the text has ten characters.\n${made}`)).code).to.equal(0)
  })

  it('accepts expressions that take linear time', async () => {
    const { code, stderr } = await check('export const all = [/^[a-z]+$/, /\\.?0{0,3}Z$/, /,\\s*x/y]')

    expect(code, stderr).to.equal(0)
  })

  it('refuses a folder without code', async () => {
    const { code, stderr } = await runProgram(process.execPath, [
      join(packageFolder(), 'bin', 'check-regexps.js'),
      await temporaryFolder(),
    ])

    expect(code).to.equal(1)
    expect(stderr).to.contain('There are no files to check')
  })
})
