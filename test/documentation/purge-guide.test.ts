import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, temporaryFolder } from '../support/program/run-program.js'

describe('the document about purging', () => {
  afterEach(cleanUpProcesses)

  it('shows commands that do what it says', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    const steps = await stepsOf('docs/purge.md')
    expect(steps).to.have.length(3)

    await follow([programOnPath, ...steps], folder, 8040)
  })
})
