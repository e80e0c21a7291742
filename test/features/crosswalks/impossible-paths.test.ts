// test-schedule: quick
import { expect } from 'chai'
import { crosswalkWithFaults } from '../../../src/features/crosswalks/check-crosswalk.js'
import { describeDocument } from '../../../src/features/crosswalks/describe-document.js'

/** The paths that no document of the schema can have, of those that are given. */
async function impossibleIn(schema: string | object, paths: readonly string[]): Promise<readonly string[]> {
  const isXml = typeof schema === 'string'
  const document = Buffer.from(isXml ? schema : JSON.stringify(schema))
  const { faults } = await crosswalkWithFaults(
    { sizes: paths },
    { type: isXml ? 'XML' : 'JSON', document: async () => document },
  )
  return paths.filter(path => faults.some(({ message }) => message.endsWith(` the path "${path}".`)))
}

/** An XML Schema whose root element `a` has this content. */
function xsd(content: string, more = ''): string {
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${more}<xs:element name="a"><xs:complexType>
    <xs:sequence>${content}</xs:sequence></xs:complexType></xs:element></xs:schema>`
}

describe('The check of paths against an XML Schema', () => {
  it('knows names with dots, as a description finds them', async () => {
    const schema = xsd(
      '<xs:element name="dc.title" type="xs:string"/><xs:element name="dc" type="xs:string"/><xs:element name="p" type="xs:string"/>',
    )
    const paths = ['a.dc.title', 'a.dc', 'a.title', 'a.dc.titel', 'a.p.dc.title', 'a.dc.title.p.x']
    expect(await impossibleIn(schema, paths)).to.deep.equal(['a.title', 'a.dc.titel', 'a.dc.title.p.x'])
    const { crosswalk } = await crosswalkWithFaults(
      { sizes: 'a.dc.title' },
      { type: 'XML', document: async () => Buffer.from(schema) },
    )
    const document = Buffer.from('<a><dc.title>T</dc.title></a>')
    const { sizes } = describeDocument(document, 'XML', crosswalk)
    expect(sizes?.map(({ value }) => value)).to.deep.equal(['T'])
  })

  it('permits every name below an element of any type', async () => {
    const any = [
      '<xs:element name="m"/>',
      '<xs:element name="m"><xs:annotation><xs:documentation>Any</xs:documentation></xs:annotation></xs:element>',
      '<xs:element name="m" type="xs:anyType"/>',
    ]
    const paths = ['a.m.x', 'a.m.@y.z', 'a.x', 'x.m']
    for (const each of any) expect(await impossibleIn(xsd(each), paths), each).to.deep.equal(['a.x', 'x.m'])
    const typed = [
      '<xs:element name="m" type="xs:string"/>',
      '<xs:element name="m"><xs:simpleType><xs:restriction base="xs:string"/></xs:simpleType></xs:element>',
      '<xs:element name="m"><xs:complexType><xs:attribute name="u"/></xs:complexType></xs:element>',
    ]
    for (const each of typed) expect(await impossibleIn(xsd(each), ['a.m.x', 'a.m'])).to.deep.equal(['a.m.x'])
  })

  it('permits every name if the schema has parts elsewhere or wildcards', async () => {
    const m = '<xs:element name="m" type="xs:string"/>'
    const open = [
      ...['include', 'import', 'redefine', 'override'].map(part =>
        xsd(m, `<xs:${part} schemaLocation="b.xsd"/>`),
      ),
      xsd(`${m}<xs:any processContents="lax"/>`),
      xsd(
        '<xs:element name="m" type="t"/>',
        '<xs:complexType name="t"><xs:complexContent><xs:extension base="xs:anyType"/></xs:complexContent></xs:complexType>',
      ),
      xsd('<xs:element name="m" type="xs:string"><xs:alternative test="@x" type="xs:anyType"/></xs:element>'),
    ]
    for (const schema of open) expect(await impossibleIn(schema, ['a.m.x']), schema).to.deep.equal([])
    expect(await impossibleIn(xsd(m), ['a.m.x'])).to.deep.equal(['a.m.x'])
  })
})

describe('The check of paths against a JSON Schema', () => {
  it('counts the keywords beside $ref as the draft says', async () => {
    const schema = ($schema: string) => ({
      $schema,
      $ref: '#/definitions/sample',
      additionalProperties: false,
      definitions: { sample: { properties: { x: { type: 'string' } }, additionalProperties: false } },
    })
    for (const draft of ['draft-04', 'draft-06', 'draft-07'])
      expect(
        await impossibleIn(schema(`http://json-schema.org/${draft}/schema#`), ['x', 'y']),
        draft,
      ).to.deep.equal(['y'])
    for (const draft of ['2019-09', '2020-12'])
      expect(
        await impossibleIn(schema(`https://json-schema.org/draft/${draft}/schema`), ['x', 'y']),
        draft,
      ).to.deep.equal(['x', 'y'])
  })
})
