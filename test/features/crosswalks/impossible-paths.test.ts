// test-schedule: quick
import { expect } from 'chai'
import { crosswalkWithFaults } from '../../../src/features/crosswalks/check-crosswalk.js'
import { describeDocument } from '../../../src/features/crosswalks/describe-document.js'
import type { SchemaBundle } from '../../../src/validation/validator.js'

/** The paths that no document of the schema can have, of those that are given. */
async function impossibleIn(
  schema: string | object,
  paths: readonly string[],
  files?: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { faults } = await crosswalkWithFaults({ sizes: paths }, async () => bundleOf(schema, files))
  return paths.filter(path => faults.some(({ message }) => message.endsWith(` the path "${path}".`)))
}

function bundleOf(schema: string | object, files: Readonly<Record<string, string>> = {}): SchemaBundle {
  const isXml = typeof schema === 'string'
  return {
    key: '',
    type: isXml ? 'XML' : 'JSON',
    document: Buffer.from(isXml ? schema : JSON.stringify(schema)),
    files: new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
    registered: new Map(),
  }
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
    expect(await impossibleIn(schema, paths)).to.deep.equal(paths.slice(2))
    const { crosswalk } = await crosswalkWithFaults({ sizes: 'a.dc.title' }, async () => bundleOf(schema))
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

  it('permits every name that a wildcard accepts, and after a part that cannot be read', async () => {
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
    // Another wildcard accepts elements that the schema declares.
    const strict = xsd('<xs:any/>', '<xs:element name="g" type="xs:string"/>')
    expect(await impossibleIn(strict, ['a.g', 'a.x', 'g', 'a.a.a.g', 'a.g.x'])).to.deep.equal([
      'a.x',
      'a.g.x',
    ])
    const attributes = `<xs:element name="m"><xs:complexType><xs:attribute name="u"/>`
    const end = '</xs:complexType></xs:element>'
    expect(await impossibleIn(xsd(`${attributes}${end}`), ['a.m.@u', 'a.m.@v', 'a.m.@lang'])).to.deep.equal([
      'a.m.@v',
    ])
    expect(await impossibleIn(xsd(`${attributes}<xs:anyAttribute/>${end}`), ['a.m.@v'])).to.deep.equal([])
  })

  it('knows which element is in which, through types, groups, extensions, substitutions and xsi:type', async () => {
    const more = `
      <xs:complexType name="person"><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>
      <xs:complexType name="author"><xs:complexContent><xs:extension base="person"><xs:sequence>
        <xs:element name="orcid" type="xs:string"/><xs:element name="of" type="person" minOccurs="0"/></xs:sequence>
        <xs:attribute name="rank"/></xs:extension></xs:complexContent></xs:complexType>
      <xs:group name="g"><xs:choice><xs:element name="title" type="xs:string"/><xs:element ref="note"/></xs:choice></xs:group>
      <xs:element name="note" type="xs:string"/>
      <xs:element name="remark" substitutionGroup="note" type="text"/>
      <xs:complexType name="text"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="by"/></xs:extension></xs:simpleContent></xs:complexType>`
    const schema = xsd('<xs:group ref="g"/><xs:element name="p" type="person"/>', more)
    const possible = [
      ...['a.title', 'a.note', 'a.remark', 'a.remark.@by', 'a.p.name', 'note', 'a.p.name.#text'],
      // By xsi:type, a person may be an author, and a text may have an attribute.
      ...['a.p.orcid', 'a.p.@rank', 'a.p.of.of.of.orcid', 'a.title.@by'],
    ]
    const impossible = [
      ...['a.name', 'a.p.title', 'title', 'p.name', 'a.note.name', 'a.@rank', 'a.p.@by', 'a.p.name.orcid'],
      ...['a.p.of.title', 'a.#text.p', 'a.title.#text.x'],
    ]
    expect(await impossibleIn(schema, [...possible, ...impossible])).to.deep.equal(impossible)
  })

  it('follows includes, imports and redefinitions to further files', async () => {
    const files = {
      'parts/b.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:b" targetNamespace="urn:b" elementFormDefault="qualified">
        <xs:include schemaLocation="c.xsd"/><xs:element name="b" type="c"/></xs:schema>`,
      'parts/c.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="qualified">
        <xs:complexType name="c"><xs:sequence><xs:element name="inC" type="xs:string"/></xs:sequence></xs:complexType></xs:schema>`,
      'd.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <xs:complexType name="d"><xs:sequence><xs:element name="old" type="xs:string"/></xs:sequence></xs:complexType></xs:schema>`,
    }
    const importing = xsd(
      '<xs:element ref="b:b" xmlns:b="urn:b"/>',
      '<xs:import namespace="urn:b" schemaLocation="parts/b.xsd"/>',
    )
    const paths = ['a.b.inC', 'b.inC', 'a.inC', 'a.b.old', 'a.b.inC.x']
    expect(await impossibleIn(importing, paths, files)).to.deep.equal(paths.slice(2))
    const redefining = xsd(
      '<xs:element name="d" type="d"/><xs:element name="e" type="xs:string"/>',
      `<xs:redefine schemaLocation="d.xsd"><xs:complexType name="d"><xs:complexContent><xs:extension base="d">
        <xs:sequence><xs:element name="new" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType></xs:redefine>`,
    )
    expect(await impossibleIn(redefining, ['a.d.old', 'a.d.new', 'a.e.new'], files)).to.deep.equal([
      'a.e.new',
    ])
  })

  it('ends for types that have themselves inside, and for wide ones', async () => {
    const wide = Array.from(
      { length: 400 },
      (_, number) => `<xs:element name="n${number}" type="t" minOccurs="0"/>`,
    )
    const schema = xsd(
      '<xs:element name="m" type="t"/>',
      `<xs:complexType name="t"><xs:choice>${wide.join('')}</xs:choice></xs:complexType>`,
    )
    const long = `a.m.${Array.from({ length: 90 }, () => 'n1').join('.')}`
    expect(await impossibleIn(schema, [long, 'a.m.n1.x'])).to.deep.equal(['a.m.n1.x'])
  })
})

