// test-schedule: first
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { expect } from 'chai'
import { packageFolder } from '../../../src/cli/installed-package.js'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { terminationSignals } from '../../../src/core/child-processes.js'
import { parseId } from '../../../src/core/value-types.js'
import { recordDirectory, recordFile } from '../../../src/store/records/repository-layout.js'
import { checkCrate } from '../../support/exports/check-export.js'
import {
  type FinishedProcess,
  programScript,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
  testEnvironment,
} from '../../support/program/run-program.js'
import { initialise } from '../../support/repository/example-repository.js'
import {
  createNote,
  noteJsonSchema,
  registerNote,
  removeNote,
  reviseNote,
} from '../../support/repository/note-records.js'
import {
  removePlainRepositories,
  temporaryFolderSync,
} from '../../support/repository/plain-git-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'
import {
  removeRepositories,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

/**
 * A repository with every kind of content: files, versions, both languages, unusual bytes, REVOKED and GONE records.
 */
async function lively(): Promise<string> {
  const repository = await temporaryRepository()
  const services = await repository.compose()
  const { schema: schemas, metadata } = services.collections
  const any = { any: true } as const
  await registerNote(services)
  const types = new Map([
    [
      'types/t.xsd',
      Buffer.from(
        `${xs}<xs:simpleType name="t"><xs:restriction base="xs:string"/></xs:simpleType></xs:schema>`,
      ),
    ],
  ])
  const letter = Buffer.from(
    `${xs}<xs:include schemaLocation="types/t.xsd"/><xs:element name="letter" type="t"/></xs:schema>`,
  )
  await schemas.create(
    selfPrincipal,
    { id: parseId('letter', 'id'), edit: base => base },
    { document: letter, files: types },
    { bases: [] },
  )
  const one = await createNote(services, 'one', { id: 'One.of*many' })
  const two = await createNote(services, 'two')
  const gone = await createNote(services, 'gone')
  await schemas.revise(
    selfPrincipal,
    parseId('note', 'id'),
    any,
    { document: Buffer.concat([noteJsonSchema, Buffer.from('\n')]) },
    { bases: [] },
  )
  await reviseNote(services, one, 'one, again')
  await metadata.revise(selfPrincipal, two.id, any, {
    document: Buffer.from('\n{ "title": "two",\t"pages": 1.0 }'),
  })
  const related = [{ identifierType: 'DOI', value: '10.5555/7', relationType: 'IS_METADATA_FOR' }]
  const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><letter>\xe4</letter>', 'latin1')
  await metadata.create(
    selfPrincipal,
    {
      schema: { schemaId: parseId('letter', 'id') },
      edit: base => ({
        ...base,
        relatedIdentifiers: related,
        creators: [{ givenName: 'Ada', familyName: 'Lovelace' }],
        descriptions: [{ description: 'One letter with an umlaut.', type: 'ABSTRACT' }],
        rights: [{ schemeId: 'CC0', schemeUri: 'https://creativecommons.org/publicdomain/zero/1.0/' }],
      }),
    },
    { document: latin },
  )
  await schemas.revise(
    selfPrincipal,
    parseId('note', 'id'),
    any,
    { draft: { edit: base => ({ ...base, titles: [{ value: 'Notes' }] }) } },
    { bases: [] },
  )
  await reviseNote(services, await metadata.read(selfPrincipal, one.id), 'one, for the third time')
  await removeNote(services, two)
  await removeNote(services, gone)
  await removeNote(services, gone)
  await services.close()
  return repository.dir
}

const xs = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'

async function empty(...options: string[]): Promise<string> {
  const data = join(await temporaryFolder(), 'data')
  await copyPrepared(`empty ${options.join(' ')}`, data, made => initialise(made, ['--empty', ...options]))
  return data
}

async function succeeds(...args: string[]): Promise<FinishedProcess> {
  const ended = await runMetastore(args)
  expect(ended.code, `${args.join(' ')}\n${ended.stderr}`).to.equal(0)
  return ended
}

async function git(data: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('git', ['-C', data, ...args])
  expect(code, stderr).to.equal(0)
  return stdout.trim()
}

/** Paths and ids of all blobs of records and documents. */
async function files(data: string): Promise<readonly string[]> {
  const all = (await git(data, 'ls-tree', '-r', 'HEAD')).split('\n')
  return all.filter(line => /\t(schemas|metadata)\//.test(line))
}

async function isSound(data: string): Promise<void> {
  const verified = JSON.parse((await succeeds('verify', '--data', data, '--json')).stdout)
  expect(verified.complaints).to.deep.equal([])
  expect(await git(data, 'fsck', '--strict', '--no-dangling')).to.equal('')
  expect(await git(data, 'status', '--porcelain')).to.equal('')
}

/** Lines of JSON: a schema, then notes that follow it. */
function lines(...documents: readonly (readonly [id: string, document: unknown])[]): string {
  const schema = { kind: 'schema', id: 'note', record: {}, document: { text: noteJsonSchema.toString() } }
  const notes = documents.map(([id, json]) => ({
    kind: 'metadata',
    id,
    record: {
      schema: { schemaId: 'note' },
      relatedIdentifiers: [{ value: `https://example.org/${id}`, relationType: 'IS_METADATA_FOR' }],
    },
    document: { json },
  }))
  return [schema, ...notes].map(line => `${JSON.stringify(line)}\n`).join('')
}

async function summary(data: string, input: string, ...options: string[]): Promise<Record<string, number>> {
  const ended = await runMetastore(['import', '-', '--data', data, '--json', ...options], { input })
  return JSON.parse(ended.stdout) as Record<string, number>
}

describe('an imported export', () => {
  /** Only exports and one server read this repository. */
  let source: string
  before(async () => {
    source = await lively()
  })
  afterEach(stopProcesses)
  after(removeRepositories)

  it('keeps the whole history byte for byte', async () => {
    const file = join(await temporaryFolder(), 'all.jsonl')
    const data = await empty()

    await succeeds('export', '--history', '--data', source, '--output', file)
    await succeeds('import', file, '--data', data)

    expect(await files(data)).to.deep.equal(await files(source))
    expect(await git(data, 'rev-list', '--count', 'HEAD')).to.equal(
      await git(source, 'rev-list', '--count', 'HEAD'),
    )
    for (const id of ['One.of*many', 'note']) {
      const versions = async (from: string) =>
        JSON.parse((await succeeds('log', id, '--data', from, '--json')).stdout).map(
          ({ version, subject, author }: Record<string, unknown>) => ({ version, subject, author }),
        )
      expect(await versions(data)).to.deep.equal(await versions(source))
    }
    const again = await succeeds('export', '--history', '--data', data)
    expect(again.stdout).to.equal(await readFile(file, 'utf8'))
    await isSound(data)
  })

  it('keeps the history of a record that was deleted, and restored with git revert', async () => {
    const repository = await temporaryRepository()
    const services = await repository.compose()
    await registerNote(services)
    const created = await createNote(services, 'text', { id: 'back' })
    for (let step = 0; step < 2; step++) await removeNote(services, created)
    await services.close()
    await repository.git('revert', '--no-edit', 'HEAD')
    const file = join(await temporaryFolder(), 'all.jsonl')
    const data = await empty()

    await succeeds('export', '--history', '--data', repository.dir, '--output', file)
    await succeeds('import', file, '--data', data)

    expect(await files(data)).to.deep.equal(await files(repository.dir))
    const versions = async (from: string) =>
      JSON.parse((await succeeds('log', 'back', '--data', from, '--json')).stdout).map(
        ({ version }: { readonly version: number }) => version,
      )
    expect(await versions(data)).to.deep.equal(await versions(repository.dir))
    expect((await succeeds('export', '--history', '--data', data)).stdout).to.equal(
      await readFile(file, 'utf8'),
    )
    await isSound(data)
  })

  it('keeps authors and times', async () => {
    const data = await empty()
    const [schema = '', line = ''] = lines(['a', { title: 'a' }]).split('\n')
    const author = { name: 'Ada', email: 'ada@example.org' }
    const told = { ...JSON.parse(line), author, time: '2020-02-03T04:05:06.789Z' }

    await summary(data, `${schema}\n${JSON.stringify(told)}\n`)

    expect(await git(data, 'log', '-1', '--format=%an %ae %ad', '--date=iso-strict-local')).to.match(
      /^Ada ada@example.org 2020-02-03T/,
    )
    expect(await git(data, 'log', '-1', '--format=%(trailers:key=Original-Time,valueonly)')).to.equal(
      told.time,
    )
    const { stdout } = await succeeds('export', '--data', data)
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).to.deep.include({ author, time: told.time })
  })

  it('has the time of the commit if a person wrote no time after Original-Time', async () => {
    const data = await empty()
    await summary(data, lines(['a', { title: 'a' }]))
    const author = ['-c', 'user.name=Jane', '-c', 'user.email=jane@example.org']
    const directory = recordDirectory('metadata', parseId('a', 'id'))
    await writeFile(join(data, directory, 'document.json'), '{ "title": "b" }')
    await git(data, ...author, 'commit', '-q', '-a', '-m', 'Edit\n\nOriginal-Time: 5')

    const { stdout } = await succeeds('export', '--data', data)

    const { time, author: by } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(by.name).to.equal('Jane')
    expect(Date.parse(time) / 1000).to.equal(Number(await git(data, 'log', '-1', '--format=%ct')))
  })

  for (const options of [['--bare'], ['--squash']]) {
    it(`keeps the newest versions: ${options.join(' ')}`, async () => {
      const bare = options.includes('--bare')
      const data = await empty(...(bare ? options : []))
      const { stdout } = await succeeds('export', '--data', source)

      const done = await summary(data, stdout, ...(bare ? [] : options))

      expect(done).to.include({ created: 5, revised: 2, failed: 0 })
      expect(await files(data)).to.deep.equal(await files(source))
      if (bare) return
      // One first commit, four commits of schemas, one commit of all metadata.
      expect(await git(data, 'rev-list', '--count', 'HEAD')).to.equal('6')
      await isSound(data)
      expect(await summary(data, stdout, '--squash')).to.include({ created: 0, there: 7, failed: 0 })
    })
  }

  it('keeps the records through a folder tree, with and without history', async () => {
    for (const options of [[], ['--history']]) {
      const tree = join(await temporaryFolder(), 'tree')
      const data = await empty('--bare')
      await succeeds('export', '--format', 'tree', ...options, '--output', tree, '--data', source)

      await succeeds('import', tree, '--data', data)

      expect(await files(data)).to.deep.equal(await files(source))
      const log = JSON.parse((await succeeds('log', 'One.of*many', '--data', data, '--json')).stdout)
      expect(log).to.have.length(options.length === 0 ? 1 : 3)
      expect(
        (await runMetastore(['export', '--format', 'tree', '--output', tree, '--data', source])).code,
      ).to.equal(3)
    }
  })

  it('is possible beside running servers of both data folders', async () => {
    const data = await empty()
    await startServer(['--data', source])
    const server = await startServer(['--data', data])

    const { stdout } = await succeeds('export', '--data', source)
    expect(await summary(data, stdout)).to.include({ created: 5, failed: 0 })

    await waitUntil('it is listed', async () => {
      const answer = await fetch(`${server.url}api/v1/metadata`)
      return ((await answer.json()) as unknown[]).length === 3
    })
    await server.stop()
    await isSound(data)
  })

  describe('as an RO-Crate', () => {
    type Entity = Record<string, unknown> & { '@id': string; '@type': unknown }
    let crate: string
    let text: string
    let graph: readonly Entity[]
    let byId: ReadonlyMap<string, Entity>
    let parts: readonly string[]
    let many: Entity | undefined
    before(async () => {
      // The other tests remove their folders at their ends.
      crate = join(temporaryFolderSync(), 'crate')
      await succeeds('export', '--format', 'ro-crate', '--output', crate, '--data', source)
      text = await readFile(join(crate, 'ro-crate-metadata.json'), 'utf8')
      graph = JSON.parse(text)['@graph']
      byId = new Map(graph.map(entity => [entity['@id'], entity]))
      const { hasPart } = byId.get('./') as unknown as { hasPart: readonly Entity[] }
      parts = hasPart.map(({ '@id': path }) => path)
      many = graph.find(entity => entity.identifier === 'One.of*many')
    })
    after(removePlainRepositories)

    it('names the context, and each entity once', () => {
      expect(JSON.parse(text)['@context']).to.equal('https://w3id.org/ro/crate/1.1/context')
      expect(byId.size).to.equal(graph.length)
    })

    it('describes itself', () => {
      expect(byId.get('ro-crate-metadata.json')).to.deep.include({
        about: { '@id': './' },
        '@type': 'CreativeWork',
      })
    })

    it('describes the data set', () => {
      const root = byId.get('./')
      expect(root).to.include({
        '@type': 'Dataset',
        description: 'Schemas, and metadata documents that conform to them.',
      })
      expect(root).to.include.keys('name', 'description', 'datePublished', 'license')
    })

    it('has schemas, metadata, and one further file of a schema', () => {
      expect(parts).to.have.length(3 + 3 + 1)
    })

    it('is valid', async () => {
      await checkCrate(text, parts)
    })

    it('says what documents say about themselves, as exports over HTTP do', async () => {
      expect(many).to.include({ name: 'one, for the third time' })
      const data = join(temporaryFolderSync(), 'titled')
      await succeeds('init', data)
      const document = {
        title: 'A letter',
        author: { givenName: 'Jane', familyName: 'Doe' },
        license: 'CC0-1.0',
      }
      await writeFile(join(data, 'letter.json'), JSON.stringify(document))
      await writeFile(join(data, 'any.json'), '{"type":"object"}')
      await succeeds('register', 'any', join(data, 'any.json'), '--data', data)
      const record = ['any', 'https://example.org/letter', join(data, 'letter.json'), '--id', 'letter']
      await succeeds('add', ...record, '--data', data)
      const folder = join(temporaryFolderSync(), 'titled-crate')
      await succeeds('export', '--format', 'ro-crate', '--output', folder, '--data', data)
      const { '@graph': titled } = JSON.parse(
        await readFile(join(folder, 'ro-crate-metadata.json'), 'utf8'),
      ) as {
        '@graph': Entity[]
      }
      const letter = titled.find(({ identifier }) => identifier === 'letter')
      expect(letter).to.include({ name: 'A letter' })
      const entity = (member: unknown) => {
        const [reference] = [member].flat() as { '@id': string }[]
        return titled.find(({ '@id': id }) => id === reference?.['@id'])
      }
      expect(entity(letter?.creator)).to.include({ '@type': 'Person', name: 'Jane Doe' })
      expect(entity(letter?.license)).to.include({ identifier: 'CC0-1.0' })
    })

    it('has the size of each file', async () => {
      for (const path of parts) {
        const bytes = await readFile(join(crate, decodeURIComponent(path)))
        expect(byId.get(path)?.contentSize, path).to.equal(String(bytes.length))
      }
    })

    it('has every schema, person and licence that a file names', () => {
      for (const path of parts) {
        for (const name of ['conformsTo', 'creator', 'license']) {
          for (const { '@id': id } of [byId.get(path)?.[name] ?? []].flat() as Entity[])
            expect([...byId.keys()]).to.include(id)
        }
      }
    })

    it('has the schema, the licence and the description of a document', () => {
      const letter = parts
        .map(path => byId.get(path))
        .find(file => file?.encodingFormat === 'application/xml' && file.conformsTo)
      expect(letter).to.deep.include({
        conformsTo: { '@id': 'schemas/letter/schema.xsd' },
        license: [{ '@id': 'https://creativecommons.org/publicdomain/zero/1.0/' }],
        description: 'One letter with an umlaut.',
      })
    })

    it('names the version of the schema that a document follows', () => {
      expect(many?.conformsTo).to.deep.equal({ '@id': 'schemas/note/.versions/1/schema.json' })
    })

    it('has a sentence about a document without a description', () => {
      expect(many?.description).to.match(/^Metadata document “.+”, version 3, as application\/json\./)
      expect(many?.description).to.contain('It follows the schema note.')
    })

    it('does not name SELF, the caller of a service without authentication, as a person', async () => {
      const file = join(crate, recordDirectory('metadata', parseId('One.of*many', 'id')), recordFile)
      expect(await readFile(file, 'utf8')).to.contain('SELF')
      expect(text).to.not.contain('SELF')
      expect(many).to.not.have.any.keys('creator', 'publisher')
      const agents = graph.filter(({ '@type': type }) => type === 'Person' || type === 'Organization')
      expect(agents.map(({ name }) => name)).to.deep.equal(['Ada Lovelace'])
    })

    it('keeps the records', async () => {
      const data = await empty('--bare')
      await succeeds('import', crate, '--data', data)
      expect(await files(data)).to.deep.equal(await files(source))
    })
  })
})

describe('an import', () => {
  let data: string
  beforeEach(async () => {
    data = await empty()
  })
  afterEach(stopProcesses)

  const three = () =>
    lines(['a', { title: 'a' }], ['b', { title: 7 }], ['c', { title: 'c' }]).replace('\n', '\n{broken\n')

  it('reports each broken line and continues', async () => {
    const ended = await runMetastore(['import', '-', '--data', data], { input: three() })

    expect(ended.code).to.equal(4)
    expect(ended.stderr).to.match(/^line 2: It is not well-formed JSON: /m)
    // Only once, because the message contains the finding.
    expect(ended.stderr.match(/well-formed/g)).to.have.length(1)
    expect(ended.stderr).to.match(/^line 4: metadata b: .*not valid against the schema "note", version 1/m)
    expect(ended.stderr).to.match(/\/title/)
    expect(ended.stdout).to.equal('3 created, 2 failed\n')
    await isSound(data)
  })

  it('reports broken lines as JSON with --json', async () => {
    const ended = await runMetastore(['import', '-', '--data', data, '--json'], { input: three() })

    const told = ended.stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(told[0]).to.include({ place: 'line 2', kind: 'malformed-request' })
    expect(told[1]).to.include({ place: 'line 4', kind: 'unprocessable', record: 'metadata b' })
    expect(told[1].findings[0]).to.include({ path: '/title' })
    expect(JSON.parse(ended.stdout)).to.deep.equal({
      created: 3,
      revised: 0,
      removed: 0,
      there: 0,
      failed: 2,
    })
  })

  it('stops at the first failure with --strict', async () => {
    const ended = await runMetastore(['import', '-', '--strict', '--data', data], { input: three() })

    expect(ended.code).to.equal(4)
    expect(ended.stdout).to.equal('1 created, 1 failed\n')
    expect(await git(data, 'rev-list', '--count', 'HEAD')).to.equal('2')

    const squashed = await runMetastore(['import', '-', '--strict', '--squash', '--data', data], {
      input: lines(['a', { title: 'a' }], ['a', { title: 'b' }]),
    })
    expect(squashed.code).to.equal(3)
    expect(await git(data, 'rev-list', '--count', 'HEAD')).to.equal('2')
  })

  it('skips equal records, and updates others only with --update', async () => {
    const first = lines(['a', { title: 'a' }], ['b', { title: 'b' }])
    const second = lines(['a', { title: 'a' }], ['b', { title: 'B' }])
    expect(await summary(data, first)).to.include({ created: 3 })
    expect(await summary(data, first)).to.include({ created: 0, there: 3 })

    const refused = await runMetastore(['import', '-', '--data', data], { input: second })
    expect(refused.code).to.equal(3)
    expect(refused.stderr).to.match(/^line 3: metadata b: Conflict: .*--update/m)

    expect(await summary(data, second, '--update')).to.deep.include({ revised: 1, there: 2, failed: 0 })
    expect((await succeeds('get', 'b', '--data', data)).stdout).to.equal('{"title":"B"}')
    expect(await git(data, 'rev-list', '--count', 'HEAD')).to.equal('5')
  })

  it('follows the rules of a POST', async () => {
    const pair = lines(['a', { title: 'a' }], ['b', { title: 'b' }]).replace('example.org/b', 'example.org/a')
    const ended = await runMetastore(['import', '-', '--data', data], { input: pair })
    expect(ended.code).to.equal(3)
    expect(ended.stderr).to.match(/^line 3: metadata b: Conflict: the resource "https:\/\/example.org\/a"/m)

    const unknown = lines(['c', { title: 'c' }]).replace('"schemaId":"note"', '"schemaId":"novel"')
    expect((await runMetastore(['import', '-', '--data', data], { input: unknown })).stderr).to.contain(
      '"novel"',
    )

    const squashed = await runMetastore(['import', '-', '--squash', '--data', data], {
      input: lines(['d', { title: 'd' }], ['e', { title: 'e' }]).replace('example.org/e', 'example.org/d'),
    })
    expect(squashed.code).to.equal(3)
    expect(squashed.stdout).to.contain('1 created')
    await isSound(data)
  })

  it('accepts the JSON lines of docs/use/interchange.md', async () => {
    const text = await readFile(join(packageFolder(), 'docs', 'use', 'interchange.md'), 'utf8')
    const [, shown = ''] = /^```json\n([^`]+)^```/m.exec(text) ?? []

    expect(await summary(data, shown)).to.include({ created: 2, failed: 0 })

    expect((await succeeds('get', 'note-7', '--data', data)).stdout).to.equal('{"title": "Seven"}')
  })

  it('accepts schemas that refer to later ones', async () => {
    const schema = (id: string, document: object) =>
      `${JSON.stringify({ kind: 'schema', id, record: {}, document: { json: document } })}\n`
    const input =
      schema('book', { type: 'object', properties: { page: { $ref: 'page' } } }) +
      schema('page', { type: 'integer' })

    expect(await summary(data, input)).to.include({ created: 2, failed: 0 })
  })

  it('can be completed by a second run after a kill', async () => {
    const file = join(await temporaryFolder(), 'many.jsonl')
    const many = Array.from(
      { length: 300 },
      (_, index) => [`n${index}`, { title: `number ${index}` }] as const,
    )
    await writeFile(file, lines(...many))
    const child = spawn(process.execPath, [programScript, 'import', '-', '--data', data], {
      env: testEnvironment,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = new Promise(resolve => child.once('close', resolve))
    // The import stores the first records after this number of lines. It waits for the rest, so that it runs until the
    // kill.
    child.stdin.write(lines(...many.slice(0, 290)))
    await waitUntil('it has begun', async () => Number(await git(data, 'rev-list', '--count', 'HEAD')) > 5)
    child.kill('SIGKILL')
    await ended

    const done = JSON.parse((await succeeds('import', file, '--data', data, '--json')).stdout)

    expect(done.created + done.there).to.equal(301)
    expect(done.there).to.be.greaterThan(0)
    expect(await git(data, 'rev-list', '--count', 'HEAD')).to.equal('302')
    await isSound(data)
  })

  for (const signal of terminationSignals) {
    it(`leaves no lock, and a current work tree, when ${signal} ends it`, async () => {
      const many = Array.from(
        { length: 300 },
        (_, index) => [`n${index}`, { title: `number ${index}` }] as const,
      )
      const child = spawn(process.execPath, [programScript, 'import', '-', '--data', data], {
        env: testEnvironment,
        stdio: ['pipe', 'ignore', 'pipe'],
      })
      const ended = new Promise<readonly unknown[]>(resolve => child.once('close', (...how) => resolve(how)))
      const said = textOf(child.stderr)
      // The import waits for the remaining lines, so that it runs until the signal.
      child.stdin.write(lines(...many.slice(0, 290)))
      await waitUntil('it has begun', async () => Number(await git(data, 'rev-list', '--count', 'HEAD')) > 5)
      child.kill(signal)

      expect(await ended).to.deep.equal([null, signal])
      expect(await said, 'no line has failed').to.not.match(/line|Error/)
      expect(existsSync(join(data, '.git', 'index.lock'))).to.equal(false)
      expect(await git(data, 'status', '--porcelain')).to.equal('')
      await isSound(data)
    })
  }

  it('refuses a record with blank identifiers', async () => {
    const blank = {
      'relatedIdentifiers[0].value': {
        relatedIdentifiers: [{ value: ' ', relationType: 'IS_METADATA_FOR' }],
      },
      'alternateIdentifiers[0].value': {
        alternateIdentifiers: [{ value: '\u00a0', identifierType: 'OTHER' }],
      },
      'identifier.value': { identifier: { value: '\u200b' } },
    }
    const file = join(await temporaryFolder(), 'blank.jsonl')
    for (const [member, members] of Object.entries(blank)) {
      const item = { kind: 'schema', id: 'blank', record: members, document: { json: { type: 'object' } } }
      await writeFile(file, JSON.stringify(item))
      const { code, stderr } = await runMetastore(['import', file, '--data', data])
      expect(code, stderr).to.equal(4)
      expect(stderr).to.contain(`The member ${member} is blank.`)
    }
  })

  it('refuses a missing source, a folder without records, and a record without a document', async () => {
    const ended = await runMetastore(['import', 'nowhere.jsonl', '--data', data])
    expect(ended.code).to.equal(2)
    expect(ended.stderr).to.contain('nowhere.jsonl')
    const folder = await temporaryFolder()
    const nothing = await runMetastore(['import', folder, '--data', data])
    expect(nothing.code).to.equal(3)
    expect(nothing.stderr).to.contain('There is no record in')
    await writeFile(join(folder, 'record.json'), '{"id": "alone"}')
    const alone = await runMetastore(['import', folder, '--data', data])
    expect(alone.code).to.equal(4)
    expect(alone.stderr).to.contain('document')
  })
})
