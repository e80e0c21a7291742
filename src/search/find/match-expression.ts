import { foldedWords } from '../index/fold-words.js'
import type { TextMatch } from '../search-condition.js'

/** Folded words that stand in this order. `isBeginning`: the last one may be the beginning of a longer word. */
export interface WordRun {
  readonly words: readonly string[]
  readonly isBeginning: boolean
}

/**
 * The words of a text condition: the words between two blanks stand in this order, as in `state-of-the-art`. All of
 * the runs have to be found. Empty for a text without a word.
 */
export function wordRuns(text: string, match: TextMatch): readonly WordRun[] {
  if (match === 'phrase') {
    const words = foldedWords(text)
    return words.length > 0 ? [{ words, isBeginning: false }] : []
  }
  const runs = text
    .split(/\s+/u)
    .map(part => foldedWords(part))
    .filter(words => words.length > 0)
  return runs.map((words, at) => ({ words, isBeginning: match === 'prefix' && at === runs.length - 1 }))
}

/**
 * A string of the query language of FTS5. Folded words have letters, digits and marks only, so that none is an operator
 * and no quotation mark ends the string.
 * @param before precedes each word
 * @see https://sqlite.org/fts5.html §3.2, §3.3
 */
export function phraseOf({ words, isBeginning }: WordRun, before = ''): string {
  return `"${words.map(word => before + word).join(' ')}"${isBeginning ? ' *' : ''}`
}

export function allOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(' AND ')})`
}

export function anyOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(' OR ')})`
}
