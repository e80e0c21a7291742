import type { SqlValue } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'
import { malformedRequest } from '../../core/problem.js'
import { undeclaredField, unreadableBound } from '../declared-fields/undeclared-field.js'
import { foldedWords, foldValue } from '../index/fold-words.js'
import { valueFields } from '../index/record-values.js'
import {
  allOf,
  anyOf,
  columnOf,
  isWithin,
  matchOf,
  phraseOf,
  type WordRun,
  wordRuns,
} from '../match-words/match-expression.js'
import { rangeKindOf, rangeNumber } from '../range-bounds.js'
import {
  documentPrefix,
  isRecordField,
  isShortBeginning,
  mostShortBeginnings,
  type SearchCondition,
  type ValueRange,
} from '../search-condition.js'
import type { FieldLookup } from './field-lookup.js'
import { isOneOf, joined, plain } from './search-sql.js'

/** A condition as SQL. Hits meet all of its parts. */
export interface CompiledCondition {
  /** An expression whose rows have scores. Undefined for a condition without such words. */
  readonly match: ScoredMatch | undefined
  readonly sets: readonly HitSet[]
  /** SQL on a row `f` of `indexed`. */
  readonly rest: SqlQuery
  /** Whether `sets` and `rest` say the whole condition, so that only scores need `match`. */
  readonly isWhole: boolean
}

/** Words of any field, or words at paths of documents: how rare a word is, is counted in its table. */
export interface ScoredMatch {
  readonly table: 'words' | 'leaf'
  readonly text: string
}

/** Rows of the index that one table tells. */
export interface HitSet {
  readonly table: 'words' | 'leaf' | 'value'
  readonly where: SqlQuery
}

/** The rows of an expression. */
export function setOf({ table, text }: ScoredMatch): HitSet {
  return { table, where: { sql: `${table} MATCH ?`, values: [text] } }
}

/** SQL that selects the rows of a set. */
export function rowsOfSet({ table, where }: HitSet, more: SqlQuery = plain('')): SqlQuery {
  return {
    sql: `SELECT ${rowColumn(table)} FROM ${table} WHERE ${where.sql}${more.sql}`,
    values: [...where.values, ...more.values],
  }
}

/** The column of a table that has the row in the index. */
export function rowColumn(table: HitSet['table']): string {
  return table === 'value' ? 'rev' : 'rowid'
}

/** SQL on a row `f` of `indexed`. */
interface PartSql extends SqlQuery {
  /** Undefined if the SQL says more than that `f` is in one set. */
  readonly set?: HitSet
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
  if (match?.isExact) return { match: inAnyField(match.text), sets: [], rest: plain('1'), isWhole: false }
  const compiled = (parts: readonly SearchCondition[]): readonly CompiledPart[] =>
    parts.map(part => ({ part, sql: conditionSql(part, fields) }))
  const whole = partsBesides(condition, false)
  if (!match) return { match: undefined, ...joinedParts(compiled(whole)), isWhole: true }
  const scored = isAtPaths(condition) ? scoredAtPaths(compiled(whole)) : undefined
  if (scored) return scored
  const besides = partsBesides(condition, true)
  return {
    match: inAnyField(match.text),
    ...joinedParts(compiled(besides)),
    isWhole: besides.length === whole.length,
  }
}

interface CompiledPart {
  readonly part: SearchCondition
  readonly sql: PartSql
}

/** A condition whose words are at paths. @returns undefined if the rows of the words are not one set of `leaf` */
function scoredAtPaths(parts: readonly CompiledPart[]): CompiledCondition | undefined {
  const withWords = parts.filter(({ part }) => matchOf(part) !== undefined)
  const found = withWords.flatMap(({ sql }) => sql.set ?? [])
  const match = oneOfLeaf(found)
  if (!match || found.length < withWords.length) return undefined
  const { sets, rest } = joinedParts(parts)
  const [all, ...others] = sets
  // Other parts of the condition, such as whole values, count for no score.
  const isAlone = all?.table === 'leaf' && all.where.values[0] === match.text
  return { match, sets: isAlone ? others : sets, rest, isWhole: !isAlone }
}

const inAnyField = (text: string): ScoredMatch => ({ table: 'words', text })

/** Parts that all have to be met. The set of `leaf` is the first one. */
function joinedParts(parts: readonly CompiledPart[]): Pick<CompiledCondition, 'sets' | 'rest'> {
  const found = parts.flatMap(({ sql }) => sql.set ?? [])
  const leaf = oneOfLeaf(found)
  const sets = found.filter(({ table }) => table !== 'leaf')
  const others = parts.flatMap(({ sql }) => (sql.set === undefined ? [sql] : []))
  return { sets: leaf ? [setOf(leaf), ...sets] : sets, rest: joined(others, 'AND', '1') }
}

