import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { RE2JS, RE2JSException } from 're2js'
import { once } from '../../core/data-structures/lazy-value.js'

/** A compiled regular expression. */
export interface Pattern {
  test(text: string): boolean
}

/**
 * Limit of the steps of backtracking that a pattern may need in the worst case for V8 to run it. Beyond the limit, RE2
 * runs the pattern in linear time, which is slower for short texts.
 */
const maxSteps = 100_000

const parser = new RegExpParser()

/** Limit of the groups in each other. Thousands exhaust the stack of the parser. */
const maxDepth = 1000

/**
 * Compiles a pattern so that it runs in linear time if possible. RE2 cannot run look-around, back references and
 * repetitions of more than 1000: V8 runs such patterns, which may take exponential time.
 * @param isUnicode whether the pattern matches code points rather than UTF-16 code units
 * @throws SyntaxError for an invalid pattern of ECMAScript, and for one with more than {@link maxDepth} groups in each other
 */
export function compilePattern(source: string, isUnicode: boolean): Pattern {
  if (depthOf(source) > maxDepth)
    throw new SyntaxError(`The pattern has more than ${maxDepth} groups in each other.`)
  // regexp-time: V8 runs it only if the number of steps is small, or if no engine can run it in linear time.
  const native = new RegExp(source, isUnicode ? 'u' : '')
  const { alternatives } = parser.parsePattern(source, undefined, undefined, { unicode: isUnicode })
  const size = source.length
  /** Compiles the pattern for RE2 at the first text that needs it. @returns undefined if RE2 cannot run the pattern */
  const linearEngine = once(() => compileLinear(alternatives))

  return {
    test(text) {
      const steps = pathsOfSearch(alternatives, text.length) * (text.length + size)
      if (steps <= maxSteps || (!isUnicode && hasSurrogates(text))) return native.test(text)
      return linearEngine()?.test(text) ?? native.test(text)
    },
  }
}

function depthOf(pattern: string): number {
  let depth = 0
  let most = 0
  for (const [piece] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*|[()]/gs)) {
    if (piece === '(') depth++
    if (piece === ')') depth--
    most = Math.max(most, depth)
  }
  return most
}

/** Whether a text has surrogates. Without the flag u, ECMAScript matches the halves of a pair alone. RE2 does not. */
function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text)
}

/** An upper bound of the paths of backtracking through a text of this length. */
function pathsOfSearch(alternatives: readonly AST.Alternative[], length: number): number {
  const isAnchored = alternatives.every(
    ({ elements: [first] }) => first?.type === 'Assertion' && first.kind === 'start',
  )
  return pathsOfAlternatives(alternatives, length) * (isAnchored ? 1 : length + 1)
}

function pathsOfAlternatives(alternatives: readonly AST.Alternative[], length: number): number {
  let sum = 0
  for (const { elements } of alternatives) {
    let product = 1
    for (const element of elements) product *= pathsOf(element, length)
    sum += product
  }
  return sum
}

function pathsOf(element: AST.Element, length: number): number {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return pathsOfAlternatives(element.alternatives, length)
    case 'Quantifier': {
      const maxRepeats = Math.min(element.max, length + element.min)
      const ofOne = pathsOf(element.element, length)
      const counts = maxRepeats - element.min + 1
      return ofOne <= 1 ? Math.max(1, counts) : Math.max(1, counts) * ofOne ** maxRepeats
    }
    case 'Assertion':
      return 'alternatives' in element ? pathsOfAlternatives(element.alternatives, length) : 1
    default:
      return 1
  }
}

/** Compiles a pattern for RE2. @returns undefined if RE2 cannot run the pattern */
function compileLinear(alternatives: readonly AST.Alternative[]): RE2JS | undefined {
  try {
    return RE2JS.compile(alternativesText(alternatives))
  } catch (error) {
    if (error instanceof Untranslatable || error instanceof RE2JSException) return undefined
    throw error
  }
}

/** Thrown if RE2 does not support a part of the pattern. */
class Untranslatable extends Error {
  override readonly name = 'Untranslatable'
}

function alternativesText(alternatives: readonly AST.Alternative[]): string {
  return alternatives.map(({ elements }) => elements.map(elementText).join('')).join('|')
}

function elementText(element: AST.Element): string {
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      if (element.type === 'Group' && element.modifiers) throw new Untranslatable()
      return `(?:${alternativesText(element.alternatives)})`
    case 'Quantifier':
      return `(?:${elementText(element.element)})${countText(element)}`
    case 'Assertion':
      return assertionText(element)
    case 'Character':
      return characterText(element.value)
    case 'CharacterSet':
      return bracketed(setText(element), false)
    case 'CharacterClass':
      return classText(element)
    default:
      throw new Untranslatable()
  }
}

