import { rangeKindOf, rangeNumber } from '../range-bounds.js'
import {
  allOf,
  documentPrefix,
  everything,
  hasWord,
  isRecordField,
  isShortBeginning,
  maxShortBeginnings,
  nameFields,
  nothing,
  type RecordField,
  type SearchCondition,
  withoutDocumentPrefix,
} from '../search-condition.js'
import { type QueryToken, queryTokens } from './query-text-tokens.js'

interface ParsedQueryText {
  readonly condition: SearchCondition
  /** Sentences about parts that may mean something else than the person expects. */
  readonly notes: readonly string[]
}

/** Longest text of a query, in UTF-16 units. The rest is ignored. */
const maxQueryTextLength = 2000
/** Limit of the words and phrases of a query. The rest is ignored. */
const maxTerms = 64
/** Limit of the parentheses that are nested around a word. */
const maxDepth = 8

/**
 * Reads the text of a search box:
 *
 * - `steel rod`: both words. `AND` between conditions changes nothing.
 * - `"steel rod"`: the words in this order.
 * - `ste*`: a word that begins so.
 * - `-draft` or `NOT draft`: without this word.
 * - `rod OR bar`: either. It joins its two neighbours alone: `steel rod OR bar` is `steel (rod OR bar)`.
 * - `( )`: parentheses.
 * - `title:steel`, `title:"steel rod"`, `title:(steel OR iron)`: in a field; see {@link recordFields}. Every other name
 *   is a path into the document: `instrument.name:SEM`, `*.name:SEM`, `"sample weight":12`.
 * - `year:2020..2024`, `year:2020..`, `year:..2024`: between two values, both included.
 * - `updated:2024-05`: in this year, month or day, or at this instant.
 * - `licence:*`: the field has a value. `*` or `*:*`: every record.
 *
 * Every text is a query. Parts that do not follow the rules are searched as words, and a note says so. Symbols are
 * ignored next to words. A query that has no word, no field with a value and no `*` finds nothing.
 */
export function parseQueryText(text: string): ParsedQueryText {
  const notes: string[] = []
  if (text.length > maxQueryTextLength)
    notes.push(`The query has more than ${maxQueryTextLength} characters. The rest is ignored.`)
  const tokens = queryTokens(cutQueryText(text), notes)
  const reader = { tokens, position: 0, terms: 0, shortBeginnings: 0, notes }
  const parts: SearchCondition[] = []
  while (reader.position < tokens.length) {
    parts.push(...readAll(reader, undefined, 0))
    // The reader has stopped at a parenthesis without a partner.
    if (reader.position < tokens.length) {
      reader.notes.push('A parenthesis has no partner and is ignored.')
      reader.position++
    }
  }
  const condition = allOf(parts)
  const isWithoutWord = text.trim() !== '' && (parts.length === 0 || outcomeOf(condition) === 'none')
  if (isWithoutWord) notes.push('The query has no word, so it finds nothing: symbols are not searched.')
  return { condition: isWithoutWord ? nothing : condition, notes: [...new Set(notes)] }
}

/** Which records match a condition that has only asterisks and operators, such as `-*`; undefined for others. */
function outcomeOf(condition: SearchCondition): 'every' | 'none' | undefined {
  switch (condition.type) {
    case 'all':
      return 'every'
    case 'not': {
      const inner = outcomeOf(condition.condition)
      return inner && (inner === 'every' ? 'none' : 'every')
    }
    case 'and':
    case 'or': {
      const parts = condition.conditions.map(outcomeOf)
      const deciding = condition.type === 'and' ? 'none' : 'every'
      if (parts.includes(undefined)) return undefined
      return parts.includes(deciding) ? deciding : parts[0]
    }
    default:
      return undefined
  }
}

