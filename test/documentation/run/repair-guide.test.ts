import { expect } from 'chai'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { runMetastore, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'

describe('docs/run/repair.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    await runMetastore(['init', 'data'], { cwd: folder })
    // The document assumes that the catalog exists.
    await runMetastore(['list', 'schemas', '--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/run/repair.md')
    expect(steps).to.have.length.above(3)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, 8040)
  })
})
