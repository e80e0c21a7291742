// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { XmlAttribute, XmlComment, XmlDocument, XmlElement, type XmlNode } from 'libxml2-wasm'
import { compareXml, type XmlChange } from '../../../src/features/comparison/documents/xml-diff.js'
import { compareXmlSchemas } from '../../../src/features/comparison/documents/xsd-diff.js'
import { wasmEngine } from '../../../src/validation/xml/libxml2-wasm-engine.js'

/** The model of a document in this test: texts, comments, elements. */
type Tree = string | { readonly comment: string } | Element
interface Element {
  readonly name: string
  readonly attributes: Map<string, string>
  readonly children: Tree[]
}

const texts = fc.constantFrom('a', 'b c', '<&>"\'', ' x ', ']]>', 'ä€😀', '1\n2', '\ttab')
const { element: elements } = fc.letrec<{ element: Element; child: Tree }>(tie => ({
  child: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    texts,
    fc.constantFrom('a', 'b').map(comment => ({ comment })),
    tie('element'),
    tie('element'),
  ),
  element: fc
    .record({
      name: fc.constantFrom('a', 'b', 'item'),
      attributes: fc.dictionary(fc.constantFrom('x', 'id', 'name'), texts, { maxKeys: 2 }),
      children: fc.array(tie('child'), { maxLength: 5 }),
    })
    .map(({ name, attributes, children }) => ({
      name,
      attributes: new Map(Object.entries(attributes)),
      // Merges no adjacent texts: a text is dropped after another text.
      children: children.filter(
        (child, index) => typeof child !== 'string' || typeof children[index - 1] !== 'string',
      ),
    })),
}))

/** Writes the XML of a tree. @param quote the quotation mark; it also selects other notations */
function written(tree: Tree, quote: '"' | "'" = '"'): string {
  if (typeof tree === 'string') {
    if (quote === "'" && !tree.includes(']]>')) return `<![CDATA[${tree}]]>`
    return tree.replace(/[&<>]/g, found => `&#${found.charCodeAt(0)};`)
  }
  if ('comment' in tree) return `<!--${tree.comment}-->`
  const entries = quote === '"' ? [...tree.attributes] : [...tree.attributes].reverse()
  const attributes = entries.map(([name, value]) => {
    return ` ${name} = ${quote}${value.replace(/[&<"'\t\n]/g, found => `&#x${found.charCodeAt(0).toString(16)};`)}${quote}`
  })
  const inside = tree.children.map(child => written(child, quote)).join('')
  return `<${tree.name}${attributes.join('\n')}>${inside}</${tree.name}>`
}

/** Reads the XML of one element with a third-party parser. */
function parsed(xml: string): Element {
  const document = XmlDocument.fromString(xml)
  try {
    return treeOf(document.root) as Element
  } finally {
    document.dispose()
  }
}

function treeOf(node: XmlNode): Tree {
  if (node instanceof XmlComment) return { comment: node.content }
  if (!(node instanceof XmlElement)) return node.content
  const children: Tree[] = []
  for (let child = node.firstChild; child; child = child.next) children.push(treeOf(child))
  const attributes = node.attrs
    .filter(each => each instanceof XmlAttribute)
    .map(each => [each.name, each.value] as const)
  return { name: node.name, attributes: new Map(attributes), children }
}

/** Applies the changes one after the other, by their paths. */
function applied(root: Element, changes: readonly XmlChange[]): Element {
  const document: Element = { name: '', attributes: new Map(), children: [root] }
  for (const change of changes) {
    const [, parentPath = '', last = ''] = /^(.*)\/([^/]+)$/.exec(change.path) ?? []
    const parent = parentPath
      .split('/')
      .slice(1)
      .reduce<Element>((element, step) => element.children[placeOf(element, step)] as Element, document)
    if (last.startsWith('@')) {
      const name = last.slice(1)
      expect(parent.attributes.get(name)).to.equal(change.op === 'add' ? undefined : change.before)
      if (change.op === 'remove') parent.attributes.delete(name)
      else parent.attributes.set(name, change.value)
      continue
    }
    const at = change.op === 'add' ? (change.position ?? 0) - 1 : placeOf(parent, last)
    if (change.op === 'remove') parent.children.splice(at, 1)
    else parent.children.splice(at, change.op === 'add' ? 0 : 1, nodeOf(last, change.value))
    if (change.op === 'add') expect(placeOf(parent, last)).to.equal(at)
  }
  return document.children[0] as Element
}

function kindOf(tree: Tree): string {
  if (typeof tree === 'string') return 'text()'
  return 'comment' in tree ? 'comment()' : tree.name
}

