import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import {
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../support/program/documented-commands.js'
import {
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'

describe('the README', () => {
  after(stopProcesses)

  it('shows a tour that does what it says, line by line', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('README.md')
    expect(steps).to.have.length.above(5)

    await runDocumentedCommands(steps, folder, server.port)

    expect((await server.stop()).code).to.equal(0)
    const verified = await runMetastore(['verify', '--data', join(folder, 'data')])
    expect(verified.stdout).to.contain('no complaint')
    const status = await runProgram('git', ['status', '--short'], { cwd: join(folder, 'data') })
    expect(status.stdout).to.equal('')
  })

  it('leads to requests of version 2 that do what is shown', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/interface.md')
    expect(steps).to.have.length.above(2)

    await runDocumentedCommands(steps, folder, server.port)
  })

  it('takes an ETag from an answer, as do the documents: the newest commit may be about another record', async () => {
    const documents = (await readdir(join(packageFolder(), 'docs'))).filter(name => name.endsWith('.md'))
    for (const document of ['README.md', ...documents.map(name => `docs/${name}`)]) {
      const text = await readFile(join(packageFolder(), document), 'utf8')
      for (const [line] of text.matchAll(/^etag=.*$/gm))
        expect(line, document).to.match(/^etag=\$\(curl .*\[Ee\]\[Tt\]ag/)
    }
  })

  it('names flags and variables that exist', async () => {
    const { stdout: help } = await runMetastore(['serve', '--help'])
    for (const document of ['README.md', 'docs/configuration.md']) {
      const text = await readFile(join(packageFolder(), document), 'utf8')
      const rows = [...text.matchAll(/^\| `(--[a-z-]+)` \| `(METASTORE_[A-Z_]+)`/gm)]
      expect(rows, document).to.have.length.above(5)
      for (const [, flag = '', variable] of rows) {
        expect(help).to.contain(flag)
        expect(variable).to.equal(`METASTORE_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`)
      }
    }
  })

  it('links to files that are there', async () => {
    const documents = ['README.md', 'docs/tour.md', 'docs/architecture.md', 'docs/layout-on-disk.md']
    for (const document of [
      ...documents,
      'docs/configuration.md',
      'docs/exit-codes.md',
      'docs/interface.md',
      'docs/changes.md',
      'docs/beside.md',
      'docs/operations.md',
    ]) {
      const text = await readFile(join(packageFolder(), document), 'utf8')
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
        const path = join(packageFolder(), dirname(document), target)
        expect(existsSync(path), `${document}: ${target}`).to.equal(true)
      }
    }
  })
})
