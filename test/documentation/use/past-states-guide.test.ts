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

describe('docs/use/points.md', () => {
  afterEach(stopProcesses)

  for (const git of ['auto', 'none']) {
    it(`shows commands that print the documented output, ${git === 'none' ? 'without' : 'with'} a git binary for the server`, async () => {
      const folder = await temporaryFolder()
      await runMetastore(['init', '--empty', 'data'], { cwd: folder })
      const server = await startServer(['--data', 'data', '--git', git], { cwd: folder })
      const steps = await readDocumentedCommands('docs/use/points.md')
      expect(steps).to.have.lengthOf(3)

      await runDocumentedCommands(steps, folder, server.port)

      expect((await server.stop()).code).to.equal(0)
    })
  }
})
