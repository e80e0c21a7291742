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