function placeOf(element: Element, step: string): number {
  const [, kind = '', number = '1'] = /^(.*?)(?:\[(\d+)\])?$/.exec(step) ?? []
  const places = element.children.flatMap((child, index) => (kindOf(child) === kind ? [index] : []))
  const place = places[Number(number) - 1]
  if (place === undefined) throw new Error(`The element has no part ${step}.`)
  return place
}

function nodeOf(step: string, value: string): Tree {
  if (step.startsWith('text()')) return value
  return step.startsWith('comment()') ? { comment: value } : parsed(value)
}

/** A tree with sorted attributes. */
function neutral(tree: Tree): unknown {
  if (typeof tree === 'string' || 'comment' in tree) return tree
  const attributes = [...tree.attributes].sort(([a], [b]) => (a < b ? -1 : 1))
  return { name: tree.name, attributes, children: tree.children.map(neutral) }
}

describe('the comparison of XML documents', () => {
  it('returns changes that turn one into the other, in any notation', () => {
    fc.assert(
      fc.property(elements, elements, (before, after) => {
        const [old, now] = [written(before), written(after, "'")]
        const changes = compareXml(old, now)

        expect(neutral(applied(parsed(old), changes))).to.deep.equal(neutral(parsed(written(after))))
        expect(compareXml(old, now)).to.deep.equal(changes)
        expect(compareXml(old, written(before, "'"))).to.deep.equal([])
      }),
      { numRuns: 1000 },
    )
  })

  it('ignores indentation, line ends, declarations, quotes, entities', () => {
    const before =
      '<?xml version="1.0" encoding="UTF-8"?>\r\n<a x="1" y="&lt;">\r\n  <b>t</b>\r\n  <c/>\r\n</a>\r\n'
    const after = `<a y='&#60;' x='1'><b><![CDATA[t]]></b><c></c></a>`

    expect(compareXml(before, after)).to.deep.equal([])
  })

  it('finds changes of white space that may be significant', () => {
    for (const [before, after] of [
      ['<a>x <b/></a>', '<a>x<b/></a>'],
      ['<a> </a>', '<a/>'],
      ['<a xml:space="preserve"><b/> </a>', '<a xml:space="preserve"><b/></a>'],
    ] as const) {
      expect(compareXml(before, after), before).to.have.length(1)
    }
  })

  it('finds a changed DOCTYPE of a schema', () => {
    const schema = (entity: string) => `<!DOCTYPE a [<!ENTITY e "]> ${entity}">]>\n<a>1</a>`
    expect(compareXml(schema('x'), schema('x'))).to.deep.equal([])
    expect(compareXml(schema('x'), schema('y'))).to.have.length(1)
  })

  it('describes positions by XPath', () => {
    const before = '<s:parcel xmlns:s="urn:s"><w u="g">1</w><w>2</w><?print me?></s:parcel>'
    const after = '<s:parcel xmlns:s="urn:s"><from>Ada</from><w u="kg">1</w><w>3</w><!--c--></s:parcel>'

    expect(compareXml(before, after)).to.deep.equal([
      { op: 'add', path: '/s:parcel/from[1]', position: 1, value: '<from>Ada</from>' },
      { op: 'replace', path: '/s:parcel/w[1]/@u', value: 'kg', before: 'g' },
      { op: 'replace', path: '/s:parcel/w[2]/text()[1]', value: '3', before: '2' },
      { op: 'remove', path: '/s:parcel/processing-instruction(print)[1]', before: 'me' },
      { op: 'add', path: '/s:parcel/comment()[1]', position: 4, value: 'c' },
    ])
  })
})

