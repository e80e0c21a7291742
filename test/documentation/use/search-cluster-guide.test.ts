// test-schedule: waits
import { expect } from 'chai'
import {
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { startServer, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'
import { waitUntil } from '../../support/repository/test-repository.js'

describe('docs/use/search-cluster.md', () => {
  afterEach(stopProcesses)

  it('shows a search that prints the documented output', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const [search, ...others] = await readDocumentedCommands('docs/use/search-cluster.md')
    // The other commands need a cluster at an example address.
    expect(others).to.have.length(1)
    if (!search) throw new Error('The page does not show a search.')
    await waitUntil('the index is made', async () =>
      (await (await fetch(`${server.url}api/v1/search?size=1`)).text()).includes('"upToDate":true'),
    )
    await runDocumentedCommands([search], folder, server.port)
  })
})
