// test-schedule: quick
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { xsd } from '../../../support/data/schema-bundles.js'
import { apiClient, type Client, version1, version2 } from '../../../support/http/api-versions.js'
import {
  expectVerdicts,
  postSchemaFiles,
  putSchemaFiles,
  type SchemaFiles,
} from '../../../support/http/schema-uploads.js'
import { etagOf, startService, type TestService } from '../../../support/http/test-service.js'
import {
  runMetastore,
  runProgram,
  stopProcesses,
  temporaryFolder,
} from '../../../support/program/run-program.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const inner =
  '<xs:complexType name="Inner"><xs:sequence><xs:element ref="leaf"/></xs:sequence></xs:complexType>'
const tree = { valid: '<tree><leaf>1</leaf></tree>', invalid: '<tree><leaf>x</leaf></tree>' }
const mainXsd = (include: string, leaf = 'integer') =>
  xsd(
    `<xs:include schemaLocation="${include}"/><xs:element name="tree" type="Inner"/><xs:element name="leaf" type="xs:${leaf}"/>`,
  )

interface Circle {
  readonly files: SchemaFiles
  readonly valid: string
  readonly invalid: string
}

const inFolder: Circle = {
  files: {
    'tree.xsd': mainXsd('parts/inner.xsd'),
    'parts/inner.xsd': xsd(`<xs:include schemaLocation="../tree.xsd"/>${inner}`),
  },
  ...tree,
}

/** Schemas whose files refer to the first file by its name. */
const circles: Readonly<Record<string, Circle>> = {
  'an include that includes it': {
    files: {
      'tree.xsd': mainXsd('inner.xsd'),
      'inner.xsd': xsd(`<xs:include schemaLocation="tree.xsd"/>${inner}`),
    },
    ...tree,
  },
  'an include in a folder': inFolder,
  'an import, each of its own namespace': {
    files: {
      'outer.xsd': xsd(
        '<xs:import namespace="urn:b" schemaLocation="b.xsd"/><xs:element name="tree" type="b:Inner"/><xs:element name="leaf" type="xs:integer"/>',
        'targetNamespace="urn:a" xmlns:b="urn:b"',
      ),
      'b.xsd': xsd(
        '<xs:import namespace="urn:a" schemaLocation="./outer.xsd"/><xs:complexType name="Inner"><xs:sequence><xs:element ref="a:leaf"/></xs:sequence></xs:complexType>',
        'targetNamespace="urn:b" xmlns:a="urn:a"',
      ),
    },
    valid: '<a:tree xmlns:a="urn:a"><a:leaf>1</a:leaf></a:tree>',
    invalid: '<a:tree xmlns:a="urn:a"><a:leaf>x</a:leaf></a:tree>',
  },
  'an include that gives it another namespace': {
    files: {
      'leaf.xsd': xsd(
        '<xs:import namespace="urn:t" schemaLocation="tree.xsd"/><xs:element name="leaf" type="xs:integer"/>',
      ),
      'tree.xsd': xsd(
        '<xs:include schemaLocation="leaf.xsd"/><xs:element name="tree"><xs:complexType><xs:sequence><xs:element ref="t:leaf"/></xs:sequence></xs:complexType></xs:element>',
        'targetNamespace="urn:t" xmlns:t="urn:t"',
      ),
    },
    valid: '<a:tree xmlns:a="urn:t"><a:leaf>1</a:leaf></a:tree>',
    invalid: '<a:tree xmlns:a="urn:t"><a:leaf>x</a:leaf></a:tree>',
  },
  'itself, in JSON': {
    files: {
      'process.json': JSON.stringify({
        type: 'object',
        properties: { next: { $ref: 'process.json#' }, size: { type: 'integer' } },
      }),
    },
    valid: '{"next": {"size": 1}}',
    invalid: '{"next": {"size": "x"}}',
  },
  'a definition of it, in JSON': {
    files: {
      'tree.json': JSON.stringify({ $ref: 'parts/inner.json', definitions: { leaf: { type: 'integer' } } }),
      'parts/inner.json': JSON.stringify({ items: { $ref: '../tree.json#/definitions/leaf' } }),
    },
    valid: '[1]',
    invalid: '["x"]',
  },
}

