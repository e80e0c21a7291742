import { expect } from 'chai'
import type { RuleCheck } from '../../../src/catalog/catalog.js'
import type { Collection } from '../../../src/core/records/collection.js'
import type { Id, Instant, Oid } from '../../../src/core/value-types.js'
import { asVersion } from '../../../src/core/value-types.js'
import { decodeRecord, encodeRecord } from '../../../src/store/records/record-json.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  buildHistory,
  type Content,
  type HistoryBuilder,
  sha1Of,
} from '../../support/repository/fast-import-history.js'
import { openTestCatalog, type TestCatalog } from '../../support/repository/temporary-catalog.js'

const everything = { offset: 0, limit: 100 }
const cd = 'cd' as Id
const doc = 'doc' as Id

describe('commits made by hand', () => {
  let history: HistoryBuilder
  let catalog: TestCatalog | undefined

  beforeEach(() => {
    history = buildHistory()
  })
  afterEach(async () => {
    await catalog?.end()
    catalog = undefined
    history.remove()
  })

  const at = (kind: Collection, id: Id, file: string) => `${recordDirectory(kind, id)}/${file}`
  function schema(title = 'a schema', document = '{"type": "object"}'): Record<string, Content> {
    return {
      [at('schema', cd, 'record.json')]: encodeRecord({ id: cd, titles: [{ value: title }] }).toString(),
      [at('schema', cd, 'schema.json')]: document,
    }
  }
  function metadata(resource = 'r', document = '{"a": 1}', alias?: string): Record<string, Content> {
    return {
      [at('metadata', doc, 'record.json')]: encodeRecord({
        id: doc,
        schema: { schemaId: cd, version: asVersion(1) },
        relatedIdentifiers: [{ value: resource, relationType: 'IS_METADATA_FOR' }],
        ...(alias !== undefined && { alternateIdentifiers: [{ value: alias, identifierType: 'OTHER' }] }),
      }).toString(),
      [at('metadata', doc, 'document.json')]: document,
    }
  }
  async function read(checkRules?: RuleCheck): Promise<readonly Oid[]> {
    const oids = await history.finish()
    catalog = openTestCatalog(history.gitDir, checkRules ? { checkRules } : {})
    await catalog.writer.catchUp(oids.at(-1) as Oid)
    return oids
  }
  const queries = () => (catalog as TestCatalog).committed

  it('continue after a record that exceeds the limit of size', async () => {
    const record = encodeRecord({ id: cd, publisher: 'x'.repeat(65 * 2 ** 20) }).toString()
    history.person({ write: { ...schema(), [at('schema', cd, 'record.json')]: record }, at: 1000 })
    history.person({ write: schema('a schema'), at: 2000 })
    const oids = await read()

    expect(queries().newest('schema', cd)?.commit).to.equal(oids[1])
    const [, first] = queries().revisions('schema', cd)
    expect(first?.commit).to.equal(oids[0])
    expect(first?.findings?.[0]?.message).to.equal('It has 66 MiB; at most 64 are read.')
  })

  it('make versions: of metadata always, of a schema if its files change', async () => {
    history.person({ write: schema(), at: 1000 })
    history.person({ write: { ...schema('renamed'), ...metadata() }, at: 2000 })
    history.person({
      write: { ...schema('renamed', '{}'), [at('schema', cd, 'parts/a.json')]: '{}' },
      at: 3000,
    })
    history.person({ write: { ...metadata('r', '{"a": 2}'), 'README.md': 'hello' }, at: 4000 })
    history.person({ write: { ...metadata('r2', '{"a": 2}') }, at: 5000 })
    const oids = await read()

    expect(queries().newest('schema', cd)).to.include({
      version: 2,
      commit: oids[2],
      time: 3_000_000,
      createdAt: 1_000_000,
      documentHash: sha1Of('{}'),
      sequence: 3,
    })
    expect([...(queries().newest('schema', cd)?.files.keys() ?? [])]).to.deep.equal([
      'parts/a.json',
      'record.json',
      'schema.json',
    ])
    expect(queries().atVersion('schema', cd, asVersion(1))).to.include({ commit: oids[1], version: 1 })
    expect(queries().newest('metadata', doc)).to.include({ version: 3, commit: oids[4] })
    const versions = queries().versions('metadata', doc, everything)
    expect(versions?.items.map(({ version, commit }) => [version, commit])).to.deep.equal([
      [3, oids[4]],
      [2, oids[3]],
      [1, oids[1]],
    ])
    expect(versions?.total).to.equal(3)
    expect(queries().versions('schema', cd, { offset: 1, limit: 1 })?.items).to.have.length(1)
    expect(queries().schemaAsOf(cd, undefined, 2)).to.include({ version: 1, commit: oids[1] })
    expect(queries().schemaAsOf(cd, asVersion(2), 2)).to.equal(undefined)
    expect(queries().counts()).to.deep.equal({ schemas: 1, metadata: 1 })
  })

  const breakages: Record<string, Record<string, Content>> = {
    'a record that is not JSON': { 'record.json': '{' },
    'a record of another id': { 'record.json': encodeRecord({ id: 'other' as Id }).toString() },
    'a symbolic link as a document': { 'document.json': { link: '/etc/passwd' } },
    'a submodule as a document': { 'document.json': { module: '1234567890123456789012345678901234567890' } },
    'two documents': { 'document.xml': '<a/>' },
    'an unexpected file': { 'notes.txt': 'notes' },
  }
  for (const [what, files] of Object.entries(breakages)) {
    it(`with ${what} leave the last valid revision served, and are reported`, async () => {
      history.person({ write: metadata() })
      history.person({
        write: Object.fromEntries(
          Object.entries(files).map(([file, content]) => [at('metadata', doc, file), content]),
        ),
      })
      const oids = await read()

      expect(queries().newest('metadata', doc)).to.include({ version: 1, commit: oids[0] })
      expect(queries().atVersion('metadata', doc, asVersion(2))).to.equal(undefined)
      expect(queries().list('metadata', {}, everything).total).to.equal(1)
      const [fault, ...others] = queries().faults()
      expect(others).to.deep.equal([])
      expect(fault).to.deep.include({ kind: 'metadata', id: doc, commit: oids[1] })
      expect(fault?.findings).not.to.deep.equal([])
      expect(queries().isFaulty(recordDirectory('metadata', doc))).to.equal(true)
      expect(
        queries()
          .revisions('metadata', doc)
          .map(({ version, findings }) => [version, !findings]),
      ).to.deep.equal([
        [2, false],
        [1, true],
      ])
      expect(catalog?.reports).to.have.length(1)
      expect(catalog?.reports[0]).to.include(recordDirectory('metadata', doc)).and.to.include(oids[1])
    })
  }

  it('that repair a broken record make it valid again', async () => {
    history.person({ write: { [at('metadata', doc, 'record.json')]: '{' } })
    history.person({ write: metadata() })
    const oids = await read()

    expect(queries().newest('metadata', doc)).to.include({ version: 2, commit: oids[1] })
    expect(queries().faults()).to.deep.equal([])
    expect(queries().isFaulty(recordDirectory('metadata', doc))).to.equal(false)
    expect(queries().isFaulty(recordDirectory('metadata', 'unknown' as Id))).to.equal(false)
    expect(catalog?.reports).to.deep.equal([])
  })

  it('that remove a folder make the record GONE: its names remain, its pair becomes free', async () => {
    history.person({ write: { ...schema(), ...metadata('r', '{}', 'alias') } })
    history.person({ remove: [recordDirectory('metadata', doc)] })
    const oids = await read()

    expect(queries().newest('metadata', doc)).to.equal(undefined)
    expect(queries().atVersion('metadata', doc, asVersion(1))).to.equal(undefined)
    expect(queries().versions('metadata', doc, everything)).to.equal(undefined)
    expect(queries().list('metadata', {}, everything)).to.deep.include({ items: [], total: 0 })
    for (const name of ['alias', doc])
      expect(queries().owner(name)).to.deep.equal({ kind: 'metadata', id: doc, gone: true })
    expect(queries().describers(['r'], cd)).to.deep.equal([])
    expect(queries().dependentOf(cd)).to.equal(undefined)
    expect(
      queries()
        .revisions('metadata', doc)
        .map(({ commit, version }) => [commit, version]),
    ).to.deep.equal([
      [oids[1], undefined],
      [oids[0], 1],
    ])
  })

  it('that restore a folder continue its versions', async () => {
    history.person({ write: { ...schema(), ...metadata() }, at: 1000 })
    history.person({ remove: [recordDirectory('metadata', doc), recordDirectory('schema', cd)] })
    history.person({ write: { ...schema(), ...metadata() } })
    const oids = await read()

    expect(queries().newest('metadata', doc)).to.include({
      version: 3,
      commit: oids[2],
      createdAt: 1_000_000,
    })
    expect(queries().newest('schema', cd)).to.include({ version: 2, commit: oids[2] })
    expect(queries().schemaAsOf(cd, undefined, 2)).to.equal(undefined)
    expect(queries().owner(doc)).to.include({ gone: false })
    expect(queries().describers(['r'], cd)).to.deep.equal([{ resource: 'r', id: doc }])
    expect(queries().describers(['r'], cd, doc)).to.deep.equal([])
    expect(queries().dependentOf(cd)).to.equal(doc)
    expect(queries().list('metadata', { resources: ['r'] }, everything).total).to.equal(1)
    expect(queries().counts()).to.deep.equal({ schemas: 1, metadata: 1 })
  })

  it('are checked, schemas before their documents; commits of a server are not checked, merges are', async () => {
    const judged: string[] = []
    history.person({ write: { ...schema(), ...metadata() } })
    history.server('metadata', 'own' as Id, {
      record: { id: 'own' as Id, schema: { schemaId: cd, version: asVersion(1) } },
      documentType: 'JSON',
      document: '{}',
    })
    history.person({ write: metadata('r2'), merge: true })
    history.person({ remove: [recordDirectory('schema', cd)] })
    await read((candidate, view) => {
      judged.push(`${candidate.kind} ${candidate.sequence} ${candidate.state ? 'state' : 'removal'}`)
      const follows = candidate.state?.record.schema
      if (follows)
        expect(view.schemaAsOf(follows.schemaId, follows.version, candidate.sequence)).not.to.equal(undefined)
      const bad = !candidate.state && view.dependentOf(candidate.id) !== undefined
      return Promise.resolve(bad ? [{ message: 'documents refer to it' }] : [])
    })

    expect(judged).to.deep.equal([
      'schema 1 state',
      'metadata 1 state',
      'metadata 3 state',
      'schema 4 removal',
    ])
    // The server still serves the record, because the removal breaks a rule.
    expect(queries().newest('schema', cd)).to.include({ version: 1 })
    expect(
      queries()
        .faults()
        .map(({ directory }) => directory),
    ).to.deep.equal([recordDirectory('schema', cd)])
  })

  describe('with a minimal record', () => {
    const follows = (more = {}) =>
      JSON.stringify({
        schema: { schemaId: cd, ...more },
        relatedIdentifiers: [{ value: 'https://example.org/x', relationType: 'IS_METADATA_FOR' }],
      })
    const leastSchema = (document = '{}') => ({
      [at('schema', cd, 'record.json')]: '{}',
      [at('schema', cd, 'schema.json')]: document,
    })
    const leastMetadata = (document = '{}', more = {}) => ({
      [at('metadata', doc, 'record.json')]: follows(more),
      [at('metadata', doc, 'document.json')]: document,
    })
    const year = (number: number) => Date.UTC(number, 6) / 1000
    const newest = () => queries().newest('metadata', doc)?.record

    it('have the id of their folder, and the defaults of a POST', async () => {
      history.person({ write: { ...leastSchema(), ...leastMetadata() }, at: year(2021), author: 'Ann' })
      await read()

      const defaults = {
        creators: [{ givenName: 'Ann' }],
        publisher: 'Ann',
        acls: [{ sid: 'SELF', permission: 'ADMINISTRATE' }],
      }
      expect(queries().newest('schema', cd)?.record).to.deep.equal({ id: cd, ...defaults })
      expect(newest()).to.deep.equal({
        id: doc,
        schema: { schemaId: cd, version: 1 },
        ...defaults,
        relatedIdentifiers: [
          { identifierType: 'URL', value: 'https://example.org/x', relationType: 'IS_METADATA_FOR' },
        ],
      })
      expect(queries().owner(doc)).to.include({ kind: 'metadata', id: doc })
      expect(queries().describers(['https://example.org/x'], cd)).to.deep.equal([
        { resource: 'https://example.org/x', id: doc },
      ])
      expect(catalog?.reports).to.deep.equal([])
    })

    it('keep their first author as creator after later edits', async () => {
      history.person({ write: { ...leastSchema(), ...leastMetadata() }, at: year(2021), author: 'Ann' })
      history.person({ write: leastMetadata('{"a": 1}'), at: year(2022), author: 'Bo' })
      history.person({
        write: { [at('metadata', doc, 'record.json')]: follows({ version: 1 }) },
        at: year(2023),
        author: 'Bo',
      })
      await read()

      expect(queries().newest('metadata', doc)?.version).to.equal(3)
      expect(newest()).to.deep.include({ creators: [{ givenName: 'Ann' }], publisher: 'Ann' })
    })

    it('follow the newest version of the schema at first, and keep that version', async () => {
      history.person({ write: leastSchema('{"a": 1}') })
      history.person({ write: { ...leastSchema('{"a": 2}'), ...leastMetadata() } })
      history.person({ write: leastSchema('{"a": 3}') })
      const other = at('metadata', 'other' as Id, '')
      history.person({
        write: {
          ...leastMetadata('{"b": 1}'),
          [`${other}record.json`]: follows(),
          [`${other}document.json`]: '{}',
        },
      })
      history.person({ write: { [at('metadata', doc, 'record.json')]: ` ${follows()}` } })
      await read()

      const versions = queries().versions('metadata', doc, everything)?.items ?? []
      expect(versions.map(({ record }) => record.schema?.version)).to.deep.equal([2, 2, 2])
      expect(queries().newest('metadata', 'other' as Id)?.record.schema?.version).to.equal(3)
    })

    it('follow the newest version of another schema after a change to it', async () => {
      history.person({ write: { ...leastSchema(), ...leastMetadata() } })
      const second = at('schema', 'second' as Id, '')
      for (const document of ['1', '2']) {
        history.person({ write: { [`${second}record.json`]: '{}', [`${second}schema.json`]: document } })
      }
      history.person({
        write: { [at('metadata', doc, 'record.json')]: follows({ schemaId: 'second' }) },
      })
      await read()

      expect(newest()?.schema).to.deep.equal({ schemaId: 'second', version: 2 })
    })

    it('get defaults again if an edit removes members that a server wrote', async () => {
      history.server('schema', cd, {
        record: { id: cd, creators: [{ givenName: 'Cy' }], publisher: 'Cy', publicationYear: '1999' },
        documentType: 'JSON',
        document: '{}',
      })
      history.person({ write: { [at('schema', cd, 'record.json')]: '{"publisher": "P"}' }, author: 'Bo' })
      await read()

      const record = queries().newest('schema', cd)?.record
      expect(record).to.deep.include({ creators: [{ givenName: 'git-metastore' }], publisher: 'P' })
      expect(record).to.not.have.property('publicationYear')
    })

    it('by an author whose name is not UTF-8 can still be imported', async () => {
      history.person({ write: leastSchema(), author: Buffer.from([0x4a, 0xf6, 0x72, 0x67]) })
      await read()

      const record = queries().newest('schema', cd)?.record
      expect(record?.publisher).to.equal('J\ufffdrg')
      if (record) expect(decodeRecord(encodeRecord(record))).to.deep.equal(record)
    })

    const long = 'M'.repeat(150) as Id
    const faults: Record<string, readonly [Record<string, string>, string]> = {
      'in a directory whose name is a hash': [
        { [at('schema', long, 'record.json')]: '{}', [at('schema', long, 'schema.json')]: '{}' },
        'add it, as "id": "…"',
      ],
      'in a directory with another spelling of the id': [
        { 'schemas/Measurement/record.json': '{}', 'schemas/Measurement/schema.json': '{}' },
        'belongs into schemas/=measurement. Move its directory there, or correct the id.',
      ],
      'in a directory with wrong digits': [
        { 'metadata/0/1/2/3/doc/record.json': follows(), 'metadata/0/1/2/3/doc/document.json': '{}' },
        `belongs into ${recordDirectory('metadata', doc)}.`,
      ],
      'in a directory without the digits': [
        { 'metadata/doc/record.json': follows(), 'metadata/doc/document.json': '{}' },
        `belongs into ${recordDirectory('metadata', doc)}. Move its directory there, or correct the id.`,
      ],
      'that name no schema': [
        { [at('metadata', doc, 'record.json')]: '{}', [at('metadata', doc, 'document.json')]: '{}' },
        'The record names no schema to follow. Add "schema": {"schemaId": …}.',
      ],
      'that name an unknown schema': [
        { ...leastMetadata(), [at('metadata', doc, 'record.json')]: follows({ schemaId: 'nobody' }) },
        'There is no schema with the id "nobody" to follow.',
      ],
    }
    for (const [what, [write, sentence]] of Object.entries(faults)) {
      it(`${what} are reported with a remedy`, async () => {
        history.person({ write: { ...leastSchema(), ...write } })
        await read()

        const [fault, ...others] = queries().faults()
        expect(others).to.deep.equal([])
        expect(fault?.findings[0]).to.include({ file: 'record.json' })
        expect(fault?.findings[0]?.message).to.contain(sentence)
        expect(catalog?.reports.join()).to.contain('record.json').and.contain(sentence)
      })
    }

    for (const wrong of ['metadata/doc', 'metadata/0/1/2/3/doc']) {
      it(`are served after a move out of ${wrong}, as the report advises`, async () => {
        const misplaced = { [`${wrong}/record.json`]: follows(), [`${wrong}/document.json`]: '{}' }
        history.person({ write: { ...leastSchema(), ...misplaced } })
        history.person({ write: leastMetadata(), remove: [wrong] })
        await read()

        expect(queries().faults()).to.deep.equal([])
        expect(queries().newest('metadata', doc)).to.include({ id: doc, version: 1 })
        expect(queries().owner(doc)).to.deep.equal({ kind: 'metadata', id: doc, gone: false })
      })
    }

    it('may contain the id if the name of the folder does not', async () => {
      history.person({
        write: {
          [at('schema', long, 'record.json')]: `{"id": "${long}"}`,
          [at('schema', long, 'schema.json')]: '{}',
        },
      })
      await read()

      expect(queries().newest('schema', long)).to.include({ id: long, version: 1 })
    })
  })

  it('with thousands of records at once are imported completely', async () => {
    const write: Record<string, Content> = {}
    for (let number = 0; number < 2000; number++) {
      const id = `m${number}` as Id
      write[at('metadata', id, 'record.json')] = encodeRecord({
        id,
        schema: { schemaId: cd, version: asVersion(1) },
      }).toString()
      write[at('metadata', id, 'document.json')] = `{"n": ${number}}`
    }
    history.person({ write: { ...schema(), ...write } })
    await read()

    expect(queries().counts()).to.deep.equal({ schemas: 1, metadata: 2000 })
    expect(queries().newest('metadata', 'm1999' as Id)).to.include({ documentHash: sha1Of('{"n": 1999}') })
    const page = queries().list('metadata', { from: 0 as Instant }, { offset: 1995, limit: 20 })
    expect(page.items).to.have.length(5)
  })
})
