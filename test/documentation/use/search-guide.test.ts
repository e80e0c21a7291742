// test-schedule: waits
import { expect } from 'chai'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { startServer, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'

describe('docs/use/search.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/use/search.md')
    expect(steps).to.have.length.above(5)
    const first = `http://127.0.0.1:${server.port}/api/v1/search?size=1`
    await waitUntil('the first index', async () =>
      (await (await fetch(first)).text()).includes('"upToDate":true'),
    )

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)

    expect((await server.stop()).code).to.equal(0)
  })
})
