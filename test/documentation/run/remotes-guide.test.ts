import { expect } from 'chai'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import {
  freePort,
  runMetastore,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'

describe('docs/run/remotes.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    await runMetastore(['init', 'data'], { cwd: folder })
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const ports = {
      8042: await freePort(),
      8043: await freePort(),
      8044: await freePort(),
      8045: await freePort(),
    }
    const steps = (await readDocumentedCommands('docs/run/remotes.md')).map(step => ({
      ...step,
      commands: Object.entries(ports).reduce(
        (text, [shown, real]) => text.replaceAll(shown, String(real)),
        step.commands,
      ),
    }))
    expect(steps).to.have.length.above(4)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)
  })
})
