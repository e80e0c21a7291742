// test-schedule: first

import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import type request from 'supertest'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { readTree } from '../../../src/features/transfer/read-folder.js'
import { openTransfer } from '../../../src/features/transfer/transfer.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import { closeListeners, type GitClient, gitClient, listenOnPort } from '../../support/git/git-client.js'
import { noteXsdText, startService, type TestService, withFileName } from '../../support/http/test-service.js'
import {
  type FinishedProcess,
  runMetastore,
  runProgram,
  stopProcesses,
} from '../../support/program/run-program.js'
import { parseTestId, titleJsonSchema } from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
  waitUntil,
} from '../../support/repository/test-repository.js'

/** Every way in which a change reaches a repository. */
const entrances = [
  'an HTTP request',
  'a change set',
  'a push',
  'git-metastore check',
  'git-metastore commit',
  'the pre-commit hook',
  'an import',
  'a commit in the data folder',
] as const
type Entrance = (typeof entrances)[number]

/** Files of the tree; null: the path is removed. */
type Files = Readonly<Record<string, string | null>>
type Json = Readonly<Record<string, unknown>>

/** A change in the form of a request. */
type RequestedChange =
  | {
      readonly kind: 'schema' | 'metadata'
      readonly action: 'create'
      /** Version of the interface; default: 2. */
      readonly version?: 1
      readonly record: Json
      readonly document: string
      /** Further files by path. */
      readonly files?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'schema'; readonly action: 'delete'; readonly id: string }

/** A change that breaks one rule. */
interface BadChange {
  readonly files: Files
  /** File that is made executable. */
  readonly executable?: string
  /** Time at which the commit claims to be recorded by a server. */
  readonly recordedAt?: string
  /** The same change as a request; undefined if a request cannot contain it. */
  readonly request?: RequestedChange
  /** Text in the message of every entrance. */
  readonly said: string
  /** Entrances that cannot contain the change, or that may accept it. */
  readonly except?: readonly Entrance[]
  /** Another text of some entrances. For example, an upload is cut off before it becomes a file. */
  readonly others?: Partial<Record<Entrance, string>>
}

const limits = { document: 16_384, record: 4096 }
/** The same limits for the command line, in MiB and KiB. */
const limitVariables = { METASTORE_MAX_DOCUMENT: String(1 / 64), METASTORE_MAX_RECORD: '4' }

const directory = (id: string) => recordDirectory('metadata', parseTestId(id))
const resource = (name: string) => ({
  value: `https://example.org/${name}`,
  identifierType: 'URL',
  relationType: 'IS_METADATA_FOR',
})

interface Draft {
  readonly record?: Json
  readonly schema?: { readonly schemaId: string; readonly version?: number }
  readonly document?: string
  readonly documentFile?: string
}

/** A metadata record with its own resource. */
function metadataFiles(id: string, { record = {}, schema, document, documentFile }: Draft = {}): Files {
  const whole = {
    id,
    schema: schema ?? { schemaId: 'note', version: 1 },
    relatedIdentifiers: [resource(id)],
    ...record,
  }
  return {
    [`${directory(id)}/record.json`]: JSON.stringify(whole),
    [`${directory(id)}/${documentFile ?? 'document.json'}`]: document ?? JSON.stringify({ title: id }),
  }
}

function metadataRequest(id: string, draft: Draft): RequestedChange {
  const { schemaId, version } = draft.schema ?? { schemaId: 'note' }
  const follows = {
    identifierType: 'INTERNAL',
    value: version === undefined ? schemaId : `${schemaId}/${version}`,
    relationType: 'HAS_METADATA',
  }
  const { relatedIdentifiers = [resource(id)], ...others } = draft.record ?? {}
  const relations = [...(relatedIdentifiers as readonly Json[]), follows]
  const record = { id, titles: [{ value: 'A title' }], ...others, relatedIdentifiers: relations }
  return {
    kind: 'metadata',
    action: 'create',
    record,
    document: draft.document ?? JSON.stringify({ title: id }),
  }
}

