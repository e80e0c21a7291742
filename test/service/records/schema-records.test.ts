import { expect } from 'chai'
import { selfPrincipal } from '../../../src/core/access-control.js'
import type { Finding } from '../../../src/core/problem.js'
import type { Revision } from '../../../src/core/records/revision.js'
import type { Services } from '../../../src/service/services.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import {
  addResource,
  ifMatch,
  ifMatchAny,
  keepRecord,
  noteXsd,
  parseTestId,
  setTitle,
  testOrigins,
  titleJsonSchema,
  toBuffer,
  toTestVersion,
} from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

let repository: TestRepository
let services: Services

/** Starts the services of an empty repository. */
async function start(): Promise<void> {
  repository = await temporaryRepository()
  services = await repository.compose()
}

const register = (name: string, document: Buffer, files?: Readonly<Record<string, string>>) =>
  services.collections.schema.create(
    selfPrincipal,
    { id: parseTestId(name), edit: keepRecord },
    { document, ...(files ? { files: filesOf(files) } : {}) },
    testOrigins,
  )
const filesOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([path, text]) => [path, toBuffer(text)]))

describe('a schema', () => {
  beforeEach(start)
  afterEach(removeRepositories)

  it('is registered as one commit by the caller, with its defaults', async () => {
    const before = await repository.git('rev-list', '--count', 'HEAD')

    const made = await register('note', titleJsonSchema())

    expect(made).to.include({ kind: 'schema', id: 'note', version: 1, documentType: 'JSON' })
    expect(made.record.creators).to.deep.equal([{ givenName: 'SELF' }])
    expect(made.record.acls).to.deep.equal([{ sid: 'SELF', permission: 'ADMINISTRATE' }])
    expect(made.record).to.not.have.property('publicationYear')
    expect(Number(await repository.git('rev-list', '--count', 'HEAD'))).to.equal(Number(before) + 1)
    expect(await repository.git('log', '-1', '--format=%H|%an <%ae>|%cn|%s')).to.equal(
      `${made.commit}|SELF <self@git-metastore>|git-metastore|Register schema note`,
    )
    expect(await repository.git('log', '-1', '--format=%(trailers:only)')).to.match(
      /^Record: schema note\nVersion: 1\nRecorded-At: \d{4}-.*Z$/m,
    )
    expect(await repository.git('show', 'HEAD:schemas/note/schema.json')).to.equal(
      titleJsonSchema().toString(),
    )
  })

  it('is read byte for byte in every version', async () => {
    const first = await register('note', titleJsonSchema())
    const second = await services.collections.schema.revise(
      selfPrincipal,
      parseTestId('note'),
      ifMatch(first),
      { document: titleJsonSchema('body') },
      testOrigins,
    )

    expect(second.version).to.equal(2)
    expect(second.commit).to.not.equal(first.commit)
    expect(
      await services.readDocument(services.collections.schema.read(selfPrincipal, parseTestId('note'))),
    ).to.deep.equal(titleJsonSchema('body'))
    expect(
      await services.readDocument(
        services.collections.schema.read(selfPrincipal, parseTestId('note'), toTestVersion(1)),
      ),
    ).to.deep.equal(titleJsonSchema())
    const page = services.collections.schema.versions(selfPrincipal, 'note', { offset: 0, limit: 20 })
    expect(page.items.map(item => item.version)).to.deep.equal([2, 1])
    await expectProblem(
      () => services.collections.schema.read(selfPrincipal, parseTestId('note'), toTestVersion(13)),
      'not-found',
      "Version '13' of ID 'note' doesn't exist!",
    )
    await expectProblem(
      () => services.collections.schema.read(selfPrincipal, parseTestId('cd')),
      'not-found',
      "Schema document with ID 'cd' doesn't exist!",
    )
  })

  it('keeps its version when only its record changes', async () => {
    const first = await register('note', titleJsonSchema())

    const changed = await services.collections.schema.revise(
      selfPrincipal,
      parseTestId('note'),
      ifMatch(first),
      { draft: { edit: setTitle('Notes') } },
      testOrigins,
    )

    expect(changed.version).to.equal(1)
    expect(changed.commit).to.not.equal(first.commit)
    expect(changed.time).to.be.greaterThan(first.time)
    expect(
      services.collections.schema.read(selfPrincipal, parseTestId('note'), toTestVersion(1)).commit,
    ).to.equal(changed.commit)
    expect(await repository.git('log', '-1', '--format=%s')).to.equal(
      'Update the record of schema note (version 1)',
    )
  })

  it('makes no commit without a change', async () => {
    const first = await register('note', titleJsonSchema())
    const head = await repository.head()

    const same = await services.collections.schema.revise(
      selfPrincipal,
      parseTestId('note'),
      ifMatchAny,
      {
        document: titleJsonSchema(),
        draft: { edit: record => ({ ...record, acls: [...(record.acls ?? [])].reverse() }) },
      },
      testOrigins,
    )

    expect(same.commit).to.equal(first.commit)
    expect(await repository.head()).to.equal(head)
  })

  it('must compile, and have the type of its record', async () => {
    const refused = [
      toBuffer(''),
      toBuffer('<>'),
      toBuffer('[]'),
      toBuffer('{}'),
      toBuffer('{"type": "nonsense"}'),
      toBuffer('{"$defs": {"a": {"properties": {"$ref": "b"}}}}'),
      toBuffer('{"$schema": "http://example.org/mine"}'),
      toBuffer('{"a": }'),
      noteXsd('missing'),
      toBuffer('<note/>'),
    ]
    for (const document of refused) {
      const problem = await expectProblem(() => register('note', document), 'unprocessable')
      expect(problem.extra.findings, document.toString()).to.not.be.empty
      const [first] = problem.extra.findings ?? []
      expect(first, document.toString()).to.satisfy(
        (finding: Finding) => finding.line !== undefined || finding.path !== undefined,
      )
      expect(problem.message, document.toString()).to.match(/schema.* (cannot be used|is neither|is none)/)
    }
    await expectProblem(
      () =>
        services.collections.schema.create(
          selfPrincipal,
          { id: parseTestId('note'), type: 'XML', edit: keepRecord },
          { document: titleJsonSchema() },
          testOrigins,
        ),
      'unprocessable',
    )
    const made = await register('note', titleJsonSchema())
    await expectProblem(
      () =>
        services.collections.schema.revise(
          selfPrincipal,
          parseTestId('note'),
          ifMatch(made),
          { draft: { type: 'XML', edit: keepRecord } },
          testOrigins,
        ),
      'unprocessable',
    )
    expect(await repository.git('log', '--format=%s', '--', 'schemas')).to.equal('Register schema note')
  })

  it('needs an id in lower case that no record has had', async () => {
    const made = await register('note', titleJsonSchema())
    await expectProblem(() => register('Note', titleJsonSchema()), 'malformed-request')
    await expectProblem(() => register('note', titleJsonSchema()), 'conflict', 'note')

    await services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(made))
    await expectProblem(() => register('note', titleJsonSchema()), 'conflict')
    await services.collections.schema.remove(
      selfPrincipal,
      parseTestId('note'),
      ifMatch(services.collections.schema.read(selfPrincipal, parseTestId('note'))),
    )

    await expectProblem(() => register('note', titleJsonSchema()), 'gone')
  })

  it('is deleted in two steps, each a commit, and stays in the history', async () => {
    const made = await register('note', titleJsonSchema())

    await services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(made))
    const revoked = services.collections.schema.read(selfPrincipal, parseTestId('note'))
    expect(revoked).to.include({ version: 1 })
    expect(revoked.record.state).to.equal('REVOKED')
    await expectProblem(
      () => services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(made)),
      'precondition-failed',
    )
    await services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(revoked))

    await expectProblem(
      () => services.collections.schema.read(selfPrincipal, parseTestId('note')),
      'not-found',
    )
    await expectProblem(
      () => services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(revoked)),
      'not-found',
    )
    expect(await repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'schemas')).to.equal('')
    const log = await services.audit.log(parseTestId('note'))
    expect(log.map(entry => entry.subject)).to.deep.equal([
      'Delete schema note',
      'Revoke schema note (version 1)',
      'Register schema note',
    ])
  })

  it('cannot be deleted while a document follows one of its versions', async () => {
    const made = await register('note', titleJsonSchema())
    const other = await register('other', titleJsonSchema())
    const document = await services.collections.metadata.create(
      selfPrincipal,
      { schema: { schemaId: parseTestId('note') }, edit: addResource('https://example.org/1') },
      { document: toBuffer({ title: 'a' }) },
    )
    await services.collections.metadata.revise(selfPrincipal, document.id, ifMatch(document), {
      draft: { schema: { schemaId: other.id }, edit: keepRecord },
    })

    // An older version of the document still follows the schema. This check precedes the check of the ETag.
    await expectProblem(
      () =>
        services.collections.schema.remove(selfPrincipal, parseTestId('note'), {
          any: false,
          tags: ['stale'],
        }),
      'conflict',
    )
    await expectProblem(
      () => services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(made)),
      'conflict',
      document.id,
    )

    for (const _ of ['REVOKED', 'GONE']) {
      await services.collections.metadata.remove(selfPrincipal, document.id, ifMatchAny)
    }
    await services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(made))
  })

  it('of XML may have several files too', async () => {
    const include = '<xs:include schemaLocation="parts/text.xsd"/>'
    const part =
      '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:note"><xs:simpleType name="text"><xs:restriction base="xs:string"><xs:maxLength value="3"/></xs:restriction></xs:simpleType></xs:schema>'
    const made = await register('note', noteXsd('text', include), { 'parts/text.xsd': part })

    expect(
      (
        await services.collections.schema.validate(
          selfPrincipal,
          made.id,
          undefined,
          toBuffer('<note xmlns="urn:note">abc</note>'),
        )
      ).findings,
    ).to.be.empty
    expect(
      (
        await services.collections.schema.validate(
          selfPrincipal,
          made.id,
          undefined,
          toBuffer('<note xmlns="urn:note">abcd</note>'),
        )
      ).findings,
    ).to.not.be.empty
  })

  it('is refused for a broken reference, with its position', async () => {
    const problem = await expectProblem(
      () =>
        register('note', toBuffer({ $ref: 'parts/title.json' }), {
          'parts/title.json': '{"$ref":"text.json"}',
        }),
      'unprocessable',
    )
    expect(problem.extra.findings).to.have.lengthOf(1)
    expect(problem.extra.findings?.[0]).to.include({ file: 'parts/title.json' })
    expect(problem.extra.findings?.[0]?.message).to.include('text.json')
    await expectProblem(
      () =>
        register('note', noteXsd('xs:string', '<xs:include schemaLocation="http://example.org/other.xsd"/>')),
      'unprocessable',
      'http://example.org/other.xsd',
    )
    expect(await repository.git('log', '--format=%s', '--', 'schemas')).to.equal('')
  })

  it('is refused for a file that cannot be stored beside it', async () => {
    for (const name of ['../x.json', 'record.json', '.git/config', 'a/../b.json', 'con.json', '']) {
      await expectProblem(() => register('note', titleJsonSchema(), { [name]: '{}' }), 'malformed-request')
    }
    await expectProblem(
      () => register('note', titleJsonSchema(), { 'a.json': '{}', 'A.json': '{}' }),
      'malformed-request',
    )
  })

  it('may refer to a registered schema by id or URL, in a fixed version', async () => {
    const common = await register('common', toBuffer({ type: 'string' }))
    const targets = [
      'common',
      'common?version=1',
      'http://localhost:8040/api/v1/schemas/common?version=1',
      'http://localhost:8040/metastore/api/v1/schemas/common',
    ]
    for (const [index, target] of targets.entries()) {
      await register(`note${index}`, toBuffer({ type: 'object', properties: { title: { $ref: target } } }))
    }
    await services.collections.schema.revise(
      selfPrincipal,
      common.id,
      ifMatch(common),
      { document: toBuffer({ type: 'number' }) },
      testOrigins,
    )
    // An update of only the record keeps the referred version.
    await services.collections.schema.revise(
      selfPrincipal,
      parseTestId('note0'),
      ifMatchAny,
      { draft: { edit: setTitle('Notes') } },
      testOrigins,
    )

    for (const at of targets.keys()) {
      expect(
        (
          await services.collections.schema.validate(
            selfPrincipal,
            parseTestId(`note${at}`),
            undefined,
            toBuffer({ title: 'a' }),
          )
        ).findings,
      ).to.be.empty
      expect(
        (
          await services.collections.schema.validate(
            selfPrincipal,
            parseTestId(`note${at}`),
            undefined,
            toBuffer({ title: 1 }),
          )
        ).findings,
      ).to.not.be.empty
    }
    await register('newer', toBuffer({ type: 'object', properties: { title: { $ref: 'common' } } }))
    expect(
      (
        await services.collections.schema.validate(
          selfPrincipal,
          parseTestId('newer'),
          undefined,
          toBuffer({ title: 1 }),
        )
      ).findings,
    ).to.be.empty
    await expectProblem(
      () => register('foreign', toBuffer({ $ref: 'http://example.org/api/v1/schemas/common' })),
      'unprocessable',
    )
    await expectProblem(() => register('later', toBuffer({ $ref: 'common?version=9' })), 'unprocessable')
  })

  it('of XML may include a registered schema', async () => {
    await register(
      'text',
      toBuffer(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:note"><xs:simpleType name="text"><xs:restriction base="xs:string"><xs:maxLength value="3"/></xs:restriction></xs:simpleType></xs:schema>',
      ),
    )
    for (const target of ['text', 'http://localhost:8040/api/v1/schemas/text?version=1']) {
      const name = target === 'text' ? 'by-id' : 'by-url'
      await register(name, noteXsd('text', `<xs:include schemaLocation="${target}"/>`))
      expect(
        (
          await services.collections.schema.validate(
            selfPrincipal,
            parseTestId(name),
            undefined,
            toBuffer('<note xmlns="urn:note">abc</note>'),
          )
        ).findings,
      ).to.be.empty
      expect(
        (
          await services.collections.schema.validate(
            selfPrincipal,
            parseTestId(name),
            undefined,
            toBuffer('<note xmlns="urn:note">abcd</note>'),
          )
        ).findings,
      ).to.not.be.empty
    }
  })

  it('cannot refer to itself, to a schema of the other language or to a REVOKED schema', async () => {
    const made = await register('note', titleJsonSchema())
    await expectProblem(
      () =>
        services.collections.schema.revise(
          selfPrincipal,
          parseTestId('note'),
          ifMatch(made),
          { document: toBuffer({ $ref: 'note' }) },
          testOrigins,
        ),
      'unprocessable',
      'itself',
    )
    await register('text', noteXsd())
    await expectProblem(() => register('mixed', toBuffer({ $ref: 'text' })), 'unprocessable', 'language')
    await services.collections.schema.remove(selfPrincipal, parseTestId('note'), ifMatch(made))
    await expectProblem(() => register('late', toBuffer({ $ref: 'note' })), 'unprocessable')
  })

  it('cannot be used for validation when it is REVOKED', async () => {
    const made = await register('note', titleJsonSchema())
    await expectProblem(
      () => services.collections.schema.validate(selfPrincipal, made.id, toTestVersion(2), toBuffer('{}')),
      'not-found',
    )
    await services.collections.schema.remove(selfPrincipal, made.id, ifMatch(made))

    await expectProblem(
      () => services.collections.schema.validate(selfPrincipal, made.id, undefined, toBuffer('{}')),
      'not-found',
    )
    await expectProblem(
      () =>
        services.collections.schema.validate(selfPrincipal, parseTestId('none'), undefined, toBuffer('{}')),
      'not-found',
    )
  })

  it('has an empty list of versions if it does not exist', () => {
    expect(
      services.collections.schema.versions(selfPrincipal, 'not an id', { offset: 0, limit: 20 }),
    ).to.deep.equal({
      items: [],
      offset: 0,
      limit: 20,
      total: 0,
    })
  })
})