/** The beginning of the text, which is read. It never ends within a surrogate pair. */
export function cutQueryText(text: string): string {
  if (text.length <= maxQueryTextLength) return text
  const cut = text.slice(0, maxQueryTextLength)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

interface Reader {
  readonly tokens: readonly QueryToken[]
  position: number
  terms: number
  shortBeginnings: number
  readonly notes: string[]
}

function noteIfAny(reader: Reader, text: string | undefined): void {
  if (text !== undefined) reader.notes.push(text)
}

/** Reads conditions up to the end or a closing parenthesis, and joins them by `and`. */
function readAll(reader: Reader, field: string | undefined, depth: number): SearchCondition[] {
  const parts: SearchCondition[] = []
  while (reader.position < reader.tokens.length && reader.tokens[reader.position]?.type !== 'close') {
    const either = readEither(reader, field, depth)
    if (either) parts.push(either)
  }
  return parts
}

/** Reads a condition, and those that `OR` joins to it. */
function readEither(reader: Reader, field: string | undefined, depth: number): SearchCondition | undefined {
  const choices: SearchCondition[] = []
  for (;;) {
    const one = readOne(reader, field, depth)
    if (one) choices.push(one)
    if (reader.tokens[reader.position]?.type !== 'or') break
    reader.position++
  }
  return anyOf(choices)
}

function readOne(reader: Reader, field: string | undefined, depth: number): SearchCondition | undefined {
  let isNegated = false
  let negative = negativeRange(reader, field)
  while (!negative && reader.tokens[reader.position]?.type === 'not') {
    isNegated = !isNegated
    reader.position++
    negative = negativeRange(reader, field)
  }
  if (negative) reader.position++
  const token = negative ?? reader.tokens[reader.position]
  // The caller reads an `OR` without a neighbour, and the end.
  if (!token || token.type === 'or' || token.type === 'close') return undefined
  reader.position++
  // `AND` joins conditions that are joined anyway.
  if (token.type === 'and') return undefined
  const condition = conditionOf(reader, token, field, depth)
  return condition && isNegated ? { type: 'not', condition } : condition
}

/** The range whose lower bound is negative, if the next token is the minus, as in `volt:(-5..0)`; else undefined. */
function negativeRange({ tokens, position }: Reader, field: string | undefined): QueryToken | undefined {
  const [minus, word] = tokens.slice(position, position + 2)
  if (field === undefined || minus?.type !== 'not' || !minus.isMinus || word?.type !== 'word')
    return undefined
  const text = `-${word.text}`
  const dots = text.indexOf('..')
  if (dots < 0 || (isRecordField(field) && rangeKindOf(field) !== 'number')) return undefined
  const isNumber = (bound: string) => rangeNumber(bound, 'number', 'from') !== undefined
  const until = text.slice(dots + 2)
  return isNumber(text.slice(0, dots)) && (until === '' || isNumber(until))
    ? { type: 'word', text }
    : undefined
}

function conditionOf(
  reader: Reader,
  token: QueryToken,
  field: string | undefined,
  depth: number,
): SearchCondition | undefined {
  if (token.type === 'open') {
    if (depth >= maxDepth) {
      reader.notes.push(`More than ${maxDepth} parentheses inside each other are ignored.`)
      return undefined
    }
    const parts = readAll(reader, field, depth + 1)
    if (reader.position < reader.tokens.length) reader.position++
    else reader.notes.push('A parenthesis has no partner and is ignored.')
    return parts.length > 0 ? allOf(parts) : undefined
  }
  if (token.type === 'field') {
    const value = reader.tokens[reader.position]
    if (!value || (value.type !== 'word' && value.type !== 'phrase' && value.type !== 'open')) {
      return termOf(reader, { type: 'word', text: token.name }, field)
    }
    reader.position++
    noteIfAny(reader, noteOnField(token.name))
    return conditionOf(reader, value, fieldOfName(token.name), depth)
  }
  return token.type === 'word' || token.type === 'phrase' ? termOf(reader, token, field) : undefined
}

function termOf(
  reader: Reader,
  { type, text }: Extract<QueryToken, { type: 'word' | 'phrase' }>,
  field: string | undefined,
): SearchCondition | undefined {
  if (++reader.terms > maxTerms) {
    reader.notes.push(`The query has more than ${maxTerms} words. The rest is ignored.`)
    return undefined
  }
  const beginning = withoutAsterisks(text)
  if (type === 'word' && text === '*') return field === undefined ? everything : { type: 'exists', field }
  if (!hasWord(text)) {
    reader.notes.push(`"${text}" has no letter and no digit and is ignored.`)
    return undefined
  }
  const moment = field === undefined ? undefined : momentOf(field, text)
  if (moment) return moment
  const fields = field === undefined ? {} : { fields: [{ field, weight: 1 }] }
  if (type === 'phrase') {
    noteIfAny(reader, noteOnPhrase(text))
    if (field !== undefined && nameFields.has(field)) return { type: 'equals', field, values: [text] }
    const phrases = field === 'creator' ? namesIn(text) : [text]
    const conditions = phrases.map(
      phrase => ({ type: 'text', text: phrase, match: 'phrase', ...fields }) as const,
    )
    return anyOf(conditions)
  }
  const dots = text.indexOf('..')
  if (field !== undefined && dots >= 0) {
    const range = rangeOf(field, text.slice(0, dots), text.slice(dots + 2))
    if (range) return range
    reader.notes.push(`"${text}" is not a range of ${withoutDocumentPrefix(field)} and is searched as words.`)
  } else noteIfAny(reader, noteOnWord(text, field, reader.tokens.slice(reader.position, reader.position + 2)))
  if (beginning.includes('*')) reader.notes.push('An asterisk has a meaning at the end of a word only.')
  if (beginning !== text) {
    if (!isShortBeginning(lastLetters(beginning)) || ++reader.shortBeginnings <= maxShortBeginnings)
      return { type: 'text', text: beginning, match: 'prefix', ...fields }
    reader.notes.push(
      `More than ${maxShortBeginnings} beginnings of one or two letters are searched as words.`,
    )
    return { type: 'text', text: beginning, match: 'words', ...fields }
  }
  if (field !== undefined && nameFields.has(field)) return { type: 'equals', field, values: [text] }
  const words = { type: 'text', text, match: 'words', ...fields } as const
  const number = storedNumber(text, field)
  return number === undefined ? words : { type: 'or', conditions: [words, { ...words, text: number }] }
}

const jsonNumber = /^(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * The form in which the index has a number of a JSON document, if it differs from the text: `1.5` for `1.50`, `1000`
 * for `1e3`; else undefined. Also undefined for a number that loses its decimals if no path is named: `1.0` may be a
 * version, and `1` is in most documents.
 */
function storedNumber(text: string, field: string | undefined): string | undefined {
  if (!jsonNumber.test(text)) return undefined
  const stored = String(Number(text))
  if (stored === text || stored === 'Infinity') return undefined
  if (field === undefined) return text.includes('.') && !stored.includes('.') ? undefined : stored
  return isRecordField(field) ? undefined : stored
}

/** Limit of the commas in a name. */
const maxCommas = 4

/**
 * A name, and the same with its parts turned around each comma: facets write `Family, Given`, and the index has the
 * words of the given name first.
 */
function namesIn(text: string): readonly string[] {
  const parts = text.split(',')
  if (parts.length > maxCommas + 1) return [text]
  const turned = parts
    .slice(1)
    .map((_, index) => [...parts.slice(index + 1), ...parts.slice(0, index + 1)].join(' '))
  return [text, ...turned].filter(name => hasWord(name))
}

/** The letters and digits of the last word of a text, without accents. */
function lastLetters(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}+/gu, '')
  return plain.match(/[\p{L}\p{N}]+/gu)?.at(-1) ?? ''
}

