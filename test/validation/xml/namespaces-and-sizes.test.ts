import { expect } from 'chai'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

describeForEngines('namespaces that are no URI', ({ judges, findings }) => {
  const name = 'http://example.org/straße und weg'
  const schema = xsd(
    `<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="n" type="t:number" minOccurs="0"/><xs:any namespace="##other" processContents="lax" minOccurs="0"/></xs:sequence><xs:anyAttribute namespace="ä ::" processContents="skip"/></xs:complexType></xs:element><xs:simpleType name="number"><xs:restriction base="xs:int"/></xs:simpleType>`,
    `targetNamespace="${name}" xmlns:t="${name}" elementFormDefault="qualified"`,
  )

  it('are names like others, in schemas and documents', async () => {
    await judges(schema, {
      valid: [
        `<a xmlns="${name}"/>`,
        `<t:a xmlns:t="${name}"><t:n>1</t:n></t:a>`,
        `<a xmlns="${name}" xmlns:unused="a b"/>`,
        `<a xmlns="${name}"><b xmlns="größe"/></a>`,
        `<a xmlns="${name}" xmlns:p="ä" xmlns:q="::" p:x="1" q:y="2"/>`,
      ],
      invalid: [
        `<a xmlns="${name}2"/>`,
        `<a xmlns="${encodeURI(name)}"/>`,
        `<a xmlns="${name}"><b/></a>`,
        `<a xmlns="${name}" xmlns:p="ü" p:x="1"/>`,
      ],
    })
  })

  it('are permitted in documents of other schemas', async () => {
    await judges(xsd('<xs:element name="a"/>'), {
      valid: ['<a xmlns:unused="a b"/>', '<a><b xmlns="größe"/></a>'],
      invalid: ['<b xmlns="größe"/>'],
    })
  })

  for (const odd of ['http://a:b:c/', 'http://user@host/', 'a://b:', 'http://[x', 'git://h:x/y#z']) {
    it(`may have an authority that is no host: ${odd}`, async () => {
      const notes = `<xs:annotation><xs:documentation source="${odd}"/></xs:annotation><xs:notation name="n" public="n" system="${odd}"/>`
      const element = `<xs:element name="a"><xs:complexType><xs:sequence><xs:any namespace="urn:z ${odd}" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>`
      await judges(xsd(notes + element, `targetNamespace="${odd}" xmlns:t="${odd}"`), {
        valid: [`<a xmlns="${odd}"/>`, `<t:a xmlns:t="${odd}"><t:a/></t:a>`],
        invalid: ['<a/>', `<a xmlns="${odd}x"/>`, `<a xmlns="${odd}"><b xmlns=""/></a>`],
      })
    })
  }

  it('may be tens of thousands in one document', async () => {
    const ids = xsd(
      `<xs:element name="a"><xs:complexType><xs:sequence><xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence><xs:attribute name="f" type="xs:IDREF"/></xs:complexType></xs:element>`,
    )
    const declared = Array.from({ length: 30_000 }, (_, index) => `xmlns:p${index}="urn:${index}"`).join(' ')
    const inner = '<p7:b xmlns="größe" xmlns:q="urn:q"/>'.repeat(30_000)
    await judges(ids, {
      valid: [`<a ${declared}>${inner}</a>`],
      invalid: [`<a ${declared} f="lost">${inner}</a>`],
    })
  })

  it('are written in findings as they are, with the right line', async () => {
    const document = `<t:a xmlns:t="${name}">\n<t:n>x</t:n></t:a>`

    const [first] = await findings(xsdBundle(schema), document)
    expect(first?.line).to.equal(2)
    expect(first?.message).to.contain(`{${name}}n`)
  })
})

describeForEngines('large documents', ({ judges, findings }) => {
  const long = 'x'.repeat(11_000_000)
  const schema = xsd(
    '<xs:element name="a"><xs:complexType mixed="true"><xs:sequence><xs:element ref="a" minOccurs="0"/></xs:sequence><xs:attribute name="x"/></xs:complexType></xs:element>',
  )

  it('may have a text, a CDATA section, a comment or an attribute of more than ten million characters', async () => {
    await judges(schema, {
      valid: [
        `<a>${long}</a>`,
        `<a><![CDATA[${long}]]></a>`,
        `<a><!--${long}--></a>`,
        `<a x="${long}"/>`,
        `<a><?p ${long}?></a>`,
      ],
    })
  })

  it('have the other limits of documents', async () => {
    const nested = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`
    for (const end of ['', `<!--${long}-->`]) {
      expect(await findings(xsdBundle(schema), nested(256) + end)).to.deep.equal([])
      // The library of the second engine permits one more level to an element without content.
      const [first] = await findings(xsdBundle(schema), nested(258) + end)
      expect(first?.message).to.contain('256 levels')
    }
    const doctype = `<!DOCTYPE a [<!ENTITY x "y">]><a>&x;${long}</a>`
    expect((await findings(xsdBundle(schema), doctype))[0]?.message).to.contain('DOCTYPE')
    const [broken] = await findings(xsdBundle(schema), `<a>\n${long}<b></a>`)
    expect(broken).to.include({ line: 2 })
  })
})
