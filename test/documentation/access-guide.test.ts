import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { follow, linkProgram, programOnPath, stepsOf } from '../support/program/documented-commands.js'
import { cleanUpProcesses, metastore, serve, temporaryFolder } from '../support/program/run-program.js'

describe('the guide to who may do what', () => {
  afterEach(cleanUpProcesses)

  it('does what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await linkProgram(folder)
    await metastore(['init', '--empty', 'data'], { cwd: folder })
    await writeFile(join(folder, 'secret'), `base64:${randomBytes(32).toString('base64')}\n`)
    const options = ['--data', 'data', '--auth', '--jwt-secret-file', 'secret']
    const server = await serve(options, { cwd: folder })
    const steps = await stepsOf('docs/access.md')
    expect(steps).to.have.length.above(5)

    await follow([programOnPath, ...steps], folder, server.port, { GIT_TERMINAL_PROMPT: '0' })

    expect((await server.stop()).code).to.equal(0)
  })
})
