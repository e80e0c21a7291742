// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { xsd, xsdBundle } from '../../support/data/schema-bundles.js'
import { describeForEngines } from '../../support/data/xml-engines.js'

const type = (name: string, content: string) => `<xs:complexType name="${name}">${content}</xs:complexType>`
const restriction = (name: string, base: string, content: string) =>
  type(
    name,
    `<xs:complexContent><xs:restriction base="${base}">${content}</xs:restriction></xs:complexContent>`,
  )
const extension = (name: string, base: string, content: string) =>
  type(name, `<xs:complexContent><xs:extension base="${base}">${content}</xs:extension></xs:complexContent>`)
const sequence = (content: string, more = '') => `<xs:sequence ${more}>${content}</xs:sequence>`
const choice = (content: string, more = '') => `<xs:choice ${more}>${content}</xs:choice>`
const all = (content: string) => `<xs:all>${content}</xs:all>`
const element = (name: string, more = '') => `<xs:element name="${name}" ${more}/>`
const any = (namespace: string, more = '') =>
  `<xs:any namespace="${namespace}" processContents="skip" ${more}/>`
const times = (least: number, most: number | 'unbounded') => `minOccurs="${least}" maxOccurs="${most}"`
const [a, b, c] = [element('a'), element('b'), element('c')]

const globals =
  '<xs:element name="head" abstract="true"/><xs:element name="one" substitutionGroup="head"/><xs:element name="two" substitutionGroup="one"/><xs:element name="three" substitutionGroup="head"/>' +
  `<xs:group name="g">${sequence(a + element('b', 'minOccurs="0"'))}</xs:group>` +
  type('Long', sequence(a)) +
  restriction('Short', 'Long', sequence(a)) +
  extension('Longer', 'Long', sequence(b)) +
  '<xs:simpleType name="Digit"><xs:restriction base="xs:int"><xs:maxInclusive value="9"/></xs:restriction></xs:simpleType>' +
  '<xs:simpleType name="Either"><xs:union memberTypes="xs:date xs:int"/></xs:simpleType>'
const pair = (base: string, own: string) =>
  xsd(globals + type('B', base) + restriction('R', 'B', own), 'xmlns:t="urn:t"')

