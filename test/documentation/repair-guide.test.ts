import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, metastore, temporaryFolder } from '../support/program/run-program.js'

describe('docs/repair.md', () => {
  afterEach(cleanUpProcesses)

  it('shows commands that do what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    await metastore(['init', 'data'], { cwd: folder })
    // As after any use: the catalog is there.
    await metastore(['list', 'schemas', '--data', 'data'], { cwd: folder })
    const steps = await stepsOf('docs/repair.md')
    expect(steps).to.have.length.above(3)

    await follow([programOnPath, ...steps], folder, 8040)
  })
})