/** Joins the sets of `leaf`: FTS5 finds rows that meet two expressions without reading all rows of either. */
function oneOfLeaf(sets: readonly HitSet[]): ScoredMatch | undefined {
  const expressions = sets.flatMap(set => (set.table === 'leaf' ? set.where.values.map(String) : []))
  return expressions.length > 0 ? { table: 'leaf', text: allOf(expressions) } : undefined
}

/** Whether all words that a condition asks for are at paths of documents. */
function isAtPaths(condition: SearchCondition): boolean {
  switch (condition.type) {
    case 'text':
      return condition.fields?.every(({ field }) => columnOf(field) === undefined) ?? false
    case 'and':
    case 'or':
      return condition.conditions.every(isAtPaths)
    default:
      return true
  }
}

/**
 * The parts that all have to be met.
 * @param isMatched leaves out what the expression of the condition says
 */
function partsBesides(condition: SearchCondition, isMatched: boolean): readonly SearchCondition[] {
  if (condition.type !== 'and') return [condition]
  return condition.conditions.flatMap(part =>
    isMatched && isWithin(part) ? [] : partsBesides(part, isMatched && matchOf(part) !== undefined),
  )
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

/**
 * The whole condition on a row `f` of `indexed`.
 * @throws ProblemError `malformed-request`
 */
export function conditionSql(condition: SearchCondition, fields: FieldLookup): PartSql {
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
      return condition.type === 'and'
        ? joined(parts, 'AND', '1')
        : (oneOfAny(parts) ?? joined(parts, 'OR', '0'))
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

function inSet(table: HitSet['table'], where: SqlQuery): PartSql {
  const set = { table, where }
  const { sql, values } = rowsOfSet(set)
  return { sql: `f.rev IN (${sql})`, values, set }
}

const inWords = (match: string) => inSet('words', { sql: 'words MATCH ?', values: [match] })

function inLeaf(expressions: readonly string[]): PartSql {
  if (expressions.length === 0) return plain('0')
  return inSet('leaf', { sql: 'leaf MATCH ?', values: [anyOf(expressions)] })
}

/** Alternatives that are all sets of `leaf`, as one set. */
function oneOfAny(parts: readonly PartSql[]): PartSql | undefined {
  const expressions = parts.flatMap(({ set }) => (set?.table === 'leaf' ? set.where.values.map(String) : []))
  return parts.length > 1 && expressions.length === parts.length ? inLeaf(expressions) : undefined
}

function textSql(
  { text, match, fields: named }: Extract<SearchCondition, { type: 'text' }>,
  fields: FieldLookup,
): PartSql {
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

function equalsSql(field: string, wanted: readonly string[], fields: FieldLookup): PartSql {
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
    const number = fields.paths(field)[0] ?? 0
    return inSet('value', { sql: `field = ? AND ${one.sql}`, values: [number, ...one.values] })
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

function rangeSql(field: string, range: ValueRange, fields: FieldLookup): PartSql {
  const declared = fields.declared(field)
  const kind = declared ? declared.as : rangeKindOf(field)
  if (kind === undefined || kind === 'keyword') throw undeclaredField(field, 'range', 'number')
  const column = declared ? 'num' : columnSql(field)
  const parts: SqlQuery[] = []
  for (const side of ['from', 'until'] as const) {
    const bound = range[side]
    if (!bound) continue
    const sign = side === 'from' ? '>' : '<'
    // After the end of a day or a year, or before its beginning.
    const whole = (side === 'from') === bound.inclusive ? 'from' : 'until'
    const number = rangeNumber(bound.value, kind, whole)
    if (number === undefined) throw unreadableBound(field, bound.value, kind)
    parts.push({ sql: `${column} ${sign}${bound.inclusive ? '=' : ''} ?`, values: [number] })
  }
  if (parts.length === 0) return existsSql(field, fields)
  const { sql, values } = joined(parts, 'AND', '1')
  if (!declared) return { sql, values }
  const where = `field = ? AND num IS NOT NULL AND ${sql}`
  return inSet('value', { sql: where, values: [declared.number, ...values] })
}

function existsSql(field: string, fields: FieldLookup): PartSql {
  const column = columnSql(field)
  if (column !== undefined) return plain(`${column} IS NOT NULL`)
  if (!isRecordField(field) && !field.startsWith(documentPrefix)) return plain('0')
  return inLeaf(fields.paths(field, true).map(path => `"${path}~"`))
}