describeForEngines('the content of a restriction', ({ judges, refusesSchema, validator }) => {
  const permitted: readonly (readonly [title: string, base: string, own: string])[] = [
    ['fewer occurrences', sequence(element('a', times(0, 'unbounded'))), sequence(element('a', times(2, 5)))],
    ['an omitted element', sequence(a + element('b', 'minOccurs="0"') + c), sequence(a + c)],
    ['nothing', sequence(element('a', 'minOccurs="0"')), ''],
    ['a part of a choice', choice(a + b + c), choice(a + c)],
    ['an element of a choice', choice(a + b), sequence(a)],
    ['a sequence of a repeated choice', choice(a + b, times(0, 'unbounded')), sequence(a + b + a)],
    ['the order of an all-group', all(a + element('b', 'minOccurs="0"') + c), sequence(c + a)],
    ['an all-group of an all-group', all(a + element('b', 'minOccurs="0"') + c), all(c + a)],
    ['elements for wildcards', sequence(any('##any', times(1, 3))), sequence(a + b)],
    ['a narrower wildcard', sequence(any('##any', times(0, 3))), sequence(any('urn:x urn:y', times(0, 2)))],
    ['##other for ##any', sequence(any('##any')), sequence(any('##other'))],
    ['a substitute', sequence('<xs:element ref="head"/>'), sequence('<xs:element ref="two"/>')],
    [
      'substitutes',
      sequence('<xs:element ref="head" maxOccurs="2"/>'),
      choice('<xs:element ref="three"/><xs:element ref="two"/>'),
    ],
    ['a group', sequence('<xs:group ref="g" maxOccurs="2"/>'), sequence(`<xs:group ref="g"/>${a}`)],
    ['another form', sequence(sequence(a) + sequence(b)), sequence(choice(a) + b)],
    ['a restricted type', sequence(element('a', 'type="Long"')), sequence(element('a', 'type="Short"'))],
    [
      'a restricted simple type',
      sequence(element('a', 'type="xs:integer"')),
      sequence(element('a', 'type="Digit"')),
    ],
    ['a type of a union', sequence(element('a', 'type="Either"')), sequence(element('a', 'type="Digit"'))],
    ['a type for any type', sequence(a), sequence(element('a', 'type="Longer" nillable="false"'))],
    [
      'xs:anySimpleType',
      sequence(element('a', 'type="xs:anySimpleType"')),
      sequence(element('a', 'type="xs:IDREFS"')),
    ],
    [
      'an equal fixed value',
      sequence(element('a', 'type="xs:decimal" fixed="1.0"')),
      sequence(element('a', 'type="xs:decimal" fixed="1"')),
    ],
    [
      'a further fixed value',
      sequence(element('a', 'type="xs:int" nillable="true"')),
      sequence(element('a', 'type="xs:int" fixed="1"')),
    ],
  ]
  it('may be what the restricted type permits', async () => {
    for (const [, base, own] of permitted) await judges(pair(base, own), {})
  })

  const faulty: readonly (readonly [title: string, base: string, own: string, words: string])[] = [
    [
      'more occurrences',
      sequence(element('a', 'maxOccurs="2"')),
      sequence(element('a', 'maxOccurs="3"')),
      '{}a, {}a, {}a',
    ],
    ['unbounded', sequence(element('a', times(0, 5))), sequence(element('a', times(0, 'unbounded'))), '{}a'],
    [
      'too few',
      sequence(element('a', times(2, 4))),
      sequence(element('a', times(1, 4))),
      'the elements {}a,',
    ],
    ['an omitted element that is needed', sequence(a + b), sequence(a), 'the elements {}a,'],
    ['nothing', sequence(a), '', "'R'"],
    ['another order', sequence(a + b), sequence(b + a), '{}b, {}a'],
    ['a sequence of a choice', choice(a + b), sequence(a + b), '{}a, {}b'],
    ['a choice of a sequence', sequence(a + b), choice(a + b), '{}a'],
    ['a repetition of an all-group', all(a + b), sequence(a + b + a), '{}a, {}b, {}a'],
    ['an all-group of a sequence', sequence(a + b), all(a + b), '{}b, {}a'],
    ['too many for a wildcard', sequence(any('##any', times(0, 2))), sequence(a + b + c), '{}a, {}b, {}c'],
    ['a wildcard for elements', sequence(a), sequence(any('##any')), '{'],
    ['another namespace', sequence(any('urn:x')), sequence(any('urn:y')), '{urn:y}*'],
    ['a wider wildcard', sequence(any('##other')), sequence(any('##any')), '{'],
    [
      'a head for its substitutes',
      choice('<xs:element ref="two"/><xs:element ref="three"/>'),
      choice('<xs:element ref="three"/><xs:element ref="two"/>', 'minOccurs="0"'),
      'no element',
    ],
    [
      'a type that is no restriction',
      sequence(element('a', 'type="Short"')),
      sequence(element('a', 'type="Long"')),
      'type',
    ],
    [
      'an extended type',
      sequence(element('a', 'type="Long"')),
      sequence(element('a', 'type="Longer"')),
      'type',
    ],
    [
      'another simple type',
      sequence(element('a', 'type="xs:int"')),
      sequence(element('a', 'type="xs:string"')),
      'type',
    ],
    ['any type', sequence(element('a', 'type="xs:int"')), sequence(a), 'type'],
    [
      'nil',
      sequence(element('a', 'type="xs:int"')),
      sequence(element('a', 'type="xs:int" nillable="true"')),
      'nil',
    ],
    [
      'another fixed value',
      sequence(element('a', 'type="xs:int" fixed="1"')),
      sequence(element('a', 'type="xs:int" fixed="2"')),
      "'1'",
    ],
    [
      'no fixed value',
      sequence(element('a', 'type="xs:int" fixed="1"')),
      sequence(element('a', 'type="xs:int"')),
      "'1'",
    ],
  ]
  it('may not be what the restricted type does not permit, and the finding has an example', async () => {
    for (const [title, base, own, words] of faulty) {
      const found = await refusesSchema(pair(base, own))
      if ('line' in (found[0] ?? {})) expect(found[0]?.message, title).to.contain(words)
    }
  })

  it('is compared with the whole content of an extended type', async () => {
    const extended = type('A', sequence(a)) + extension('B', 'A', sequence(element('b', 'minOccurs="0"')))
    await judges(xsd(extended + restriction('R', 'B', sequence(a))), {})
    await judges(
      xsd(extended + restriction('R', 'B', sequence(a + b)) + restriction('S', 'R', sequence(a + b))),
      {},
    )
    await refusesSchema(xsd(extended + restriction('R', 'B', sequence(b))))
    await refusesSchema(
      xsd(extended + restriction('R', 'B', sequence(a + b)) + restriction('S', 'R', sequence(a))),
    )
  })

  it('has no wildcard that is less strict', async () => {
    const wildcard = (process: string) => sequence(`<xs:any processContents="${process}"/>`)
    await judges(pair(wildcard('skip'), wildcard('lax')), {})
    await judges(pair(wildcard('lax'), wildcard('strict')), {})
    await judges(xsd(restriction('R', 'xs:anyType', wildcard('skip'))), {})
    await refusesSchema(pair(wildcard('strict'), wildcard('lax')))
    await refusesSchema(pair(sequence('<xs:any/>'), wildcard('skip')))
  })

  it('is not compared where it is too large, and then takes no time', async () => {
    const large = (most: number) => sequence(element('a', times(0, most)) + element('b', times(0, most)))
    await judges(pair(large(100_000), large(100_001)), {})
    const many = Array.from({ length: 20 }, (_, index) => element(`e${index}`, 'minOccurs="0"')).join('')
    await judges(pair(all(many), all(many)), {})
  })

  it('is a restriction of itself and of each wider content', async () => {
    const occurrences = fc.constantFrom('', times(0, 1), times(0, 'unbounded'), times(1, 2), times(2, 2))
    const { particle } = fc.letrec<{ particle: string }>(tie => ({
      particle: fc.oneof(
        { maxDepth: 3 },
        fc.tuple(fc.nat(1_000_000), occurrences).map(([id, more]) => element(`e${id}`, more)),
        fc
          .tuple(fc.boolean(), fc.array(tie('particle'), { minLength: 1, maxLength: 3 }), occurrences)
          .map(([isChoice, parts, more]) => (isChoice ? choice : sequence)(parts.join(''), more)),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(particle, async content => {
        for (const wide of [sequence(content), sequence(content, times(0, 'unbounded'))]) {
          const found = await validator.check(xsdBundle(pair(wide, sequence(content))))
          // The engine refuses contents in which it cannot tell which particle an element belongs to.
          const faults = found.filter(({ message }) => message.includes('the restricted type'))
          expect(faults, wide).to.deep.equal([])
        }
      }),
      { numRuns: 40 },
    )
  })
})
