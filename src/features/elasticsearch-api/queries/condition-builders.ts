import { hasWord, nothing, type SearchCondition, type WeightedField } from '../../search/search-condition.js'
import { foldedWords } from '../../search/values/fold-words.js'

/** Matches what any of the conditions matches; nothing if there are none. */
export function anyOf(conditions: readonly SearchCondition[]): SearchCondition {
  const [first = nothing] = conditions
  return conditions.length <= 1 ? first : { type: 'or', conditions }
}

/** The way in which the words of a text query are combined. */
export type TextQueryType = 'words' | 'phrase' | 'phrase_prefix' | 'bool_prefix'

export interface TextQuery {
  readonly text: string
  readonly type: TextQueryType
  /** `or`: one of the words is enough. Phrases always need all words. */
  readonly operator: 'and' | 'or'
  /** Absent: all fields. */
  readonly fields?: readonly WeightedField[]
}

/** Limit of the distinct words of an `or` query; further words are ignored. */
const maxOrWords = 100

/**
 * The condition of a text query.
 * @see https://www.elastic.co/guide/en/elasticsearch/reference/8.17/full-text-queries.html
 */
export function textCondition({ text, type, operator, fields }: TextQuery): SearchCondition {
  const where = fields && { fields }
  const words = wordsOf(text)
  const [last = '', ...others] = words.toReversed()
  if (last === '') return nothing
  switch (type) {
    case 'phrase':
      return { type: 'text', text, match: 'phrase', ...where }
    case 'phrase_prefix':
      return {
        type: 'text',
        text,
        match: foldedWords(text).length > 1 ? 'phrase_prefix' : 'prefix',
        ...where,
      }
    case 'bool_prefix':
      if (operator === 'and') return { type: 'text', text, match: 'prefix', ...where }
      return anyOf([
        { type: 'text', text: last, match: 'prefix', ...where },
        ...distinct(others.toReversed()).map(
          word => ({ type: 'text', text: word, match: 'words', ...where }) as const,
        ),
      ])
    case 'words':
      if (operator === 'and' || words.length === 1) return { type: 'text', text, match: 'words', ...where }
      return anyOf(distinct(words).map(word => ({ type: 'text', text: word, match: 'words', ...where })))
  }
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)].slice(0, maxOrWords)
}

/** The parts of a text between white space that have a letter or a digit. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter(hasWord)
}
