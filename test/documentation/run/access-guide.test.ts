import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

describe('docs/run/access.md', () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    await runMetastore(['init', '--empty', 'data'], { cwd: folder })
    await writeFile(join(folder, 'secret'), `base64:${randomBytes(32).toString('base64')}\n`)
    const options = ['--data', 'data', '--auth', '--jwt-secret-file', 'secret']
    const server = await startServer(options, { cwd: folder })
    const steps = await readDocumentedCommands('docs/run/access.md')
    expect(steps).to.have.length.above(5)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port, {
      GIT_TERMINAL_PROMPT: '0',
    })

    expect((await server.stop()).code).to.equal(0)
  })
})
