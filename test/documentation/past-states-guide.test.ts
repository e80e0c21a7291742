import { expect } from 'chai'
import { follow, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from '../support/program/run-program.js'

describe('the text about points of history', () => {
  afterEach(cleanUpProcesses)

  for (const git of ['auto', 'none']) {
    it(`does what it says, ${git === 'none' ? 'without' : 'with'} a git binary for the server`, async () => {
      const folder = await temporaryFolder()
      await metastore(['init', '--empty', 'data'], { cwd: folder })
      const server = await serve(['--data', 'data', '--git', git], { cwd: folder })
      const steps = await stepsOf('docs/points.md')
      expect(steps).to.have.lengthOf(3)

      await follow(steps, folder, server.port)

      expect((await server.stop()).code).to.equal(0)
    })
  }
})
