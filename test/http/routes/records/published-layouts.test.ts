// test-schedule: quick
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
import { identifyWithTestSecret, userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories } from '../../../support/repository/test-repository.js'

const count = { valid: '<count>1</count>', invalid: '<count>x</count>' }
const kind = xsd('<xs:simpleType name="Kind"><xs:restriction base="xs:integer"/></xs:simpleType>')

interface Published {
  readonly files: SchemaFiles
  /** The file at the URL to which the main file refers. */
  readonly further: string
  readonly valid: string
  readonly invalid: string
}

/** Schemas that refer to a file by its URL. */
const byUrl: Readonly<Record<string, Published>> = {
  xml: {
    files: {
      'main.xsd': xsd(
        '<xs:import namespace="urn:e" schemaLocation="http://elements.example.org/2026/e.xsd"/><xs:element name="m"><xs:complexType><xs:sequence><xs:element ref="e:e"/></xs:sequence></xs:complexType></xs:element>',
        'xmlns:e="urn:e"',
      ),
    },
    further: xsd('<xs:element name="e" type="xs:integer"/>', 'targetNamespace="urn:e"'),
    valid: '<m><e xmlns="urn:e">1</e></m>',
    invalid: '<m><e xmlns="urn:e">x</e></m>',
  },
  json: {
    files: { 'main.json': '{"items": {"$ref": "https://elements.example.org/2026/e.json#/$defs/e"}}' },
    further: '{"$id": "https://elements.example.org/2026/e.json", "$defs": {"e": {"type": "integer"}}}',
    valid: '[1]',
    invalid: '["x"]',
  },
}

for (const spoken of [version1(), version2()]) {
  describe(`the files of published schemas, in version ${spoken.version} of the interface`, () => {
    let service: TestService
    let client: Client
    beforeEach(async () => {
      service = await startService()
      client = apiClient(service, spoken)
    })
    afterEach(removeRepositories)

    it('may be in folders that begin with a dash', async () => {
      const made = await postSchemaFiles(client, 'dashes', {
        'main.xsd': xsd(
          '<xs:include schemaLocation="19999/-3/a/1.0/a.xsd"/><xs:element name="count" type="Kind"/>',
        ),
        '19999/-3/a/1.0/a.xsd': xsd('<xs:include schemaLocation="../../../../19999/-3/b.xsd"/>'),
        '19999/-3/b.xsd': kind,
      })
      expect(made.status, made.text).to.equal(201)
      await expectVerdicts(client, 'dashes', count)
      const file = await client.get('/schemas/dashes/files/19999/-3/b.xsd').expect(200)
      expect(file.text).to.equal(kind)
    })

    it('may be sent under each name that the answer advises, or registered first', async () => {
      for (const [what, { files, further, valid, invalid }] of Object.entries(byUrl)) {
        const refused = await postSchemaFiles(client, `${what}-0`, files)
        expect(refused.status, refused.text).to.equal(422)
        const { message } = refused.body.findings[0]
        const names = [
          ...(/include with the file name (.*?)(?:, or register|\.$)/
            .exec(message)?.[1]
            ?.matchAll(/"([^"]+)"/g) ?? []),
        ]
        expect(names, message).to.have.length(2)
        for (const [index, [, name = '']] of names.entries()) {
          const made = await postSchemaFiles(client, `${what}-${index}`, { ...files, [name]: further })
          expect(made.status, made.text).to.equal(201)
          await expectVerdicts(client, `${what}-${index}`, { valid, invalid })
        }
        expect(message).to.contain(', or register a schema with ')
        await postSchemaFiles(client, `${what}-further`, { 'any-name': further }).expect(201)
        const made = await postSchemaFiles(client, `${what}-2`, files)
        expect(made.status, made.text).to.equal(201)
        await expectVerdicts(client, `${what}-2`, { valid, invalid })
      }
    })

    it('stay as they were when a registered schema that they use by URL gets another version', async () => {
      const { files, further, valid, invalid } = byUrl.xml as Published
      const first = await postSchemaFiles(client, 'further', { e: further }).expect(201)
      const made = await postSchemaFiles(client, 'main', files).expect(201)
      const changed = String(further).replace('xs:integer', 'xs:date')
      const second = await putSchemaFiles(client, 'further', etagOf(first), { e: changed }).expect(200)
      await expectVerdicts(client, 'main', { valid, invalid })
      const same = await putSchemaFiles(client, 'main', etagOf(made), files).expect(200)
      expect(etagOf(same)).to.equal(etagOf(made))
      await client.delete('/schemas/further', etagOf(second)).expect(204)
      await expectVerdicts(client, 'main', { valid, invalid })
      const file = await client.get('/schemas/main/files/elements.example.org/2026/e.xsd').expect(200)
      expect(file.text).to.equal(further)
    })

    it('are not taken from registered schemas if two of them fit', async () => {
      const { files, further } = byUrl.xml as Published
      for (const id of ['one', 'two']) await postSchemaFiles(client, id, { e: further }).expect(201)
      await postSchemaFiles(client, 'main', files).expect(422)
    })

    it('come with the files of a registered schema', async () => {
      await postSchemaFiles(client, 'further', {
        'e.xsd': xsd(
          '<xs:include schemaLocation="types/t.xsd"/><xs:element name="e" type="e:T"/>',
          'targetNamespace="urn:e" xmlns:e="urn:e"',
        ),
        'types/t.xsd': xsd('<xs:simpleType name="T"><xs:restriction base="xs:integer"/></xs:simpleType>'),
      }).expect(201)
      const { files, valid, invalid } = byUrl.xml as Published
      const made = await postSchemaFiles(client, 'main', files)
      expect(made.status, made.text).to.equal(201)
      await expectVerdicts(client, 'main', { valid, invalid })
    })

    it('are named with the line and the path of the reference if they are missing', async () => {
      const made = await postSchemaFiles(client, 'lost', {
        'main.json': '{\n"properties": {"a/b": {"items":\n{"$ref": "gone.json#/x"}}}}',
      })
      expect(made.status).to.equal(422)
      expect(made.body.findings[0]).to.include({ line: 3, path: '/properties/a~1b/items/$ref' })
    })

    it('are named with what helps if a path leads nowhere', async () => {
      const advice = async (location: string) => {
        const answer = await postSchemaFiles(client, 'lost', {
          'm.xsd': xsd(`<xs:include schemaLocation="${location}"/>`),
        })
        expect(answer.status).to.equal(422)
        return String(answer.body.findings[0].message)
      }
      expect(await advice('types/t.xsd')).to.contain('file name "types/t.xsd"')
      expect(await advice('common')).to.contain('or register a schema with this id first')
      expect(await advice('../t.xsd')).to.contain('leads out of the folder')
      expect(await advice('https://example.org/')).not.to.contain('""')
      expect(await advice('urn:x:y')).to.contain('write the path of a file')
    })

    it('may be relative to the folder of the main file, if its name has the folder', async () => {
      const files = {
        'core/main.xsd': xsd(
          '<xs:include schemaLocation="../common/kind.xsd"/><xs:include schemaLocation="more.xsd"/><xs:element name="count" type="Kind"/>',
        ),
        'core/more.xsd': xsd('<xs:element name="more" type="Kind"/>'),
        'common/kind.xsd': kind,
      }
      const missing = {
        ...files,
        'common/kind.xsd': kind.replace('<xs:s', '<xs:include schemaLocation="x.xsd"/>$&'),
      }
      const refused = await postSchemaFiles(client, 'folders', missing).expect(422)
      expect(refused.body.findings[0]).to.include({ file: 'common/kind.xsd' })
      expect(refused.body.findings).to.have.length(1)
      const made = await postSchemaFiles(client, 'folders', files)
      expect(made.status, made.text).to.equal(201)
      await expectVerdicts(client, 'folders', count)
      const changed = { 'core/main.xsd': files['core/main.xsd'].replace('name="count"', 'name="number"') }
      await putSchemaFiles(client, 'folders', etagOf(made), changed).expect(200)
      await expectVerdicts(client, 'folders', { valid: '<number>1</number>', invalid: '<count>1</count>' })
    })

    it('may be relative to the folder of the main file in JSON, too', async () => {
      const made = await postSchemaFiles(client, 'folders', {
        'a/core/main.json': '{"$ref": "../common/list.json#/$defs/list"}',
        'a/core/item.json': '{"type": "integer"}',
        'a/common/list.json': '{"$defs": {"list": {"items": {"$ref": "../core/item.json"}}}}',
      })
      expect(made.status, made.text).to.equal(201)
      await expectVerdicts(client, 'folders', { valid: '[1]', invalid: '["x"]' })
    })

    it('may have a DOCTYPE', async () => {
      const schema = (type: string) =>
        `<!DOCTYPE xs:schema [<!ENTITY ns "urn:d">]>\n${xsd(`<xs:element name="count" type="xs:${type}"/>`, 'targetNamespace="&ns;"')}`
      const made = await postSchemaFiles(client, 'doctype', { 'd.xsd': schema('integer') }).expect(201)
      await putSchemaFiles(client, 'doctype', etagOf(made), { 'd.xsd': schema('date') }).expect(200)
    })
  })
}

