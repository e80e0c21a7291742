/**
 * How the words of a text condition match. `prefix`: the last word may be the beginning of a longer word. `phrase`,
 * `phrase_prefix`: the words stand side by side, in this order.
 */
export type TextMatch = 'words' | 'phrase' | 'prefix' | 'phrase_prefix'

/**
 * A condition on a record and its document. The queries of all interfaces (search box, Elasticsearch query language,
 * command line) are compiled to it, and all engines read it.
 *
 * A `field` is a {@link RecordField} or, with the prefix `document.`, a path into the document: names of JSON members,
 * or local names of XML elements and `@attributes`, joined by dots. Arrays add nothing to a path. `document.*.name`
 * finds each path that ends in `.name`. The fields `document` and `record` are the whole document and the whole record;
 * only conditions of type `text` may name them.
 */
export type SearchCondition =
  | { readonly type: 'all' }
  | {
      readonly type: 'text'
      /** One or more words; case, accents and punctuation do not count. A blank text matches everything, symbols alone nothing. */
      readonly text: string
      readonly match: TextMatch
      /** The fields to search, with the weight of a hit in each. Absent: all fields. */
      readonly fields?: readonly WeightedField[]
    }
  /**
   * The whole value of the field is one of `values`. Case is ignored. At a path that no schema declares, accents and
   * punctuation are ignored too, because the index has only the words there.
   */
  | {
      readonly type: 'equals'
      readonly field: string
      readonly values: readonly string[]
      /** True: the condition is refused unless a schema declares the field. */
      readonly isDeclared?: true
    }
  | { readonly type: 'range'; readonly field: string; readonly range: ValueRange }
  | { readonly type: 'exists'; readonly field: string }
  | { readonly type: 'and' | 'or'; readonly conditions: readonly SearchCondition[] }
  | { readonly type: 'not'; readonly condition: SearchCondition }

/** Whether a text has a word: a letter or a digit. Symbols, such as signs of music and emoji, are not searched. */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text)
}

export interface WeightedField {
  readonly field: string
  readonly weight: number
}

export const everything: SearchCondition = { type: 'all' }
export const nothing: SearchCondition = { type: 'not', condition: everything }

/** All of the conditions; everything matches if there are none. */
export function allOf(conditions: readonly SearchCondition[]): SearchCondition {
  const narrowing = conditions.filter(({ type }) => type !== 'all')
  const [first = everything] = narrowing
  return narrowing.length <= 1 ? first : { type: 'and', conditions: narrowing }
}

/** Bounds as the client sent them. The engine reads them as numbers or times, depending on the field. */
export interface ValueRange {
  readonly from?: RangeBound
  readonly until?: RangeBound
}

export interface RangeBound {
  readonly value: string
  readonly inclusive: boolean
}

/** Fields of the record that a query may name. */
export const recordFields = [
  'title',
  'creator',
  'publisher',
  'year',
  'subject',
  'description',
  'language',
  'licence',
  'schema',
  'resource',
  'id',
  'pid',
  'state',
  'type',
  'kind',
  'created',
  'updated',
] as const
export type RecordField = (typeof recordFields)[number]

/** Record fields whose values are names: a query compares the whole value. The others are texts. */
export const nameFields: ReadonlySet<string> = new Set<RecordField>([
  'year',
  'language',
  'schema',
  'resource',
  'id',
  'pid',
  'state',
  'type',
  'kind',
])

/** Limit of the word beginnings of one or two letters in one condition: each of them matches very many words. */
export const maxShortBeginnings = 4

/** Whether the beginning of a word, without accents, has one or two letters. */
export function isShortBeginning(letters: string): boolean {
  return letters.length < 3
}

/** Prefix of a field that is a path into the document. */
export const documentPrefix = 'document.'

/** The prefix of such a field in queries in the language of Elasticsearch. */
export const entryDocumentPrefix = 'metadataDocument.'

/** The name of a field without {@link documentPrefix}. */
export function withoutDocumentPrefix(field: string): string {
  return field.startsWith(documentPrefix) ? field.slice(documentPrefix.length) : field
}

export function isRecordField(name: string): name is RecordField {
  return (recordFields as readonly string[]).includes(name)
}

/** A condition without parts. */
type LeafCondition = Exclude<SearchCondition, { readonly type: 'and' | 'or' | 'not' }>

/** The parts of a condition that have no parts themselves. */
export function leavesOf(condition: SearchCondition): readonly LeafCondition[] {
  switch (condition.type) {
    case 'not':
      return leavesOf(condition.condition)
    case 'and':
    case 'or':
      return condition.conditions.flatMap(leavesOf)
    default:
      return [condition]
  }
}

/** Whether the condition, or a part of it, names the field. */
export function namesField(condition: SearchCondition, field: string): boolean {
  return leavesOf(condition).some(leaf => {
    if (leaf.type === 'all') return false
    if (leaf.type !== 'text') return leaf.field === field
    return leaf.fields?.some(named => named.field === field) ?? false
  })
}