describe('a schema of several files', () => {
  const document = toBuffer({ $ref: 'parts/title.json' })
  const files = {
    'parts/title.json': JSON.stringify({ type: 'object', properties: { title: { $ref: 'text.json' } } }),
    'parts/text.json': '{"type":"string"}',
  }
  let made: Revision
  let changed: Revision
  const validate = async (title: unknown, version?: number) => {
    const { findings } = await services.collections.schema.validate(
      selfPrincipal,
      made.id,
      version === undefined ? undefined : toTestVersion(version),
      toBuffer({ title }),
    )
    return findings
  }
  before(async () => {
    await start()
    made = await register('note', document, files)
  })
  after(removeRepositories)

  it('has its files with their bytes', async () => {
    expect(await services.collections.schema.file(made, 'parts/text.json')).to.deep.equal(
      toBuffer('{"type":"string"}'),
    )
  })

  it('has no file of another name, nor its record as a file', async () => {
    await expectProblem(() => services.collections.schema.file(made, 'none.json'), 'not-found')
    await expectProblem(() => services.collections.schema.file(made, 'record.json'), 'not-found')
  })

  it('validates with all of its files', async () => {
    expect(await validate('a')).to.be.empty
    expect(await validate(1)).to.not.be.empty
  })

  describe('one of which changed', () => {
    before(async () => {
      changed = await services.collections.schema.revise(
        selfPrincipal,
        made.id,
        ifMatch(made),
        { files: filesOf({ 'parts/text.json': '{"type":"number"}' }) },
        testOrigins,
      )
    })

    it('has a second version with the unchanged files, too', () => {
      expect(changed.version).to.equal(2)
      expect([...changed.files.keys()].sort()).to.deep.equal([
        'parts/text.json',
        'parts/title.json',
        'record.json',
        'schema.json',
      ])
    })

    it('validates with the files of each version', async () => {
      expect(await validate(1)).to.be.empty
      expect(await validate(1, 1)).to.not.be.empty
    })

    describe('and whose document is then replaced without files', () => {
      let alone: Revision
      before(async () => {
        alone = await services.collections.schema.revise(
          selfPrincipal,
          made.id,
          ifMatch(changed),
          { document: titleJsonSchema() },
          testOrigins,
        )
      })

      it('has no further file', async () => {
        expect([...alone.files.keys()].sort()).to.deep.equal(['record.json', 'schema.json'])
        expect(await repository.git('ls-tree', '-r', '--name-only', 'HEAD', 'schemas/note')).to.equal(
          'schemas/note/record.json\nschemas/note/schema.json',
        )
      })
    })
  })
})
