import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startService, type TestService, withFileName } from '../../support/http/test-service.js'
import { oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const run = promisify(execFile)

const schema = (content: string, target = 'urn:tree') =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${target}" xmlns="${target}" ` +
  `xmlns:u="urn:unit" elementFormDefault="qualified">${content}</xs:schema>`
const main = schema(
  '<xs:import namespace="urn:unit" schemaLocation="units"/><xs:include schemaLocation="parts/leaf.xsd"/>' +
    '<xs:element name="tree"><xs:complexType><xs:sequence><xs:element name="leaf" type="Leaf"/>' +
    '<xs:element ref="u:unit"/></xs:sequence></xs:complexType></xs:element>',
)
const leaf = schema(
  '<xs:include schemaLocation="../shared/deep/size.xsd"/><xs:include schemaLocation="./size2.xsd"/>' +
    '<xs:simpleType name="Leaf"><xs:restriction base="Size"/></xs:simpleType>',
)
const size = (base: string) =>
  schema(`<xs:simpleType name="Size"><xs:restriction base="xs:${base}"/></xs:simpleType>`)
const size2 = schema('<xs:simpleType name="Size2"><xs:restriction base="xs:string"/></xs:simpleType>')
const unit = (base: string) => schema(`<xs:element name="unit" type="xs:${base}"/>`, 'urn:unit')
const filesWith = (base: string) => ({
  'parts/leaf.xsd': leaf,
  'parts/size2.xsd': size2,
  'shared/deep/size.xsd': size(base),
})
const tree = (content: string, unitText = '7') =>
  `<tree xmlns="urn:tree"><leaf>${content}</leaf><u:unit xmlns:u="urn:unit">${unitText}</u:unit></tree>`

/** What Java sends without being told: Xerces reads schemas so. */
const javaAccept = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'

/** Validates with a validator that reads the schema from its address. @returns its exit status */
async function statusOf(command: string, ...options: readonly string[]): Promise<number> {
  return await run(command, options).then(
    () => 0,
    (error: { readonly code?: number }) => error.code ?? -1,
  )
}

const javaProgram = `import javax.xml.validation.*;
public class Validate {
  public static void main(String[] given) throws Exception {
    Schema schema = SchemaFactory.newInstance("http://www.w3.org/2001/XMLSchema").newSchema(new java.net.URL(given[0]));
    for (int i = 1; i < given.length; i++)
      try { schema.newValidator().validate(new javax.xml.transform.stream.StreamSource(new java.io.File(given[i]))); System.out.print("valid "); }
      catch (org.xml.sax.SAXException error) { System.out.print("invalid "); }
  }
}`

/** The address of a schema is for validators: OAI-PMH 2.0, 4.4. */
describe('the address of a schema in ListMetadataFormats', () => {
  let service: TestService
  let folder: string
  before(async () => {
    service = await startService({ features: oaiOptions })
    folder = await mkdtemp(join(tmpdir(), 'schema-addresses-'))
    await service.postSchema({ schemaId: 'units' }, unit('integer')).expect(201)
    await service.postSchema({ schemaId: 'tree' }, main, filesWith('integer')).expect(201)
    for (const [name, text] of [
      ['valid.xml', tree('12')],
      ['invalid.xml', tree('twelve')],
      ['unit.xml', tree('12', 'cm')],
    ] as const)
      await writeFile(join(folder, name), text)
    await writeFile(join(folder, 'Validate.java'), javaProgram)
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await removeRepositories()
  })

  async function schemaAddress(mount = '', id = 'tree'): Promise<string> {
    const url = `http://127.0.0.1:${service.port}${mount}/oaipmh?verb=ListMetadataFormats`
    const text = await (await fetch(url)).text()
    return new RegExp(`<metadataPrefix>${id}</metadataPrefix><schema>([^<]*)`).exec(text)?.[1] ?? 'none'
  }

  it('answers the document as XML, whatever Accept says', async () => {
    for (const mount of ['', '/metastore'])
      for (const accept of [javaAccept, 'text/html', 'application/json', '*/*']) {
        const answer = await fetch(await schemaAddress(mount), { headers: { Accept: accept } })
        expect(answer.status).to.equal(200)
        expect(answer.headers.get('content-type')).to.equal('application/xml')
        expect(await answer.text()).to.equal(main)
      }
  })

  it('leads by relative references to the files of the same version, also in other folders', async () => {
    const address = await schemaAddress()
    const at = new URL('parts/leaf.xsd', address)
    for (const [reference, text] of [
      ['../shared/deep/size.xsd', size('integer')],
      ['./size2.xsd', size2],
      ['../', main],
    ] as const) {
      const answer = await fetch(new URL(reference, at), { headers: { Accept: javaAccept } })
      expect(answer.headers.get('content-type'), reference).to.equal('application/xml')
      expect(await answer.text(), reference).to.equal(text)
    }
    expect((await fetch(new URL('parts/none.xsd', address))).status).to.equal(404)
    expect((await fetch(new URL('../../9/files/', address))).status).to.equal(404)
    expect((await fetch(new URL('../../x/files/', address))).status).to.equal(400)
  })

  it('is read with its files by xmllint and by Xerces, where the machine has them', async () => {
    const address = await schemaAddress()
    const documents = ['valid.xml', 'invalid.xml', 'unit.xml'].map(name => join(folder, name))
    if ((await statusOf('xmllint', '--version')) === 0)
      for (const [index, expected] of [0, 3, 3].entries()) {
        const given = ['--noout', '--schema', address, documents[index] ?? '']
        expect(await statusOf('xmllint', ...given), documents[index]).to.equal(expected)
      }
    else console.error('SKIPPED: reading a schema from its address. This machine has no xmllint.')
    if ((await statusOf('java', '--version')) === 0) {
      const { stdout } = await run('java', [join(folder, 'Validate.java'), address, ...documents])
      expect(stdout).to.equal('valid invalid invalid ')
    } else console.error('SKIPPED: reading a schema from its address. This machine has no Java.')
  })

  it('is that of a file if the files include the document by its own name, also in a folder', async () => {
    const item = schema(
      '<xs:include schemaLocation="item.xsd"/><xs:element name="item" type="Item"/>',
      'urn:item',
    )
    const part = schema(
      '<xs:include schemaLocation="my%20main.xsd"/><xs:simpleType name="Item"><xs:restriction base="xs:integer"/></xs:simpleType>',
      'urn:item',
    )
    await writeFile(join(folder, 'good.xml'), '<item xmlns="urn:item">7</item>')
    await writeFile(join(folder, 'bad.xml'), '<item xmlns="urn:item">x</item>')
    const documents = ['good.xml', 'bad.xml'].map(name => join(folder, name))
    for (const [id, at] of [
      ['item', ''],
      ['item-in-folder', 'xsd/'],
    ] as const) {
      await service.http
        .post('/api/v1/schemas')
        .attach('record', Buffer.from(JSON.stringify({ schemaId: id })), {
          filename: 'r.json',
          contentType: 'application/json',
        })
        .attach('schema', Buffer.from(item), withFileName(`${at}my main.xsd`))
        .attach('include', Buffer.from(part), withFileName(`${at}item.xsd`))
        .expect(201)
      const address = await schemaAddress('', id)
      expect(address).to.match(new RegExp(`/versions/1/files/${at}my%20main\\.xsd$`))
      expect(await (await fetch(address, { headers: { Accept: javaAccept } })).text()).to.equal(item)
      if ((await statusOf('xmllint', '--version')) === 0)
        for (const [index, expected] of [0, 3].entries())
          expect(await statusOf('xmllint', '--noout', '--schema', address, documents[index] ?? '')).to.equal(
            expected,
          )
      if ((await statusOf('java', '--version')) === 0)
        expect((await run('java', [join(folder, 'Validate.java'), address, ...documents])).stdout).to.equal(
          'valid invalid ',
        )
    }
  })

  it('stays the address of the same version, files and other schemas after a change', async () => {
    const first = await schemaAddress()
    await service.putSchema('units', '*', undefined, unit('string')).expect(200)
    const form = service.http
      .put('/api/v1/schemas/tree')
      .set('If-Match', '*')
      .attach('schema', Buffer.from(main), 'tree.xsd')
    for (const [path, text] of Object.entries(filesWith('string')))
      form.attach('include', Buffer.from(text), withFileName(path))
    await form.expect(200)

    const second = await schemaAddress()
    expect(second).not.to.equal(first)
    for (const [address, base] of [
      [first, 'integer'],
      [second, 'string'],
    ] as const) {
      expect(await (await fetch(new URL('shared/deep/size.xsd', address))).text()).to.equal(size(base))
      const other = await fetch(new URL('units', address), { headers: { Accept: javaAccept } })
      expect(await other.text()).to.equal(unit(base))
      expect(other.url).to.match(/\/schemas\/units\/versions\/[12]\/files\/$/)
    }
    const asked = await fetch(new URL('parts/units?version=1', second))
    expect(await asked.text()).to.equal(unit('integer'))
  })

  for (const [id, version, file, document] of [
    ['tree', 2, '', tree('12', 'cm')],
    ['item', 1, 'my%20main.xsd', '<item xmlns="urn:item">7</item>'],
  ] as const)
    it(`names the schema in records, and its version: …/versions/${version}/files/${file}`, async () => {
      const identifier = await schemaAddress('', id)
      expect(identifier).to.match(new RegExp(`/files/${file}$`))
      const record = {
        id: `of-${id}`,
        relatedResource: { identifier: 'http://x/1', identifierType: 'URL' },
        schema: { identifier, identifierType: 'URL' },
      }
      const created = await service.http
        .post('/api/v1/metadata')
        .set('Host', `127.0.0.1:${service.port}`)
        .attach('record', Buffer.from(JSON.stringify(record)), {
          filename: 'r.json',
          contentType: 'application/json',
        })
        .attach('document', Buffer.from(document), 'd.xml')
        .expect(201)
      expect(created.body).to.deep.include({ schemaVersion: version })
      expect(created.body.schema.identifier).to.contain(`/schemas/${id}?version=${version}`)
    })
})
