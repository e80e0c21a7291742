import { join } from 'node:path'
import { expect } from 'chai'
import { follow, linkProgram, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, temporaryFolder } from '../support/program/run-program.js'

describe('docs/beside.md', () => {
  after(cleanUpProcesses)

  it('shows commands that do what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    const steps = await stepsOf('docs/beside.md')
    expect(steps).to.have.length.above(6)

    await follow(steps, folder, 8040, { PATH: `${join(folder, 'bin')}:${process.env.PATH}` })
  })
})
