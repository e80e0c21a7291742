// test-schedule: quick
import { expect } from 'chai'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const base =
  '<xs:complexType name="B"><xs:sequence><xs:element name="a"/><xs:element ref="head" minOccurs="0"/><xs:any namespace="urn:other" minOccurs="0"/></xs:sequence></xs:complexType><xs:element name="head"/><xs:element name="substitute" substitutionGroup="head"/>'
const restriction = (content: string) =>
  `<xs:complexType name="R"><xs:complexContent><xs:restriction base="B"><xs:sequence>${content}</xs:sequence></xs:restriction></xs:complexContent></xs:complexType><xs:element name="r" type="R"/>`
const a = '<xs:element name="a"/>'
const derived = (own: string, type: string, facets: string) =>
  `<xs:simpleType name="base"><xs:restriction base="xs:${type}">${facets}</xs:restriction></xs:simpleType><xs:simpleType name="own"><xs:restriction base="base">${own}</xs:restriction></xs:simpleType><xs:element name="e" type="own"/>`

describeForEngines('restrictions', ({ judges, refusesSchema, findings }) => {
  it('may have elements that the base has, substitutes, and what a wildcard permits', async () => {
    await judges(xsd(base + restriction(a)), { valid: ['<r><a/></r>'], invalid: ['<r><a/><head/></r>'] })
    await judges(xsd(base + restriction(`${a}<xs:element ref="substitute" minOccurs="0"/>`)), {
      valid: ['<r><a/><substitute/></r>'],
    })
    await judges(xsd(base + restriction(`${a}<xs:element name="never" minOccurs="0" maxOccurs="0"/>`), ''), {
      valid: ['<r><a/></r>'],
    })
  })

  it('may not add an element', async () => {
    await refusesSchema(xsd(base + restriction(`${a}<xs:element name="b" minOccurs="0"/>`)))
    const [first] = await findings(
      xsdBundle(xsd(`${base}\n${restriction(`${a}<xs:element name="b" minOccurs="0"/>`)}`)),
      '<r><a/></r>',
    )
    expect(first?.message).to.contain('{}b')
  })

  it('may narrow lengths and digits, but not widen them', async () => {
    const cases: readonly (readonly [type: string, given: string, narrow: string, wide: string])[] = [
      ['string', '<xs:minLength value="3"/>', '<xs:minLength value="4"/>', '<xs:minLength value="2"/>'],
      ['token', '<xs:maxLength value="3"/>', '<xs:maxLength value="2"/>', '<xs:maxLength value="4"/>'],
      ['NMTOKENS', '<xs:maxLength value="3"/>', '<xs:length value="2"/>', '<xs:length value="4"/>'],
      [
        'decimal',
        '<xs:totalDigits value="3"/>',
        '<xs:totalDigits value="2"/>',
        '<xs:totalDigits value="4"/>',
      ],
      ['integer', '', '<xs:fractionDigits value="0"/>', '<xs:fractionDigits value="1"/>'],
    ]
    for (const [type, given, narrow, wide] of cases) {
      await judges(xsd(derived(narrow, type, given)), {})
      await refusesSchema(xsd(derived(wide, type, given)))
    }
  })

  it('may be thousands of steps long', async () => {
    const steps = Array.from(
      { length: 3000 },
      (_, step) =>
        `<xs:simpleType name="t${step}"><xs:restriction base="${step === 0 ? 'xs:date' : `t${step - 1}`}"/></xs:simpleType>`,
    )
    const last = '<xs:element name="e" type="t2999"/>'
    await judges(xsd(steps.reverse().join('') + last), {
      valid: ['<e>2021-01-01</e>'],
      invalid: ['<e>x</e>'],
    })
  })

  it('may not have contradicting lengths, or white space that was given up', async () => {
    const lengths = (least: number, most: number) =>
      `<xs:minLength value="${least}"/><xs:maxLength value="${most}"/>`
    const space = (value: string) => `<xs:whiteSpace value="${value}"/>`
    await judges(xsd(derived(lengths(2, 2), 'string', space('replace'))), {})
    await judges(xsd(derived(space('collapse'), 'string', space('replace'))), {})
    await judges(xsd(derived(space('collapse'), 'token', '')), {})
    await refusesSchema(xsd(derived(lengths(3, 2), 'string', '')))
    await refusesSchema(xsd(derived(space('preserve'), 'string', space('replace'))))
    await refusesSchema(xsd(derived(space('replace'), 'token', '')))
  })

  it('may not change the fixed value of an attribute', async () => {
    const restricted = (attribute: string, own: string) =>
      xsd(
        `<xs:attribute name="g" type="xs:decimal"/><xs:complexType name="B"><xs:attribute ${attribute}/></xs:complexType><xs:complexType name="R"><xs:complexContent><xs:restriction base="B"><xs:attribute ${own}/></xs:restriction></xs:complexContent></xs:complexType>`,
      )
    const fixed = 'name="x" type="xs:decimal" fixed="1.0"'
    await judges(restricted(fixed, 'name="x" type="xs:decimal" fixed="1"'), {})
    await judges(restricted(fixed, 'name="x" use="prohibited"'), {})
    await judges(restricted('name="x" type="xs:decimal"', fixed), {})
    await judges(restricted('ref="g" fixed="1.0"', 'ref="g" fixed="1"'), {})
    await refusesSchema(restricted(fixed, 'name="x" type="xs:decimal" fixed="2"'))
    await refusesSchema(restricted(fixed, 'name="x" type="xs:decimal"'))
    await refusesSchema(restricted('ref="g" fixed="1.0"', 'ref="g"'))
  })
})
