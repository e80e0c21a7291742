// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalNumber, compareDecimals, decimalOf, isMultipleOf } from '../../../src/core/json/decimal.js'
import { parseWrittenJson, WrittenNumber, writeJson } from '../../../src/core/json/written-number.js'
import { awkwardJson } from '../../support/data/awkward-json.js'

const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,25})$/)
const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.stringMatching(/^(\.[0-9]{1,25})?$/),
    fc.integer({ min: -40, max: 40 }),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction}${exponent === 0 ? '' : `e${exponent}`}`,
  )

/** The number × 10^100 as an integer, which is exact for the numbers above. */
function scaled(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(whole + fraction) * 10n ** BigInt(100 + Number(exponent) - fraction.length)
}

describe('numbers of JSON texts', () => {
  it('are compared as decimals', () => {
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const [left, right] = [scaled(one), scaled(other)]
        const order = left < right ? -1 : left > right ? 1 : 0

        expect(Math.sign(compareDecimals(decimalOf(one), decimalOf(other)))).to.equal(order)
        expect(canonicalNumber(one) === canonicalNumber(other)).to.equal(order === 0)
        if (right !== 0n) {
          expect(isMultipleOf(decimalOf(one), decimalOf(other))).to.equal(left % right === 0n)
          const product = `${left * 3n}e-100`
          expect(isMultipleOf(decimalOf(product), decimalOf(one))).to.equal(true)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('may have an exponent that no machine can write out', () => {
    const [huge, tiny] = ['1e1000000000', '1e-1000000000'].map(decimalOf) as [never, never]

    expect(compareDecimals(tiny, huge)).to.be.lessThan(0)
    expect(isMultipleOf(huge, decimalOf('0.5'))).to.equal(true)
    expect(isMultipleOf(huge, decimalOf('3'))).to.equal(false)
    expect(isMultipleOf(tiny, decimalOf('3'))).to.equal(false)
    expect(isMultipleOf(huge, tiny)).to.equal(true)
    expect(canonicalNumber('10e999999999')).to.equal(canonicalNumber('1e1000000000'))
  })

  it('are kept as written where no double holds them, and nowhere else', () => {
    const text =
      '[9007199254740993,1e400,-1e-400,0.1,1.50,1e23,9007199254740992,"1e400",{"1e400":12345678901234567890}]'
    const value = parseWrittenJson(text) as readonly unknown[]

    expect(value.map(item => item instanceof WrittenNumber)).to.deep.equal([
      ...[true, true, true, false, false, false, false, false, false],
    ])
    expect(writeJson(value)).to.equal(text.replace('1.50', '1.5').replace('1e23', '1e+23'))
    expect(writeJson(parseWrittenJson('-1e400'))).to.equal('-1e400')
    expect(JSON.parse(JSON.stringify(value))).to.deep.equal(JSON.parse(JSON.stringify(JSON.parse(text))))
  })

  it('do not change how other texts are parsed and written', () => {
    fc.assert(
      fc.property(awkwardJson, fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)

        expect(writeJson(parseWrittenJson(text), indent)).to.equal(text)
        const list = `[1e999,${text}]`
        expect(writeJson(parseWrittenJson(list))).to.equal(`[1e999,${JSON.stringify(value)}]`)
      }),
      { numRuns: 500 },
    )
  })
})
