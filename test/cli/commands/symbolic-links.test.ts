import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import {
  type FinishedProcess,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import {
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  exampleRepositoryAt,
  goodDocument,
  initExampleRepository,
  initialise,
} from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'

const canary = 'canary of a file outside of the folder'

/** A folder tree with one schema and one record, and files outside of it that no command may read. */
interface Handed {
  readonly tree: string
  readonly outside: string
  write(path: string, text: string): Promise<void>
  link(path: string, target?: string): Promise<void>
  pipe(path: string): Promise<void>
}

const schema = JSON.stringify({ type: 'object', properties: { title: { type: 'string' } } })

async function handed(folder: string): Promise<Handed> {
  const tree = join(folder, 'tree')
  const outside = join(folder, 'outside')
  await mkdir(outside)
  for (const name of ['extra.json', 'document.json', 'schema.json'])
    await writeFile(join(outside, name), JSON.stringify({ title: canary }))
  await writeFile(join(outside, 'record.json'), '{"id": "stolen"}')
  const write = async (path: string, text: string) => {
    await mkdir(join(tree, path, '..'), { recursive: true })
    await writeFile(join(tree, path), text)
  }
  await write('schemas/note/record.json', '{"id": "note"}')
  await write('schemas/note/schema.json', schema)
  await write(
    'metadata/seven/record.json',
    JSON.stringify({
      id: 'seven',
      schema: { schemaId: 'note' },
      relatedIdentifiers: [{ value: 'https://example.org/7', relationType: 'IS_METADATA_FOR' }],
    }),
  )
  await write('metadata/seven/document.json', '{"title": "seven"}')
  return {
    tree,
    outside,
    write,
    async link(path, target = 'extra.json') {
      await rm(join(tree, path), { recursive: true, force: true })
      await symlink(join(outside, target), join(tree, path))
    },
    async pipe(path) {
      await rm(join(tree, path), { force: true })
      expect((await runProgram('mkfifo', [join(tree, path)])).code).to.equal(0)
    },
  }
}

/** Time in milliseconds after which a command counts as waiting for a pipe without a writer. */
const patience = 20_000

/** Runs a command. @throws Error if the command waits */
async function inTime(...args: string[]): Promise<FinishedProcess> {
  const ended = await Promise.race([runMetastore(args), sleep(patience, undefined, { ref: false })])
  if (ended === undefined) throw new Error(`The command waits: git-metastore ${args.join(' ')}`)
  return ended
}

describe('a folder given to a command', () => {
  let hand: ExampleRepository
  let given: Handed
  beforeEach(async () => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    await copyPrepared('empty', data, made => initialise(made, ['--empty']))
    hand = exampleRepositoryAt(folder, data)
    given = await handed(folder)
  })
  afterEach(stopProcesses)

  async function holdsNothingFromOutside(): Promise<void> {
    expect((await hand.tryGit('grep', '-q', 'canary', 'HEAD')).code).to.equal(1)
    expect(await hand.git('ls-tree', '-r', '--name-only', 'HEAD')).to.not.contain('stolen')
  }

  const links: Readonly<Record<string, (given: Handed) => Promise<string>>> = {
    'a further file': async ({ link }) => {
      await link('schemas/note/extra.json')
      return '"schemas/note/extra.json" is a symbolic link'
    },
    'a folder of further files': async ({ link }) => {
      await link('schemas/note/types', '')
      return '"schemas/note/types" is a symbolic link'
    },
    'a document': async ({ link }) => {
      await link('metadata/seven/document.json', 'document.json')
      return '"metadata/seven/document.json" is a symbolic link'
    },
    'a record': async ({ link }) => {
      await link('metadata/seven/record.json', 'record.json')
      return '"metadata/seven/record.json" is a symbolic link'
    },
    'a folder of records': async ({ link }) => {
      await link('metadata/more', '')
      return '"metadata/more" is a symbolic link'
    },
    'earlier versions': async ({ link, write, outside }) => {
      await write('schemas/note/schema.json', `${schema}\n`)
      await mkdir(join(outside, '1'))
      await cp(join(outside, 'record.json'), join(outside, '1', 'record.json'))
      await cp(join(outside, 'schema.json'), join(outside, '1', 'schema.json'))
      await link('schemas/note/.versions', '')
      return '"schemas/note/.versions" is a symbolic link'
    },
    'one earlier version': async ({ link, write }) => {
      await write('schemas/note/.versions/1/record.json', '{"id": "note"}')
      await link('schemas/note/.versions/1/schema.json', 'schema.json')
      return '"schemas/note/.versions/1/schema.json" is a symbolic link'
    },
  }
  for (const [what, make] of Object.entries(links)) {
    it(`is imported without following a link in place of ${what}`, async () => {
      const fault = await make(given)

      const { code, stdout, stderr } = await inTime('import', given.tree, '--data', hand.data)

      expect(code, stderr).to.equal(4)
      expect(stderr).to.contain(fault).and.to.contain('put a copy of what it points at in its place')
      expect(stderr.split(fault)).to.have.length(2)
      expect(stdout).to.match(/^\d created, .*[1-9] failed/)
      await holdsNothingFromOutside()
    })
  }

  it('is imported without waiting for a pipe, and without opening sockets and devices', async () => {
    await given.pipe('metadata/pipe')
    await given.pipe('schemas/note/extra.json')
    const socket = createServer()
    await new Promise<void>(resolve => socket.listen(join(given.tree, 'metadata', 'socket'), resolve))

    const { code, stdout, stderr } = await inTime('import', given.tree, '--data', hand.data)

    await new Promise(resolve => socket.close(resolve))
    expect(code, stderr).to.equal(4)
    expect(stderr).to.contain('"schemas/note/extra.json" is a named pipe. Only regular files')
    expect(stderr).to.contain('"metadata/pipe" is a named pipe')
    expect(stderr).to.contain('"metadata/socket" is a socket')
    expect(stdout).to.equal('0 created, 4 failed\n')
  })

  it('is imported when the given path is a link to it', async () => {
    await symlink(given.tree, join(hand.folder, 'link'))

    const { code, stdout, stderr } = await inTime('import', join(hand.folder, 'link'), '--data', hand.data)

    expect(code, stderr).to.equal(0)
    expect(stdout).to.equal('2 created\n')
  })

  it('provides no file of a schema that is a link, a pipe, or below a linked folder', async () => {
    const main = join(given.tree, 'main.json')
    await writeFile(main, '{"properties": {"a": {"$ref": "types/extra.json"}}}')
    const register = () => inTime('register', 'main', main, '--data', hand.data)
    await given.link('types', '')
    const behind = await register()
    expect(behind.code).to.equal(2)
    expect(behind.stderr).to.contain('"types" is a symbolic link')

    await rm(join(given.tree, 'types'))
    await mkdir(join(given.tree, 'types'))
    await given.link('types/extra.json')
    const linked = await register()
    expect(linked.code).to.equal(2)
    expect(linked.stderr).to.contain('"types/extra.json" is a symbolic link')

    await given.pipe('types/extra.json')
    const pipe = await register()
    expect(pipe.code).to.equal(2)
    expect(pipe.stderr).to.contain('"types/extra.json" is a named pipe')

    await rm(join(given.tree, 'types', 'extra.json'))
    await given.write('types/extra.json', '{"type": "string"}')
    expect((await inTime('update', 'main', main, '--data', hand.data)).code).to.equal(3)
    const whole = await register()
    expect(whole.code, whole.stderr).to.equal(0)
    await given.link('types/extra.json')
    const update = await inTime('update', 'main', main, '--data', hand.data)
    expect(update.code).to.equal(2)
    expect(update.stderr).to.contain('"types/extra.json" is a symbolic link')
    await holdsNothingFromOutside()
  })

  it('does not restrict files named on the command line: they may be links and pipes', async () => {
    const linked = join(hand.folder, 'linked.json')
    await symlink(join(given.tree, 'schemas', 'note', 'schema.json'), linked)
    expect((await inTime('register', 'note', linked, '--data', hand.data)).code).to.equal(0)

    const lines = join(hand.folder, 'lines')
    expect((await runProgram('mkfifo', [lines])).code).to.equal(0)
    const item = { kind: 'schema', id: 'other', record: {}, document: { json: { type: 'object' } } }
    const writing = writeFile(lines, `${JSON.stringify(item)}\n`)
    const imported = await inTime('import', lines, '--data', hand.data)

    expect(imported.code, imported.stderr).to.equal(0)
    expect(imported.stdout).to.equal('1 created\n')
    await writing
  })
})

