// test-schedule: alone
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'

const script = `
  import { readdirSync, readFileSync } from 'node:fs'
  import { raiseNicenessOfProcess } from ${JSON.stringify(new URL('../../../src/core/scheduling/niceness.js', import.meta.url).href)}
  const nicenesses = () =>
    readdirSync('/proc/self/task').map(thread => readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(' ')[18])
  const [before] = nicenesses()
  raiseNicenessOfProcess(1)
  console.log(JSON.stringify([before, ...new Set(nicenesses())]))
`

describe('the niceness of a process', () => {
  it('is raised for all threads, also those of the garbage collection', function () {
    if (process.platform !== 'linux') this.skip()
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    })
    const [before, ...after] = JSON.parse(output) as string[]

    expect(after).to.deep.equal([String(Number(before) + 1)])
  })
})
