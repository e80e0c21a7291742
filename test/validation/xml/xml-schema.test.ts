import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { SchemaBundle, Validator } from '../../../src/validation/validator.js'
import {
  type FileText,
  filesOf,
  reasonWithoutLibxmljs2,
  utf8Bytes,
  utf16,
  xsd,
  xsdBundle,
} from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const engines = ['libxml2-wasm', 'libxmljs2'] as const
const secret = 'correct horse battery staple'

/** A schema with one element `a` that contains text. */
const text = xsd('<xs:element name="a" type="xs:string"/>')
/** A note with a title, words and an amount, in a namespace. */
const note = xsd(
  `<xs:element name="note"><xs:complexType><xs:sequence>
  <xs:element name="title" type="xs:token"/>
  <xs:element name="word" maxOccurs="3" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string">
    <xs:pattern value="[a-z]{1,4}"/></xs:restriction></xs:simpleType></xs:element>
  <xs:element name="amount" type="xs:decimal" minOccurs="0"/>
</xs:sequence><xs:attribute name="id" type="xs:NCName" use="required"/></xs:complexType></xs:element>`,
  'targetNamespace="urn:note" elementFormDefault="qualified"',
)

describe('XML Schema', () => {
  describeForEngines('validation', ({ validator }) => {
    let folder: string
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'validation-'))
      await writeFile(join(folder, 'secret.txt'), secret)
      await writeFile(
        join(folder, 'outside.xsd'),
        xsd('<xs:simpleType name="t"><xs:restriction base="xs:string"/></xs:simpleType>'),
      )
    })
    after(async () => {
      if (folder) await rm(folder, { recursive: true })
    })

    const validate = (schema: SchemaBundle, document: FileText) =>
      validator.validate(schema, utf8Bytes(document))
    const accepts = async (schema: SchemaBundle, document: FileText) => {
      expect(await validator.check(schema)).to.deep.equal([])
      expect(await validate(schema, document)).to.deep.equal([])
    }
    const refuses = async (schema: SchemaBundle, document: FileText, line?: number) => {
      const findings = await validate(schema, document)
      expect(findings).to.have.length.greaterThan(0)
      if (line !== undefined) expect(findings[0]?.line).to.equal(line)
      return findings
    }

    it('accepts valid documents, and reports the positions of errors', async () => {
      const schema = xsdBundle(note)

      await accepts(
        schema,
        '<note xmlns="urn:note" id="n1"><title>T</title><word>ab</word><amount>1.50</amount></note>',
      )
      await refuses(
        schema,
        '<note xmlns="urn:note" id="n1">\n<title>T</title>\n<word>TOO LONG</word></note>',
        3,
      )
      await refuses(schema, '<note xmlns="urn:note"><title>T</title></note>', 1)
      await refuses(schema, '<note xmlns="urn:other" id="n1"><title>T</title></note>')
      await refuses(
        schema,
        '<n:note xmlns:n="urn:note" id="n1"><n:title/>\n\n<n:amount>ten</n:amount></n:note>',
        3,
      )
    })

    it('reports the line of a fault in well-formedness', async () => {
      const schema = xsdBundle(text)

      await refuses(schema, '<a>\n<b></a>', 2)
      for (const document of [
        '',
        ' ',
        'text',
        '<a',
        '<a>&unknown;</a>',
        '<a/><a/>',
        '<x:a/>',
        '<>',
        '{"a": 1}',
        '<a>\u0001</a>',
      ]) {
        await refuses(schema, document)
      }
    })

    it('reads documents in all common encodings', async () => {
      const schema = xsdBundle(text)
      for (const bigEndian of [false, true]) {
        await accepts(schema, utf16('<?xml version="1.0" encoding="UTF-16"?><a>ü</a>', bigEndian))
      }
      await accepts(schema, '\ufeff<a>ü</a>')
      await accepts(schema, Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>', 'latin1'))
      await refuses(schema, Buffer.from('<a>ü</a>', 'latin1'))
      await refuses(schema, '<?xml version="1.0" encoding="klingon"?><a/>')
      const dash = xsd(
        '<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="–"/>' +
          '</xs:restriction></xs:simpleType></xs:element>',
      )
      const windows = '<?xml version="1.0" encoding="windows-1252"?><a>\u0096</a>'
      await accepts(xsdBundle(dash), Buffer.from(windows, 'latin1'))
    })

    it('reads schemas in all common encodings', async () => {
      const german = `<?xml version="1.0" encoding="utf-16"?>${xsd('<xs:element name="größe" type="xs:integer"/>')}`
      await accepts(xsdBundle(utf16(german)), '<größe>1</größe>')
      await accepts(xsdBundle(utf16(german, true)), '<größe>1</größe>')
      await accepts(
        xsdBundle(Buffer.from(german.replace('utf-16', 'ISO-8859-1'), 'latin1')),
        '<größe>1</größe>',
      )
      await accepts(xsdBundle(`\ufeff${german.replace('utf-16', 'utf-8')}`), '<größe>1</größe>')
      await accepts(xsdBundle(`\ufeff${german.replace('utf-16', 'ISO-8859-1')}`), '<größe>1</größe>')
    })

    it('refuses an invalid schema', async () => {
      const schemas = [
        '',
        '<>',
        '<a/>',
        '<schema/>',
        '<xs:schema xmlns:xs="urn:other"/>',
        xsd('<xs:element name="a" type="xs:nothing"/>'),
        xsd('<xs:element/>'),
        xsd('<xs:element name="a">'),
        xsd('<xs:override schemaLocation="schema.xsd"/>'),
        '{"type": "object"}',
      ]
      for (const schema of schemas)
        expect(await validator.check(xsdBundle(schema)), schema).to.have.length.greaterThan(0)
      expect((await validator.check(xsdBundle(`\n${xsd('\n<xs:element name="a">')}`)))[0]).to.have.property(
        'line',
      )
    })

    it('uses a schema repeatedly', async () => {
      const schema = xsdBundle(text)
      for (let turn = 0; turn < 50; turn++) await accepts(schema, `<a>${turn}</a>`)
      await refuses(schema, '<b/>')
      await accepts(schema, '<a/>')
    })

    describe('made of several files', () => {
      const types = xsd(
        '<xs:simpleType name="t"><xs:restriction base="xs:string"><xs:maxLength value="2"/></xs:restriction></xs:simpleType>',
      )
      const isOfTwo = async (schema: SchemaBundle) => {
        await accepts(schema, '<a>12</a>')
        await refuses(schema, '<a>123</a>', 1)
      }
      const using = (location: string) =>
        xsd(`<xs:include schemaLocation="${location}"/>\n<xs:element name="a" type="t"/>`)

      it('follows includes through folders, up and down', async () => {
        await isOfTwo(xsdBundle(using('t.xsd'), { 't.xsd': types }))
        await isOfTwo(xsdBundle(using('./a/../a/b/../t.xsd'), { 'a/t.xsd': types }))
        await isOfTwo(
          xsdBundle(using('a/b/one.xsd'), {
            'a/b/one.xsd': using('../../two.xsd').replace(/<xs:element.*?>/, ''),
            'two.xsd': xsd('<xs:include schemaLocation="a/three.xsd"/>'),
            'a/three.xsd': types,
          }),
        )
        await isOfTwo(xsdBundle(using('with%20space/&#x74;.xsd'), { 'with space/t.xsd': types }))
        await isOfTwo(xsdBundle(using('\n  t.xsd\n'), { 't.xsd': types }))
      })

      it('follows circular includes', async () => {
        await isOfTwo(
          xsdBundle(using('t.xsd'), {
            't.xsd': types.replace('<xs:simple', '<xs:include schemaLocation="schema.xsd"/><xs:simple'),
          }),
        )
      })

      it('treats a copy of the document among its files as the document', async () => {
        const main = using('parts/t.xsd')
        const back = types.replace('<xs:simple', '<xs:include schemaLocation="../main.xsd"/><xs:simple')
        const schema = xsdBundle(main, { 'parts/t.xsd': back, 'main.xsd': main })

        await isOfTwo(schema)
        const { used } = await validator.references('XML', schema.document, schema.files)
        expect([...used]).to.have.members(['parts/t.xsd', 'main.xsd'])
      })

      it('follows imports, also of the namespace xml', async () => {
        const other = xsd('<xs:element name="b" type="xs:integer"/>', 'targetNamespace="urn:b"')
        const schema = xsd(
          `<xs:import namespace="urn:b" schemaLocation="sub/b.xsd"/>
            <xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/>
            <xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="b:b"/></xs:sequence>
            <xs:attribute ref="xml:lang"/></xs:complexType></xs:element>`,
          'xmlns:b="urn:b"',
        )

        await accepts(
          xsdBundle(schema, { 'sub/b.xsd': other }),
          '<a xml:lang="de"><b xmlns="urn:b">1</b></a>',
        )
        await refuses(xsdBundle(schema, { 'sub/b.xsd': other }), '<a><b xmlns="urn:b">x</b></a>')
        await refuses(
          xsdBundle(schema, { 'sub/b.xsd': other }),
          '<a xml:lang="not a language"><b xmlns="urn:b">1</b></a>',
        )
      })

      it('needs no location for an unused namespace', async () => {
        await isOfTwo(
          xsdBundle(`${using('t.xsd').replace('<xs:include', '<xs:import namespace="urn:x"/><xs:include')}`, {
            't.xsd': types,
          }),
        )
      })

      it('follows redefinitions', async () => {
        const schema = xsd(
          '<xs:redefine schemaLocation="t.xsd"><xs:simpleType name="t"><xs:restriction base="t"><xs:minLength value="2"/></xs:restriction></xs:simpleType></xs:redefine><xs:element name="a" type="t"/>',
        )

        await isOfTwo(xsdBundle(schema, { 't.xsd': types }))
        await refuses(xsdBundle(schema, { 't.xsd': types }), '<a>1</a>')
      })

      it('follows registered schemas by id and address, with their files', async () => {
        const common = xsdBundle(xsd('<xs:include schemaLocation="types.xsd"/>'), { 'types.xsd': types })
        const another = xsdBundle(xsd('<xs:include schemaLocation="types.xsd"/>'), {
          'types.xsd': xsd('<xs:simpleType name="u"><xs:restriction base="xs:integer"/></xs:simpleType>'),
        })
        const address = 'https://meta.example.org/api/v1/schemas/common?version=2&amp;x=1'
        for (const reference of ['common', 'common?version=2', address]) {
          await isOfTwo(xsdBundle(using(reference), {}, { [reference.replace('&amp;', '&')]: common }))
        }
        const both = xsd(
          '<xs:include schemaLocation="common"/><xs:include schemaLocation="another"/><xs:element name="a" type="t"/><xs:element name="b" type="u"/>',
        )
        const schema = xsdBundle(both, { 'types.xsd': 'an own file that is not meant' }, { common, another })
        await isOfTwo(schema)
        await accepts(schema, '<b>1</b>')
        await refuses(schema, '<b>x</b>')
      })

      it('uses a schema once if two paths lead to it', async () => {
        const common = xsdBundle(types)
        const schema = xsd(
          '<xs:include schemaLocation="common"/><xs:include schemaLocation="common?version=1"/><xs:element name="a" type="t"/>',
        )

        await isOfTwo(xsdBundle(schema, {}, { common, 'common?version=1': common }))
      })

      it('reports errors in their file', async () => {
        const [broken] = await validator.check(xsdBundle(using('t.xsd'), { 't.xsd': '<xs:schema\n>' }))
        expect(broken).to.include({ file: 't.xsd' })
        const [lost] = await validator.check(
          xsdBundle(using('a/t.xsd'), { 'a/t.xsd': xsd('\n<xs:include schemaLocation="t2.xsd"/>') }),
        )
        expect(lost).to.include({ file: 'a/t.xsd', line: 2 })
        const [none] = await validator.check(xsdBundle(using('t.xsd'), { 't.xsd': '<html/>' }))
        expect(none).to.include({ file: 't.xsd', line: 1 })
      })

      it('opens no other files', async () => {
        const outside = pathToFileURL(join(folder, 'outside.xsd')).href
        const path = join(folder, 'outside.xsd')
        const locations = [
          outside,
          path,
          `/../..${path}`,
          `../../../../../../..${path}`,
          'missing.xsd',
          'http://127.0.0.1:9/t.xsd',
          'mem:///0.xsd',
          '0.xsd',
          'a/../../t.xsd',
          'C:\\t.xsd',
          '//example.org/t.xsd',
        ]
        for (const location of locations) {
          for (const element of ['include', 'import namespace="urn:x"', 'redefine']) {
            const schema = xsd(
              `<xs:${element} schemaLocation="${location}"/><xs:element name="a" type="xs:string"/>`,
            )
            const [finding] = await validator.check(xsdBundle(schema, { 'other.xsd': types }))
            expect(finding, `${element} ${location}`).to.include({ line: 1 })
          }
        }
        // The same attack with other notations of names and prefixes.
        const disguised = `<schema xmlns="http://www.w3.org/2001/XML&#x53;chema"><include\nschemaLocation\n=\n'${outside}'/></schema>`
        expect(await validator.check(xsdBundle(disguised))).to.have.length.greaterThan(0)
        const based = xsd(`<xs:include schemaLocation="t.xsd" xml:base="${folder}/"/>`)
        expect(await validator.check(xsdBundle(based, { 't.xsd': types }))).to.have.length.greaterThan(0)
      })

      it('lists references with the files that they reach', async () => {
        const document = xsd(
          '<xs:include schemaLocation="a/one.xsd"/>\n<xs:import namespace="urn:x" schemaLocation="https://example.org/x.xsd#part"/><xs:import namespace="urn:y"/>\n<xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/>',
        )
        const files = {
          'a/one.xsd': xsd(
            '<xs:include schemaLocation="../two.xsd"/><xs:redefine schemaLocation="three.xsd"/>\n<xs:include schemaLocation="../../up.xsd"/>',
          ),
          'two.xsd': xsd(
            '<!-- <xs:include schemaLocation="comment.xsd"/> --><xs:include schemaLocation="common"/>',
          ),
          'unused.xsd': types,
        }
        const { used, missing } = await validator.references('XML', utf8Bytes(document), filesOf(files))

        expect([...used]).to.have.members(['a/one.xsd', 'two.xsd'])
        expect(missing).to.deep.equal([
          { target: 'https://example.org/x.xsd', namespace: 'urn:x', line: 2 },
          { target: 'three.xsd', path: 'a/three.xsd', file: 'a/one.xsd', line: 1 },
          { target: '../../up.xsd', file: 'a/one.xsd', line: 2 },
          { target: 'common', path: 'common', file: 'two.xsd', line: 1 },
        ])
      })

      it('lists no references of a broken schema', async () => {
        const failing = validator.references('XML', utf8Bytes(using('t.xsd')), filesOf({ 't.xsd': '<a>' }))
        const error = await failing.catch((thrown: unknown) => thrown)

        expect(error).to.be.instanceOf(ProblemError).and.include({ kind: 'unprocessable' })
        expect((error as ProblemError).extra.findings?.[0]).to.include({ file: 't.xsd' })
      })
    })

    describe('hostile input', () => {
      const bomb = `<!DOCTYPE a [<!ENTITY x0 "ha">${Array.from({ length: 30 }, (_, n) => `<!ENTITY x${n + 1} "&x${n};&x${n};">`).join('')}]><a>&x30;</a>`

      it('is refused if it has a DOCTYPE, in any spelling', async () => {
        const schema = xsdBundle(text)
        const file = pathToFileURL(join(folder, 'secret.txt')).href
        const documents = [
          '<!DOCTYPE a><a/>',
          '<?xml version="1.0"?>\n<!-- <a> -->\n<?pi?>\n<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
          `<!DOCTYPE a [<!ENTITY x SYSTEM "${file}">]><a>&x;</a>`,
          `<!DOCTYPE a [<!ENTITY % x SYSTEM "${file}">%x;]><a/>`,
          '<!DOCTYPE a [<!ENTITY x "harmless">]><a>&x;</a>',
          bomb,
        ]
        for (const document of documents) {
          for (const form of [
            document,
            utf16(document.replace('?>', ' encoding="UTF-16"?>')),
            utf16(document, true),
          ]) {
            const findings = await refuses(schema, form)
            expect(findings[0]?.message).to.contain('DOCTYPE')
            expect(JSON.stringify(findings)).not.to.contain(secret)
          }
        }
        await accepts(schema, '<a><![CDATA[<!DOCTYPE a>]]></a>')
        await accepts(schema, '<!-- <!DOCTYPE a> --><a/>')
      })

      it('is refused in schemas and their files if it uses what is not in the file, or too much', async () => {
        const file = pathToFileURL(join(folder, 'secret.txt')).href
        const element = xsd('<xs:element name="a" type="xs:string"/>')
        const external = `<!DOCTYPE a [<!ENTITY x SYSTEM "${file}">]>${element.replace('string', '&x;')}`
        for (const form of [
          external,
          utf16(external),
          bomb,
          `<!DOCTYPE a [${'<!--x-->'.repeat(9000)}]>${element}`,
        ]) {
          const [finding] = await validator.check(xsdBundle(form))
          expect(finding?.message).to.match(/entity|DOCTYPE/)
          expect(JSON.stringify(finding)).not.to.contain(secret)
          const including = xsdBundle(xsd('<xs:include schemaLocation="t.xsd"/>'), { 't.xsd': form })
          expect((await validator.check(including))[0]).to.include({ file: 't.xsd' })
        }
      })

      it('does not include files by XInclude or schemaLocation', async () => {
        const anything = xsdBundle(
          xsd(
            '<xs:element name="a"><xs:complexType mixed="true"><xs:sequence><xs:any processContents="lax"/></xs:sequence></xs:complexType></xs:element>',
          ),
        )
        const file = pathToFileURL(join(folder, 'secret.txt')).href
        await accepts(
          anything,
          `<a><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${file}" parse="text"/></a>`,
        )
        const only = xsdBundle(xsd('<xs:element name="a" type="xs:string"/>'))
        await refuses(
          only,
          `<a><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${file}" parse="text"/></a>`,
        )
        const located =
          '<b xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="outside.xsd"/>'
        await refuses(only, located)
      })

      it('is refused if it is nested too deeply', async () => {
        const deep = xsdBundle(
          xsd(
            '<xs:element name="a"><xs:complexType><xs:sequence><xs:element ref="a" minOccurs="0"/></xs:sequence></xs:complexType></xs:element>',
          ),
        )
        await accepts(deep, '<a>'.repeat(100) + '</a>'.repeat(100))
        await refuses(deep, '<a>'.repeat(5000) + '</a>'.repeat(5000))
      })
    })
  })

  describe('with both engines', () => {
    let both: readonly Validator[] = []
    before(async function () {
      const reason = await reasonWithoutLibxmljs2()
      if (reason !== undefined) {
        console.log(`      skipped: ${reason}`)
        this.skip()
      }
      both = engines.map(xmlEngine => openValidator({ xmlEngine, workers: 1 }))
    })
    after(() => Promise.all(both.map(validator => validator.close())))

    const verdicts = (schema: SchemaBundle, document: FileText) =>
      Promise.all(
        both.map(async validator => (await validator.validate(schema, utf8Bytes(document))).length === 0),
      )

    const values: Record<string, readonly string[]> = {
      integer: ['0', '-1', '+1', ' 1 ', '1.0', '', '1e3', '99999999999999999999'],
      decimal: ['.5', '5.', '-0', '1,5', 'NaN'],
      double: ['INF', '-INF', 'NaN', '1e400', '1E-3', '+INF', 'inf'],
      boolean: ['true', '1', 'TRUE', '', ' false '],
      date: ['2024-02-29', '2023-02-29', '2024-1-1', '2024-01-01Z', '-0001-01-01', '0000-01-01', '24-01-01'],
      dateTime: ['2024-01-01T00:00:00', '2024-01-01T24:00:00', '2024-01-01', '2024-01-01T12:00:00.123+14:00'],
      duration: ['P1Y', 'PT1S', 'P', 'P1S', '-P1D', 'P1.5D'],
      gYear: ['2024', '24', '-2024', '12345'],
      anyURI: ['http://a', 'a b', '', '%zz', '::'],
      NCName: ['a', 'a:b', '1a', 'ä', '-a'],
      language: ['de', 'de-DE', 'german-language', '', '1'],
      base64Binary: ['AAAA', 'AA==', 'A', '', 'AA AA'],
      hexBinary: ['00', 'f', 'GG', ''],
      QName: ['a', 'xs:a', ':a'],
      unsignedByte: ['0', '255', '256', '-1'],
      token: ['a b', '  a  b  ', 'ü'],
    }

    for (const [type, texts] of Object.entries(values)) {
      it(`results agree for values of xs:${type}`, async () => {
        const schema = xsdBundle(xsd(`<xs:element name="a" type="xs:${type}"/>`))
        for (const value of texts) {
          const [one, other] = await verdicts(schema, `<a>${value}</a>`)
          expect(one, value).to.equal(other)
        }
      })
    }

    it('results agree for structures', async () => {
      const contents = [
        '<xs:sequence><xs:element name="x" maxOccurs="2"/><xs:element name="y" minOccurs="0"/></xs:sequence>',
        '<xs:choice maxOccurs="unbounded"><xs:element name="x"/><xs:element name="y"/></xs:choice>',
        '<xs:all><xs:element name="x"/><xs:element name="y" minOccurs="0"/></xs:all>',
        '<xs:sequence><xs:any namespace="##other" processContents="skip" minOccurs="0"/><xs:element name="x"/></xs:sequence>',
        '<xs:sequence><xs:element name="x" type="xs:integer" nillable="true" maxOccurs="9"/></xs:sequence><xs:attribute name="id" type="xs:ID"/>',
      ]
      const children = [
        '',
        '<x/>',
        '<x/><y/>',
        '<y/><x/>',
        '<x/><x/><x/>',
        '<z xmlns="urn:z"/><x/>',
        '<x>1</x><x xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true"/>',
        'text',
        '<!-- c --><x/><?p?>',
      ]
      for (const content of contents) {
        const schema = xsdBundle(
          xsd(`<xs:element name="a"><xs:complexType>${content}</xs:complexType></xs:element>`),
        )
        const [one, other] = await Promise.all(
          both.map(async validator => (await validator.check(schema)).length === 0),
        )
        expect(one, content).to.equal(other)
        for (const child of children) {
          const [first, second] = await verdicts(schema, `<a>${child}</a>`)
          expect(first, `${content} ${child}`).to.equal(second)
        }
      }
    })

    it('results differ for known errors of the older libxml2', async () => {
      const byte = xsdBundle(xsd('<xs:element name="a" type="xs:unsignedByte"/>'))
      expect(await verdicts(byte, '<a>-0</a>')).to.deep.equal([true, false])
      const ambiguous = xsdBundle(
        xsd(
          '<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="x"/><xs:element name="x" minOccurs="0"/><xs:any/></xs:sequence></xs:complexType></xs:element>',
        ),
      )
      const findings = await Promise.all(both.map(validator => validator.check(ambiguous)))
      expect(findings.map(({ length }) => length > 0)).to.deep.equal([true, false])
    })

    it('results agree for generated schemas', async () => {
      const schema = xsdBundle(note)
      const title = fc.constantFrom(
        '<title>T</title>',
        '<title/>',
        '<title>&amp; more</title>',
        '<title><b/></title>',
        '',
      )
      const word = fc.oneof(
        fc.stringMatching(/^[a-zA-Z]{0,5}$/).map(letters => `<word>${letters}</word>`),
        fc.constantFrom(
          '<word>ü</word>',
          '<word><![CDATA[ab]]></word>',
          '<word',
          '</word>',
          '<!-- - -->',
          '<!-- -- -->',
        ),
      )
      const amount = fc.oneof(fc.double(), fc.integer()).map(number => `<amount>${number}</amount>`)
      const document = fc
        .tuple(
          fc.oneof(
            { weight: 4, arbitrary: fc.constant('id="a"') },
            { weight: 1, arbitrary: fc.constantFrom('id="1"', '', 'id="a" id="b"', "id='ä'") },
          ),
          title,
          fc.array(word, { maxLength: 4 }),
          fc.option(amount, { nil: '' }),
        )
        .map(([id, one, words, two]) => `<note xmlns="urn:note" ${id}>${one}${words.join('')}${two}</note>`)
      let valid = 0
      await fc.assert(
        fc.asyncProperty(document, async generated => {
          const [one, other] = await verdicts(schema, generated)
          if (one) valid++
          expect(one).to.equal(other)
        }),
        { numRuns: 300 },
      )
      expect(valid).to.be.greaterThan(5)
    })
  })
})
