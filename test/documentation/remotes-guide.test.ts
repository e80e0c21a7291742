import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import {
  cleanUpProcesses,
  freePort,
  metastore,
  serve,
  temporaryFolder,
} from '../support/program/run-program.js'

describe('docs/remotes.md', () => {
  afterEach(cleanUpProcesses)

  it('shows commands that do what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    await metastore(['init', 'data'], { cwd: folder })
    const server = await serve(['--data', 'data'], { cwd: folder })
    const ports = {
      8042: await freePort(),
      8043: await freePort(),
      8044: await freePort(),
      8045: await freePort(),
    }
    const steps = (await stepsOf('docs/remotes.md')).map(step => ({
      ...step,
      commands: Object.entries(ports).reduce(
        (text, [shown, real]) => text.replaceAll(shown, String(real)),
        step.commands,
      ),
    }))
    expect(steps).to.have.length.above(4)

    await follow([programOnPath, ...steps], folder, server.port)
  })
})
