import { expect } from 'chai'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { SchemaBundle, Validator } from '../../../src/validation/validator.js'
import {
  filesOf,
  reasonWithoutLibxmljs2,
  type Texts,
  utf8Bytes,
  xsd,
  xsdBundle,
} from '../../support/data/schema-bundles.js'

const engines = ['libxml2-wasm', 'libxmljs2'] as const
const xml = 'http://www.w3.org/XML/1998/namespace'
const ownXml = (type: string) => xsd(`<xs:attribute name="lang" type="${type}"/>`, `targetNamespace="${xml}"`)
const lang = (location: string) =>
  `<xs:import namespace="${xml}"${location}/><xs:element name="a"><xs:complexType><xs:attribute ref="xml:lang"/></xs:complexType></xs:element>`
/** A file that declares the element `name` in a namespace. */
const declaring = (namespace: string, name: string, type = 'integer') =>
  xsd(`<xs:element name="${name}" type="xs:${type}"/>`, `targetNamespace="${namespace}"`)
const importing = (location: string, namespace = 'urn:p') =>
  xsd(
    `<xs:import namespace="${namespace}"${location}/><xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="p:one"/></xs:sequence></xs:complexType></xs:element>`,
    `xmlns:p="${namespace}"`,
  )
const at = (url: string) => ` schemaLocation="${url}"`
const good = '<a><p:one xmlns:p="urn:p">1</p:one></a>'
const bad = '<a><p:one xmlns:p="urn:p">x</p:one></a>'

