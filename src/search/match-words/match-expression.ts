import type { SearchCondition, TextMatch } from '../search-condition.js'
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

/** An FTS5 expression for the table `words` that every hit of a condition matches. `isExact`: only hits match it. */
interface ConditionMatch {
  readonly text: string
  readonly isExact: boolean
}

/** The results of {@link matchOf}, which is called for a part once for each condition around it. */
const knownMatches = new WeakMap<SearchCondition, ConditionMatch | undefined>()

export function matchOf(condition: SearchCondition): ConditionMatch | undefined {
  if (!knownMatches.has(condition)) knownMatches.set(condition, newMatchOf(condition))
  return knownMatches.get(condition)
}

function newMatchOf(condition: SearchCondition): ConditionMatch | undefined {
  switch (condition.type) {
    case 'text': {
      const runs = wordRuns(condition.text, condition.match)
      if (runs.length === 0) return undefined
      const anywhere = allOf(runs.map(run => phraseOf(run)))
      const columns = condition.fields?.map(({ field }) => columnOf(field))
      if (!columns) return { text: anywhere, isExact: true }
      if (columns.length === 0 || columns.some(column => column === undefined))
        return { text: anywhere, isExact: false }
      return { text: `{${[...new Set(columns)].join(' ')}} : (${anywhere})`, isExact: columns.length === 1 }
    }
    case 'and': {
      const matches = condition.conditions.flatMap(part => matchOf(part) ?? [])
      if (matches.length === 0) return undefined
      const without = condition.conditions.flatMap(part => {
        const inner = part.type === 'not' ? matchOf(part.condition) : undefined
        return inner?.isExact ? [inner.text] : []
      })
      const all = allOf(matches.map(({ text }) => text))
      const isExact = condition.conditions.every(part => isWithin(part))
      return { text: without.length > 0 ? `(${all} NOT ${anyOf(without)})` : all, isExact }
    }
    case 'or': {
      const matches = condition.conditions.map(part => matchOf(part))
      if (matches.length === 0 || matches.some(match => match === undefined)) return undefined
      const known = matches.flatMap(match => match ?? [])
      return { text: anyOf(known.map(({ text }) => text)), isExact: known.every(({ isExact }) => isExact) }
    }
    default:
      return undefined
  }
}

/** Whether the FTS5 expression of an `and` condition covers this part of it, so that the part needs no other check. */
export function isWithin(part: SearchCondition): boolean {
  if (part.type === 'not') return matchOf(part.condition)?.isExact === true
  return matchOf(part)?.isExact === true || (part.type === 'and' && part.conditions.length === 0)
}

/** The columns of `words`, as FTS5 lists them, that have the words of this field alone; undefined if there are none. */
export function columnOf(field: string): string | undefined {
  if (field === 'title') return 'title'
  if (field === 'record') return 'title record'
  return field === 'document' ? 'document' : undefined
}
