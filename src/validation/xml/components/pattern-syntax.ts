/** What is known about a pattern. */
export interface ReadPattern {
  /** Why it is no pattern of XML Schema. */
  readonly fault?: string
  /**
   * The pattern without sets that libxml2 misunderstands: `[a-z-[^a]]` is `[a]`, `[\d-z]` is `[\d\-z]`, and `[^a-]` is
   * `[^a\-]`. Empty if reading the pattern would end the engine.
   */
  readonly text: string
}

/**
 * Reads a pattern. What libxml2 refuses may pass; an escape of punctuation that XML Schema does not have, such as `\/`,
 * passes as it can mean nothing else.
 * @see https://www.w3.org/TR/xmlschema-2/#regexs
 */
export function readPattern(pattern: string): ReadPattern {
  const reader = new PatternReader(pattern)
  try {
    reader.readAll()
    return { text: reader.text }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { text: reader.isTooDeep ? '' : pattern, fault: error.message }
  }
}

type Range = readonly [first: number, last: number]

interface CharacterSet {
  /** Undefined if the set has classes such as `\d`. */
  readonly ranges: readonly Range[] | undefined
  readonly isNegative: boolean
  readonly subtracted: CharacterSet | undefined
}

const end = -1
/** Thousands of sets in each other exhaust the stack of the engine. */
const deepest = 100
const quantity = /\{(\d+)(?:(,)(\d*))?\}/y
const property = /\{([^{}]*)\}/y

