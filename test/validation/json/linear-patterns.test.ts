// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { compilePattern } from '../../../src/validation/json/linear-patterns.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { jsonSchemaBundle, utf8Bytes } from '../../support/data/schema-bundles.js'

/** Texts of these characters distinguish classes, assertions and line ends. */
const characters = [
  'a',
  'b',
  'Z',
  '_',
  '7',
  ' ',
  '\n',
  '\r',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '-',
  'é',
  'Ж',
  '😀',
  '\ud800',
  '\udfff',
  'K',
  'ſ',
  'İ',
  '\u0085',
  '\u180e',
  'α',
  '\u0345',
  '一',
  '٣',
  '\u{10ffff}',
]
const text = fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map(parts => parts.join(''))

const atom = fc.constantFrom(
  ...['a', 'b', 'Z', '_', '7', ' ', 'é', '😀', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\n'],
  ...[
    '[ab]',
    '[^ab]',
    '[a-z0-9_]',
    '[^\\s]',
    '[\\w-]',
    '[\\D]',
    '[^]',
    '[]',
    '[\\u{1F600}é]',
    '\\p{L}',
    '\\P{L}',
    '\\p{Script=Greek}',
    '\\p{scx=Grek}',
    '\\P{Script_Extensions=Latin}',
    '\\p{Nd}',
    '\\p{Cs}',
    '[^\\p{Cs}\\d]',
    '\\p{Emoji_Presentation}',
    '\\p{White_Space}',
    '\\P{Any}',
    '[\\P{Any}a]',
    '\\p{ASCII}',
    '\\p{Assigned}',
    '[\\ud7ff-\\ue000]',
    '[^\\ud800-\\udbff]',
  ],
  ...['[^\\p{Lu}7]', '\\u0061', '\\x62', '\\cJ', '^', '$', '\\b', '\\B', '(?:)'],
)
const counts = fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,3}', '{1,}', '*?', '+?')
const isAssertion = (piece: string) => /^(\^|\$|\\b|\\B)$/.test(piece)
const { pattern } = fc.letrec<{ pattern: string; sequence: string; piece: string }>(tie => ({
  pattern: fc
    .tuple(
      fc.constantFrom('', '^'),
      fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '$'),
    )
    .map(([start, choices, end]) => `${start}(?:${choices.join('|')})${end}`),
  sequence: fc.array(tie('piece'), { maxLength: 4 }).map(pieces => pieces.join('')),
  piece: fc
    .tuple(
      fc.oneof(
        { depthSize: 'small' },
        atom,
        tie('sequence').map(inner => `(${inner})`),
      ),
      counts,
    )
    .map(([piece, count]) => (isAssertion(piece) ? piece : piece + count)),
}))

describe('patterns of JSON Schema', () => {
  it('match like ECMAScript, with both engines', () => {
    fc.assert(
      fc.property(
        pattern,
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (source, texts, isLinear) => {
          const expected = new RegExp(source, 'u')
          // The linear engine runs a pattern with this number of choices. The added choice never matches.
          const given = isLinear ? `(?:${source})|\\b\\B(?:a*b*){99}` : source
          const compiled = compilePattern(given, true)
          for (const each of texts)
            expect(compiled.test(each), `${source} on ${JSON.stringify(each)}`).to.equal(expected.test(each))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('match like ECMAScript without the flag u, with both engines', () => {
    const units = atom.map(each => each.replace(/^\\u\{.*|^\[\\u\{.*/, 'u'))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(units, counts), { minLength: 1, maxLength: 5 }),
        fc.array(text, { minLength: 1, maxLength: 8 }),
        (pieces, texts) => {
          const source = pieces.map(([piece, count]) => (isAssertion(piece) ? piece : piece + count)).join('')
          const compiled = compilePattern(`(?:${source})|\\b\\B(?:a*b*){99}`, false)
          for (const each of texts)
            expect(compiled.test(each), `${source} on ${JSON.stringify(each)}`).to.equal(
              new RegExp(source).test(each),
            )
        },
      ),
      { numRuns: 200 },
    )
  })

  it('mean the same on a long text, with every kind of property', () => {
    const properties = [
      ...[
        'L',
        'Lu',
        'Letter',
        'gc=Nd',
        'General_Category=Decimal_Number',
        'Cn',
        'Co',
        'Cs',
        'Zs',
        'Sc',
        'Mn',
      ],
      ...['Script=Latin', 'sc=Greek', 'sc=Zyyy', 'Script_Extensions=Greek', 'scx=Deva', 'scx=Hani'],
      ...['Any', 'ASCII', 'Assigned', 'Alphabetic', 'ID_Start', 'XID_Continue', 'White_Space', 'Emoji'],
      ...['Uppercase', 'Ideographic', 'Noncharacter_Code_Point', 'Extended_Pictographic', 'ASCII_Hex_Digit'],
    ]
    // The characters are spread over all planes, and the ends of some ranges.
    const points = Array.from({ length: 360 }, (_, index) => index * 0xbff)
    const all = [
      ...points,
      0x7f,
      0x80,
      0x24f,
      0x250,
      0x36f,
      0x370,
      0x966,
      0xd800,
      0xdfff,
      0xe000,
      0xfffe,
      0x1f600,
    ]
    for (const property of properties) {
      const isMember = new RegExp(`^\\p{${property}}$`, 'u')
      const compiled = compilePattern(`^(?:\\p{${property}}+x?)+$`, true)
      const negated = compilePattern(`^(?:[^\\p{${property}}]+x?)+$`, true)
      const wrong = all.filter(point => {
        const character = String.fromCodePoint(point)
        const long = character.repeat(60)
        return compiled.test(long) === negated.test(long) || compiled.test(long) !== isMember.test(character)
      })
      expect(wrong, property).to.deep.equal([])
    }
  })

  it('match UTF-16 code units unless they are patterns of code points', () => {
    expect(compilePattern('^.{2}$', false).test('😀')).to.equal(true)
    expect(compilePattern('^.{2}$', true).test('😀')).to.equal(false)
    expect(compilePattern('^\\-(a+)+$', false).test(`-${'a'.repeat(1000)}!`)).to.equal(false)
  })

  describe('take linear time', () => {
    let validator: Validator
    before(() => {
      validator = openValidator({ workers: 1, timeLimit: 20_000 })
    })
    after(() => validator.close())

    for (const source of [
      '^(a+)+$',
      '^(a|aa)+$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '^(a?){50}a{50}$',
      'a+b',
      '^([a-zA-Z0-9._-]+)*@[a-z]+$',
      '^\\s+|\\s+$|^(\\S+\\s?)*!$',
      '^(?:\\p{L}+\\s?)+$',
    ]) {
      it(source, async () => {
        const findings = await validator.validate(
          jsonSchemaBundle({ pattern: source }),
          utf8Bytes(JSON.stringify(`${'a'.repeat(100_000)}\u0001`)),
        )
        expect(findings.map(({ message }) => message)).to.deep.equal([`must match pattern "${source}"`])
      })
    }
  })
})