describe('The check of many paths', () => {
  const paths = (first: string) =>
    Array.from({ length: 900 }, (_, number) => `${first}.${'a.'.repeat(100)}z${number}`)

  it('ends soon if each of them has very many ways through the schema', async () => {
    const node = { $ref: '#/$defs/node' }
    const doubling = {
      ...node,
      $defs: {
        node: {
          properties: { a: { anyOf: [node, node] } },
          items: node,
          additionalProperties: false,
        },
      },
    }
    const wide = Array.from({ length: 400 }, (_, number) => `<xs:element name="n${number}" type="t"/>`)
    const schema = xsd(
      '<xs:element name="m" type="t"/>',
      `<xs:complexType name="t"><xs:sequence>${wide.join('')}<xs:element name="a" type="t"/>
        <xs:element name="a.a" type="t"/></xs:sequence></xs:complexType>`,
    )
    const started = process.cpuUsage()
    for (const [each, first] of [
      [doubling, 'a'],
      [schema, 'a.m'],
    ] as const)
      expect(await impossibleIn(each, ['q', ...paths(first)])).to.deep.equal(['q'])
    expect(process.cpuUsage(started).user / 1e6, 'seconds of processor time').to.be.below(10)
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
  it('follows references by id, anchor and pointer, in definitions and in files', async () => {
    const draft = 'https://json-schema.org/draft/2020-12/schema'
    const closed = (properties: object) => ({ properties, additionalProperties: false })
    const schema = {
      $schema: draft,
      $id: 'https://example.org/s/main.json',
      ...closed({
        byId: { $ref: 'inner' },
        byAnchor: { $ref: 'files/one.json#two' },
        byPointer: { $ref: 'files/one.json#/$defs/a~1b' },
        list: { $ref: 'files/list.json' },
        lost: { $ref: '#/$defs/none' },
        meta: { $ref: draft },
      }),
      $defs: { inner: { $id: 'inner', ...closed({ x: {} }) } },
    }
    const files = {
      'files/one.json': JSON.stringify({
        $defs: {
          two: { $anchor: 'two', ...closed({ y: { $ref: '#/$defs/a~1b' } }) },
          'a/b': closed({ z: {} }),
        },
      }),
      'files/list.json': JSON.stringify({
        oneOf: [closed({ one: {} }), { type: 'array', items: { $ref: 'list.json' } }],
      }),
    }
    const possible = ['byId.x', 'byAnchor.y.z', 'byPointer.z.any', 'list.one', 'meta.properties.a.title']
    const impossible = ['byId.y', 'byAnchor.z', 'byAnchor.y.y', 'byPointer.y', 'list.two']
    expect(await impossibleIn(schema, [...possible, ...impossible], files)).to.deep.equal(impossible)
  })

  it('permits every path below very many references in each other', async () => {
    const chain = (length: number) => ({
      $ref: '#/$defs/0',
      $defs: {
        ...Object.fromEntries(Array.from({ length }, (_, at) => [String(at), { $ref: `#/$defs/${at + 1}` }])),
        [length]: { properties: { a: {} }, additionalProperties: false },
      },
    })
    expect(await impossibleIn(chain(100), ['a', 'b'])).to.deep.equal(['b'])
    expect(await impossibleIn(chain(20_000), ['a', 'b'])).to.deep.equal([])
  })

  it('permits every path after a part that cannot be read, and ends for references that lead back', async () => {
    const paths = ['a.b', 'c']
    const referring = { properties: { a: { $ref: 'b.json' } }, additionalProperties: false }
    for (const text of ['{', '[]', '<x/>', '{"type": "no type"}', '{"$ref": "none.json"}'])
      expect(await impossibleIn(referring, paths, { 'b.json': text }), text).to.deep.equal(['c'])
    expect(await impossibleIn(referring, paths)).to.deep.equal(['c'])
    const loop = { 'b.json': '{"allOf": [{"$ref": "c.json"}]}', 'c.json': '{"anyOf": [{"$ref": "b.json"}]}' }
    expect(await impossibleIn(referring, paths, loop)).to.deep.equal(['c'])
    const long = Array.from({ length: 100 }, () => 'a').join('.')
    const nested = { 'b.json': '{"properties": {"a": {"$ref": "b.json"}}, "additionalProperties": false}' }
    expect(await impossibleIn(referring, [long, `${long}.b`], nested)).to.deep.equal([`${long}.b`])
  })
})