class PatternReader {
  text = ''
  readonly #pattern: string
  #at = 0
  /** The position to which the text is written. */
  #written = 0
  #depth = 0
  get isTooDeep(): boolean {
    return this.#depth > deepest
  }

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** @throws SyntaxError with the fault */
  readAll(): void {
    this.#readAlternatives()
    if (this.#at < this.#pattern.length) throw new SyntaxError("it has a ')' without '('")
    this.text += this.#pattern.slice(this.#written)
  }

  #readAlternatives(): void {
    for (;;) {
      const next = this.#peek()
      if (next === '' || next === ')') return
      if (next === '|') this.#at++
      else this.#readPiece(next)
    }
  }
  #readPiece(first: string): void {
    const start = this.#at
    this.#at += first.length
    if (first === '(') {
      this.#readAlternatives()
      if (!this.#takes(')')) throw new SyntaxError("it has a '(' without ')'")
    } else if (first === '[') {
      const before = this.text + this.#pattern.slice(this.#written, start)
      const simple = simplified(this.#readSet())
      if (simple !== undefined) {
        this.text = before + simple
        this.#written = this.#at
      }
    } else if (first === '\\') this.#readEscape()
    else if ('?*+'.includes(first)) throw new SyntaxError(`'${first}' has nothing to repeat`)
    else if ('{}]'.includes(first))
      throw new SyntaxError(`the character '${first}' has to be written as '\\${first}'`)
    this.#readQuantifier()
  }
  #readQuantifier(): void {
    if (this.#takes('?') || this.#takes('*') || this.#takes('+') || this.#peek() !== '{') return
    const [whole, least = '', comma, most = ''] = this.#match(quantity)
    if (whole === undefined) throw new SyntaxError("'{' is not followed by a number or two, such as '{1,2}'")
    if (comma !== undefined && most !== '' && Number(most) < Number(least))
      throw new SyntaxError(`'${whole}' has a maximum below its minimum`)
  }

  /** Reads a set behind its first bracket. */
  #readSet(): CharacterSet {
    const isNegative = this.#takes('^')
    const ranges: Range[] = []
    let hasClass = false
    let subtracted: CharacterSet | undefined
    let last: 'range' | 'class' | 'character' | undefined
    while (!this.#takes(']')) {
      if (this.#pattern.startsWith('-[', this.#at) && last !== undefined) {
        this.#at += 2
        if (++this.#depth > deepest) throw new SyntaxError(`it has more than ${deepest} sets in each other`)
        subtracted = this.#readSet()
        this.#depth--
        if (!this.#takes(']')) throw new SyntaxError('a set that is subtracted is not the last of its set')
        return { ranges: hasClass ? undefined : ranges, isNegative, subtracted }
      }
      if (last === 'range' && /^-(?!\]|-\[)/.test(this.#pattern.slice(this.#at, this.#at + 3)))
        throw new SyntaxError("a '-' behind a range has to be written as '\\-'")
      // libxml2 overlooks a '-' behind a class, and takes one at the end of a negative set for permitted.
      const next = this.#pattern.slice(this.#at, this.#at + 3)
      const isOverlooked = last === 'class' && /^-(?!\]|-?\[)/.test(next)
      if (isOverlooked || (isNegative && last !== undefined && next.startsWith('-]'))) {
        this.text += `${this.#pattern.slice(this.#written, this.#at)}\\`
        this.#written = this.#at
      }
      const first = this.#readMember()
      const isRange =
        first !== end && this.#peek() === '-' && !/[[\]]/.test(this.#pattern.charAt(this.#at + 1))
      const until = isRange ? this.#readLimit() : first
      if (first > until) throw new SyntaxError('a range ends before it begins')
      if (first === end) hasClass = true
      else ranges.push([first, until])
      last = isRange ? 'range' : first === end ? 'class' : 'character'
    }
    if (last === undefined) throw new SyntaxError("'[]' is an empty set")
    return { ranges: hasClass ? undefined : ranges, isNegative, subtracted }
  }
  #readLimit(): number {
    this.#at++
    const limit = this.#readMember()
    if (limit === end) throw new SyntaxError('a range ends with a class of characters')
    return limit
  }
  /** Reads a character or a class of a set. @returns the character; -1 for a class */
  #readMember(): number {
    const character = this.#peek()
    if (character === '') throw new SyntaxError("it has a '[' without ']'")
    if (character === '[' || character === ']')
      throw new SyntaxError(`the character '${character}' has to be written as '\\${character}' in a set`)
    this.#at += character.length
    return character === '\\' ? this.#readEscape() : (character.codePointAt(0) ?? end)
  }

  /** Reads an escape behind its backslash. @returns the character; -1 for a class */
  #readEscape(): number {
    const character = this.#peek()
    this.#at += character.length
    const control = controls.get(character)
    if (control !== undefined) return control
    if (/^[sSiIcCdDwW]$/.test(character)) return end
    if (character === 'p' || character === 'P') {
      const [, name] = this.#match(property)
      if (name === undefined || !isProperty(name))
        throw new SyntaxError(`'\\${character}{${name ?? ''}}' is no category or block of characters`)
      return end
    }
    if (/^[\p{L}\p{Nd}]?$/u.test(character))
      throw new SyntaxError(`'\\${character}' is no escape of XML Schema`)
    return character.codePointAt(0) ?? end
  }

  #peek(): string {
    const code = this.#pattern.codePointAt(this.#at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }
  #takes(character: string): boolean {
    const isNext = this.#pattern.charAt(this.#at) === character
    if (isNext) this.#at++
    return isNext
  }
  #match(expression: RegExp): readonly (string | undefined)[] {
    expression.lastIndex = this.#at
    const match = expression.exec(this.#pattern) ?? []
    this.#at += match[0]?.length ?? 0
    return match
  }
}

const controls = new Map([
  ['n', 10],
  ['r', 13],
  ['t', 9],
])
const greatest = 0x10ffff

/** A set without subtractions, if it subtracts a complement or a set that subtracts itself; else undefined. */
function simplified(set: CharacterSet): string | undefined {
  if (!set.subtracted?.isNegative && !set.subtracted?.subtracted) return undefined
  const ranges = rangesOf(set)
  if (!ranges || ranges.length === 0) return undefined
  const isNegative = ranges.at(-1)?.[1] === greatest
  const written = (isNegative ? complementOf(ranges) : ranges).map(([first, last]) =>
    first === last ? writtenCharacter(first) : `${writtenCharacter(first)}-${writtenCharacter(last)}`,
  )
  return written.length === 0 ? undefined : `[${isNegative ? '^' : ''}${written.join('')}]`
}

