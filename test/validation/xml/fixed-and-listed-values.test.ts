// test-schedule: quick
import { expect } from 'chai'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const elementWith = (name: string, attributes: string) =>
  `<xs:element name="${name}"><xs:complexType>${attributes}</xs:complexType></xs:element>`

describeForEngines('fixed and listed values', ({ judges, findings }) => {
  describe('a fixed value of a reference to an attribute', () => {
    const declarations =
      '<xs:attribute name="n" type="xs:decimal"/><xs:attribute name="t"/><xs:attribute name="l"><xs:simpleType><xs:list itemType="xs:time"/></xs:simpleType></xs:attribute>'

    it('is the only value, compared as a value', async () => {
      const references =
        '<xs:attribute ref="n" fixed="1.0"/><xs:attribute ref="t" fixed="a &lt; b > c"/><xs:attribute fixed=\'12:00:00Z\' ref=" l "/>'
      await judges(xsd(declarations + elementWith('a', references)), {
        valid: ['<a/>', '<a n="1"/>', "<a n='1.00'/>", '<a t="a &lt; b > c"/>', '<a l=" 13:00:00+01:00"/>'],
        invalid: [
          '<a n="2"/>',
          '<a n = "1.1"/>',
          '<a t="a"/>',
          '<a t=""/>',
          '<a l="12:00:01Z"/>',
          '<a\nn="2"/>',
        ],
      })
    })

    it('counts in groups of attributes, extensions, restrictions and other namespaces', async () => {
      const xml =
        '<xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/>'
      const schema = `<xs:attributeGroup name="g"><xs:attribute ref="n" fixed="1"/></xs:attributeGroup>
        <xs:complexType name="B"><xs:attribute ref="n"/><xs:attribute ref="t" fixed="x"/></xs:complexType>
        <xs:complexType name="R"><xs:complexContent><xs:restriction base="B"><xs:attribute ref="n" fixed="1"/></xs:restriction></xs:complexContent></xs:complexType>
        <xs:complexType name="E"><xs:complexContent><xs:extension base="B"><xs:attribute ref="l" fixed="12:00:00"/></xs:extension></xs:complexContent></xs:complexType>
        <xs:element name="b" type="B"/><xs:element name="r" type="R"/><xs:element name="e" type="E"/>`
      const elements =
        elementWith('g', '<xs:attributeGroup ref="g"/>') +
        elementWith('x', '<xs:attribute ref="xml:lang" fixed="en"/>')
      await judges(xsd(xml + declarations + schema + elements), {
        valid: [
          '<g n="1"/>',
          '<b n="2" t="x"/>',
          '<r n="1"/>',
          '<e n="2" l="12:00:00"/>',
          '<x xml:lang="en"/>',
        ],
        invalid: [
          '<g n="2"/>',
          '<b t="y"/>',
          '<r n="2"/>',
          '<r t="y"/>',
          '<e l="12:00:00Z"/>',
          '<x xml:lang="de"/>',
        ],
      })
    })

    it('is named in the finding, with line and path', async () => {
      const schema = xsd(declarations + elementWith('a', '<xs:attribute ref="n" fixed="1.0"/>'))
      const [found, ...others] = await findings(xsdBundle(schema), '<a\n  n="2"/>')

      expect(found).to.include({ line: 2, path: '/a/@n' })
      expect(found?.message).to.contain("'2'").and.to.contain("'1.0'")
      expect(others).to.deep.equal([])
    })
  })

  it('a number or a duration without its last digits is refused, in each place', async () => {
    const list = '<xs:simpleType><xs:list itemType="xs:float"/></xs:simpleType>'
    const union = '<xs:simpleType><xs:union memberTypes="xs:duration xs:int"/></xs:simpleType>'
    const text = '<xs:simpleType><xs:union memberTypes="xs:duration xs:double xs:string"/></xs:simpleType>'
    await judges(
      xsd(
        `<xs:element name="n" type="xs:double"/><xs:element name="d" type="xs:duration"/><xs:element name="l">${list}</xs:element><xs:element name="u">${union}</xs:element><xs:element name="t">${text}</xs:element>${elementWith('a', '<xs:attribute name="n" type="xs:float"/><xs:attribute name="d" type="xs:duration"/>')}`,
      ),
      {
        valid: [
          ...['1e1', '1.E-1', '.5', ' INF ', 'NaN'].map(value => `<n>${value}</n>`),
          ...['PT1.5S', 'P1Y', '-PT0.0S'].map(value => `<d>${value}</d>`),
          ...['<l>1e1 2</l>', '<u>PT1S</u>', '<t>1e</t>', '<t>PT1.S</t>', '<a n="1e1" d="PT1.0S"/>'],
        ],
        invalid: [
          ...['1e', '1E', '1e+', '1.5e-', ' 1e '].map(value => `<n>${value}</n>`),
          ...['PT1.S', 'PT.5S', 'P1DT1.S', '-PT1M1.S'].map(value => `<d>${value}</d>`),
          ...['<l>1 1e 2</l>', '<u>PT1.S</u>', '<a n="1e"/>', "<a d='PT1.S'/>", '<n>1e<!-- c --></n>'],
        ],
      },
    )
  })

  it('blanks are a value, which no default replaces', async () => {
    const element = (name: string, type: string, more: string) =>
      `<xs:element name="${name}" type="xs:${type}" ${more}/>`
    await judges(
      xsd(
        element('d', 'date', 'default="2020-01-01"') +
          element('f', 'time', 'fixed="10:00:00"') +
          element('q', 'QName', 'default="xs:a"') +
          element('t', 'token', 'default="a"') +
          element('e', 'token', 'fixed=""'),
      ),
      {
        valid: ['<d/>', '<d></d>', '<f/>', '<t> </t>', '<e> </e>', '<d><!-- c --></d>', '<f>\n10:00:00</f>'],
        invalid: ['<d> </d>', '<d>\n</d>', '<f> </f>', '<d><![CDATA[ ]]></d>'].concat(
          '<q xmlns:xs="http://www.w3.org/2001/XMLSchema"> </q>',
        ),
      },
    )
  })

  const times = '<xs:simpleType name="Times"><xs:list itemType="xs:time"/></xs:simpleType>'
  const mixed = `${times}<xs:simpleType name="Positive"><xs:restriction base="xs:decimal"><xs:minExclusive value="0"/></xs:restriction></xs:simpleType>
    <xs:simpleType name="Mixed"><xs:union memberTypes="xs:time Positive xs:byte xs:token"/></xs:simpleType>
    <xs:simpleType name="Numbers"><xs:list itemType="xs:decimal"/></xs:simpleType>
    <xs:simpleType name="Noon"><xs:restriction base="xs:time"><xs:enumeration value="12:00:00Z"/></xs:restriction></xs:simpleType>`
  const listed = (name: string, base: string, ...values: readonly string[]) =>
    `<xs:element name="${name}"><xs:simpleType><xs:restriction base="${base}">${values.map(value => `<xs:enumeration value="${value}"/>`).join('')}</xs:restriction></xs:simpleType></xs:element>`

  it('the values of an enumeration of a list or a union are values', async () => {
    await judges(
      xsd(
        `${mixed}${listed('u', 'Mixed', '12:00:00Z', '1.0', 'a')}${listed('t', 'Times', '12:00:00Z 01:00:00')}${listed('n', 'Numbers', '1.0 2')}<xs:element name="noons"><xs:simpleType><xs:list itemType="Noon"/></xs:simpleType></xs:element><xs:element name="either"><xs:simpleType><xs:union memberTypes="xs:int Noon"/></xs:simpleType></xs:element>${elementWith('x', '<xs:attribute name="x" type="Noon"/><xs:attribute name="y"><xs:simpleType><xs:union memberTypes="Noon xs:gMonth"/></xs:simpleType></xs:attribute>')}`,
      ),
      {
        valid: [
          ...['12:00:00Z', '13:00:00+01:00', ' 12:00:00.0Z\n', '1', ' 01.00', 'a', ' a'].map(
            value => `<u>${value}</u>`,
          ),
          ...['<t>12:00:00Z 01:00:00</t>', '<t>\n13:00:00+01:00\t01:00:00.0</t>', '<n>1 2.0</n>'],
          ...['<noons>12:00:00Z 13:00:00+01:00</noons>', '<noons/>', '<either>11:00:00-01:00</either>'],
          ...['<x y="13:00:00+01:00"/>', '<x y=" --05--"/>', '<either> 7</either>'],
        ],
        invalid: [
          ...['12:00:00', '13:00:00Z', '2', '-1', 'b', 'A'].map(value => `<u>${value}</u>`),
          ...['<t>12:00:00Z</t>', '<t>01:00:00 12:00:00Z</t>', '<n>1</n>', '<n>2 1</n>'],
          ...['<noons>12:00:00Z 12:00:00</noons>', '<either>12:00:00</either>', '<x y="12:00:00"/>'],
        ],
      },
    )
  })

  it('a fixed value of a list or a union is a value', async () => {
    const element = (name: string, type: string, fixed: string) =>
      `<xs:element name="${name}" type="${type}" fixed="${fixed}"/>`
    await judges(
      xsd(
        mixed +
          element('t', 'Mixed', '12:00:00Z') +
          element('n', 'Mixed', '1.0') +
          element('s', 'Mixed', '-a') +
          element('l', 'Times', ' 12:00:00Z\n01:00:00 ') +
          elementWith('x', '<xs:attribute name="x" type="Mixed" fixed="1.0"/>'),
      ),
      {
        valid: [
          ...[
            '<t>12:00:00Z</t>',
            '<t> 13:00:00+01:00</t>',
            '<t/>',
            '<n>1.0</n>',
            '<n> 1\n</n>',
            '<s> -a</s>',
          ],
          ...['<l>12:00:00Z 01:00:00</l>', '<l>13:00:00+01:00  01:00:00</l>', '<l/>', '<x x="1"/>'],
        ],
        invalid: [
          ...[
            '<t>12:00:00</t>',
            '<t>a</t>',
            '<n>2</n>',
            '<n>-1</n>',
            '<n>a</n>',
            '<s>a</s>',
            '<l>12:00:00Z</l>',
          ],
          ...['<x x="2"/>', '<x x="1.01"/>'],
        ],
      },
    )
  })

  it('a fixed value is compared as a value with a type that the document names', async () => {
    const instance =
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
    const a = (type: string, value: string) => `<a ${instance} xsi:type="${type}">${value}</a>`
    const whole =
      '<xs:complexType name="Whole"><xs:simpleContent><xs:extension base="xs:integer"><xs:attribute name="u"/></xs:extension></xs:simpleContent></xs:complexType>'
    await judges(
      xsd(
        `${whole}<xs:element name="a" type="xs:decimal" fixed="1.0"/><xs:element name="r"><xs:complexType><xs:sequence><xs:element ref="a" maxOccurs="9"/><xs:element name="b" type="xs:decimal" fixed="2" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`,
      ),
      {
        valid: [
          ...[a('xs:integer', '1'), a('xs:integer', ' +01 '), a('xs:byte', '1'), a('xs:decimal', '1')],
          ...[a('Whole', '1'), `<r>${a('xs:byte', '1')}${a('xs:decimal', '1.00')}\n<b>2.0</b></r>`],
        ],
        invalid: [
          ...[a('xs:integer', '2'), a('xs:integer', '1.0'), a('xs:integer', ''), a('xs:string', '1.0')],
          ...[
            `<r>${a('xs:byte', '1')}${a('xs:byte', '2')}</r>`,
            `<r>${a('xs:byte', '1')}<b>1</b></r>`,
            a('Whole', '2'),
          ],
        ],
      },
    )
  })
})