for (const xmlEngine of engines) {
  describe(`the locations of an XML schema, with ${xmlEngine}`, () => {
    let validator: Validator
    before(async function () {
      if (xmlEngine === 'libxmljs2' && (await reasonWithoutLibxmljs2()) !== undefined) this.skip()
      validator = openValidator({ xmlEngine, workers: 1 })
    })
    after(() => validator?.close())

    async function expectVerdicts(bundle: SchemaBundle, valid: string, invalid: string): Promise<void> {
      expect(await validator.check(bundle)).to.deep.equal([])
      expect(await validator.validate(bundle, utf8Bytes(valid))).to.deep.equal([])
      const findings = await validator.validate(bundle, utf8Bytes(invalid))
      expect(findings).to.have.length.greaterThan(0)
      expect(JSON.stringify(findings)).not.to.contain('cannot be used')
    }
    const references = (document: string, files: Texts = {}) =>
      validator.references('XML', utf8Bytes(document), filesOf(files))

    describe('of the namespace xml:', () => {
      const locations = {
        none: '',
        'an empty one': at(''),
        'an address of W3C': at('http://www.w3.org/2001/03/xml.xsd'),
        'its namespace': at(`${xml}.xsd`),
        'another address': at('https://example.org/schemas/xml-attributes.xsd'),
        'a path': at('../common/xml.xsd'),
        'a URN': at('urn:xml'),
      }
      for (const [what, location] of Object.entries(locations)) {
        it(`may be ${what}`, async () => {
          const schema = xsd(lang(location))
          await expectVerdicts(xsdBundle(schema), '<a xml:lang="en"/>', '<a xml:lang="?"/>')
          expect((await references(schema)).missing).to.deep.equal([])
        })
      }

      it('lead to an uploaded file that fits one of them, for all files', async () => {
        const other = xsd(lang(''), 'targetNamespace="urn:o" xmlns:o="urn:o"')
        const schema = (location: string) =>
          xsd(`<xs:import namespace="urn:o" schemaLocation="o.xsd"/>${lang(location)}`)
        for (const location of ['x/xml.xsd', 'http://example.org/2026/xml.xsd']) {
          const files = { 'x/xml.xsd': ownXml('xs:integer'), 'o.xsd': other }
          const bundle = xsdBundle(schema(at(location)), files)
          await expectVerdicts(bundle, '<a xml:lang="1"/>', '<a xml:lang="en"/>')
          await expectVerdicts(
            bundle,
            '<o:a xmlns:o="urn:o" xml:lang="1"/>',
            '<o:a xmlns:o="urn:o" xml:lang="en"/>',
          )
        }
      })

      it('lead to the bundled schema if the uploaded file lacks an attribute', async () => {
        const schema = xsd(
          lang(at('xml.xsd')).replace('<xs:attribute ', '<xs:attribute ref="xml:base"/><xs:attribute '),
        )
        const bundle = xsdBundle(schema, { 'xml.xsd': ownXml('xs:language') })
        await expectVerdicts(bundle, '<a xml:base="b" xml:lang="en"/>', '<a xml:lang="?"/>')
      })
    })

    it('of namespaces that XML Schema defines may lead nowhere', async () => {
      const schema = xsd(
        '<xs:import namespace="http://www.w3.org/2001/XMLSchema-instance" schemaLocation="http://www.w3.org/2001/XMLSchema-instance.xsd"/><xs:import namespace="http://www.w3.org/2001/XMLSchema"\n schemaLocation="http://www.w3.org/2001/XMLSchema.xsd"/><xs:element name="a" type="xs:integer"/>',
      )
      await expectVerdicts(xsdBundle(schema), '<a>1</a>', '<a>x</a>')
    })

    it('inside documentation and appinfo are text', async () => {
      const text = `<xs:schema xml:base="x"><xs:annotation><xs:appinfo><xs:import/></xs:appinfo></xs:annotation><xs:include schemaLocation="yours.xsd"/></xs:schema>
        <xs:include schemaLocation="yours.xsd"/><!-- </xs:documentation> --><![CDATA[</xs:appinfo>]]>`
      const note = `<xs:annotation><xs:documentation>${text}</xs:documentation><xs:appinfo>${text}</xs:appinfo><xs:documentation source="s"/></xs:annotation>`
      const schema = xsd(
        `${note}<xs:include schemaLocation="t.xsd">${note}</xs:include><xs:element name="a" type="T">${note}</xs:element>`,
      )
      const files = {
        't.xsd': xsd(
          `${note}<xs:simpleType name="T">${note}<xs:restriction base="xs:integer">${note}</xs:restriction></xs:simpleType>`,
        ),
      }
      await expectVerdicts(xsdBundle(schema, files), '<a>1</a>', '<a>x</a>')
      expect(await references(schema, files)).to.deep.equal({ used: new Set(['t.xsd']), missing: [] })
      const after = xsd(`${note}<xs:include schemaLocation="lost.xsd"/>`)
      expect((await references(after)).missing.map(({ target }) => target)).to.deep.equal(['lost.xsd'])
    })

    describe('that are URLs', () => {
      const url = 'http://example.org/a%20b/schemas/one.xsd?version=2#top'
      const one = declaring('urn:p', 'one')
      const named: Readonly<Record<string, Texts>> = {
        'host and path': { 'example.org/a b/schemas/one.xsd': one },
        'the end of the path': { 'schemas/one.xsd': one, 'other/one.xsd': declaring('urn:p', 'two') },
        'the name of the file': { 'one.xsd': one },
        'a folder and the name of the file': { 'vendor/one.xsd': one },
        'the name of one file of several, which alone has the namespace': {
          'x/one.xsd': one,
          'y/one.xsd': declaring('urn:q', 'one'),
          'z/one.xsd': '<no-schema/>',
        },
        'another name, but the namespace': { 'p.xsd': one, 'q.xsd': declaring('urn:q', 'one') },
        'another name, but the namespace, with files that it includes': {
          'p.xsd': xsd('<xs:include schemaLocation="p/parts.xsd"/>', 'targetNamespace="urn:p"'),
          'p/parts.xsd': one,
        },
      }
      for (const [what, files] of Object.entries(named)) {
        it(`lead to the file with ${what}`, async () => {
          await expectVerdicts(xsdBundle(importing(at(url)), files), good, bad)
          expect((await references(importing(at(url)), files)).missing).to.deep.equal([])
        })
      }

      it('are missing if two files fit equally, or none does', async () => {
        const unfit: readonly Texts[] = [
          {},
          { 'x/one.xsd': one, 'y/one.xsd': one },
          { 'a.xsd': one, 'b.xsd': one },
          { 'none.xsd': one, 'b.xsd': declaring('urn:p', 'two') },
        ]
        for (const files of unfit) {
          const { missing } = await references(importing(at(url)), files)
          expect(missing.map(({ namespace }) => namespace)).to.deep.equal(['urn:p'])
        }
      })

      it('of an include lead to a file without a namespace or with the same one', async () => {
        const schema = xsd(
          '<xs:include schemaLocation="https://example.org/t.xsd"/><xs:element name="a" type="p:T"/>',
          'targetNamespace="urn:p" xmlns:p="urn:p"',
        )
        const type = '<xs:simpleType name="T"><xs:restriction base="xs:integer"/></xs:simpleType>'
        const files = { 'v1/t.xsd': xsd(type), 'v2/t.xsd': xsd(type, 'targetNamespace="urn:q"') }
        await expectVerdicts(xsdBundle(schema, files), '<a xmlns="urn:p">1</a>', '<a xmlns="urn:p">x</a>')
      })
    })

    it('may be a URN if a file has the namespace', async () => {
      const files = { 'p.xsd': declaring('urn:p', 'one') }
      await expectVerdicts(xsdBundle(importing(at('urn:p:schema:1')), files), good, bad)
      const { missing } = await references(importing(at('urn:p:schema:1'), 'urn:q'), files)
      expect(missing.map(({ target }) => target)).to.deep.equal(['urn:p:schema:1'])
    })

    it('of an include may lead to the file itself', async () => {
      const include = (name: string) => `<xs:include schemaLocation="${name}"/>`
      const main = xsd(`${include('main.xsd')}${include('b.xsd')}<xs:element name="a" type="one"/>`)
      const part = xsd(
        `${include('./b.xsd')}<xs:simpleType name="one"><xs:restriction base="xs:int"/></xs:simpleType>`,
      )
      await expectVerdicts(xsdBundle(main, { 'main.xsd': main, 'b.xsd': part }), '<a>1</a>', '<a>x</a>')
    })

    it('may be left out if a file has the namespace', async () => {
      await expectVerdicts(xsdBundle(importing(''), { 'any.xsd': declaring('urn:p', 'one') }), good, bad)
      const { used } = await references(importing(''), { 'any.xsd': declaring('urn:p', 'one') })
      expect([...used]).to.deep.equal(['any.xsd'])
    })

    describe('of several files for one namespace', () => {
      const both = (...locations: readonly string[]) =>
        xsd(
          `${locations.map(location => `<xs:import namespace="urn:p" schemaLocation="${location}"/>`).join('\n')}<xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="p:one"/><xs:element ref="p:two"/></xs:sequence></xs:complexType></xs:element>`,
          'xmlns:p="urn:p"',
        )
      const valid = '<a><p:one xmlns:p="urn:p">1</p:one><p:two xmlns:p="urn:p">2</p:two></a>'
      const invalid = valid.replace('2', 'x')
      const files = { 'p1.xsd': declaring('urn:p', 'one'), 'p2.xsd': declaring('urn:p', 'two') }

      it('make all their declarations available', async () => {
        await expectVerdicts(xsdBundle(both('p1.xsd', 'p2.xsd'), files), valid, invalid)
      })

      it('may be in different files', async () => {
        const importingTwo = xsd(
          '<xs:import namespace="urn:p" schemaLocation="../p2.xsd"/><xs:element name="b"><xs:complexType><xs:sequence><xs:element ref="p:two"/></xs:sequence></xs:complexType></xs:element>',
          'targetNamespace="urn:o" xmlns:p="urn:p"',
        )
        const schema = both('p1.xsd').replace(
          '<xs:element name="a"',
          '<xs:import namespace="urn:o" schemaLocation="o/o.xsd"/>$&',
        )
        await expectVerdicts(xsdBundle(schema, { ...files, 'o/o.xsd': importingTwo }), valid, invalid)
      })

      it('may include one another, and be copies', async () => {
        const more = {
          ...files,
          'p3.xsd': xsd('<xs:include schemaLocation="p2.xsd"/>', 'targetNamespace="urn:p"'),
        }
        await expectVerdicts(xsdBundle(both('p1.xsd', 'p2.xsd', 'p3.xsd'), more), valid, invalid)
        const copied = { 'p1.xsd': declaring('urn:p', 'one'), 'copy/p1.xsd': declaring('urn:p', 'one') }
        await expectVerdicts(
          xsdBundle(
            importing(at('p1.xsd')).replace(
              '<xs:element name="a"',
              `<xs:import namespace="urn:p" schemaLocation="copy/p1.xsd"/>$&`,
            ),
            copied,
          ),
          good,
          bad,
        )
      })

      it('may have no namespace', async () => {
        const schema = xsd(
          '<xs:import schemaLocation="p1.xsd"/><xs:import schemaLocation="p2.xsd"/><xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="one"/><xs:element ref="two"/></xs:sequence></xs:complexType></xs:element>',
          'targetNamespace="urn:a"',
        )
        const plain = {
          'p1.xsd': xsd('<xs:element name="one" type="xs:integer"/>'),
          'p2.xsd': xsd('<xs:element name="two"/>'),
        }
        await expectVerdicts(
          xsdBundle(schema, plain),
          '<b:a xmlns:b="urn:a"><one>1</one><two/></b:a>',
          '<b:a xmlns:b="urn:a"><one>x</one><two/></b:a>',
        )
      })

      it('are named if they declare the same and one alone is not enough', async () => {
        const clashing = {
          ...files,
          'p2.xsd': files['p2.xsd'].replace('</xs:schema>', '<xs:element name="one"/></xs:schema>'),
        }
        const [finding] = await validator.check(xsdBundle(both('p1.xsd', 'p2.xsd'), clashing))
        if (xmlEngine === 'libxml2-wasm') expect(finding).to.include({ file: 'p2.xsd', line: 1 })
        expect(finding?.message).to.be.a('string')
      })
    })

    it('are relative to the folder of a file that equals the document', async () => {
      const main = xsd(
        '<xs:include schemaLocation="../common/types.xsd"/><xs:include schemaLocation="own.xsd"/><xs:element name="a" type="T"/>',
      )
      const files = {
        'core/main.xsd': main,
        'core/own.xsd': xsd('<xs:include schemaLocation="main.xsd"/><xs:element name="own" type="T"/>'),
        'common/types.xsd': xsd(
          '<xs:include schemaLocation="../core/main.xsd"/><xs:simpleType name="T"><xs:restriction base="xs:integer"/></xs:simpleType>',
        ),
      }
      await expectVerdicts(xsdBundle(main, files), '<own>1</own>', '<a>x</a>')
      const { used, missing } = await references(main, files)
      expect([...used]).to.have.members(Object.keys(files))
      expect(missing).to.deep.equal([])
    })
  })
}
