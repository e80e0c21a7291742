// test-schedule: waits
import { chmod, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { runMetastore, runProgram, stopProcesses } from '../../support/program/run-program.js'
import {
  badDocument,
  type ExampleRepository,
  exampleRecordFolder,
  exampleRecordId,
  exampleRepositoryAt,
  goodDocument,
  initExampleRepository,
  modificationTimes,
  recordFolder,
  smallRecord,
} from '../../support/repository/example-repository.js'

interface CheckJson {
  readonly commits: number
  readonly revisions: number
  readonly faults: readonly {
    readonly commit?: string
    readonly path?: string
    readonly kind?: string
    readonly id?: string
    readonly line?: number
    readonly pointer?: string
    readonly message: string
  }[]
}

/** A metadata record of the example repository, in XML. */
const rod = 'metadata/7/c/2/e/7c2e9b14-3f58-4a6d-8e01-5d9a4c6b7f20'
const one = '0a000000-0000-4000-8000-000000000001'
const two = '0a000000-0000-4000-8000-000000000002'

describe('git-metastore check', () => {
  let hand: ExampleRepository
  beforeEach(async () => {
    hand = await initExampleRepository()
  })
  afterEach(stopProcesses)

  /** Runs the command, and checks its exit code. @returns its JSON output */
  async function check(...args: string[]): Promise<CheckJson> {
    const { code, stdout, stderr } = await hand.run('check', '--json', ...args)
    expect(stderr, stderr).to.equal('')
    const said = JSON.parse(stdout) as CheckJson
    expect(code).to.equal(said.faults.length === 0 ? 0 : 4)
    return said
  }

  async function add(id: string, resource: string, document: string): Promise<void> {
    await hand.write(`${recordFolder(id)}/record.json`, smallRecord(resource))
    await hand.write(`${recordFolder(id)}/document.json`, document)
    await hand.git('add', '-A')
  }

  it('accepts good commits and counts them', async () => {
    await add(one, 'https://example.org/1', goodDocument('one'))
    await hand.git('commit', '-qm', 'One')
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    await hand.git('commit', '-qam', 'Two')

    expect(await check('HEAD~2..HEAD')).to.deep.equal({ commits: 2, revisions: 2, faults: [] })
    expect(await check('HEAD')).to.deep.equal({ commits: 1, revisions: 1, faults: [] })
    expect((await hand.run('check', 'HEAD~1..')).stdout).to.contain(
      '1 commit, 1 revision of records checked: no fault',
    )
  })

  it('lets no name of a file control the terminal', async () => {
    await hand.write(`${recordFolder(one)}\u001b]0;title\u0007\u001b[2J\u009b2J\nx/record.json`, '{')
    await hand.git('add', '-A')
    await hand.git('commit', '-qm', 'Add')

    const { stdout } = await hand.run('check', 'HEAD')
    expect(stdout).to.contain('\\u{1b}]0;title\\u{7}\\u{1b}[2J\\u{9b}2J\\nx')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
    expect(stdout).to.not.match(/[\u001b\u0007\u009b]/)
    expect(stdout.trim().split('\n')).to.have.length(3)
  })

  it('refuses files that are those of records where upper and lower case are the same', async () => {
    for (const path of [exampleRecordFolder.replace('metadata', 'Metadata'), 'Metastore.JSON', 'SCHEMAS'])
      await hand.write(path.includes('JSON') ? path : `${path}/document.json`, badDocument)
    await hand.git('add', '-A')
    await hand.git('commit', '-qm', 'Add')

    const { faults } = await check('HEAD')
    expect(
      faults.map(({ message }) => /where case does not count, (.*)\. Rename/.exec(message)?.[1]),
    ).to.deep.equal(['Metadata is metadata', 'Metastore.JSON is metastore.json', 'SCHEMAS is schemas'])
  })

  it('names commit, path and place of each fault, even if a later commit corrects it', async () => {
    const base = await hand.git('rev-parse', 'HEAD')
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('commit', '-qam', 'Break it')
    const bad = await hand.git('rev-parse', 'HEAD')
    await hand.write(`${exampleRecordFolder}/document.json`, goodDocument('again'))
    await hand.git('commit', '-qam', 'Mend it')

    const { commits, faults } = await check(`${base}..HEAD`)

    expect(commits).to.equal(2)
    expect(faults).to.have.length(2)
    for (const fault of faults) {
      expect(fault).to.include({
        commit: bad,
        path: `${exampleRecordFolder}/document.json`,
        kind: 'metadata',
        id: exampleRecordId,
      })
    }
    const { stdout } = await hand.run('check', `${base}..HEAD`)
    expect(stdout).to.contain(`${bad.slice(0, 10)}  ${exampleRecordFolder}/document.json:1: `)
    await hand.write(
      `${rod}/document.xml`,
      '<?xml version="1.0"?>\n<sample xmlns="https://example.org/sample"/>\n',
    )
    const edited = await hand.run('check')
    expect(edited.stdout).to.contain(`work tree  ${rod}/document.xml:2: `)
    expect(faults.map(({ line }) => line)).to.deep.equal([1, 1])
    expect(stdout).to.match(/2 faults\nEvery commit counts as a version: .*git rebase/)
  })

  it('names the line of each fault in JSON records and documents', async () => {
    await hand.edit(`${exampleRecordFolder}/document.json`, text =>
      text.replace(/"date": "[^"]*"/, '"date":\n"soon"'),
    )
    await hand.write(
      `${recordFolder(one)}/record.json`,
      smallRecord('https://example.org/1').replace('{', '{\n\n "colour": "red",'),
    )
    await hand.write(`${recordFolder(one)}/document.json`, goodDocument('one'))
    await hand.write(`${recordFolder(two)}/record.json`, smallRecord('https://example.org/2'))
    await hand.write(`${recordFolder(two)}/document.json`, '{\n  "title": "two",\n  date\n}\n')

    const { faults } = await check()

    const places = faults.map(({ path, line, pointer }) => `${path}:${line} ${pointer ?? ''}`)
    expect(places).to.have.members([
      `${exampleRecordFolder}/document.json:4 /date`,
      `${recordFolder(one)}/record.json:3 /colour`,
      `${recordFolder(two)}/document.json:3 `,
    ])
  })

  it('checks every rule: syntax, places, names, resources, schemas in use, the layout', async () => {
    const resource = 'https://example.org/images/fracture-7'
    const cases: readonly [what: RegExp, path: string, change: () => Promise<unknown>][] = [
      [
        /JSON/,
        `${exampleRecordFolder}/record.json`,
        () => hand.write(`${exampleRecordFolder}/record.json`, '{'),
      ],
      [
        /no member "colour"/,
        `${exampleRecordFolder}/record.json`,
        () =>
          hand.edit(`${exampleRecordFolder}/record.json`, text => text.replace('{', '{ "colour": "red",')),
      ],
      [
        /relatedIdentifiers\[0\]\.value is blank/,
        `${recordFolder(one)}/record.json`,
        () => add(one, ' \u200b', goodDocument('x')),
      ],
      [
        /already has a document/,
        `${recordFolder(one)}/record.json`,
        () => add(one, resource, goodDocument('x')),
      ],
      [
        /belongs into/,
        'metadata/0/0/0/0/there/record.json',
        async () => {
          await hand.git('mv', exampleRecordFolder, 'metadata/0/0/0/0/there').catch(() => undefined)
          await hand.write(
            'metadata/0/0/0/0/there/record.json',
            smallRecord('urn:x').replace('{', `{"id":"${two}",`),
          )
          await hand.write('metadata/0/0/0/0/there/document.json', goodDocument('x'))
        },
      ],
      [/no document/, exampleRecordFolder, () => rm(join(hand.data, exampleRecordFolder, 'document.json'))],
      [/two documents/, exampleRecordFolder, () => hand.write(`${exampleRecordFolder}/document.xml`, '<a/>')],
      [
        /follows a version of the schema/,
        'schemas/measurement',
        () => rm(join(hand.data, 'schemas/measurement'), { recursive: true }),
      ],
      [
        /must be integer/,
        'schemas/measurement/schema.json',
        () =>
          hand.edit('schemas/measurement/schema.json', text =>
            text.replace('"minLength": 1', '"minLength": "x"'),
          ),
      ],
      [/layout/, 'metastore.json', () => hand.write('metastore.json', '{"layout": 99}\n')],
      [/name of a device/, 'notes/Aux.md', () => hand.write('notes/Aux.md', 'x')],
      [/ends with a dot or space/, 'notes./x', () => hand.write('notes./x', 'x')],
      [
        /A file here cannot have this path/,
        'notes/git~1/x',
        async () => {
          // Git refuses such a path by default.
          await hand.git('config', 'core.protectNTFS', 'false')
          await hand.write('notes/git~1/x', 'x')
        },
      ],
    ]
    for (const [what, path, change] of cases) {
      await change()
      await hand.git('add', '-A')
      await hand.git('commit', '-qm', 'Break a rule')
      const { faults } = await check('HEAD')
      expect(
        faults.map(fault => fault.path),
        String(what),
      ).to.include(path)
      expect(faults.map(fault => fault.message).join('\n')).to.match(what)
      await hand.git('reset', '-q', '--hard', 'HEAD~1')
    }
  })

  it('checks commits that claim to be made by a server', async () => {
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('add', '-A')
    await hand.git(
      ...['-c', 'user.name=git-metastore', 'commit', '-q'],
      ...['-m', 'Forged', '-m', 'Recorded-At: 2026-03-14T05:12:00.123Z'],
    )
    const env = { GIT_COMMITTER_NAME: 'git-metastore', GIT_COMMITTER_EMAIL: 'service@git-metastore' }
    await runProgram('git', ['-C', hand.data, 'commit', '-q', '--amend', '--no-edit'], { env })

    expect((await check('HEAD')).faults).to.have.length(2)
  })

  it('refuses a rewritten history, and reads three dots as the range since the parting of two branches', async () => {
    await hand.git('checkout', '-q', '-b', 'side')
    await add(one, 'https://example.org/1', goodDocument('one'))
    await hand.git('commit', '-qm', 'On the side')
    await hand.git('checkout', '-q', 'main')
    await add(two, 'https://example.org/2', goodDocument('two'))
    await hand.git('commit', '-qm', 'On main')

    const { faults } = await check('main..side')
    expect(faults).to.have.length(1)
    expect(faults[0]?.message).to.contain('history must only grow')
    expect(await check('main...side')).to.deep.equal({ commits: 1, revisions: 1, faults: [] })
  })

  it('checks a merge by its changes to the branch, in either direction', async () => {
    await hand.git('checkout', '-q', '-b', 'side')
    await add(one, 'https://example.org/1', goodDocument('one'))
    await hand.git('commit', '-qm', 'On the side')
    await hand.git('checkout', '-q', 'main')
    await add(two, 'https://example.org/1', goodDocument('two'))
    await hand.git('commit', '-qm', 'On main, of the same resource')
    await hand.git('checkout', '-q', 'side')
    await hand.git('merge', '-q', '--no-edit', 'main')

    // `main` is the second parent of the merge. The server would add a commit on top of the merge.
    const { faults } = await check('main..side')
    const merge = await hand.git('rev-parse', 'side')

    expect(faults).to.have.length(1)
    expect(faults[0]).to.include({ commit: merge, path: `${recordFolder(one)}/record.json` })
    expect(faults[0]?.message).to.contain(two)
  })

  it('checks the index or the whole work tree, and changes neither', async () => {
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('add', '-A')
    await hand.write(`${exampleRecordFolder}/document.json`, goodDocument('in the work tree'))
    await hand.write('notes.txt', 'not ours')
    const before = await modificationTimes(hand.data)

    const staged = await check('--staged')
    const edits = await check()

    expect(staged.faults).to.have.length(2)
    expect(staged.faults[0])
      .to.include({ path: `${exampleRecordFolder}/document.json` })
      .and.not.have.property('commit')
    expect(edits).to.deep.equal({ commits: 1, revisions: 1, faults: [] })
    expect(await modificationTimes(hand.data)).to.equal(before)
    expect((await hand.run('check', '--staged')).stdout).to.contain(
      `staged  ${exampleRecordFolder}/document.json:1: `,
    )
  })

  it('works on a read-only clone, bare or with a detached HEAD, with or without a catalog', async () => {
    await hand.write(`${exampleRecordFolder}/document.json`, badDocument)
    await hand.git('commit', '-qam', 'Break it')
    await runProgram('git', ['clone', '-q', '--bare', hand.data, 'bare.git'], { cwd: hand.folder })
    await runProgram('git', ['clone', '-q', hand.data, 'detached'], { cwd: hand.folder })
    await runProgram('git', ['-C', 'detached', 'checkout', '-q', '--detach'], { cwd: hand.folder })
    // `list` creates the catalog of the data folder.
    expect((await hand.run('list')).code).to.equal(0)
    for (const name of ['bare.git', 'detached', 'data']) {
      const folder = join(hand.folder, name)
      await runProgram('chmod', ['-R', 'a-w', folder])
      try {
        const before = await modificationTimes(folder)
        const { code, stdout, stderr } = await runMetastore([
          'check',
          'HEAD~1..HEAD',
          '--json',
          '--data',
          folder,
        ])
        expect(code, stderr).to.equal(4)
        expect((JSON.parse(stdout) as CheckJson).faults).to.have.length(2)
        if (name !== 'data') expect(await modificationTimes(folder)).to.equal(before)
      } finally {
        await runProgram('chmod', ['-R', 'u+w', folder])
      }
    }
    await chmod(hand.data, 0o755)
  })

  it('starts from a catalog of a commit before the range', async () => {
    expect((await hand.run('list')).code).to.equal(0)
    await add(one, 'https://example.org/images/fracture-7', goodDocument('one'))
    await hand.git('commit', '-qm', 'The same resource again')
    const before = await hand.git('rev-parse', 'HEAD~1')

    const { commits, faults } = await check(`${before}..HEAD`)

    expect(commits).to.equal(1)
    expect(faults.map(({ message }) => message).join()).to.contain(exampleRecordId)
  })

  it('names a missing prerequisite of the check', async () => {
    const unknown = await hand.run('check', 'nowhere..HEAD')
    expect([unknown.code, unknown.stderr]).to.deep.equal([
      3,
      `git-metastore: ${hand.data} has no commit nowhere.\n`,
    ])
    await hand.edit(`${exampleRecordFolder}/document.json`, text => text.replace('Ada', 'Eve'))
    await hand.git('commit', '-qam', 'Another')
    const shallow = join(hand.folder, 'shallow')
    await runProgram('git', ['clone', '-q', '--depth', '1', `file://${hand.data}`, shallow])
    const cut = await runMetastore(['check', 'HEAD', '--data', shallow])
    expect(cut.code).to.equal(1)
    expect(cut.stderr).to.contain('fetch --unshallow')
    const none = await runMetastore(['check', '--data', hand.folder])
    expect(none.code).to.equal(1)
    expect(none.stderr).to.contain('not a git repository')
    expect((await hand.run('check', 'HEAD', '--staged')).code).to.equal(2)
    expect((await hand.run('check', '--git', 'none')).code).to.equal(1)
    const other = exampleRepositoryAt(hand.folder, join(hand.folder, 'other'))
    await runProgram('git', ['init', '-q', other.data])
    await other.write('README.md', 'Not a repository of metadata')
    const foreign = await other.run('check')
    expect(foreign.code).to.equal(4)
    expect(foreign.stdout).to.contain('metastore.json')
  })
})
