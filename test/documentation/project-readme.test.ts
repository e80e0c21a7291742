import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { headingNames } from '../support/documentation/document-headings.js'
import {
  putProgramOnPath,
  readDocumentedCommands,
  runDocumentedCommands,
} from '../support/documentation/documented-commands.js'
import {
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'

describe('the README and the documents', () => {
  after(stopProcesses)

  it('show a tour in the README whose commands print the documented output', async () => {
    const folder = await temporaryFolder()
    await putProgramOnPath(folder)
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('README.md')
    expect(steps).to.have.length.above(5)

    await runDocumentedCommands(steps, folder, server.port)

    expect((await server.stop()).code).to.equal(0)
    expect((await readdir(folder)).sort()).to.deep.equal(['bin', 'data'])
    const verified = await runMetastore(['verify', '--data', join(folder, 'data')])
    expect(verified.stdout).to.contain('no complaint')
    const status = await runProgram('git', ['status', '--short'], { cwd: join(folder, 'data') })
    expect(status.stdout).to.equal('')
  })

  it('show requests of version 2 in docs/use/interface.md that get the documented answers', async () => {
    const folder = await temporaryFolder()
    const server = await startServer(['--data', 'data'], { cwd: folder })
    const steps = await readDocumentedCommands('docs/use/interface.md')
    expect(steps).to.have.length.above(2)

    await runDocumentedCommands(steps, folder, server.port)
  })

  it('take an ETag from an answer, never from the newest commit, which may have changed another record', async () => {
    for (const [document, text] of await readDocuments()) {
      for (const [line] of text.matchAll(/^etag=.*$/gm))
        expect(line, document).to.match(/^etag=\$\(curl .*\[Ee\]\[Tt\]ag/)
    }
  })

  it('name only flags and variables that exist', async () => {
    const { stdout: help } = await runMetastore(['serve', '--help'])
    for (const document of ['README.md', 'docs/run/configuration.md']) {
      const text = await readFile(join(packageFolder(), document), 'utf8')
      const rows = [...text.matchAll(/^\| `(--[a-z-]+)` \| `(METASTORE_[A-Z_]+)`/gm)]
      expect(rows, document).to.have.length.above(5)
      for (const [, flag = '', variable] of rows) {
        expect(help).to.contain(flag)
        expect(variable).to.equal(`METASTORE_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`)
      }
    }
  })

  it('link only to files and headings that exist', async () => {
    for (const { document, path, heading } of await readLinks()) {
      const place = `${document}: ${path}`
      expect(existsSync(join(packageFolder(), path)), place).to.equal(true)
      if (heading === undefined) continue
      const there = await readFile(join(packageFolder(), path), 'utf8')
      expect(headingNames(there), `${place}#${heading}`).to.include(heading)
    }
  })

  it('name only rooms and files of the source that exist', async () => {
    const rooms = await readdir(join(packageFolder(), 'src'))
    const path = new RegExp(
      `\`(?:src/)?((?:${rooms.filter(name => !name.includes('.')).join('|')})/[\\w./-]+)\``,
      'g',
    )
    const named = [...(await readDocuments())].flatMap(([document, markdown]) =>
      [...markdown.matchAll(path)].map(([, name = '']) => ({ document, name })),
    )
    const missing = named.filter(
      ({ name }) => !['', '.ts'].some(ending => existsSync(join(packageFolder(), 'src', name + ending))),
    )

    expect(named).to.have.length.above(50)
    expect(missing).to.deep.equal([])
  })

  it('are each linked from another document', async () => {
    const linked = new Set(
      (await readLinks()).filter(link => link.path !== link.document).map(link => link.path),
    )
    const documents = [...(await readDocuments()).keys()]
    expect(documents.filter(document => document !== 'README.md' && !linked.has(document))).to.deep.equal([])
  })

  it('describe each picture in words, and show only PNG files below 150 KB', async () => {
    const shown = (await readLinks()).filter(({ isPicture }) => isPicture)
    for (const { document, text, path } of shown) {
      const bytes = await readFile(join(packageFolder(), path))
      expect(bytes.subarray(1, 4).toString(), `${document}: ${path}`).to.equal('PNG')
      expect(bytes.length, path).to.be.below(150_000)
      expect(text, `${document}: ${path}`).to.not.equal('')
    }
    const pictures = (await readdir(join(packageFolder(), 'docs', 'pictures'))).map(
      name => `docs/pictures/${name}`,
    )
    expect(new Set(shown.map(({ path }) => path))).to.have.all.keys(pictures)
  })
})

interface DocumentLink {
  /** Path of the document that has the link. */
  readonly document: string
  readonly isPicture: boolean
  readonly text: string
  /** Path of the target in the project. */
  readonly path: string
  readonly heading: string | undefined
}

/** Reads the links of all documents to files of the project. */
async function readLinks(): Promise<readonly DocumentLink[]> {
  const pattern = /(!?)\[([^\]]*)\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g
  return [...(await readDocuments())].flatMap(([document, markdown]) =>
    [...markdown.matchAll(pattern)].map(([, mark, text = '', target = '', heading]) => ({
      document,
      isPicture: mark === '!',
      text,
      path: target === '' ? document : join(dirname(document), target),
      heading,
    })),
  )
}

/** Reads every document of the project, by path. */
async function readDocuments(): Promise<ReadonlyMap<string, string>> {
  const inDocs = await readdir(join(packageFolder(), 'docs'), { recursive: true })
  const names = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...inDocs.map(name => `docs/${name}`)]
  const read = names
    .filter(name => name.endsWith('.md'))
    .map(async name => [name, await readFile(join(packageFolder(), name), 'utf8')] as const)
  return new Map(await Promise.all(read))
}
