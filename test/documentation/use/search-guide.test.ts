// test-schedule: waits
import { expect } from 'chai'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { startServer, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'

describe('docs/use/search.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/use/search.md')
    expect(steps).to.have.length.above(5)
    const first = `http://127.0.0.1:${server.port}/api/v1/search?size=1`
    // Waits for the first index, as a reader would.
    for (
      let tries = 0;
      tries < 100 && !(await (await fetch(first)).text()).includes('"upToDate":true');
      tries++
    )
      await new Promise(resolve => setTimeout(resolve, 100))

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)

    expect((await server.stop()).code).to.equal(0)
  })
})
