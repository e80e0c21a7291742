import { join } from 'node:path'
import { expect } from 'chai'
import {
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { stopProcesses, temporaryFolder } from '../../support/program/run-program.js'

describe('docs/use/working-copy.md', () => {
  after(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const steps = await readDocumentedCommands('docs/use/working-copy.md')
    expect(steps).to.have.length.above(6)

    await runDocumentedCommands(steps, folder, 8040, { PATH: `${join(folder, 'bin')}:${process.env.PATH}` })
  })
})