/** The range of times that a single day, month, year or instant means; undefined for other fields and texts. */
function momentOf(field: string, text: string): SearchCondition | undefined {
  return rangeKindOf(field) === 'date' && !text.includes('..') ? rangeOf(field, text, text) : undefined
}

/** Whether a text may be meant as a number or a time. */
const isLikeBound = (text: string) => /^[-+]?\d/.test(text)

/**
 * The range between two texts; undefined for texts that are no values of the field. The engine knows whether a path has
 * numbers or times.
 */
function rangeOf(field: string, from: string, until: string): SearchCondition | undefined {
  const kind = rangeKindOf(field)
  const isBound = (value: string) =>
    isRecordField(field) ? kind && rangeNumber(value, kind, 'from') !== undefined : isLikeBound(value)
  if (![from, until].every(value => value === '' || isBound(value))) return undefined
  if (from === '' && until === '') return { type: 'exists', field }
  return {
    type: 'range',
    field,
    range: {
      ...(from !== '' && { from: { value: from, inclusive: true } }),
      ...(until !== '' && { until: { value: until, inclusive: true } }),
    },
  }
}

function anyOf(choices: readonly SearchCondition[]): SearchCondition | undefined {
  return choices.length > 1 ? { type: 'or', conditions: choices } : choices[0]
}

