import type { TextMatch } from '../search-condition.js'
import { foldedWords } from '../values/fold-words.js'

/** Words in lower case without accents, in this order. `isBeginning`: the last one may begin a longer word. */
export interface WordRun {
  readonly words: readonly string[]
  readonly isBeginning: boolean
}

/**
 * The runs of a text condition, all of which have to be found. The words between two blanks, as in `state-of-the-art`,
 * are one run; a phrase is one run. Empty for a text without a word.
 */
export function wordRuns(text: string, match: TextMatch): readonly WordRun[] {
  if (match === 'phrase' || match === 'phrase_prefix') {
    const words = foldedWords(text)
    return words.length > 0 ? [{ words, isBeginning: match === 'phrase_prefix' }] : []
  }
  const runs = text
    .split(/\s+/u)
    .map(part => foldedWords(part))
    .filter(words => words.length > 0)
  return runs.map((words, index) => ({ words, isBeginning: match === 'prefix' && index === runs.length - 1 }))
}

/**
 * The run as a quoted string of FTS5's query language. The words consist of letters, digits and marks, so that none is
 * an operator, and none contains a quotation mark.
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

/** The columns of `words`, as FTS5 lists them, that have the words of this field alone; undefined if there are none. */
export function columnOf(field: string): string | undefined {
  if (field === 'record') return 'title description record'
  return ['title', 'description', 'document'].includes(field) ? field : undefined
}
