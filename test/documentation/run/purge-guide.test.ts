import { expect } from 'chai'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { stopProcesses, temporaryFolder } from '../../support/program/run-program.js'

describe('docs/run/purge.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const steps = await readDocumentedCommands('docs/run/purge.md')
    expect(steps).to.have.length(3)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, 8040)
  })
})