for (const spoken of [version1(), version2()]) {
  describe(`the file name of a schema document, in version ${spoken.version} of the interface`, () => {
    let service: TestService
    let client: Client
    beforeEach(async () => {
      service = await startService()
      client = apiClient(service, spoken)
    })
    afterEach(removeRepositories)

    for (const [what, { files, valid, invalid }] of Object.entries(circles)) {
      it(`is a name of the document for ${what}`, async () => {
        const made = await postSchemaFiles(client, 'tree', files)
        expect(made.status, made.text).to.equal(201)
        await expectVerdicts(client, 'tree', { valid, invalid })

        const [name = '', ...others] = Object.keys(files)
        const stored = await client.get(`/schemas/tree/files/${name}`).expect(200)
        expect(Buffer.from(stored.text ?? stored.body).toString()).to.equal(files[name])
        expect(others).not.to.contain(name)
      })
    }

    it('stays a name of the document in later versions, whichever parts a PUT has', async () => {
      const files = inFolder.files
      const made = await postSchemaFiles(client, 'tree', files).expect(201)
      const decimal = await putSchemaFiles(client, 'tree', etagOf(made), {
        'tree.xsd': mainXsd('parts/inner.xsd', 'decimal'),
      }).expect(200)
      await expectVerdicts(client, 'tree', { valid: '<tree><leaf>1.5</leaf></tree>', invalid: tree.invalid })
      const renamed = await putSchemaFiles(client, 'tree', etagOf(decimal), {
        'schema.xsd': mainXsd('parts/inner.xsd', 'date'),
      }).expect(200)
      await expectVerdicts(client, 'tree', {
        valid: '<tree><leaf>2026-03-01</leaf></tree>',
        invalid: tree.invalid,
      })
      const again = await putSchemaFiles(client, 'tree', etagOf(renamed), {
        'tree.xsd': mainXsd('parts/inner.xsd', 'date'),
      }).expect(200)
      expect(etagOf(again)).to.equal(etagOf(renamed))
    })

    it('is not stored if no file refers to it, and does not hide an include with this name', async () => {
      await postSchemaFiles(client, 'alone', { 'alone.xsd': xsd('<xs:element name="a"/>') }).expect(201)
      await client.get('/schemas/alone/files/alone.xsd').expect(404)
      const wrong = await postSchemaFiles(client, 'lost', {
        'lost.xsd': mainXsd('inner.xsd'),
        'inner.xsd': xsd(`<xs:include schemaLocation="missing.xsd"/>${inner}`),
      }).expect(422)
      expect(wrong.text).to.contain('missing.xsd')
    })
  })
}

describe('the file name of a schema document', () => {
  afterEach(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  it('is still a name of the document in a clone, in change sets and on the command line', async () => {
    const service = await startService()
    const files = inFolder.files
    const part = (name: string) => Buffer.from(files[name] ?? '')
    await service.http
      .post('/api/changesets')
      .field(
        'changeset',
        JSON.stringify({
          changes: [
            {
              kind: 'schema',
              action: 'create',
              record: { id: 'tree', titles: [{ value: 'Tree' }] },
              document: 'main',
              files: { 'parts/inner.xsd': 'inner' },
            },
          ],
        }),
      )
      .attach('main', part('tree.xsd'), 'tree.xsd')
      .attach('inner', part('parts/inner.xsd'), 'inner.xsd')
      .expect(200)
    await expectVerdicts(apiClient(service, version2()), 'tree', tree)

    const folder = await temporaryFolder()
    await runProgram('git', ['clone', '-q', service.repository.dir, join(folder, 'clone')])
    const clone = join(folder, 'clone')
    const checked = await runMetastore(['check', '--data', clone, 'HEAD'])
    expect(checked.code, checked.stdout + checked.stderr).to.equal(0)
    await writeFile(join(folder, 'tree.xml'), tree.valid)
    await writeFile(join(clone, 'schemas/tree/schema.xsd'), mainXsd('parts/inner.xsd', 'decimal'))
    const stale = await runMetastore(['check', '--data', clone])
    expect(stale.stdout).to.contain('tree.xsd was equal to schema.xsd: copy one over the other')
    await writeFile(join(clone, 'schemas/tree/tree.xsd'), mainXsd('parts/inner.xsd', 'decimal'))
    const copied = await runMetastore(['check', '--data', clone])
    expect(copied.code, copied.stdout + copied.stderr).to.equal(0)

    const valid = await runMetastore(['validate', '--data', clone, 'tree', join(folder, 'tree.xml')])
    expect(valid.code, valid.stdout + valid.stderr).to.equal(0)
  })
})