/** The change as a single request. */
function requestOf({ http }: TestService, change: RequestedChange): request.Test {
  if (change.action === 'delete') return http.delete(`/api/v2/schemas/${change.id}`).set('If-Match', '*')
  const { kind, record, document, files = {}, version = 2 } = change
  const sent = http
    .post(`/api/v${version}/${kind === 'schema' ? 'schemas' : 'metadata'}`)
    .attach('record', Buffer.from(JSON.stringify(record)), {
      filename: 'record.json',
      contentType: 'application/json',
    })
    .attach(kind === 'schema' ? 'schema' : 'document', Buffer.from(document), 'document')
  for (const [name, text] of Object.entries(files))
    sent.attach('include', Buffer.from(text), withFileName(name))
  return sent
}

/** A change set with only this change. */
function changeSetOf({ http }: TestService, change: RequestedChange): request.Test {
  const post = (only: Json, version = 2) =>
    http.post('/api/changesets').field('changeset', JSON.stringify({ interface: version, changes: [only] }))
  if (change.action === 'delete') return post({ ...change, ifMatch: '*' })
  const { files = {}, version, ...others } = change
  const parts = Object.entries(files).map(([path, text], index) => ({ path, text, part: `file${index}` }))
  const named = Object.fromEntries(parts.map(({ path, part }) => [path, part]))
  const sent = post({ ...others, document: 'document', ...(parts.length > 0 && { files: named }) }, version)
  for (const { part, text } of [...parts, { part: 'document', text: change.document }])
    sent.attach(part, Buffer.from(text), part)
  return sent
}

function metadata(id: string, draft: Draft, said: string, more: Partial<BadChange> = {}): BadChange {
  return {
    files: metadataFiles(id, draft),
    request: metadataRequest(id, draft),
    said,
    ...more,
  }
}

function schema(
  id: string,
  document: string,
  said: string,
  files: Readonly<Record<string, string>> = {},
  more: Partial<BadChange> & { readonly record?: Json } = {},
): BadChange {
  const { record = {}, ...others } = more
  const folder = recordDirectory('schema', parseTestId(id))
  const further = Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text])
  return {
    files: {
      [`${folder}/record.json`]: JSON.stringify({ id, ...record }),
      [`${folder}/schema.json`]: document,
      ...Object.fromEntries(further),
    },
    request: {
      kind: 'schema',
      action: 'create',
      record: {
        id,
        titles: [{ value: id }],
        resourceType: { value: 'JSON_Schema', typeGeneral: 'MODEL' },
        ...record,
      },
      document,
      files,
    },
    said,
    ...others,
  }
}

const good = titleJsonSchema().toString()
const requests: readonly Entrance[] = ['an HTTP request', 'a change set']
/** A wrong crosswalk makes no document unreadable: a commit that is in the history already is served. */
const servedAnyway: readonly Entrance[] = ['a commit in the data folder']
/** A schema whose documents have no other member than a title. */
const closedSchema = JSON.stringify({ ...JSON.parse(good), additionalProperties: false })
const onlyInCommits: readonly Entrance[] = [...requests, 'an import']

