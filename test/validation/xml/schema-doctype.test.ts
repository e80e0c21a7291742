import { expect } from 'chai'
import fc from 'fast-check'
import { type FileText, utf8Bytes, utf16, xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const counting = xsd('<xs:element name="n" type="xs:integer"/>')

describeForEngines('the DOCTYPE of a schema file', ({ engine, validator }) => {
  async function expectVerdicts(schema: FileText, valid: string, invalid: string): Promise<void> {
    for (const bundle of [
      xsdBundle(schema),
      xsdBundle(xsd('<xs:include schemaLocation="x/part.xsd"/>'), { 'x/part.xsd': schema }),
    ]) {
      expect(await validator.check(bundle)).to.deep.equal([])
      expect(await validator.validate(bundle, utf8Bytes(valid))).to.deep.equal([])
      expect(await validator.validate(bundle, utf8Bytes(invalid))).to.have.length.greaterThan(0)
    }
  }
  const finding = async (schema: FileText) => (await validator.check(xsdBundle(schema)))[0]

  const skipped = {
    'an external subset': '<!DOCTYPE xs:schema SYSTEM "http://127.0.0.1:9/a.dtd">',
    'a public one': '<!DOCTYPE xs:schema PUBLIC "-//X//DTD Y//EN" \'http://127.0.0.1:9/a.dtd\' >',
    'an internal subset': `<!-- <!DOCTYPE x> -->
<!DOCTYPE xs:schema [
  <!-- ]> "quotes' -->
  <!ENTITY % names PUBLIC "-//W3C//ENTITIES Latin 1 for XHTML//EN" "names.ent">
  %names;
  <!ENTITY copy "&#169; ]>"> <!ENTITY logo SYSTEM 'logo.gif' NDATA gif>
  <!ELEMENT p (#PCDATA|b)*> <!NOTATION gif SYSTEM "gif">
  <?tool ]> ?>
  <!ATTLIST xs:schema version CDATA #IMPLIED kind (a|b) #IMPLIED form NOTATION (gif) #REQUIRED>
]>`,
  }
  for (const [what, doctype] of Object.entries(skipped)) {
    it(`is skipped if it has ${what} that nothing uses`, async () => {
      const text = `<?xml version="1.0"?>\n${doctype}\n${counting}`
      await expectVerdicts(text, '<n>1</n>', '<n>x</n>')
      await expectVerdicts(utf16(text), '<n>1</n>', '<n>x</n>')
    })
  }

  it('may declare entities of literal text, which count in attributes and content', async () => {
    const subset = `<!DOCTYPE xs:schema [
        <!ENTITY base "urn:b"> <!ENTITY kind "&base;/kind&#47;1"> <!ENTITY base "urn:ignored">
        <!ENTITY both '&lt;&amp;&#38;&#39;"&gt;'> <!ENTITY lt "&#38;#60;">
      ]>`
    const schema = `${subset}${xsd(
      '<xs:annotation><xs:documentation>&both; <![CDATA[&none;]]><!-- &none; --><?x &none;?></xs:documentation></xs:annotation><xs:element name="n"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="&kind;"/><xs:enumeration value="&both;"/></xs:restriction></xs:simpleType></xs:element>',
      'targetNamespace="&base;"',
    )}`
    const bundle = xsdBundle(schema)
    const verdict = async (text: string) =>
      (await validator.validate(bundle, utf8Bytes(`<n xmlns="urn:b">${text}</n>`))).length
    expect(await validator.check(bundle)).to.deep.equal([])
    expect(await verdict('urn:b/kind/1')).to.equal(0)
    expect(await verdict('&lt;&amp;&amp;\'"&gt;')).to.equal(0)
    expect(await verdict('&amp;base;/kind/1')).to.equal(1)
  })

  it('may give the root element attributes by default', async () => {
    const root = xsd(
      '<xs:element name="n" type="d:n"/><xs:simpleType name="n"><xs:restriction base="xs:integer"/></xs:simpleType>',
    )
    const subset =
      '<!DOCTYPE xs:schema [<!ENTITY d "urn:d"><!ATTLIST xs:schema xmlns:d CDATA #FIXED "&d;" targetNamespace CDATA "&d;">]>'
    const bundle = xsdBundle(`${subset}${root}`)
    expect(await validator.check(bundle)).to.deep.equal([])
    expect(await validator.validate(bundle, utf8Bytes('<n xmlns="urn:d">1</n>'))).to.deep.equal([])
    expect(await validator.validate(bundle, utf8Bytes('<n>1</n>'))).to.have.length(1)
  })

  const used: Readonly<Record<string, readonly [subset: string, says: string, content?: string]>> = {
    'an external entity': ['<!ENTITY e SYSTEM "e.ent">', 'declared in line 2 as an external one'],
    'an entity that it does not declare': ['', 'does not declare'],
    'an entity of a file that it names': ['<!ENTITY % m SYSTEM "m.ent"> %m;', 'does not declare'],
    'an entity with a tag': ['<!ENTITY e "<b/>">', 'with a tag'],
    'an entity that contains itself': ['<!ENTITY e "&f;"> <!ENTITY f "&e;">', 'contains itself'],
    'an entity that grows': [
      `<!ENTITY e "&e20;">${Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`).join('')}<!ENTITY e0 "ha">`,
      'longer than',
    ],
    'a default below the root': [
      '<!ATTLIST xs:element form CDATA "qualified">',
      'gives each element xs:element',
      '',
    ],
  }
  for (const [what, [subset, says, content = '&e;']] of Object.entries(used)) {
    it(`is refused, with the line, if the schema uses ${what}`, async () => {
      const found = await finding(
        `<!DOCTYPE xs:schema [\n${subset}\n]>\n${xsd(`<xs:annotation>\n<xs:documentation>${content}</xs:documentation></xs:annotation><xs:element name="n"/>`)}`,
      )
      expect(found?.message).to.contain(says)
      expect(found?.line).to.equal(content === '' ? 2 : 5)
    })
  }

  it('keeps the line numbers of the file', async () => {
    const found = await finding(
      `<!DOCTYPE xs:schema [\n\n<!ENTITY e "a\nb">\r\n]>\n${xsd('<xs:annotation><xs:documentation>&e;</xs:documentation></xs:annotation>\n<xs:element name="n" type="nothing"/>')}`,
    )
    // The second engine does not say where a schema is wrong.
    expect(found?.line).to.equal(engine === 'libxmljs2' ? undefined : 7)
  })

  it('is refused if it does not end', async () => {
    for (const text of [
      '<!DOCTYPE',
      '<!DOCTYPE a',
      '<!DOCTYPE a [',
      '<!DOCTYPE a [<!ENTITY x "',
      '<!DOCTYPE a [%x',
      '<!DOCTYPE a [x]>',
      '<!DOCTYPE a [<!-- ',
    ]) {
      expect(await finding(`${text}${counting}`), text).to.have.property('line', 1)
    }
  })

  it('never changes what is written without entities', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z<>&;"'[\]!% -]{0,30}$/), async text => {
        const literal = `"${text.replace(/["%&<]/g, '')}"`
        const schema = `<!DOCTYPE xs:schema [<!ENTITY e ${literal}><!-- ${text.replace(/-/g, '')} -->]>${counting}`
        expect(await validator.check(xsdBundle(schema))).to.deep.equal([])
      }),
      { numRuns: 60 },
    )
  })
})
