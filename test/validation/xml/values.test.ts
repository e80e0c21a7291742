// test-schedule: quick
import { expect } from 'chai'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

/** A value of each type of dates, times and durations. */
const temporal: Readonly<Record<string, string>> = {
  date: '2021-03-04',
  dateTime: '2021-03-04T05:06:07',
  time: '05:06:07',
  gYear: '2021',
  gYearMonth: '2021-03',
  gMonth: '--03',
  gMonthDay: '--03-04',
  gDay: '---04',
  duration: 'P3D',
}

const restricted = (base: string, facets: string) =>
  `<xs:simpleType><xs:restriction base="xs:${base}">${facets}</xs:restriction></xs:simpleType>`
const attributeOf = (type: string, more = '') =>
  `<xs:complexType><xs:attribute name="x" type="xs:${type}"${more}/></xs:complexType>`

describeForEngines('values of XML Schema', ({ judges, findings }) => {
  for (const [type, value] of Object.entries(temporal)) {
    it(`xs:${type} permits white space around the value, in each place`, async () => {
      const bounds = `<xs:minInclusive value="${value}"/><xs:pattern value="[0-9PDT:\\-]+"/>`
      const declarations = [
        `<xs:element name="one" type="xs:${type}"/>`,
        `<xs:element name="listed">${restricted(type, `<xs:enumeration value="\n ${value} "/>`)}</xs:element>`,
        `<xs:element name="bounded">${restricted(type, bounds)}</xs:element>`,
        `<xs:element name="in">${attributeOf(type)}</xs:element>`,
        `<xs:element name="list"><xs:simpleType><xs:list itemType="xs:${type}"/></xs:simpleType></xs:element>`,
        `<xs:element name="union"><xs:simpleType><xs:union memberTypes="xs:${type} xs:boolean"/></xs:simpleType></xs:element>`,
        `<xs:element name="default" type="xs:${type}" default="\t${value} "/>`,
        `<xs:element name="fixed" type="xs:${type}" fixed="\n${value} "/>`,
        `<xs:element name="text" type="xs:string" fixed="${value}"/>`,
      ]
      const padded = [` ${value}`, `${value}\n`, `\t\n${value}\r\n`, `<!-- c --> ${value}<![CDATA[ ]]>`]
      const names = ['one', 'listed', 'bounded', 'list', 'union', 'default', 'fixed']
      await judges(xsd(declarations.join('\n')), {
        valid: [
          ...names.flatMap(name => padded.map(text => `<${name}>${text}</${name}>`)),
          `<in x=" ${value} "/>`,
          `<in x="\n${value}\t"/>`,
          `<in x='&#10;${value}&#9;'/>`,
          '<default/>',
          '<fixed/>',
          `<text>${value}</text>`,
        ],
        invalid: [
          `<one>${value} ${value}</one>`,
          `<one>\u00a0${value}</one>`,
          `<in x=" x${value}"/>`,
          `<text> ${value}</text>`,
        ],
      })
    })
  }

  it('the lines of other findings stay right when white space is passed over', async () => {
    const schema = xsd(
      `<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="day" type="xs:date"/><xs:element name="b">${attributeOf('gYear')}</xs:element><xs:element name="n" type="xs:int"/></xs:sequence></xs:complexType></xs:element>`,
    )
    const document = (number: string) =>
      `<?xml version="1.0"?>\n<a>\n<day>\n 2021-03-04 <!--\n-->\n</day>\n<b x="\n2021\n"/>\n<n>${number}</n></a>`

    const [first, ...others] = await findings(xsdBundle(schema), document('ten'))
    expect(first).to.include({ line: 10 })
    expect(first?.message).to.contain('ten')
    expect(others).to.deep.equal([])
    expect(await findings(xsdBundle(schema), document('10'))).to.deep.equal([])
  })

  it('very many values with white space around them take linear time', async () => {
    const day = '<day>\n2021-03-04 </day>'
    const schema = xsd(
      `<xs:element name="days"><xs:complexType><xs:sequence><xs:element name="day" type="xs:date" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`,
    )
    const days = (more: string) => `<days>${day.repeat(100_000)}${more}</days>`
    await judges(schema, { valid: [days('')], invalid: [days('</day>'), days('<day>2021-13-04</day>')] })
    const [found] = await findings(xsdBundle(schema), days('<day>\n2021-13-04</day>'))

    expect(found).to.include({ line: 100_001 })
  })

  it('very many fixed values in another form take linear time', async () => {
    const schema = xsd(
      '<xs:element name="all"><xs:complexType><xs:sequence><xs:element name="n" type="xs:decimal" fixed="1.0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>',
    )
    const numbers = (more: string) => `<all>${'<n>1.00</n>'.repeat(200_000)}${more}</all>`
    await judges(schema, { valid: [numbers('')], invalid: [numbers('<n>2</n>')] })
  })

  it('a fixed value is compared as a value', async () => {
    const cases: readonly (readonly [type: string, fixed: string, same: string[], other: string[]])[] = [
      ['decimal', '1.0', ['1.00', '1', '+1.0', ' 01 '], ['1.1', '']],
      ['boolean', 'true', ['1', ' true\n'], ['0', 'false']],
      ['integer', '7', ['07', '+7'], ['-7']],
      ['double', '1', ['1e0', '10E-1'], ['2']],
      ['dateTime', '2021-01-01T00:00:00Z', ['2021-01-01T01:00:00+01:00'], ['2021-01-01T00:00:00']],
      ['time', '10:00:00Z', ['11:00:00+01:00', ' 10:00:00.0Z'], ['10:00:00', '10:00:01Z']],
      ['duration', 'P1Y', ['P12M', 'P1Y0M'], ['P365D']],
      ['token', 'a b', [' a\n b '], ['ab']],
      ['NMTOKENS', 'a b', ['a\tb'], ['a']],
      ['hexBinary', '0a', ['0A'], ['0b']],
      ['base64Binary', 'AAAA', ['AA AA'], ['AAAB']],
      ['anyURI', 'a', [' a'], ['b']],
      ['QName', 'xs:a', ['y:a'], ['z:a', 'a']],
      ['string', 'a', ['a'], [' a', 'A']],
    ]
    const scope =
      'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:y="http://www.w3.org/2001/XMLSchema" xmlns:z="urn:z"'
    for (const [type, fixed, same, other] of cases) {
      const element = `<xs:element name="e" type="xs:${type}" fixed="${fixed}"/>`
      const complex = `<xs:element name="c" fixed="${fixed}"><xs:complexType><xs:simpleContent><xs:extension base="xs:${type}"/></xs:simpleContent></xs:complexType></xs:element>`
      const attribute = `<xs:element name="a">${attributeOf(type, ` fixed="${fixed}"`)}</xs:element>`
      const documents = (values: string[]) =>
        values.flatMap(value => [
          `<e ${scope}>${value}</e>`,
          `<c ${scope}>${value}</c>`,
          `<a ${scope} x="${value}"/>`,
        ])
      await judges(xsd(element + complex + attribute), {
        valid: [...documents([fixed, ...same]), `<e ${scope}/>`, '<a/>'],
        invalid: documents(other.filter(value => value !== '')),
      })
    }
  })

  it('a fixed list, a fixed union and a fixed name with another prefix are compared as values', async () => {
    const list = '<xs:simpleType><xs:list itemType="xs:decimal"/></xs:simpleType>'
    const union = '<xs:simpleType><xs:union memberTypes="xs:decimal xs:string"/></xs:simpleType>'
    await judges(
      xsd(
        `<xs:element name="l" fixed="1.0 2.0">${list}</xs:element><xs:element name="u" fixed="1.0">${union}</xs:element><xs:element name="q" type="xs:QName" fixed="p:n"/><xs:element name="m" fixed="x y"><xs:complexType mixed="true"/></xs:element>`,
        'xmlns:p="urn:p"',
      ),
      {
        valid: ['<l>1 2.00</l>', '<u>1</u>', '<q xmlns:r="urn:p">r:n</q>', '<m>x y</m>'],
        invalid: ['<l>1 3</l>', '<u>x</u>', '<m>x  y</m>'],
      },
    )
  })

  it('an enumeration is compared as values', async () => {
    const cases: readonly (readonly [type: string, listed: string, same: string[], other: string[]])[] = [
      ['decimal', '1.0', ['1', '1.00'], ['2']],
      ['float', '1.5', ['15e-1'], ['1']],
      ['dateTime', '2021-01-01T00:00:00Z', ['2020-12-31T24:00:00Z', '2021-01-01T02:00:00+02:00'], []],
      ['time', '10:00:00Z', ['11:00:00+01:00'], ['10:00:00+01:00']],
      ['date', '2021-01-01Z', ['2021-01-01+00:00', ' 2021-01-01Z'], ['2021-01-01+01:00']],
      ['hexBinary', 'ff', ['FF'], ['FE']],
    ]
    for (const [type, listed, same, other] of cases) {
      const schema = xsd(
        `<xs:element name="a">${restricted(type, `<xs:enumeration value="${listed}"/>`)}</xs:element>`,
      )
      await judges(schema, {
        valid: [listed, ...same].map(value => `<a>${value}</a>`),
        invalid: other.map(value => `<a>${value}</a>`),
      })
    }
  })

  it('xs:anyURI permits what is a reference after escaping', async () => {
    const schema = xsd(
      `<xs:element name="a" type="xs:anyURI"/><xs:element name="b">${attributeOf('anyURI')}</xs:element>`,
    )
    const references = [
      ...['a b', 'größe', 'http://example.org/ä b', '{x}', 'a|b', 'a^b', '', '?', '#', 'urn:x:y'],
      ...['http://example.org:80/#a', 'http://a:b:c/', 'git://user@host:a/b'],
    ]
    const documents = (texts: string[]) => texts.flatMap(text => [`<a>${text}</a>`, `<b x="${text}"/>`])
    await judges(
      xsd(
        '<xs:element name="l"><xs:simpleType><xs:list itemType="xs:anyURI"/></xs:simpleType></xs:element><xs:element name="u"><xs:simpleType><xs:union memberTypes="xs:int xs:anyURI"/></xs:simpleType></xs:element>',
      ),
      {
        valid: [
          '<l>http://a:b:c/ 1 x://y:z</l>',
          '<u>http://a:b:c/</u>',
          '<u>\nhttp://a:b:c/ </u>',
          '<u>1</u>',
        ],
        invalid: ['<l>http://a:b:c/ #a#b</l>', '<u>http://a:b:c/#a#b</u>', '<u>http://[a:b:c/</u>'],
      },
    )
    await judges(schema, { valid: documents(references), invalid: documents(['#a#b', '%zz', 'http://[::1']) })
  })

  it('a qualified name may have white space around it, in schemas and in xsi:type', async () => {
    const scope =
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
    await judges(xsd('<xs:element name="a" type="\nxs:decimal "/>'), {
      valid: ['<a>1</a>', `<a ${scope} xsi:type=" xs:int\n">1</a>`],
      invalid: ['<a>x</a>', `<a ${scope} xsi:type=" xs:int\n">1.5</a>`],
    })
  })

  it('a pattern means what it says, with each escape and each kind of set', async () => {
    const cases: readonly (readonly [pattern: string, matching: string[], others: string[]])[] = [
      ['[\\P{L}]', ['1', '*'], ['a']],
      ['[x\\P{L}]+', ['1x', 'x'], ['a']],
      ['[^\\P{L}]', ['a'], ['1']],
      ['[^x\\P{L}]', ['a'], ['1', 'x']],
      ['[\\P{Lu}-[0-9]]', ['a'], ['A', '1']],
      ['[\\P{IsBasicLatin}]', ['ä'], ['a']],
      ['\\P{Lu}', ['a'], ['A']],
      ['[a-z-[aeiou]]+', ['xyz'], ['a', 'A']],
      ['[\\i-[:]][\\c-[:]]*', ['ab-1'], ['a:b', '1']],
      ['[\\I\\C]', ['('], ['a']],
      ['\\p{IsBasicLatin}+', ['ab'], ['ä']],
      ['[\\w-[\\d]]', ['a'], ['1', '-']],
      ['[-a]+|[b-]+', ['-a', 'b-'], ['ab']],
      ['^a$', ['^a$'], ['a']],
      ['\\.\\?\\*\\+\\{\\}\\(\\)\\[\\]\\|\\-\\^', ['.?*+{}()[]|-^'], ['']],
      ['\\d+', ['1', '٣'], ['a']],
      ['[\\n\\t]', ['\n'], ['n']],
    ]
    for (const [pattern, matching, others] of cases) {
      const type = restricted('string', `<xs:pattern value="${pattern}"/>`)
      await judges(xsd(`<xs:element name="a">${type}</xs:element>`), {
        valid: matching.map(value => `<a>${value}</a>`),
        invalid: others.map(value => `<a>${value}</a>`),
      })
    }
  })

  it('a category of a pattern has all its characters: Chinese, Korean, for private use', async () => {
    const cases: readonly (readonly [pattern: string, matching: string[], others: string[]])[] = [
      ['\\p{L}+', ['書誌', '학교', 'aé'], ['1', '']],
      ['\\p{Lo}', ['書', '㐁', '학', '𠀁', '㐀', '鿿'], ['a', 'é']],
      ['\\P{L}', ['1', '\ue001'], ['書', '학', 'a']],
      ['[\\p{Lu}\\p{L}\\d-]+', ['書-1'], ['_']],
      ['[^\\p{L}]', ['1'], ['書', 'a']],
      ['[^\\P{L}]', ['書', 'a'], ['1']],
      ['[\\P{L}x]', ['1', 'x'], ['書', 'a']],
      ['[\\p{L}-[\\p{Lo}書a]]', ['b'], ['書', '학', 'a']],
      ['\\p{Co}|\\p{Nd}', ['\ue001', '1'], ['書']],
      ['\\\\p\\{L\\}', ['\\p{L}'], ['書']],
    ]
    for (const [pattern, matching, others] of cases) {
      const type = restricted('string', `<xs:pattern value="${pattern}"/>`)
      await judges(xsd(`<xs:element name="a">${type}</xs:element>`), {
        valid: matching.map(value => `<a>${value}</a>`),
        invalid: others.map(value => `<a>${value}</a>`),
      })
    }
  })

  it('findings have the pattern as it is written in the schema', async () => {
    const patterns = ['[x\\P{Lu}]', '\\p{L}+', '[a-z-[^b]]', '[\\P{L}&amp;]\\p{Lo}']
    for (const pattern of patterns) {
      const type = restricted('string', `<xs:pattern value="${pattern}"/>`)
      const schema = xsd(
        `<xs:element name="a"><xs:complexType><xs:simpleContent><xs:extension base="t"><xs:attribute name="b" type="t"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>${type.replace('>', ' name="t">')}`,
      )
      const found = await findings(xsdBundle(schema), '<a b="1 2">1 2</a>')
      const shown = found.filter(({ message }) => message.includes('pattern'))
      expect(shown).to.have.length(2)
      for (const { message } of shown) expect(message).to.contain(`'${pattern.replace('&amp;', '&')}'`)
    }
  })
})