const badChanges: Readonly<Record<string, BadChange>> = {
  'one document for a resource and a schema': metadata(
    'again',
    { record: { relatedIdentifiers: [resource('first')] } },
    'Conflict: the resource "https://example.org/first" already has a document that follows the schema "note": the metadata record "first".',
  ),
  'an identifier belongs to one record': metadata(
    'named',
    { record: { alternateIdentifiers: [{ value: 'urn:first', identifierType: 'OTHER' }] } },
    'Conflict: the identifier "urn:first" belongs to the metadata record "first".',
  ),
  'an identifier of a deleted record is not given again': metadata(
    'renamed',
    { record: { alternateIdentifiers: [{ value: 'urn:deleted', identifierType: 'OTHER' }] } },
    'the metadata record with the identifier "urn:deleted" was deleted; its identifiers are never given again.',
  ),
  'an identifier is not blank': metadata(
    'blank',
    { record: { alternateIdentifiers: [{ value: '\u200b', identifierType: 'OTHER' }] } },
    'The member alternateIdentifiers[0].value is blank. Write the identifier, or leave the entry out.',
  ),
  'metadata names its resource': metadata(
    'idle',
    { record: { relatedIdentifiers: [] } },
    'The record names no related resource that it describes.',
    // The missing member has another name in each version of the interface.
    { others: { 'an HTTP request': 'IS_METADATA_FOR', 'a change set': 'IS_METADATA_FOR' } },
  ),
  'no record is GONE by its state': metadata(
    'ended',
    { record: { state: 'GONE' } },
    'A record becomes GONE by DELETE only.',
  ),
  'the schema to follow exists': metadata(
    'lost',
    { schema: { schemaId: 'none', version: 1 } },
    'There is no schema with the id "none" to follow.',
  ),
  'the schema to follow is not REVOKED': metadata(
    'late',
    { schema: { schemaId: 'revoked', version: 1 } },
    'There is no schema with the id "revoked" to follow.',
    // A move of a repository includes documents that follow such a schema.
    { except: ['an import'] },
  ),
  'the version to follow exists': metadata(
    'early',
    { schema: { schemaId: 'note', version: 9 } },
    'The schema "note" has no version 9.',
  ),
  'a document is valid': metadata(
    'wrong',
    { document: '{"name":"x"}' },
    "must have required property 'title'",
  ),
  'a document has the language of its schema': metadata(
    'foreign',
    { document: '<a/>', documentFile: 'document.xml' },
    'The document is XML, but its schema is for JSON.',
    // Only in a commit, the name of the file determines the language.
    { except: onlyInCommits },
  ),
  'a document keeps the language of its schema': {
    files: {
      [`${directory('kept')}/document.json`]: null,
      [`${directory('kept')}/document.xml`]: JSON.stringify({ title: 'kept' }),
    },
    said: 'The document is XML, but its schema is for JSON.',
    except: onlyInCommits,
  },
  'metadata has no further files': {
    files: { ...metadataFiles('more'), [`${directory('more')}/notes.txt`]: 'x' },
    said: 'The file name "notes.txt" cannot be used: a metadata record has no further files.',
    except: requests,
  },
  'the id of a schema is in lower case': schema(
    'Loud',
    good,
    'The schema id "Loud" has upper case letters. Use "loud".',
    {},
    // Version 2 of the interface accepts any spelling, and stores the id in lower case.
    {
      request: {
        kind: 'schema',
        action: 'create',
        version: 1,
        record: { schemaId: 'Loud', type: 'JSON' },
        document: good,
      },
      others: {
        'an HTTP request': 'schemaId "Loud" has upper case letters',
        'a change set': 'schemaId "Loud" has upper case letters',
      },
    },
  ),
  'a schema is JSON or XML': schema('noise', 'noise', 'The schema document is neither JSON nor XML.'),
  'a schema has the language that the record says': schema(
    'tongue',
    noteXsdText,
    'The record says that the schema document is JSON, but it is XML.',
    {},
    // An import checks only the document.
    { except: ['an import'] },
  ),
  'a schema can be used': schema(
    'broken',
    '{"$ref":"missing.json"}',
    'The schema refers to "missing.json", which is neither one of its files nor a registered schema.',
  ),
  'a file of a schema has a name for every system': schema(
    'device',
    good,
    'The file name "con.json" cannot be used: a part of it is the name of a device.',
    { 'con.json': '{}' },
  ),
  'a file of a schema has a name for every system, in any folder and case': schema(
    'console',
    good,
    'The file name "parts/CONIN$.xsd" cannot be used: a part of it is the name of a device.',
    { 'parts/CONIN$.xsd': '{}' },
  ),
  'files of a schema differ not by case alone': schema(
    'cases',
    good,
    'The files "A.json" and "a.json" cannot lie in one folder where upper and lower case are the same.',
    { 'A.json': '{}', 'a.json': '{}' },
  ),
  'a crosswalk has the properties of DataCite': schema(
    'crossed',
    good,
    'There is no property "titel".',
    {},
    { record: { crosswalk: { titel: 'title' } }, except: servedAnyway },
  ),
  'a path of a crosswalk exists in documents of the schema': schema(
    'pathless',
    closedSchema,
    'No document of this schema can have the path "name.first".',
    {},
    { record: { crosswalk: { creators: 'name.first' } }, except: servedAnyway },
  ),
  'a crosswalk is for schemas': metadata(
    'crossing',
    { record: { crosswalk: { titles: 'title' } } },
    'The member crosswalk is for schemas',
  ),
  'a schema that is followed stays': {
    files: { 'schemas/used/record.json': null, 'schemas/used/schema.json': null },
    request: { kind: 'schema', action: 'delete', id: 'used' },
    said: 'Conflict: the metadata record "follower" follows a version of the schema "used". Delete the documents that follow it first.',
    // The folder of an import cannot express a removal.
    except: ['an import'],
  },
}

