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

describe('docs/use/tour.md', () => {
  afterEach(stopProcesses)

  for (const git of ['auto', 'none']) {
    const served = git === 'auto' ? 'through the git binary' : 'without a git binary'
    it(`shows commands that print the documented output, served ${served}`, async () => {
      const folder = await temporaryFolder()
      await putProgramOnPath(folder)
      await runMetastore(['init', '--empty', 'data'], { cwd: folder })
      const server = await startServer(['--data', 'data', '--git', git], { cwd: folder })
      const steps = await readDocumentedCommands('docs/use/tour.md')
      expect(steps).to.have.length.above(8)

      await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)

      expect((await server.stop()).code).to.equal(0)
      expect(server.stderr()).to.not.contain('rror')
    })
  }
})
