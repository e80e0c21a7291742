import type { SqlValue } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { foldedWords, foldValue } from '../index/fold-words.js'
import { valueFields } from '../index/record-values.js'
import { rangeKindOf, rangeNumber } from '../range-bounds.js'
import {
  documentPrefix,
  isRecordField,
  isShortBeginning,
  mostShortBeginnings,
  type SearchCondition,
  type ValueRange,
} from '../search-condition.js'
import { type FieldLookup, undeclared } from './field-lookup.js'
import { allOf, anyOf, phraseOf, type WordRun, wordRuns } from './match-expression.js'
import { isOneOf, joined, plain } from './search-sql.js'

/** A condition as SQL. */
export interface CompiledCondition {
  /** An expression for `words MATCH`, which all hits meet. Undefined for a condition without such words. */
  readonly match: string | undefined
  /** What hits meet besides, on a row `f` of `indexed`. */
  readonly rest: SqlQuery
}

/** Most parts of a condition. */
const mostParts = 2000
/** Most levels of a condition. */
const deepest = 40
/** Most words of a condition, each counted for each field that it is searched in. */
const mostWords = 10_000
/** Longest text or whole value, in UTF-16 units. */
const longestText = 20_000
/** Most fields such as `document.*.name`: each is compared with every path of the index. */
const mostEndings = 100

/** @throws ProblemError `malformed-request` for a condition that is too large, or a field without ranges */
export function compileCondition(condition: SearchCondition, fields: FieldLookup): CompiledCondition {
  checkSize(condition)
  const match = matchOf(condition)
  return { match: match?.text, rest: match?.isExact ? plain('1') : restOf(condition, fields) }
}

/** @throws ProblemError `malformed-request` for a condition that would take too long */
export function checkSize(condition: SearchCondition): void {
  let [parts, words, endings, shortBeginnings] = [0, 0, 0, 0]
  function countField(field: string): void {
    if (field.startsWith(`${documentPrefix}*.`) && ++endings > mostEndings)
      throw malformedRequest(`The query has more than ${mostEndings} fields that begin with an asterisk.`)
  }
  function countText({ text, match, fields }: Extract<SearchCondition, { type: 'text' }>): void {
    if (text.length > longestText) throw malformedRequest('The query has too many words.')
    const runs = wordRuns(text, match)
    const places = fields?.length ?? 1
    parts += runs.length * places
    words += runs.reduce((sum, run) => sum + run.words.length, 0) * places
    if (words > mostWords) throw malformedRequest('The query has too many words.')
    const isShort = runs.some(run => run.isBeginning && isShortBeginning(run.words.at(-1) ?? ''))
    // The index merges the rows of every word that begins so.
    if (isShort && ++shortBeginnings > mostShortBeginnings) {
      throw malformedRequest(
        `The query has more than ${mostShortBeginnings} beginnings of words with one or two letters: write more letters.`,
      )
    }
    for (const { field } of fields ?? []) countField(field)
  }
  function count(part: SearchCondition, depth: number): void {
    if (++parts > mostParts || depth > deepest) throw malformedRequest('The query has too many parts.')
    switch (part.type) {
      case 'all':
        break
      case 'not':
        count(part.condition, depth + 1)
        break
      case 'and':
      case 'or':
        for (const each of part.conditions) count(each, depth + 1)
        break
      case 'text':
        countText(part)
        break
      case 'equals':
        if (part.values.some(value => value.length > longestText))
          throw malformedRequest('A value of the query is too long.')
        countField(part.field)
        break
      default:
        countField(part.field)
    }
  }
  count(condition, 0)
}

/** An expression for the table `words` that a condition implies. `isExact`: it says the same. */
interface Match {
  readonly text: string
  readonly isExact: boolean
}

/** Each part of a condition is looked at from all of the conditions around it. */
const knownMatches = new WeakMap<SearchCondition, Match | 'none'>()

function matchOf(condition: SearchCondition): Match | undefined {
  const known = knownMatches.get(condition)
  if (known !== undefined) return known === 'none' ? undefined : known
  const match = newMatchOf(condition)
  knownMatches.set(condition, match ?? 'none')
  return match
}