/** Changes that entrances refuse, but that the server serves if they are in the data folder already. */
const badFiles: Readonly<Record<string, BadChange>> = {
  'no file is executable': {
    files: { 'run.sh': 'true\n' },
    executable: 'run.sh',
    said: 'This is an executable file; only plain files are stored here.',
    except: [...onlyInCommits, 'a commit in the data folder'],
  },
  'a document is not too large': metadata(
    'large',
    { document: JSON.stringify({ title: 'x'.repeat(limits.document) }) },
    `The file has ${limits.document + 12} bytes; at most ${limits.document} are accepted.`,
    {
      except: ['an import', 'a commit in the data folder'],
      others: { 'an HTTP request': 'File too large', 'a change set': 'File too large' },
    },
  ),
  'a record is not too large': metadata(
    'long',
    { record: { descriptions: [{ description: 'x'.repeat(limits.record) }] } },
    `bytes; at most ${limits.record} are accepted.`,
    {
      except: ['an import', 'a commit in the data folder'],
      others: { 'an HTTP request': `${limits.record}`, 'a change set': `${limits.record}` },
    },
  ),
  'no commit is from the future': {
    files: metadataFiles('future'),
    recordedAt: '2999-01-01T00:00:00.000Z',
    said: 'The time of the commit (Recorded-At) is in the future.',
    // An uncommitted edit has no time yet. A commit in the data folder is already part of the history.
    except: [...onlyInCommits, 'git-metastore commit', 'the pre-commit hook', 'a commit in the data folder'],
  },
}

const allChanges = { ...badChanges, ...badFiles }

/** Lines of an output that contain a name. */
function linesWith(output: string, name: string): string {
  return output
    .split('\n')
    .filter(line => line.includes(name))
    .join('\n')
}

/** Messages without the escapes of JSON. */
function unescaped(json: string): string {
  return json.replaceAll('\\"', '"')
}

/** Changes the newest commit, so that it claims to come from a server. */
async function signAsServer(folder: string, time: string): Promise<void> {
  const args = ['-C', folder, 'commit', '-q', '--amend', '-m', `Create it\n\nRecorded-At: ${time}`]
  const env = { GIT_COMMITTER_NAME: 'git-metastore', GIT_COMMITTER_EMAIL: 'service@git-metastore' }
  const { code, stderr } = await runProgram('git', args, { env })
  expect(code, stderr).to.equal(0)
}

/**
 * Commits records and schemas before the bad changes. The server does not check the record `twin`, because its commit
 * claims to come from a server.
 */
