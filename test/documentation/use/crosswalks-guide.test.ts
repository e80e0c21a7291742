// test-schedule: waits
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { dataCiteProperties } from '../../../src/features/crosswalks/crosswalk/datacite-properties.js'
import {
  addProgramToPath,
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../../support/documentation/documented-commands.js'
import { startServer, stopProcesses, temporaryFolder } from '../../support/program/run-program.js'

const guide = 'docs/use/crosswalks.md'

describe(guide, () => {
  afterEach(stopProcesses)

  it('shows commands that print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands(guide)
    expect(steps).to.have.length.above(3)

    await runDocumentedCommands([addProgramToPath, ...steps], folder, server.port)

    expect((await server.stop()).code).to.equal(0)
  })

  it('names each property, and each member of its entries', async () => {
    const text = await readFile(guide, 'utf8')
    const table = text.slice(text.indexOf('### Members'), text.indexOf('### Limits'))
    for (const [name, shape] of Object.entries(dataCiteProperties)) {
      expect(table, name).to.contain(`\`${name}\``)
      const entry = shape.type === 'list' ? shape.of : shape
      for (const member of entry.type === 'entry' ? Object.keys(entry.members) : [])
        expect(table, `${name}.${member}`).to.contain(`\`${member}\``)
    }
  })
})