describe('a work tree with links and pipes', () => {
  let hand: ExampleRepository
  beforeEach(async () => {
    hand = await initExampleRepository()
    await writeFile(join(hand.folder, 'secret.json'), goodDocument(canary))
  })
  afterEach(stopProcesses)

  for (const [what, path] of Object.entries({
    'a document': `${exampleRecordFolder}/document.json`,
    'the folder of a record': exampleRecordFolder,
    'the folder of all records': 'metadata',
    'a file outside of records': 'notes',
  })) {
    it(`is not committed when ${what} is a link`, async () => {
      const before = await hand.git('rev-parse', 'HEAD')
      await rm(join(hand.data, path), { recursive: true, force: true })
      await symlink(join(hand.folder, 'secret.json'), join(hand.data, path))

      for (const options of [...(path === 'notes' ? [] : [[]]), ['--all'], [path]]) {
        const { code, stdout, stderr } = await inTime(
          'commit',
          '-m',
          'By hand',
          ...options,
          '--data',
          hand.data,
        )

        expect(code, stdout + stderr).to.equal(2)
        expect(stdout + stderr)
          .to.contain(path)
          .and.to.contain('symbolic link')
        expect(await hand.git('rev-parse', 'HEAD')).to.equal(before)
      }
    })
  }

  it('is refused by commit without waiting when a document is a pipe', async () => {
    const before = await hand.git('rev-parse', 'HEAD')
    const document = join(hand.data, exampleRecordFolder, 'document.json')
    await rm(document)
    expect((await runProgram('mkfifo', [document])).code).to.equal(0)

    for (const options of [[], ['--all'], [exampleRecordFolder]]) {
      const { code, stderr, stdout } = await inTime(
        'commit',
        '-m',
        'By hand',
        ...options,
        '--data',
        hand.data,
      )

      expect(code, stderr + stdout).to.not.equal(0)
      expect(stderr + stdout).to.contain(`${exampleRecordFolder}/document.json`)
      expect(await hand.git('rev-parse', 'HEAD')).to.equal(before)
    }
  })
})