async function prepareRepository(repository: TestRepository): Promise<void> {
  const schemas = ['note', 'used', 'revoked'].map(id => ({
    [`schemas/${id}/record.json`]: JSON.stringify({ id }),
    [`schemas/${id}/schema.json`]: good,
  }))
  const named = (value: string) => ({ alternateIdentifiers: [{ value, identifierType: 'OTHER' }] })
  await repository.commit(
    'Begin',
    Object.assign(
      {},
      ...schemas,
      metadataFiles('first', { record: named('urn:first') }),
      metadataFiles('deleted', { record: named('urn:deleted') }),
      metadataFiles('kept'),
      metadataFiles('follower', { schema: { schemaId: 'used', version: 1 } }),
    ),
  )
  const record = { relatedIdentifiers: [resource('first')], titles: [{ value: 'Twin' }] }
  await repository.commit('Bring the twin', metadataFiles('twin', { record }))
  await signAsServer(repository.dir, new Date().toISOString())
}

describe('The rules', () => {
  let repository: TestRepository
  let service: TestService
  let client: GitClient
  let clone: string
  let base: string
  /** Message of each entrance about each change. */
  const told = new Map<Entrance, Map<string, string>>(entrances.map(entrance => [entrance, new Map()]))
  /** Result of each entrance for an update of the record that shares its pair with another record. */
  const kept = new Map<Entrance, string>()

  const note = (entrance: Entrance, rule: string, text: string) => told.get(entrance)?.set(rule, text)
  const metastore = (...args: readonly string[]) =>
    runMetastore([...args, '--data', clone], { env: limitVariables })

  /** Writes files into a work tree. */
  async function write(folder: string, { files, executable }: BadChange): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path)
      if (text === null) await rm(file)
      else {
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      }
    }
    if (executable !== undefined) await chmod(join(folder, executable), 0o755)
  }

  /** Commits changes one after the other. @returns the commit of each rule */
  async function chain(changes: Readonly<Record<string, BadChange>>): Promise<Map<string, string>> {
    const commits = new Map<string, string>()
    for (const [rule, change] of Object.entries(changes)) {
      await write(clone, change)
      await client.inClone('add', '-A')
      await client.inClone('commit', '-q', '-m', rule)
      if (change.recordedAt !== undefined) await signAsServer(clone, change.recordedAt)
      commits.set(rule, await client.inClone('rev-parse', 'HEAD'))
    }
    return commits
  }

  const reset = () => client.inClone('reset', '-q', '--hard', base)

  async function push(commits: ReadonlyMap<string, string>): Promise<void> {
    const { code, stderr } = await client.attempt('-C', 'clone', 'push', 'origin', 'HEAD:main')
    expect(code, stderr).to.not.equal(0)
    expect(await service.head()).to.equal(base)
    for (const [rule, commit] of commits) note('a push', rule, linesWith(stderr, commit.slice(0, 10)))
  }

  async function check(commits: ReadonlyMap<string, string>): Promise<void> {
    const { code, stdout, stderr } = await metastore('check', '--json', `${base}..HEAD`)
    expect(code, stderr).to.equal(4)
    const { faults } = JSON.parse(stdout) as { faults: { commit: string; message: string }[] }
    for (const [rule, commit] of commits) {
      const own = faults.filter(fault => fault.commit === commit)
      note('git-metastore check', rule, own.map(({ message }) => message).join('\n'))
    }
  }

  /** Notes the messages about the files of each change, if one run checks all changes. */
  function noteByPath(entrance: Entrance, output: string): void {
    for (const [rule, { files }] of Object.entries(allChanges)) {
      const folders = new Set(Object.keys(files).map(path => (path.includes('/') ? dirname(path) : path)))
      note(entrance, rule, [...folders].map(folder => linesWith(output, folder)).join('\n'))
    }
  }

  async function throughTheWorkTree(): Promise<void> {
    await reset()
    for (const change of Object.values(allChanges)) await write(clone, change)
    const committed = await metastore('commit', '--all', '-m', 'Everything')
    expect(committed.code, committed.stderr).to.equal(4)
    noteByPath('git-metastore commit', committed.stdout)
    const installed = await metastore('hooks', 'install')
    expect(installed.code, installed.stderr).to.equal(0)
    await client.inClone('add', '-A')
    const hooked = await commitWithHook('Everything')
    expect(hooked.code).to.not.equal(0)
    noteByPath('the pre-commit hook', hooked.stdout + hooked.stderr)
    expect(await client.inClone('rev-parse', 'HEAD')).to.equal(base)
    await reset()
    await client.inClone('clean', '-qfd')
  }

  const commitWithHook = (message: string): Promise<FinishedProcess> =>
    runProgram('git', ['-C', clone, 'commit', '-q', '-m', message], { env: limitVariables })

  async function throughHttp(): Promise<void> {
    for (const [rule, { request: wanted }] of Object.entries(allChanges)) {
      if (!wanted) continue
      for (const [entrance, sent] of [
        ['an HTTP request', requestOf],
        ['a change set', changeSetOf],
      ] as const) {
        const { status, text } = await sent(service, wanted)
        note(entrance, rule, status >= 400 ? unescaped(text) : `status ${status}`)
      }
    }
    expect(await service.head()).to.equal(base)
  }

  async function throughImport(): Promise<void> {
    const folder = join(client.folder, 'import')
    const brought = Object.entries(allChanges).filter(([, { except = [] }]) => !except.includes('an import'))
    for (const [, change] of brought) await write(folder, change)
    const failures: { readonly place: string; readonly message: string }[] = []
    const summary = await openTransfer(service.services.parts).import(readTree(folder), {
      update: true,
      strict: false,
      failed({ place, problem: { message, extra } }) {
        const findings = extra.findings?.map(finding => finding.message) ?? []
        failures.push({ place, message: [message, ...findings].join('\n') })
      },
    })
    expect(summary).to.include({ created: 0, revised: 0, removed: 0 })
    for (const [rule, { files }] of brought) {
      const own = failures.filter(({ place }) =>
        Object.keys(files).some(path => path.startsWith(`${place}/`)),
      )
      note('an import', rule, own.map(({ message }) => message).join('\n'))
    }
  }

  async function throughTheDataFolder(commits: ReadonlyMap<string, string>, last: string): Promise<void> {
    await repository.patiently('pull', '-q', '--ff-only', clone, 'bad')
    const { faults } = await waitUntil('the last fault', async () => {
      const health = await service.services.health(selfPrincipal)
      return health.faults.some(({ commit }) => commit === last) && health
    })
    for (const [rule, commit] of commits) {
      const own = faults.filter(fault => fault.commit === commit).flatMap(({ findings }) => findings)
      note('a commit in the data folder', rule, own.map(({ message }) => message).join('\n'))
    }
  }

  /**
   * Changes a record whose pair of resource and schema belongs to another record too, as after a merge of two
   * repositories. The update keeps the pair, so that the rule is not checked again.
   */
  async function changeTwin(): Promise<void> {
    const path = `${directory('twin')}/record.json`
    const retitle = async (folder: string, title: string) => {
      const record = JSON.parse(await readFile(join(folder, path), 'utf8')) as Json
      await writeFile(join(folder, path), JSON.stringify({ ...record, titles: [{ value: title }] }))
    }
    const changed = async (entrance: Entrance, told: string) => {
      const isServed = () => {
        const { record } = service.services.collections.metadata.read(selfPrincipal, 'twin')
        return record.titles?.[0]?.value === entrance
      }
      const found = await waitUntil(`the title ${entrance}`, isServed, 30_000).catch(() => false)
      kept.set(entrance, found ? 'changed' : told)
    }
    const retitled = (title: string) => ({
      titles: [{ value: title }],
      relatedIdentifiers: [
        resource('first'),
        { identifierType: 'INTERNAL', value: 'note', relationType: 'HAS_METADATA' },
      ],
    })
    const sent = await service.http
      .put('/api/v2/metadata/twin')
      .set('If-Match', '*')
      .attach('record', Buffer.from(JSON.stringify(retitled('an HTTP request'))), {
        filename: 'record.json',
        contentType: 'application/json',
      })
    await changed('an HTTP request', sent.text)

    const set = {
      kind: 'metadata',
      action: 'update',
      id: 'twin',
      ifMatch: '*',
      record: retitled('a change set'),
    }
    const answer = await service.http
      .post('/api/changesets')
      .field('changeset', JSON.stringify({ changes: [set] }))
    await changed('a change set', answer.text)

    await client.inClone('pull', '-q', '--ff-only')
    await retitle(clone, 'a push')
    await client.inClone('commit', '-q', '--no-verify', '-a', '-m', 'Name it')
    const checked = await metastore('check', 'HEAD')
    kept.set('git-metastore check', checked.code === 0 ? 'changed' : checked.stdout)
    const pushed = await client.attempt('-C', 'clone', 'push', 'origin', 'HEAD:main')
    await changed('a push', pushed.stderr)
    await client.inClone('reset', '-q', '--hard', 'origin/main')

    await retitle(clone, 'git-metastore commit')
    const committed = await metastore('commit', '-m', 'Name it')
    kept.set('git-metastore commit', committed.code === 0 ? 'changed' : committed.stdout)
    await client.inClone('reset', '-q', '--hard', 'origin/main')

    await retitle(clone, 'the pre-commit hook')
    await client.inClone('add', '-A')
    const hooked = await commitWithHook('Name it')
    kept.set('the pre-commit hook', hooked.code === 0 ? 'changed' : hooked.stdout + hooked.stderr)
    await client.inClone('reset', '-q', '--hard', 'origin/main')

    const folder = join(client.folder, 'twin')
    await mkdir(folder)
    for (const name of ['record.json', 'document.json'])
      await writeFile(join(folder, name), await readFile(join(clone, directory('twin'), name)))
    const record = JSON.parse(await readFile(join(folder, 'record.json'), 'utf8')) as Json
    await writeFile(
      join(folder, 'record.json'),
      JSON.stringify({ ...record, titles: [{ value: 'an import' }] }),
    )
    let failure = ''
    await openTransfer(service.services.parts).import(readTree(folder), {
      update: true,
      strict: false,
      failed: ({ problem }) => {
        failure = problem.message
      },
    })
    await changed('an import', failure)

    await service.services.workTreeUpToDate()
    await retitle(repository.dir, 'a commit in the data folder')
    await repository.patiently('commit', '-q', '-a', '-m', 'Name it')
    await changed('a commit in the data folder', 'not served')
  }

  before(async () => {
    repository = await temporaryRepository()
    await prepareRepository(repository)
    service = await startService({ limits, features: { 'allow-push': true } }, {}, repository)
    // The first DELETE makes the record REVOKED. The second DELETE makes it GONE.
    await service.http.delete('/api/v1/metadata/deleted').set('If-Match', '*').expect(204)
    await service.http.delete('/api/v1/metadata/deleted').set('If-Match', '*').expect(204)
    await service.http.delete('/api/v1/schemas/revoked').set('If-Match', '*').expect(204)
    await service.services.workTreeUpToDate()
    base = await service.head()
    client = await gitClient()
    clone = join(client.folder, 'clone')
    await client.git('clone', '-q', `${await listenOnPort(service)}/repository.git`, 'clone')

    await throughHttp()
    await throughImport()
    const files = await chain(badFiles)
    await push(files)
    await check(files)
    await reset()
    const commits = await chain(badChanges)
    await client.inClone('branch', '-q', 'bad')
    await push(commits)
    await check(commits)
    await throughTheWorkTree()
    const last = [...commits.values()].at(-1) ?? ''
    await throughTheDataFolder(commits, last)
    await changeTwin()
  })

  after(async () => {
    await closeListeners()
    await removeRepositories()
    await stopProcesses()
  })

  for (const entrance of entrances) {
    describe(`through ${entrance}`, () => {
      for (const [rule, { said, except = [], others = {} }] of Object.entries(allChanges)) {
        if (except.includes(entrance)) continue
        it(`refuse a change that breaks: ${rule}`, () => {
          expect(told.get(entrance)?.get(rule)).to.contain(others[entrance] ?? said)
        })
      }

      it('accept a record that keeps its pair of resource and schema', () => {
        expect(kept.get(entrance)).to.equal('changed')
      })
    })
  }
})