function writtenCharacter(code: number): string {
  const [control] = [...controls].find(([, value]) => value === code) ?? []
  const character = control ?? String.fromCodePoint(code)
  return control !== undefined || '\\^-[]'.includes(character) ? `\\${character}` : character
}

/** The ranges of a set in ascending order; undefined if it has classes. */
function rangesOf({ ranges, isNegative, subtracted }: CharacterSet): readonly Range[] | undefined {
  const without = subtracted ? rangesOf(subtracted) : []
  if (!ranges || !without) return undefined
  const outside = isNegative ? ranges : complementOf(ranges)
  return complementOf([...outside, ...without])
}

/** The characters that are in none of the ranges, which may overlap. */
function complementOf(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = []
  let next = 0
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (first > next) found.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  if (next <= greatest) found.push([next, greatest])
  return found
}

function isProperty(name: string): boolean {
  if (name.startsWith('Is')) return blocks.has(name.slice(2))
  return /^(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/.test(name)
}

/** The blocks of XML Schema, and those of Unicode that the engine has. @see https://www.w3.org/TR/xmlschema-2/#dt-blockesc */
const blocks = new Set(
  (
    'AegeanNumbers AlphabeticPresentationForms Arabic ArabicPresentationForms-A ArabicPresentationForms-B Armenian ' +
    'Arrows BasicLatin Bengali BlockElements Bopomofo BopomofoExtended BoxDrawing BraillePatterns Buhid ' +
    'ByzantineMusicalSymbols CJKCompatibility CJKCompatibilityForms CJKCompatibilityIdeographs ' +
    'CJKCompatibilityIdeographsSupplement CJKRadicalsSupplement CJKSymbolsandPunctuation CJKUnifiedIdeographs ' +
    'CJKUnifiedIdeographsExtensionA CJKUnifiedIdeographsExtensionB Cherokee CombiningDiacriticalMarks ' +
    'CombiningDiacriticalMarksforSymbols CombiningHalfMarks CombiningMarksforSymbols ControlPictures CurrencySymbols ' +
    'CypriotSyllabary Cyrillic CyrillicSupplement Deseret Devanagari Dingbats EnclosedAlphanumerics ' +
    'EnclosedCJKLettersandMonths Ethiopic GeneralPunctuation GeometricShapes Georgian Gothic Greek GreekExtended ' +
    'GreekandCoptic Gujarati Gurmukhi HalfwidthandFullwidthForms HangulCompatibilityJamo HangulJamo HangulSyllables ' +
    'Hanunoo Hebrew HighPrivateUseSurrogates HighSurrogates Hiragana IPAExtensions IdeographicDescriptionCharacters ' +
    'Kanbun KangxiRadicals Kannada Katakana KatakanaPhoneticExtensions Khmer KhmerSymbols Lao Latin-1Supplement ' +
    'LatinExtended-A LatinExtended-B LatinExtendedAdditional LetterlikeSymbols Limbu LinearBIdeograms ' +
    'LinearBSyllabary LowSurrogates Malayalam MathematicalAlphanumericSymbols MathematicalOperators ' +
    'MiscellaneousMathematicalSymbols-A MiscellaneousMathematicalSymbols-B MiscellaneousSymbols ' +
    'MiscellaneousSymbolsandArrows MiscellaneousTechnical Mongolian MusicalSymbols Myanmar NumberForms Ogham ' +
    'OldItalic OpticalCharacterRecognition Oriya Osmanya PhoneticExtensions PrivateUse PrivateUseArea Runic Shavian ' +
    'Sinhala SmallFormVariants SpacingModifierLetters Specials SuperscriptsandSubscripts SupplementalArrows-A ' +
    'SupplementalArrows-B SupplementalMathematicalOperators SupplementaryPrivateUseArea-A ' +
    'SupplementaryPrivateUseArea-B Syriac Tagalog Tagbanwa Tags TaiLe TaiXuanJingSymbols Tamil Telugu Thaana Thai ' +
    'Tibetan Ugaritic UnifiedCanadianAboriginalSyllabics VariationSelectors VariationSelectorsSupplement YiRadicals ' +
    'YiSyllables YijingHexagramSymbols'
  ).split(' '),
)

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
