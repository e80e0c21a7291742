import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from '../support/program/run-program.js'

describe('the longer tour', () => {
  afterEach(cleanUpProcesses)

  for (const git of ['auto', 'none']) {
    const served = git === 'auto' ? 'through the git binary' : 'without a git binary'
    it(`does what it says, line by line, served ${served}`, async () => {
      const folder = await temporaryFolder()
      await linkProgram(folder)
      await metastore(['init', '--empty', 'data'], { cwd: folder })
      const server = await serve(['--data', 'data', '--git', git], { cwd: folder })
      const steps = await stepsOf('docs/tour.md')
      expect(steps).to.have.length.above(8)

      await follow([programOnPath, ...steps], folder, server.port)

      expect((await server.stop()).code).to.equal(0)
      expect(server.stderr()).to.not.contain('rror')
    })
  }
})
