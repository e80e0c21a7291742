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

describe('docs/use/git.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    await runMetastore(['init', '--empty', 'data'], { cwd: folder })
    const server = await startServer(['--data', 'data', '--allow-push'], { cwd: folder })
    const [files, second] = [String(await freePort()), String(await freePort())]
    const steps = (await readDocumentedCommands('docs/use/git.md')).map(step => ({
      ...step,
      commands: step.commands.replaceAll('8041', files).replaceAll('8042', second),
    }))
    expect(steps).to.have.length.above(15)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)

    expect((await server.stop()).code).to.equal(0)
    expect(server.stderr()).to.not.contain('rror')
  })
})
