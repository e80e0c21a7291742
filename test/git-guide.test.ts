import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from './support/cli.js'
import { follow, linkProgram, programOnPath, stepsOf } from './support/shown.js'

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

/** One that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
