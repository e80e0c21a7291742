// test-schedule: quick
import { expect } from 'chai'
import { xsd } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const withPattern = (pattern: string) =>
  xsd(
    `<xs:element name="a"><xs:simpleType><xs:restriction base="xs:string">\n<xs:pattern value="${pattern}"/></xs:restriction></xs:simpleType></xs:element>`,
  )
const withAttributes = (attributes: string) =>
  `<xs:element name="a"><xs:complexType>${attributes}</xs:complexType></xs:element>`

describeForEngines('faults of schemas', ({ engine, judges, refusesSchema }) => {
  it('a pattern with another syntax is refused', async () => {
    const faulty = [
      ...[
        '{',
        '}',
        'a{',
        'a}',
        '{1}a',
        'a{,2}',
        'a{x}',
        '{5,6',
        '[]',
        'a[]b',
        ']',
        '[^]',
        '[a-f-[]]',
        '[a',
        '(a',
      ],
      ...[
        'a{2,1}',
        '(ab){2,0}',
        'a**',
        'a+{0,5}',
        'a*?',
        '(?:a)',
        '+a',
        '(*a)',
        'a)',
        '[a-c-1-4]',
        '[^a-d-b-c]',
      ],
      ...['\\u0041', '[\\u0041]', '\\x41', '\\b', '\\1', '\\A', '\\z', '[c-a]', '[a-\\d]', '[a[b]]', 'a\\'],
      ...[
        '\\p{IsFoo}',
        '\\p{Is}',
        '\\P{Is}',
        '[\\p{Isa}]',
        '\\p{Xx}',
        '\\p{Greek}',
        '\\p',
        '\\pL',
        '\\p{isGreek}',
      ],
    ]
    for (const pattern of faulty) await refusesSchema(withPattern(pattern))
  })

  it('the finding about a pattern has the pattern, the fault and the line', async () => {
    const [found] = await refusesSchema(withPattern('[0-9]{2,1}'))

    expect(found).to.include({ line: 2 })
    expect(found?.message).to.contain("'[0-9]{2,1}'").and.to.contain('minimum')
  })

  it('a finding has the pattern that was written, also if the engine got another form', async () => {
    const [found] = await refusesSchema(withPattern("[\\p{L}\\']+"))

    // The engine libxmljs2 does not say what is wrong.
    if (engine === 'libxml2-wasm') expect(found?.message).to.contain("'[\\p{L}\\']+'")
  })

  it('sets in each other, thousands of them, are a fault of the pattern', async () => {
    const found = await refusesSchema(withPattern(`${'[a-z-'.repeat(20_000)}[a]${']'.repeat(20_000)}`))

    expect(found.map(({ message }) => message.slice(-50))).to.deep.equal([
      'is no pattern: it has more than 100 sets in each other.'.slice(-50),
    ])
  })

  it('each pattern of XML Schema is accepted', async () => {
    const cases: readonly (readonly [pattern: string, matching: string[], others: string[]])[] = [
      ['a{2}b{0,}c{1,2}d{0}', ['aac', 'aabbcc'], ['ac']],
      ['\\{\\}\\[\\]', ['{}[]'], ['{}']],
      ['[{}|*+?().$]+', ['{}|*+?().$'], ['a']],
      ['[-a-c]|[a-c-]|[\\-a]', ['-', 'b'], ['d']],
      ['[a^]', ['^', 'a'], ['b']],
      ['[a-z--[b-z]]', ['a'], ['b']],
      ['|a|', ['', 'a'], ['b']],
      ['(|a)()', ['', 'a'], ['b']],
      ['[\\w-.]', ['.', '-', 'a'], ['*']],
      [
        '[^a-z0-9-]|[^-a]{2}|[^\\d\\s-]{3}|[^\\P{Lu}-]{4}',
        ['A', 'bc', 'x:y', 'ABCD'],
        ['-', 'a-', 'b-c', 'A-BC'],
      ],
      ['[a-z-[^b-]]|[^-]{2}', ['b', 'xx'], ['-', 'a', 'x-']],
      ['[^\\d-z]|[\\p{Lu}-a-c]{2}', ['x', 'A-'], ['-', 'z', '5']],
      ['[\\d-]|[\\w-[a]]|[\\.-/]', ['-', 'b', '/'], ['a']],
      ['\\p{IsBasicLatin}\\p{IsLatin-1Supplement}?\\p{IsCJKUnifiedIdeographs}*', ['aä', 'b書'], ['ä']],
      ['\\p{IsGreek}|\\p{IsGreekandCoptic}|\\p{Nd}|\\P{L}', ['α', '1'], ['a']],
      ['\u{20000}{2}', ['\u{20000}\u{20000}'], ['\u{20000}']],
    ]
    for (const [pattern, matching, others] of cases) {
      await judges(withPattern(pattern), {
        valid: matching.map(value => `<a>${value}</a>`),
        invalid: others.map(value => `<a>${value}</a>`),
      })
    }
  })

  it('a set minus a complement, or minus a set that subtracts, is what is left', async () => {
    const cases: readonly (readonly [pattern: string, matching: string[], others: string[]])[] = [
      ['[a-z-[^a]]', ['a'], ['b', 'A']],
      ['x[abcdef-[^bce]]+', ['xb', 'xce'], ['xa', 'x']],
      ['[a-z-[b-d-[c]]]', ['a', 'c', 'e'], ['b', 'd']],
      ['[^a-z-[^A-C]]', ['A', 'C'], ['a', 'D']],
      ['[a-z-[a-y-[a-x-[b]]]]', ['a', 'c', 'z'], ['b', 'y']],
      ['[\\-\\^\\]\\[-[^\\-\\]]]+', ['-]'], ['^', '[']],
      ['[\\n\\ta-[^\\n\\t]]', ['\n'], ['a']],
      ['[^a-[b-z-[c]]]', ['c', 'A'], ['a', 'b']],
    ]
    for (const [pattern, matching, others] of cases) {
      await judges(withPattern(pattern), {
        valid: matching.map(value => `<a>${value}</a>`),
        invalid: others.map(value => `<a>${value}</a>`),
      })
    }
  })

  it('a type has at most one attribute that is an ID, of whatever type derived from it', async () => {
    const key =
      '<xs:simpleType name="key"><xs:restriction base="xs:ID"/></xs:simpleType><xs:attribute name="g" type="key"/>'
    const group = '<xs:attributeGroup name="ids"><xs:attribute name="x" type="key"/></xs:attributeGroup>'
    const one = '<xs:attribute name="a" type="xs:ID"/>'
    await judges(xsd(key + withAttributes(`${one}<xs:attribute name="b" type="xs:IDREF"/>`)), {
      valid: ['<a a="x" b="x"/>'],
    })
    await judges(
      xsd(key + withAttributes('<xs:attribute ref="g"/><xs:attribute name="a" type="xs:NCName"/>')),
      {},
    )
    for (const second of [
      '<xs:attribute name="b" type="key"/>',
      '<xs:attribute ref="g"/>',
      '<xs:attributeGroup ref="ids"/>',
    ])
      await refusesSchema(xsd(key + group + withAttributes(one + second)))
    const base = `<xs:complexType name="B">${one}</xs:complexType>`
    const extended =
      '<xs:complexContent><xs:extension base="B"><xs:attribute name="b" type="key"/></xs:extension></xs:complexContent>'
    await refusesSchema(xsd(key + base + withAttributes(extended)))
  })

  it('an ID has no fixed or default value', async () => {
    const key = '<xs:simpleType name="key"><xs:restriction base="xs:ID"/></xs:simpleType>'
    for (const type of ['xs:ID', 'key']) {
      for (const value of ['default', 'fixed']) {
        await refusesSchema(xsd(`${key}<xs:attribute name="x" type="${type}" ${value}="a"/>`))
        await refusesSchema(xsd(`${key}<xs:element name="x" type="${type}" ${value}="a"/>`))
      }
    }
    await judges(xsd(`${key}<xs:attribute name="x" type="xs:IDREF" default="a"/>`), {})
  })

  it('a name that means nothing is refused in a particle that may not occur', async () => {
    const never = (name: string, more: string, content = '') =>
      xsd(
        `<xs:complexType name="T"/><xs:element name="e"/>${withAttributes(`<xs:sequence><xs:${name} ${more} minOccurs="0" maxOccurs="0">${content}</xs:${name}></xs:sequence>`)}`,
      )
    const inline = (type: string) =>
      `<xs:complexType><xs:simpleContent><xs:extension base="${type}"/></xs:simpleContent></xs:complexType>`
    await judges(never('element', 'name="x" type="T"'), { valid: ['<a/>'] })
    await judges(never('element', 'ref="e"'), { valid: ['<a/>'] })
    await judges(never('element', 'name="x"', inline('xs:int')), { valid: ['<a/>'] })
    for (const more of ['name="x" type="gone"', 'ref="T"', 'name="x" type="xs:gone"', 'name="x" type="p:T"'])
      await refusesSchema(never('element', more))
    await refusesSchema(never('group', 'ref="gone"'))
    await refusesSchema(never('element', 'name="x"', inline('gone')))
  })

  it('a reference to an attribute adds a value that its declaration permits', async () => {
    const declared =
      '<xs:attribute name="n" type="xs:int"/><xs:attribute name="f" type="xs:decimal" fixed="1.0"/>'
    await judges(
      xsd(
        declared + withAttributes('<xs:attribute ref="n" default="2"/><xs:attribute ref="f" fixed="1.00"/>'),
      ),
      { valid: ['<a n="3" f="1"/>'], invalid: ['<a f="2"/>'] },
    )
    for (const reference of [
      'ref="n" fixed="x"',
      'ref="n" default="x"',
      'ref="f" fixed="2.0"',
      'ref="f" default="1.0"',
    ])
      await refusesSchema(xsd(declared + withAttributes(`<xs:attribute ${reference}/>`)))
  })
})
