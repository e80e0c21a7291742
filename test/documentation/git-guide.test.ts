import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import {
  cleanUpProcesses,
  freePort,
  metastore,
  serve,
  temporaryFolder,
} from '../support/program/run-program.js'

describe('the guide to working with git', () => {
  afterEach(cleanUpProcesses)

  it('does what it says, line by line', async function () {
    this.timeout(180_000)
    const folder = await temporaryFolder()
    await linkProgram(folder)
    await metastore(['init', '--empty', 'data'], { cwd: folder })
    const server = await serve(['--data', 'data', '--allow-push'], { cwd: folder })
    const [files, second] = [String(await freePort()), String(await freePort())]
    const steps = (await stepsOf('docs/git.md')).map(step => ({
      ...step,
      commands: step.commands.replaceAll('8041', files).replaceAll('8042', second),
    }))
    expect(steps).to.have.length.above(15)

    await follow([programOnPath, ...steps], folder, server.port)

    expect((await server.stop()).code).to.equal(0)
    expect(server.stderr()).to.not.contain('rror')
  })
})
