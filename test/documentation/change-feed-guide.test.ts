import { expect } from 'chai'
import { follow, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from '../support/program/run-program.js'

describe('what is written about changes', () => {
  afterEach(cleanUpProcesses)

  it('does what it says, line by line', async () => {
    const folder = await temporaryFolder()
    const server = await serve(['--data', 'data'], { cwd: folder })
    const steps = await stepsOf('docs/changes.md')
    expect(steps).to.have.length.above(5)

    await follow(steps, folder, server.port)

    expect((await server.stop()).code).to.equal(0)
    const verified = await metastore(['verify', '--data', 'data'], { cwd: folder })
    expect(verified.stdout).to.contain('no complaint')
  })
})