function countText({ min, max }: AST.Quantifier): string {
  return max === Number.POSITIVE_INFINITY ? `{${min},}` : `{${min},${max}}`
}

function assertionText(assertion: AST.Assertion): string {
  switch (assertion.kind) {
    case 'start':
      return '\\A'
    case 'end':
      return '\\z'
    case 'word':
      return assertion.negate ? '\\B' : '\\b'
    default:
      throw new Untranslatable()
  }
}

function characterText(value: number): string {
  // RE2 has no characters for halves of surrogate pairs.
  if (value >= 0xd800 && value <= 0xdfff) throw new Untranslatable()
  return `\\x{${value.toString(16)}}`
}

function classText(element: AST.CharacterClass): string {
  if (element.unicodeSets) throw new Untranslatable()
  const members = element.elements.map(member => {
    switch (member.type) {
      case 'Character':
        return characterText(member.value)
      case 'CharacterClassRange':
        return rangesText([[member.min.value, member.max.value]])
      case 'CharacterSet':
        return setText(member)
      default:
        throw new Untranslatable()
    }
  })
  return bracketed(members.join(''), element.negate)
}

/** A class. RE2 has no class without members. */
function bracketed(members: string, isNegated: boolean): string {
  if (members === '') return bracketed(rangesText([[0, lastCodePoint]]), !isNegated)
  return `[${isNegated ? '^' : ''}${members}]`
}

/** The text between the brackets of a class. */
function setText(set: AST.CharacterSet): string {
  switch (set.kind) {
    case 'any':
      return rangesText(complement(lineEnds))
    case 'digit':
      return rangesText(set.negate ? complement(digits) : digits)
    case 'space':
      return rangesText(set.negate ? complement(spaces) : spaces)
    case 'word':
      return rangesText(set.negate ? complement(wordCharacters) : wordCharacters)
    case 'property': {
      if (set.strings) throw new Untranslatable()
      const ranges = rangesOfProperty(set.value === null ? set.key : `${set.key}=${set.value}`)
      return rangesText(set.negate ? complement(ranges) : ranges)
    }
  }
}

type Range = readonly [first: number, last: number]
const lastCodePoint = 0x10ffff
const lineEnds: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]
const digits: readonly Range[] = [[0x30, 0x39]]
const wordCharacters: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]
/** White space and line ends. @see https://tc39.es/ecma262/#prod-CharacterClassEscape */
const spaces: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

const rangesByProperty = new Map<string, readonly Range[]>()

/**
 * The code points with a property. They are those of V8, because RE2 does not know all properties, and knows those of
 * another version of Unicode.
 * @param property as in a pattern: `Lu`, `Script=Greek`, `Emoji`
 */
function rangesOfProperty(property: string): readonly Range[] {
  const known = rangesByProperty.get(property)
  if (known) return known
  // regexp-time: linear, as it has one set of characters.
  const run = new RegExp(`\\p{${property}}+`, 'gu')
  const ranges: Range[] = []
  for (const [first, last] of [
    [0, 0xd7ff],
    [0xe000, 0xffff],
    [0x10000, lastCodePoint],
  ] as const) {
    const width = first > 0xffff ? 2 : 1
    for (const { 0: found, index } of textOf(first, last).matchAll(run)) {
      const start = first + index / width
      ranges.push([start, start + found.length / width - 1])
    }
    // Surrogates are characters only if they are alone, and all of them have the same properties.
    if (first === 0 && '\ud800'.search(run) === 0) ranges.push([0xd800, 0xdfff])
  }
  rangesByProperty.set(property, ranges)
  return ranges
}

/** The text of the code points of a range, either without or with surrogate pairs only. */
function textOf(first: number, last: number): string {
  const hasPairs = first > 0xffff
  const units = new Uint16Array((last - first + 1) * (hasPairs ? 2 : 1))
  for (let point = first, index = 0; point <= last; point++) {
    if (hasPairs) units[index++] = 0xd7c0 + (point >> 10)
    units[index++] = hasPairs ? 0xdc00 + (point & 0x3ff) : point
  }
  return Buffer.from(units.buffer).toString('utf16le')
}

/** The code points that are in none of the ranges. @param ranges in ascending order */
function complement(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = []
  let next = 0
  for (const [first, last] of ranges) {
    if (first > next) result.push([next, first - 1])
    next = last + 1
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint])
  return result
}

function rangesText(ranges: readonly Range[]): string {
  return ranges.map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`).join('')
}
