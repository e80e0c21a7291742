// test-schedule: waits
import { expect } from 'chai'
import {
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import {
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

describe('docs/use/changes.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/use/changes.md')
    expect(steps).to.have.length.above(5)

    await runDocumentedCommands(steps, folder, server.port)

    expect((await server.stop()).code).to.equal(0)
    const verified = await runMetastore(['verify', '--data', 'data'], { cwd: folder })
    expect(verified.stdout).to.contain('no complaint')
  })
})
