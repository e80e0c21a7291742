/**
 * Writes a pattern so that no set of characters contains a complement such as `\P{Lu}`, whose sign libxml2 overlooks
 * there: `[x\P{Lu}]` becomes `([x]|[^\p{Lu}])`.
 * @returns the same pattern if there is nothing to write differently
 * @see https://www.w3.org/TR/xmlschema-2/#regexs
 */
export function withoutComplements(pattern: string): string {
  if (!pattern.includes('\\P')) return pattern
  let result = ''
  let index = 0
  while (index < pattern.length) {
    const end = pattern.charAt(index) === '[' ? endOfSet(pattern, index) : endOfAtom(pattern, index)
    const piece = pattern.slice(index, end)
    result += piece.startsWith('[') ? writtenSet(piece) : piece
    index = end
  }
  return result
}

function endOfAtom(pattern: string, index: number): number {
  return pattern.charAt(index) === '\\' ? index + 2 : index + 1
}

/** The position after the bracket that closes a set. */
function endOfSet(pattern: string, start: number): number {
  let depth = 0
  for (let index = start; index < pattern.length; index = endOfAtom(pattern, index)) {
    const character = pattern.charAt(index)
    if (character === '[') depth++
    if (character === ']') depth--
    if (depth === 0) return index + 1
  }
  return pattern.length
}

function writtenSet(set: string): string {
  const subtraction = startOfSubtraction(set)
  const isNegative = set.charAt(1) === '^'
  const members = set.slice(isNegative ? 2 : 1, subtraction ?? -1)
  const without = subtraction === undefined ? '' : set.slice(subtraction, -1)
  const complements = [...members.matchAll(/\\P(\{[^{}]*\})/g)].map(match => `\\p${match[1]}`)
  const others = members.replace(/\\P\{[^{}]*\}/g, '')
  // The engine refuses a range to a complement.
  if (/-\\P/.test(members)) return set
  if (complements.length === 0 || without.includes('\\P')) return set
  if (!isNegative) {
    const sets = complements.map(each => `[^${each}${without}]`)
    return `(${[...(others === '' ? [] : [`[${others}${without}]`]), ...sets].join('|')})`
  }
  // What is in neither: the characters of the only complement without the others.
  const isSimple = complements.length === 1 && without === ''
  if (!isSimple) return set
  return others === '' ? `[${complements[0]}]` : `[${complements[0]}-[${others}]]`
}

/** The position of the hyphen before an inner set. */
function startOfSubtraction(set: string): number | undefined {
  for (let index = 1; index < set.length; index = endOfAtom(set, index)) {
    if (set.startsWith('-[', index)) return index
  }
  return undefined
}

const ideographs =
  '\u{3400}-\u{4dbf}\u{4e00}-\u{9fff}\u{ac00}-\u{d7a3}\u{20000}-\u{2a6df}\u{2a700}-\u{2ebe0}\u{30000}-\u{323af}'
const privateUse = '\u{e000}-\u{f8ff}\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}'

/** The ranges of which the tables of libxml2 have only the first and the last character. */
const missing: Readonly<Record<string, string>> = {
  L: ideographs,
  Lo: ideographs,
  C: privateUse,
  Co: privateUse,
}

/**
 * Adds to each category of characters the ranges that libxml2 does not count among it: Chinese characters and Korean
 * syllables to `\p{L}` and `\p{Lo}`, characters for private use to `\p{C}` and `\p{Co}`.
 * @param pattern without complements in sets: see {@link withoutComplements}
 * @see https://www.unicode.org/reports/tr44/#Code_Point_Ranges
 */
export function withWholeCategories(pattern: string): string {
  let depth = 0
  return pattern.replace(
    /\\([pP])\{(Lo?|Co?)\}|\\?./gsu,
    (piece, sign: string | undefined, category = '') => {
      if (piece === '[') depth++
      if (piece === ']') depth--
      if (sign === undefined) return piece
      const members = `\\p{${category}}${missing[category] ?? ''}`
      if (depth > 0) return sign === 'p' ? members : piece
      return sign === 'p' ? `[${members}]` : `[^${members}]`
    },
  )
}