function newMatchOf(condition: SearchCondition): Match | undefined {
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

/** Whether the expression of an `and` says all of one of its parts. */
function isWithin(part: SearchCondition): boolean {
  if (part.type === 'not') return matchOf(part.condition)?.isExact === true
  return matchOf(part)?.isExact === true || (part.type === 'and' && part.conditions.length === 0)
}

/** The column of `words` that has a field alone. */
function columnOf(field: string): string | undefined {
  if (field === 'title') return 'title'
  return field === 'document' ? 'document' : undefined
}

/** What the expression of a condition does not say. */
function restOf(condition: SearchCondition, fields: FieldLookup): SqlQuery {
  if (condition.type !== 'and') return conditionSql(condition, fields)
  const hasMatch = matchOf(condition) !== undefined
  const parts = condition.conditions.filter(part => !hasMatch || !isWithin(part))
  return joined(
    parts.map(part => conditionSql(part, fields)),
    'AND',
    '1',
  )
}

/**
 * The whole condition on a row `f` of `indexed`.
 * @throws ProblemError `malformed-request`
 */
export function conditionSql(condition: SearchCondition, fields: FieldLookup): SqlQuery {
  switch (condition.type) {
    case 'all':
      return plain('1')
    case 'not': {
      const { sql, values } = conditionSql(condition.condition, fields)
      return { sql: `NOT coalesce(${sql}, 0)`, values }
    }
    case 'and':
    case 'or': {
      const match = matchOf(condition)
      if (match?.isExact) return inWords(match.text)
      const parts = condition.conditions.map(part => conditionSql(part, fields))
      return condition.type === 'and' ? joined(parts, 'AND', '1') : joined(parts, 'OR', '0')
    }
    case 'text':
      return textSql(condition, fields)
    case 'equals':
      return equalsSql(condition.field, condition.values, fields)
    case 'range':
      return rangeSql(condition.field, condition.range, fields)
    case 'exists':
      return existsSql(condition.field, fields)
  }
}

const inWords = (match: string): SqlQuery => ({
  sql: 'f.rev IN (SELECT rowid FROM words WHERE words MATCH ?)',
  values: [match],
})

function inLeaf(expressions: readonly string[]): SqlQuery {
  if (expressions.length === 0) return plain('0')
  return { sql: 'f.rev IN (SELECT rowid FROM leaf WHERE leaf MATCH ?)', values: [anyOf(expressions)] }
}

function textSql(
  { text, match, fields: named }: Extract<SearchCondition, { type: 'text' }>,
  fields: FieldLookup,
): SqlQuery {
  const runs = wordRuns(text, match)
  if (runs.length === 0) return plain('1')
  const anywhere = allOf(runs.map(run => phraseOf(run)))
  if (!named) return inWords(anywhere)
  // One expression for each table: the rows of each expression are gathered before the first hit.
  const columns = [...new Set(named.flatMap(({ field }) => columnOf(field) ?? []))]
  const paths = named.flatMap(({ field }) => (columnOf(field) === undefined ? fields.paths(field) : []))
  const parts = [
    ...(columns.length > 0 ? [inWords(anyOf(columns.map(column => `({${column}} : (${anywhere}))`)))] : []),
    ...(paths.length > 0 ? [inLeaf([...new Set(paths)].map(path => atPath(runs, path)))] : []),
  ]
  return joined(parts, 'OR', '0')
}

function atPath(runs: readonly WordRun[], path: number): string {
  return allOf(runs.map(run => phraseOf(run, `${path}~`)))
}

/** Columns of `indexed` with whole values, and how a wanted value is compared. */
const columns: Readonly<Record<string, (value: string) => SqlValue>> = {
  schema: value => value,
  id: value => value,
  kind: value => value.toLowerCase(),
  state: value => value.toUpperCase(),
  type: value => value.toUpperCase(),
  language: value => value.toLowerCase(),
  year: value => (/^\d{1,4}$/.test(value.trim()) ? Number(value) : -1),
}

/** SQL of a column of `indexed` that has the values of a record field; undefined if there is none. */
export function columnSql(field: string): string | undefined {
  if (!Object.hasOwn(columns, field))
    return field === 'created' || field === 'updated' ? `f.${field}` : undefined
  return field === 'language' ? 'lower(f.language)' : `f.${field}`
}

function equalsSql(field: string, wanted: readonly string[], fields: FieldLookup): SqlQuery {
  const read = Object.hasOwn(columns, field) ? columns[field] : undefined
  if (read) return isOneOf(columnSql(field) ?? '', wanted.map(read))
  if (rangeKindOf(field) !== undefined) {
    const bounds = wanted.map(value => ({ value, inclusive: true }))
    return joined(
      bounds.map(bound => rangeSql(field, { from: bound, until: bound }, fields)),
      'OR',
      '0',
    )
  }
  if (valueFields.has(field)) {
    const one = isOneOf('folded', wanted.map(foldValue))
    return {
      sql: `f.rev IN (SELECT rev FROM value WHERE field = ? AND ${one.sql})`,
      values: [fields.paths(field)[0] ?? 0, ...one.values],
    }
  }
  // The markers of the path before and after the words make them the whole value.
  const phrases = wanted.map(value => foldedWords(value)).filter(words => words.length > 0)
  const paths = fields.paths(field)
  if (phrases.length * paths.length > mostParts) throw malformedRequest('The query has too many values.')
  return inLeaf(
    paths.flatMap(path =>
      phrases.map(words => phraseOf({ words: ['', ...words, ''], isBeginning: false }, `${path}~`)),
    ),
  )
}

function rangeSql(field: string, range: ValueRange, fields: FieldLookup): SqlQuery {
  const declared = fields.declared(field)
  const kind = declared ? declared.as : rangeKindOf(field)
  if (kind === undefined || kind === 'keyword') throw undeclared(field, 'range', 'number')
  const column = declared ? 'num' : columnSql(field)
  const parts: SqlQuery[] = []
  for (const side of ['from', 'until'] as const) {
    const bound = range[side]
    if (!bound) continue
    const sign = side === 'from' ? '>' : '<'
    // After the end of a day or a year, or before its beginning.
    const whole = (side === 'from') === bound.inclusive ? 'from' : 'until'
    const number = rangeNumber(bound.value, kind, whole)
    if (number === undefined) {
      const form = kind === 'date' ? 'a time such as 2024-05-01' : 'a number'
      throw malformedRequest(`A range of "${truncate(field)}" needs ${form}, not "${truncate(bound.value)}".`)
    }
    parts.push({ sql: `${column} ${sign}${bound.inclusive ? '=' : ''} ?`, values: [number] })
  }
  if (parts.length === 0) return existsSql(field, fields)
  const { sql, values } = joined(parts, 'AND', '1')
  if (!declared) return { sql, values }
  return {
    sql: `f.rev IN (SELECT rev FROM value WHERE field = ? AND num IS NOT NULL AND ${sql})`,
    values: [declared.number, ...values],
  }
}

function existsSql(field: string, fields: FieldLookup): SqlQuery {
  const column = columnSql(field)
  if (column !== undefined) return plain(`${column} IS NOT NULL`)
  if (!isRecordField(field) && !field.startsWith(documentPrefix)) return plain('0')
  return inLeaf(fields.paths(field, true).map(path => `"${path}~"`))
}
