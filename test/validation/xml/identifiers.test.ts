// test-schedule: quick
import { expect } from 'chai'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

/** A list of items with identifiers, and references to them in attributes, elements, lists and derived types. */
const types = `
<xs:simpleType name="key"><xs:restriction base="xs:ID"><xs:maxLength value="9"/></xs:restriction></xs:simpleType>
<xs:simpleType name="toKey"><xs:restriction base="xs:IDREF"><xs:maxLength value="9"/></xs:restriction></xs:simpleType>
<xs:simpleType name="toKeys"><xs:list itemType="toKey"/></xs:simpleType>
<xs:simpleType name="keyOrNumber"><xs:union memberTypes="xs:int xs:IDREF"/></xs:simpleType>
<xs:complexType name="ref"><xs:attribute name="to" type="xs:IDREF"/><xs:attribute name="all" type="xs:IDREFS"/><xs:attribute name="own" type="toKeys"/><xs:attribute name="or" type="keyOrNumber"/></xs:complexType>
<xs:complexType name="longRef"><xs:complexContent><xs:extension base="ref"><xs:attribute name="more" type="toKey"/></xs:extension></xs:complexContent></xs:complexType>
<xs:element name="ref" type="ref"/>
<xs:element name="special" substitutionGroup="ref" type="longRef"/>
<xs:element name="list"><xs:complexType><xs:choice minOccurs="0" maxOccurs="unbounded">
  <xs:element name="item"><xs:complexType><xs:attribute name="id" type="xs:ID"/><xs:attribute name="key" type="xs:string"/></xs:complexType></xs:element>
  <xs:element name="named"><xs:complexType><xs:sequence><xs:element name="id" type="key"/></xs:sequence></xs:complexType></xs:element>
  <xs:element ref="ref"/>
  <xs:element name="to" type="toKey"/>
  <xs:element name="skipped"><xs:complexType><xs:sequence><xs:any processContents="skip"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="lax"><xs:complexType><xs:sequence><xs:any processContents="lax"/></xs:sequence></xs:complexType></xs:element>
</xs:choice></xs:complexType></xs:element>`

const instance = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
const list = (content: string) => `<list ${instance}>${content}</list>`

describeForEngines('ID and IDREF', ({ judges, findings }) => {
  it('a reference has to lead to an element, before or after it', async () => {
    await judges(xsd(types), {
      valid: [
        list('<ref to="b"/><item id="a"/><item id="b"/><ref to=" a "/><ref all="a b&#10;a" own="b a"/>'),
        list('<item id="a"/><to>\n a </to><named><id> n </id></named><to>n</to><ref or="a"/><ref or="7"/>'),
        list('<item key="a"/><ref/>'),
      ],
      invalid: [
        list('<item id="a"/><ref to="b"/>'),
        list('<item id="a"/><ref all="a b"/>'),
        list('<item id="a"/><ref own="b a"/>'),
        list('<item id="a"/><to>b</to>'),
        list('<item id="a"/><ref or="b"/>'),
        list('<item key="a"/><ref to="a"/>'),
      ],
    })
  })

  it('an ID is the ID of one element', async () => {
    await judges(xsd(types), {
      valid: [list('<item id="a"/><item id="A"/><named><id>b</id></named>')],
      invalid: [
        list('<item id="a"/><item id="a"/>'),
        list('<item id="a"/><item id=" a "/>'),
        list('<item id="a"/><named><id>a</id></named>'),
        list('<named><id>a</id></named><named><id>a</id></named>'),
      ],
    })
  })

  it('an ID in the text of elements is given once, in one parent too', async () => {
    const schema = xsd(
      '<xs:element name="a"><xs:complexType><xs:sequence maxOccurs="9"><xs:element name="id" type="xs:ID"/></xs:sequence><xs:attribute name="own" type="xs:ID"/></xs:complexType></xs:element>',
    )
    await judges(schema, {
      valid: ['<a own="c"><id>a</id><id>b</id></a>'],
      invalid: ['<a><id>a</id><id>a</id></a>', '<a><id>a</id><id> a </id></a>', '<a own="a"><id>a</id></a>'],
    })
  })

  for (const name of ['IDREFS', 'NMTOKENS']) {
    it(`${name} has an item, as have its restrictions`, async () => {
      const short = `<xs:simpleType name="short"><xs:restriction base="xs:${name}"><xs:maxLength value="3"/></xs:restriction></xs:simpleType>`
      const own =
        '<xs:simpleType name="list"><xs:list itemType="xs:NMTOKEN"/></xs:simpleType><xs:element name="own" type="list"/>'
      const elements = `<xs:element name="a"><xs:complexType><xs:attribute name="x" type="xs:${name}"/><xs:attribute name="y" type="short"/></xs:complexType></xs:element>`
      await judges(xsd(`${short}${own}${elements}<xs:element name="t" type="xs:${name}"/>`), {
        valid: ['<a/>', '<own/>', '<own> </own>'],
        invalid: ['<a x=""/>', '<a x=" "/>', '<a y=""/>', '<t/>', '<t> </t>'],
      })
    })
  }

  it('are found in substitutes, by xsi:type, and below wildcards as these say', async () => {
    await judges(xsd(types), {
      valid: [
        list('<item id="a"/><special more="a"/><ref xsi:type="longRef" more="a"/>'),
        list('<skipped><ref to="x"/></skipped>'),
        list('<lax><unknown to="x"/></lax>'),
      ],
      invalid: [
        list('<special more="x"/>'),
        list('<ref xsi:type="longRef" more="x"/>'),
        list('<lax><ref to="x"/></lax>'),
        list('<lax><unknown><ref to="x"/></unknown></lax>'),
        list('<skipped><item id="a"/></skipped><ref to="a"/>'),
      ],
    })
  })

  it('findings have line and path', async () => {
    const document = list('\n<item id="a"/>\n<ref to="a"/>\n<ref\n all="a x"/>\n<to>y</to>')
    const found = await findings(xsdBundle(xsd(types)), document)

    expect(found.map(({ line, path }) => [line, path])).to.deep.equal([
      [5, '/list/ref[2]/@all'],
      [6, '/list/to[1]'],
    ])
    expect(found[0]?.message).to.contain("'x'").and.to.contain("attribute 'all'")
  })

  it('includes xml:id, where the schema has it', async () => {
    const schema = xsd(
      `<xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/><xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="a" minOccurs="0" maxOccurs="9"/></xs:sequence><xs:attribute ref="xml:id"/><xs:attribute name="to" type="xs:IDREF"/></xs:complexType></xs:element>`,
    )
    await judges(schema, {
      valid: ['<a xml:id="x"><a to="x"/></a>', '<a to="x"><a xml:id="x"/></a>'],
      invalid: ['<a><a xml:id="x"/><a xml:id="x"/></a>', '<a xml:id="x" to="y"/>', '<a xml:id="1"/>'],
    })
  })
})
