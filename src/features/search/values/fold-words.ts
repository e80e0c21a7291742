import type { DeclaredField } from '../../../core/records/record.js'
import { rangeNumber } from '../range-bounds.js'

/** Longest indexed word, in UTF-16 units. Longer words are cut. */
const maxWordLength = 100

const asciiOnly = /^[\0-\x7f]*$/
const asciiWord = /[a-z0-9]+/g
/** A word of letters and digits. Marks (accents as characters of their own) belong to the letter before them. */
const word = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{Co}\p{M}]*/gu
const marks = /\p{M}+/gu

/** A word in a text. */
export interface FoundWord {
  readonly word: string
  /** Where the word begins in the text, in UTF-16 units. */
  readonly start: number
  readonly end: number
}

/**
 * The words of a text as the index has them: lower case, without accents. Queries and highlights use the same function,
 * so that the index needs no tokenizer that does this.
 */
export function foldedWords(text: string): readonly string[] {
  if (asciiOnly.test(text))
    return (text.toLowerCase().match(asciiWord) ?? []).map(found => found.slice(0, maxWordLength))
  return (text.match(word) ?? []).map(foldWord).filter(found => found !== '')
}

/** A text from which the tokenizer of the index makes {@link foldedWords}: it lowers the case of ASCII letters. */
export function tokenizedText(text: string): string {
  // The tokenizer takes tildes for letters, and cuts no word.
  const isAlike = text.length <= maxWordLength && asciiOnly.test(text)
  return isAlike && !text.includes('~') && !text.includes('\0') ? text : foldedWords(text).join(' ')
}

/**
 * Whether a text may have all of these words, which are in lower case. It is much quicker than to split the text into
 * words, and most texts of a document have none of the words that a query asks for.
 */
export function mayHaveWords(text: string, words: readonly string[]): boolean {
  if (!asciiOnly.test(text)) return true
  const lower = text.toLowerCase()
  return words.every(each => lower.includes(each))
}

/** The words of a text with their positions. */
export function* wordsIn(text: string): Generator<FoundWord, void> {
  for (const found of text.matchAll(word)) {
    const folded = foldWord(found[0])
    if (folded !== '') yield { word: folded, start: found.index, end: found.index + found[0].length }
  }
}

function foldWord(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(marks, '').replaceAll('ς', 'σ').slice(0, maxWordLength)
}

/** Longest indexed value, in UTF-16 units. Longer values are cut. */
const maxValueLength = 300

/** SQLite returns a text only up to its first NUL character. @see https://www.sqlite.org/nulinstr.html */
const withoutNul = (text: string) => text.replaceAll('\0', ' ')

/** The form of a whole value in comparisons: in lower case, without white space at its ends. */
export function foldValue(text: string): string {
  return withoutNul(text).trim().normalize('NFC').toLowerCase().slice(0, maxValueLength)
}

/** Longest value that facets show, in characters. */
const maxShownLength = 300

/**
 * A value of a declared path as facets show it. Numbers have one form, however documents write them: `1e3` is `1000`.
 * Dates, and texts at a path for numbers that are no numbers, are shown as they are written.
 */
export function shownValue(text: string, as: DeclaredField['as']): string {
  const number = as === 'number' ? rangeNumber(text, as, 'from') : undefined
  return number === undefined
    ? withoutNul(text).trim().slice(0, maxShownLength)
    : String(number === 0 ? 0 : number)
}

/** The form in which values of a declared path are compared. Facets count values with different forms separately. */
export function comparedValue(text: string, as: DeclaredField['as']): string {
  const isNumber = as === 'number' && rangeNumber(text, as, 'from') !== undefined
  return foldValue(isNumber ? shownValue(text, as) : text)
}