/** The text without asterisks at its end. */
function withoutAsterisks(text: string): string {
  let end = text.length
  while (end > 0 && text.charAt(end - 1) === '*') end--
  return text.slice(0, end)
}

/** Other names of record fields, in lower case. */
const otherNames: ReadonlyMap<string, RecordField> = new Map([
  ['license', 'licence'],
  ['lastupdate', 'updated'],
])

/**
 * The field that a name in a query stands for: a field of the record, or a path into the document.
 * @returns undefined for `*`: any field
 */
function fieldOfName(name: string): string | undefined {
  if (name === '*') return undefined
  return recordFieldOfName(name) ?? (name.startsWith(documentPrefix) ? name : documentPrefix + name)
}

/** The field of the record that a name in a query stands for. Case does not count. */
function recordFieldOfName(name: string): RecordField | undefined {
  const lower = name.toLowerCase()
  return isRecordField(lower) ? lower : otherNames.get(lower)
}

/*
 * Notes for the person who searches, on words and phrases that look like the syntax of another query language, or like
 * syntax of this one where it has no meaning.
 */

/**
 * A note on a word that is searched as text although the person may have meant something else.
 * @param next the tokens that follow
 * @returns undefined if there is nothing to say
 */
function noteOnWord(
  text: string,
  field: string | undefined,
  next: readonly QueryToken[],
): string | undefined {
  const name = text.slice(0, -1)
  if (text.endsWith(':') && isLikeField(name))
    return `"${text}" has no value and is searched as a word: write ${name}:word, without a blank.`
  if (field === undefined) return undefined
  const shown = withoutDocumentPrefix(field)
  if (/^[<>]/.test(text)) {
    const bound = text.replace(/^[<>=]+/, '')
    return `"${shown}:${text}" is no range: write ${shown}:${bound}.. or ${shown}:..${bound}.`
  }
  const [to, until] = next
  if (/^[[{]/.test(text) && to?.type === 'word' && to.text === 'TO') {
    const last = until?.type === 'word' ? until.text.replace(/\*?[\]}]$/, '') : ''
    return `"${shown}:${text} TO" is no range and is searched as words: write ${shown}:${text.slice(1)}..${last} instead.`
  }
  if (rangeKindOf(field) === 'date')
    return `"${text}" is no time, so ${shown}:${text} finds nothing: write ${shown}:2024-05-01 or ${shown}:2024-05..2024-06.`
  return undefined
}

/** A note on the name of a field that the person may have meant otherwise; undefined if there is nothing to say. */
function noteOnField(name: string): string | undefined {
  return name !== '*' && name.replace(/^\*\./, '').includes('*')
    ? `"${name}" is no field, so it finds nothing: an asterisk stands for the beginning of a path, as in *.name.`
    : undefined
}

/** A note on a phrase that the person may have meant otherwise; undefined if there is nothing to say. */
function noteOnPhrase(text: string): string | undefined {
  return /[\p{L}\p{N}]\*/u.test(text)
    ? `An asterisk has no meaning between quotation marks: write "${text}" without them.`
    : undefined
}

/** Whether a word before a colon and a blank is more likely the name of a field than a word of a text. */
function isLikeField(name: string): boolean {
  if (recordFieldOfName(name) !== undefined) return true
  const parts = name.split('.')
  return /^[\p{L}_@*]/u.test(name) && parts.length > 1 && parts.every(part => part !== '')
}
