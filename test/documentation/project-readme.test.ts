import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { headingNames } from '../support/program/document-headings.js'
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

  it('and every document link to files and headings that are there, and each document is linked to', async () => {
    const documents = await readDocuments()
    const linked = new Set<string>()
    for (const [document, text] of documents) {
      for (const [, target = '', heading] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
        const path = target === '' ? document : join(dirname(document), target)
        if (path !== document) linked.add(path)
        expect(existsSync(join(packageFolder(), path)), `${document}: ${target}`).to.equal(true)
        if (heading === undefined) continue
        const there = await readFile(join(packageFolder(), path), 'utf8')
        expect(headingNames(there), `${document}: ${target}#${heading}`).to.include(heading)
      }
    }
    expect(
      [...documents.keys()].filter(document => document !== 'README.md' && !linked.has(document)),
    ).to.deep.equal([])
  })
})

/** Every document of the project by its path. */
async function readDocuments(): Promise<ReadonlyMap<string, string>> {
  const inDocs = await readdir(join(packageFolder(), 'docs'), { recursive: true })
  const names = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...inDocs.map(name => `docs/${name}`)]
  const read = names
    .filter(name => name.endsWith('.md'))
    .map(async name => [name, await readFile(join(packageFolder(), name), 'utf8')] as const)
  return new Map(await Promise.all(read))
}
