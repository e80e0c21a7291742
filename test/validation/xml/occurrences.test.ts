// test-schedule: quick
import { expect } from 'chai'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const never = 'minOccurs="0" maxOccurs="0"'
const elementOf = (name: string, content: string) =>
  `<xs:element name="${name}"><xs:complexType>${content}</xs:complexType></xs:element>`

describeForEngines('particles', ({ judges, findings, refusesSchema }) => {
  it('that may not occur are forbidden in sequences, choices and all-groups', async () => {
    const b = '<xs:element name="b"/>'
    const c = `<xs:element name="c" ${never}/>`
    await judges(
      xsd(
        elementOf('s', `<xs:sequence>${b}${c}</xs:sequence>`) +
          elementOf('h', `<xs:choice>${b}${c}</xs:choice>`) +
          elementOf('a', `<xs:all>${b}${c}</xs:all>`) +
          elementOf('m', `<xs:choice maxOccurs="unbounded">${b}${c}</xs:choice>`),
      ),
      {
        valid: ['<s><b/></s>', '<h><b/></h>', '<a><b/></a>', '<m><b/><b/></m>'],
        invalid: ['<s><b/><c/></s>', '<h><c/></h>', '<h/>', '<a><b/><c/></a>', '<m><b/><c/></m>'],
      },
    )
  })

  it('that may not occur are forbidden as references, groups, wildcards and nested groups', async () => {
    await judges(
      xsd(
        `<xs:element name="c"/><xs:group name="g"><xs:sequence><xs:element ref="c"/></xs:sequence></xs:group>${[
          elementOf(
            'r',
            `<xs:sequence><xs:element ref="c" ${never}><xs:annotation/></xs:element></xs:sequence>`,
          ),
          elementOf('g', `<xs:sequence><xs:group ref="g" ${never}/></xs:sequence>`),
          elementOf('t', `<xs:group ref="g" ${never}/>`),
          elementOf('w', `<xs:sequence><xs:any ${never}/></xs:sequence>`),
          elementOf('n', `<xs:sequence><xs:choice ${never}><xs:element name="c"/></xs:choice></xs:sequence>`),
        ].join('')}`,
      ),
      {
        valid: ['<r/>', '<g/>', '<t/>', '<w/>', '<n/>'],
        invalid: ['<r><c/></r>', '<g><c/></g>', '<t><c/></t>', '<w><c/></w>', '<n><c/></n>'],
      },
    )
  })

  it('that may not occur are forbidden in derived types', async () => {
    const derived = (name: string, kind: string, content: string) =>
      `<xs:complexType name="${name}"><xs:complexContent><xs:${kind} base="B"><xs:sequence>${content}</xs:sequence></xs:${kind}></xs:complexContent></xs:complexType><xs:element name="${name.toLowerCase()}" type="${name}"/>`
    await judges(
      xsd(
        `<xs:complexType name="B"><xs:sequence><xs:element name="b"/><xs:element name="c" minOccurs="0"/></xs:sequence></xs:complexType><xs:element name="base" type="B"/>${derived('R', 'restriction', `<xs:element name="b"/><xs:element name="c" ${never}/>`)}${derived('E', 'extension', `<xs:element name="d" ${never}/>`)}`,
      ),
      {
        valid: ['<base><b/><c/></base>', '<r><b/></r>', '<e><b/><c/></e>'],
        invalid: ['<r><b/><c/></r>', '<e><b/><d/></e>'],
      },
    )
  })

  it('that may not occur leave a choice that accepts nothing, if it has no other particle', async () => {
    const c = `<xs:element name="c" ${never}/>`
    await judges(
      xsd(
        elementOf('h', `<xs:choice>${c}</xs:choice>`) +
          elementOf('o', `<xs:choice minOccurs="0">${c}${c}</xs:choice>`),
      ),
      { valid: ['<o/>'], invalid: ['<h/>', '<h><c/></h>', '<o><c/></o>'] },
    )
  })

  it('that may not occur do not move the lines of the schema, and a contradiction is refused', async () => {
    const schema = `${xsd(`\n${elementOf('s', `<xs:sequence><xs:element\nname="c"\n${never}/></xs:sequence>`)}\n<xs:element name="x" type="missing"/>`)}`

    const [first] = await findings(xsdBundle(schema), '<s/>')
    // The second engine does not say where a schema is wrong.
    expect(first?.message).to.match(/missing|does not say where/)
    await refusesSchema(
      xsd(elementOf('s', '<xs:sequence><xs:element name="c" maxOccurs="0"/></xs:sequence>')),
    )
  })

  it('numbers of occurrences may be large', async () => {
    const content = (occurs: string) => `<xs:sequence><xs:element name="b" ${occurs}/></xs:sequence>`
    await judges(
      xsd(
        elementOf('a', content('minOccurs="0" maxOccurs="99999999999"')) +
          elementOf('c', content('minOccurs="2" maxOccurs="5000"')),
      ),
      {
        valid: ['<a/>', `<a>${'<b/>'.repeat(3000)}</a>`, `<c>${'<b/>'.repeat(5000)}</c>`],
        invalid: ['<a><c/></a>', '<c><b/></c>', `<c>${'<b/>'.repeat(5001)}</c>`],
      },
    )
  })

  it('numbers of occurrences may have a sign', async () => {
    const content =
      '<xs:sequence><xs:element name="b" minOccurs="+1" maxOccurs="\n+2 "/><xs:element name="c" minOccurs="-0" maxOccurs="+0"/></xs:sequence>'
    await judges(xsd(elementOf('a', content)), {
      valid: ['<a><b/></a>', '<a><b/><b/></a>'],
      invalid: ['<a/>', '<a><b/><b/><b/></a>', '<a><b/><c/></a>'],
    })
  })

  it('paths of identity constraints may name their axes', async () => {
    const key =
      '<xs:key name="k"><xs:selector xpath="child::t:b | .//child::t:b"/><xs:field xpath="attribute::x|child :: t:*"/></xs:key>'
    const schema = xsd(
      `<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" maxOccurs="9"><xs:complexType><xs:attribute name="x"/></xs:complexType></xs:element></xs:sequence></xs:complexType>${key}</xs:element>`,
      'targetNamespace="urn:t" xmlns:t="urn:t" elementFormDefault="qualified"',
    )
    await judges(schema, {
      valid: ['<a xmlns="urn:t"><b x="1"/><b x="2"/></a>'],
      invalid: ['<a xmlns="urn:t"><b x="1"/><b x="1"/></a>', '<a xmlns="urn:t"><b/></a>'],
    })
  })
})
