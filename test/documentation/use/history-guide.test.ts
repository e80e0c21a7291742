import { expect } from 'chai'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import {
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

describe('docs/use/history.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    await runMetastore(['init', '--empty', 'data'], { cwd: folder })
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/use/history.md')
    expect(steps).to.have.length.above(5)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)
  })
})