describe('the effects of changes of an XML Schema', () => {
  const parcel = (
    inside: string,
    more = '',
  ) => `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"${more}>
    <xs:element name="parcel"><xs:complexType>${inside}</xs:complexType></xs:element></xs:schema>`
  const sequence = (...elements: string[]) => parcel(`<xs:sequence>${elements.join('')}</xs:sequence>`)
  const text = (name: string, more = '') => `<xs:element name="${name}" type="xs:string"${more}/>`
  const attribute = (more = '') => `<xs:attribute name="unit" type="xs:token"${more}/>`
  const restricted = (...facets: string[]) =>
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="n"><xs:simpleType>
      <xs:restriction base="xs:integer">${facets.join('')}</xs:restriction></xs:simpleType></xs:element></xs:schema>`
  const facet = (name: string, value: number) => `<xs:${name} value="${value}"/>`
  const wild = '<xs:any processContents="lax" minOccurs="0" namespace="##other"/>'
  const note = '<xs:annotation><xs:documentation>Words</xs:documentation></xs:annotation>'

  const cases: readonly [what: string, before: string, after: string, told: readonly string[]][] = [
    [
      'an annotation',
      sequence(text('a')),
      sequence(text('a')).replace('<xs:complexType>', `${note}<xs:complexType>`),
      ['neutral'],
    ],
    ['a comment', sequence(text('a')), sequence(text('a'), '<!-- a -->'), ['neutral']],
    [
      'an optional element',
      sequence(text('a')),
      sequence(text('b', ' minOccurs="0"'), text('a')),
      ['compatible adds an optional element'],
    ],
    [
      'a required element',
      sequence(text('a')),
      sequence(text('a'), text('b')),
      ['breaking requires an element'],
    ],
    [
      'a removed element',
      sequence(text('a'), text('b', ' minOccurs="0"')),
      sequence(text('a')),
      ['breaking removes an element'],
    ],
    [
      'an optional element next to a wildcard',
      sequence(text('a'), wild),
      sequence(text('a'), text('b', ' minOccurs="0"'), wild),
      ['breaking cannot be decided'],
    ],
    [
      'another type',
      sequence(text('a')),
      sequence(text('a').replace('string', 'date')),
      ['breaking has another type'],
    ],
    [
      'an alternative',
      parcel(`<xs:choice>${text('a')}</xs:choice>`),
      parcel(`<xs:choice>${text('a')}${text('b')}</xs:choice>`),
      ['compatible adds an alternative'],
    ],
    [
      'a wider number of occurrences',
      sequence(text('a')),
      sequence(text('a', ' minOccurs="0" maxOccurs="unbounded"')),
      ['compatible widens a bound', 'compatible widens a bound'],
    ],
    [
      'a smaller number of occurrences',
      sequence(text('a', ' maxOccurs="3"')),
      sequence(text('a', ' maxOccurs="2"')),
      ['breaking narrows a bound'],
    ],
    ['an optional attribute', parcel(''), parcel(attribute()), ['compatible adds an optional attribute']],
    [
      'a required attribute',
      parcel(''),
      parcel(attribute(' use="required"')),
      ['breaking requires an attribute'],
    ],
    [
      'an attribute that is no longer required',
      parcel(attribute(' use="required"')),
      parcel(attribute()),
      ['compatible no longer requires an attribute'],
    ],
    ['a removed attribute', parcel(attribute()), parcel(''), ['breaking removes an attribute']],
    [
      'a wider range',
      restricted(facet('maxInclusive', 5)),
      restricted(facet('maxInclusive', 7)),
      ['compatible widens a bound'],
    ],
    [
      'a narrower range',
      restricted(facet('minInclusive', 5)),
      restricted(facet('minInclusive', 7)),
      ['breaking narrows a bound'],
    ],
    [
      'another value',
      restricted(facet('enumeration', 1)),
      restricted(facet('enumeration', 1), facet('enumeration', 2)),
      ['compatible permits other values'],
    ],
    [
      'a first list of values',
      restricted(),
      restricted(facet('enumeration', 2)),
      ['breaking permits some values only'],
    ],
    [
      'a removed value',
      restricted(facet('enumeration', 1), facet('enumeration', 2)),
      restricted(facet('enumeration', 1)),
      ['breaking no longer permits some values'],
    ],
    [
      'a removed list of values',
      restricted(facet('enumeration', 1), facet('enumeration', 2)),
      restricted(),
      ['compatible removes a condition', 'compatible removes a condition'],
    ],
    [
      'another default of namespaces',
      sequence(text('a')),
      sequence(text('a')).replace('>', ' elementFormDefault="qualified">'),
      ['breaking cannot be decided'],
    ],
  ]
  const documents = [
    ...['', '<a>1</a>', '<b>1</b>', '<a>1</a><b>1</b>', '<b>1</b><a>1</a>', '<a>x</a><a>x</a>'].flatMap(
      inside => [
        `<parcel>${inside}</parcel>`,
        `<parcel unit="g">${inside}</parcel>`,
        `<parcel>${inside}<x xmlns="urn:x"/></parcel>`,
      ],
    ),
    ...[0, 1, 2, 5, 6, 7, 8].map(number => `<n>${number}</n>`),
  ]
  function validIn(schema: string): readonly string[] {
    const compiled = wasmEngine.compile([{ name: '0.xsd', text: schema }])
    try {
      return documents.filter(document => compiled.validate(Buffer.from(document)).length === 0)
    } finally {
      compiled.dispose()
    }
  }

  for (const [what, before, after, told] of cases) {
    it(`are correct for: ${what}`, () => {
      const changes = compareXmlSchemas(before, after)

      const effects = changes.map(({ effect, reason }) => [effect, reason].filter(Boolean).join(' '))
      expect(effects).to.deep.equal(told)
      const [was, is] = [validIn(before), validIn(after)]
      expect(was).not.to.have.length(0)
      if (!told.some(effect => effect.startsWith('breaking'))) expect(is).to.include.members([...was])
      if (told.every(effect => effect === 'neutral')) expect(is).to.deep.equal(was)
    })
  }
})