describe('a registered schema with a URL among its identifiers', () => {
  afterEach(removeRepositories)

  it('is the target of references to this URL', async () => {
    const service = await startService()
    const url = 'https://types.example.org/2026/kind.xsd'
    await service.http
      .post('/api/v2/schemas')
      .attach(
        'record',
        Buffer.from(
          JSON.stringify({
            id: 'kinds',
            titles: [{ value: 'Kinds' }],
            alternateIdentifiers: [{ value: url, identifierType: 'URL' }],
          }),
        ),
        { filename: 'record.json', contentType: 'application/json' },
      )
      .attach('schema', Buffer.from(kind), 'kind.xsd')
      .expect(201)
    const client = apiClient(service, version2())
    const made = await postSchemaFiles(client, 'main', {
      'main.xsd': xsd(`<xs:include schemaLocation="${url}"/><xs:element name="count" type="Kind"/>`),
    })
    expect(made.status, made.text).to.equal(201)
    await expectVerdicts(client, 'main', count)
  })
})

describe('a registered schema that not everyone may read', () => {
  afterEach(removeRepositories)

  it('is copied into another schema only for callers who administrate it', async () => {
    const service = await startService({ identify: identifyWithTestSecret })
    const [owner, reader] = [await userToken('owner'), await userToken('reader')]
    const { files, further } = byUrl.xml as Published
    const post = (id: string, token: string, document: string, acl: readonly object[] = []) =>
      service
        .postSchema({ schemaId: id, acl }, document)
        .set('Authorization', `Bearer ${token}`)
        .then(({ status }) => status)
    const main = String(files['main.xsd'])
    expect(await post('further', owner, further, [{ sid: 'reader', permission: 'READ' }])).to.equal(201)

    expect(await post('of-reader', reader, main)).to.equal(422)
    expect(await post('of-owner', owner, main)).to.equal(201)
  })
})