describe('an edited document that is then replaced by a link, a pipe or a folder', () => {
  afterEach(stopProcesses)

  it('is reported by status without following the link, waiting for the pipe, or a stack trace', async () => {
    const hand = await initExampleRepository()
    const server = await startServer(['--data', hand.data])
    const document = join(hand.data, exampleRecordFolder, 'document.json')
    await writeFile(document, goodDocument('an edit of version 1'))
    await writeFile(join(hand.folder, 'new.json'), goodDocument('version 2'))
    const { code, stderr } = await inTime(
      'update',
      exampleRecordId,
      join(hand.folder, 'new.json'),
      '--url',
      server.url,
    )
    expect(code, stderr).to.equal(0)
    const told = async () => {
      const ended = await inTime('status', '--data', hand.data)
      return ended.code === 0 && ended.stdout.includes('is based on version 1') ? '' : JSON.stringify(ended)
    }
    for (let tries = 0; (await told()) !== ''; tries++) expect(tries, await told()).to.be.below(100)

    await rm(document)
    expect((await runProgram('mkfifo', [document])).code).to.equal(0)
    expect(await told()).to.equal('')
    await rm(document)
    await symlink('/dev/zero', document)
    expect(await told()).to.equal('')
    await rm(document)
    await mkdir(document)
    expect(await told()).to.equal('')
  })
})

describe('the template of init', () => {
  afterEach(stopProcesses)

  it('is copied without following links', async () => {
    const folder = await temporaryFolder()
    const copy = join(folder, 'package')
    for (const name of ['bin', 'dist/program', 'package.json', 'data-template'])
      await cp(join(packageFolder(), name), join(copy, name), { recursive: true, preserveTimestamps: true })
    await symlink(join(packageFolder(), 'node_modules'), join(copy, 'node_modules'))
    await writeFile(join(folder, 'secret.txt'), canary)
    await symlink(join(folder, 'secret.txt'), join(copy, 'data-template', 'secret.txt'))
    const init = () =>
      runProgram(process.execPath, [join(copy, 'bin/git-metastore.js'), 'init', join(folder, 'data')])

    const refused = await init()

    expect(refused.code, refused.stdout).to.equal(2)
    expect(refused.stderr).to.contain('"secret.txt" is a symbolic link')
    await rm(join(copy, 'data-template', 'secret.txt'))
    expect((await init()).code).to.equal(0)
  })
})
