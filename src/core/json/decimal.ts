/*
 * Numbers of JSON texts as decimals of any length. Nothing here needs more memory than the text of the number: the
 * exponent stays a number, so `1e1000000000` is as cheap as `1`.
 */

/** The number ±digits × 10^exponent. */
export interface Decimal {
  readonly isNegative: boolean
  /** Digits without zeros at either end; empty for 0. */
  readonly digits: string
  readonly exponent: number
}

/** Limit of exponents. A larger one counts as this one, so that sums of exponents are exact. */
const maxExponent = 1e15

/** The decimal of a number of a JSON text. @see RFC 8259 §6 */
export function decimalOf(written: string): Decimal {
  const isNegative = written.startsWith('-')
  const mark = written.search(/[eE]/)
  const mantissa = written.slice(isNegative ? 1 : 0, mark < 0 ? undefined : mark)
  const point = mantissa.indexOf('.')
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  let [start, end] = [0, digits.length]
  while (end > 0 && digits.charAt(end - 1) === '0') end--
  while (start < end && digits.charAt(start) === '0') start++
  if (start === end) return zero
  const power = mark < 0 ? 0 : Number(written.slice(mark + 1))
  const shift = digits.length - end - (point < 0 ? 0 : mantissa.length - 1 - point)
  return {
    isNegative,
    digits: digits.slice(start, end),
    exponent: Math.max(-maxExponent, Math.min(maxExponent, power)) + shift,
  }
}

const zero: Decimal = { isNegative: false, digits: '', exponent: 0 }

/** A text that two numbers of JSON texts share exactly if they are equal: `1.0`, `1` and `10e-1` have the same. */
export function canonicalNumber(written: string): string {
  const { isNegative, digits, exponent } = decimalOf(written)
  return digits === '' ? '0' : `${isNegative ? '-' : ''}${digits}e${exponent}`
}

export function isWhole({ exponent }: Decimal): boolean {
  return exponent >= 0
}

/** Negative if `one` is less than `other`, 0 if they are equal, else positive. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const [sign, otherSign] = [signOf(one), signOf(other)]
  return sign === otherSign ? sign * compareSizes(one, other) : sign - otherSign
}

function signOf({ isNegative, digits }: Decimal): number {
  return digits === '' ? 0 : isNegative ? -1 : 1
}

/** Compares the absolute values of two decimals that are not 0. */
function compareSizes(one: Decimal, other: Decimal): number {
  const difference = one.exponent + one.digits.length - other.exponent - other.digits.length
  if (difference !== 0) return difference
  return one.digits === other.digits ? 0 : one.digits < other.digits ? -1 : 1
}

/** Says whether `one` is the product of `step` and a whole number. @param step not 0 */
export function isMultipleOf(one: Decimal, step: Decimal): boolean {
  if (one.digits === '') return true
  const power = one.exponent - step.exponent
  // The last digit of `one` is not 0, so a division by a power of ten leaves a fraction.
  if (power < 0) return false
  const divisor = BigInt(step.digits)
  return (remainder(one.digits, divisor) * powerOfTen(power, divisor)) % divisor === 0n
}

/** Digits that are converted at once. A conversion of all digits would take quadratic time. */
const chunkLength = 1000

function remainder(digits: string, divisor: bigint): bigint {
  let rest = 0n
  for (let start = 0; start < digits.length; start += chunkLength) {
    const chunk = digits.slice(start, start + chunkLength)
    rest = (rest * 10n ** BigInt(chunk.length) + BigInt(chunk)) % divisor
  }
  return rest
}

/** The remainder of 10^power, by repeated squaring. */
function powerOfTen(power: number, divisor: bigint): bigint {
  let result = 1n % divisor
  let square = 10n % divisor
  for (let left = power; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = (result * square) % divisor
    square = (square * square) % divisor
  }
  return result
}
