import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from '../support/program/run-program.js'

describe('the document about history', () => {
  afterEach(cleanUpProcesses)

  it('shows requests and commands that do what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    await metastore(['init', '--empty', 'data'], { cwd: folder })
    const server = await serve(['--data', 'data'], { cwd: folder })
    const steps = await stepsOf('docs/history.md')
    expect(steps).to.have.length.above(5)

    await follow([programOnPath, ...steps], folder, server.port)
  })
})
