import { expect } from 'chai'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { utf8Bytes, xsd, xsdBundle } from '../../support/data/schema-bundles.js'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

/** A schema whose files include each other, one the next one. The last one has 84 elements inside each other. */
function chainOfFiles(length: number) {
  const include = (number: number) => xsd(`<xs:include schemaLocation="part-${number}.xsd"/>`)
  const begin = '<xs:element name="e"><xs:complexType><xs:sequence>'
  const end = '</xs:sequence></xs:complexType></xs:element>'
  const last = xsd(begin.repeat(84) + end.repeat(84))
  const files = numbers(length).map(number => [
    `part-${number}.xsd`,
    number === length - 1 ? last : include(number + 1),
  ])
  return xsdBundle(include(0), Object.fromEntries(files))
}

/** Components that refer to each other, each to the next one, which comes later. */
const chains: Readonly<Record<string, (number: number) => string>> = {
  groups: number =>
    `<xs:group name="c${number}"><xs:sequence><xs:group ref="c${number + 1}" minOccurs="0"/></xs:sequence></xs:group>`,
  'attribute groups': number =>
    `<xs:attributeGroup name="c${number}"><xs:attributeGroup ref="c${number + 1}"/></xs:attributeGroup>`,
  'extended types': number =>
    `<xs:complexType name="c${number}"><xs:complexContent><xs:extension base="c${number + 1}"/></xs:complexContent></xs:complexType>`,
  unions: number =>
    `<xs:simpleType name="c${number}"><xs:union memberTypes="c${number + 1}"/></xs:simpleType>`,
  'substitution groups': number => `<xs:element name="c${number}" substitutionGroup="c${number + 1}"/>`,
}
const lasts: Readonly<Record<string, string>> = {
  groups: '<xs:group name="LAST"><xs:sequence/></xs:group>',
  'attribute groups': '<xs:attributeGroup name="LAST"/>',
  'extended types': '<xs:complexType name="LAST"/>',
  unions: '<xs:simpleType name="LAST"><xs:restriction base="xs:int"/></xs:simpleType>',
  'substitution groups': '<xs:element name="LAST"/>',
}

describe('an XML schema with long chains', () => {
  let validator: Validator
  before(() => {
    validator = openValidator({ workers: 1 })
  })
  after(() => validator.close())

  /** Fails unless the worker still compiles a schema with several files, and validates with it. */
  async function expectGoodWorker(): Promise<void> {
    const schema = chainOfFiles(5)
    expect(await validator.check(schema)).to.deep.equal([])
    expect(await validator.validate(schema, utf8Bytes('<e><e/></e>'))).to.have.length.above(0)
  }

  it('is registered with a chain of 120 files', async () => {
    expect(await validator.check(chainOfFiles(120))).to.deep.equal([])
    await expectGoodWorker()
  })

  it('is refused with a long chain of imports, or of a file that is included into many namespaces', async () => {
    for (const through of ['', 'shared.xsd']) {
      const importing = (number: number) =>
        `<xs:import namespace="urn:${number}" schemaLocation="part-${number}.xsd"/>`
      const parts = numbers(300).map(number => [
        `part-${number}.xsd`,
        xsd(
          through === '' && number < 299
            ? `${importing(number + 1)}<xs:element name="e"><xs:complexType><xs:sequence><xs:element xmlns:n="urn:${number + 1}" ref="n:e"/></xs:sequence></xs:complexType></xs:element>`
            : `${through && `<xs:include schemaLocation="${through}"/>`}<xs:element name="e"/>`,
          `targetNamespace="urn:${number}"`,
        ),
      ])
      const shared = xsd(numbers(300).map(importing).join(''))
      const main = `${importing(0)}<xs:element name="r"><xs:complexType><xs:sequence><xs:element xmlns:n="urn:0" ref="n:e"/></xs:sequence></xs:complexType></xs:element>`
      const schema = xsdBundle(xsd(main), Object.fromEntries([...parts, ['shared.xsd', shared]]))

      const findings = await validator.check(schema)

      expect(findings[0]?.message, through).to.contain('refer to each other in a chain that is too long')
      await expectGoodWorker()
    }
  })

  for (const length of [200, 312, 1000])
    it(`is refused with a chain of ${length} files, and later schemas are compiled as before`, async () => {
      const findings = await validator.check(chainOfFiles(length))

      expect(findings).to.have.lengthOf(1)
      expect(findings[0]?.message).to.contain('refer to each other in a chain that is too long')
      await expectGoodWorker()
    })

  for (const [what, component] of Object.entries(chains))
    it(`is refused with 8,000 ${what} in a chain, or compiled, and later schemas are compiled as before`, async () => {
      const schema = xsdBundle(
        xsd(numbers(8000).map(component).join('') + lasts[what]?.replace('LAST', 'c8000')),
      )
      const said = 'It is nested too deeply to be compiled.'

      const findings = (await validator.check(schema)).map(({ message }) => message)
      const used = (await validator.validate(schema, utf8Bytes('<c0/>'))).map(({ message }) => message)

      expect([[], [said]]).to.deep.include(findings)
      if (findings.length > 0) expect(used).to.deep.equal([`The schema cannot be used: ${said}`])
      await expectGoodWorker()
    })
})
