import type { SqlQuery } from '../../../catalog/lists/list-sql.js'
import { readRange } from '../../declared-fields/read-range.js'
import { undeclaredField } from '../../declared-fields/undeclared-field.js'
import { checkPhraseCount } from '../../match-words/check-search-size.js'
import {
  allOf,
  anyOf,
  columnOf,
  matchOf,
  phraseOf,
  type WordRun,
  wordRuns,
} from '../../match-words/match-expression.js'
import { rangeKindOf } from '../../range-bounds.js'
import {
  documentPrefix,
  isRecordField,
  type SearchCondition,
  type ValueRange,
} from '../../search-condition.js'
import { comparedValue, foldedWords, foldValue } from '../../values/fold-words.js'
import { valueFields } from '../../values/record-values.js'
import type { FieldLookup } from './field-lookup.js'
import { columnSql, columnValues } from './record-columns.js'
import { type HitSet, rowsSql } from './row-sets.js'
import { isOneOf, joined, plain } from './search-sql.js'

/** An SQL condition on a row `f` of `indexed`. */
export interface PartSql extends SqlQuery {
  /** Present if the SQL says only that `f` is in this set. */
  readonly set?: HitSet
}

/**
 * Compiles a part of a condition, with its own parts, to SQL.
 * @throws ProblemError `malformed-request` for a comparison that the field does not allow
 */
export function partSql(part: SearchCondition, fields: FieldLookup): PartSql {
  switch (part.type) {
    case 'all':
      return plain('1')
    case 'not': {
      const { sql, values } = partSql(part.condition, fields)
      return { sql: `NOT coalesce(${sql}, 0)`, values }
    }
    case 'and':
    case 'or': {
      const match = matchOf(part)
      if (match?.isExact) return inWords(match.text)
      const parts = part.conditions.map(each => partSql(each, fields))
      return part.type === 'and' ? joined(parts, 'AND', '1') : (anyPathSql(parts) ?? joined(parts, 'OR', '0'))
    }
    case 'text':
      return textSql(part, fields)
    case 'equals':
      return equalsSql(part, fields)
    case 'range':
      return rangeSql(part.field, part.range, fields)
    case 'exists':
      return existsSql(part.field, fields)
  }
}

function inSet(table: HitSet['table'], where: SqlQuery): PartSql {
  const set = { table, where }
  const { sql, values } = rowsSql(set)
  return { sql: `f.rev IN (${sql})`, values, set }
}

const inWords = (match: string) => inSet('words', { sql: 'words MATCH ?', values: [match] })

function inLeaf(expressions: readonly string[]): PartSql {
  if (expressions.length === 0) return plain('0')
  return inSet('leaf', { sql: 'leaf MATCH ?', values: [anyOf(expressions)] })
}

/** Joins alternatives to one set if all of them are sets of the table `leaf`; else undefined. */
function anyPathSql(alternatives: readonly PartSql[]): PartSql | undefined {
  const expressions = leafExpressions(alternatives.flatMap(({ set }) => set ?? []))
  return alternatives.length > 1 && expressions.length === alternatives.length
    ? inLeaf(expressions)
    : undefined
}

/** The FTS5 expressions of the sets of the table `leaf`. */
export function leafExpressions(sets: readonly HitSet[]): readonly string[] {
  return sets.flatMap(({ table, where }) => (table === 'leaf' ? where.values.map(String) : []))
}

function textSql(
  { text, match, fields: named }: Extract<SearchCondition, { type: 'text' }>,
  fields: FieldLookup,
): PartSql {
  const runs = wordRuns(text, match)
  if (runs.length === 0) return plain(text.trim() === '' ? '1' : '0')
  const anywhere = allOf(runs.map(run => phraseOf(run)))
  if (!named) return inWords(anywhere)
  // One expression for each table, because SQLite gathers the rows of each expression before the first hit.
  const columns = [...new Set(named.flatMap(({ field }) => columnOf(field) ?? []))]
  const paths = named.flatMap(({ field }) => (columnOf(field) === undefined ? fields.paths(field) : []))
  const parts = [
    ...(columns.length > 0 ? [inWords(anyOf(columns.map(column => `({${column}} : (${anywhere}))`)))] : []),
    ...(paths.length > 0 ? [inLeaf([...new Set(paths)].map(path => runsAtPath(runs, path)))] : []),
  ]
  return joined(parts, 'OR', '0')
}

function runsAtPath(runs: readonly WordRun[], path: number): string {
  return allOf(runs.map(run => phraseOf(run, `${path}~`)))
}

function equalsSql(
  { field, values: wanted, isDeclared }: Extract<SearchCondition, { type: 'equals' }>,
  fields: FieldLookup,
): PartSql {
  const columnWanted = columnValues(field, wanted)
  if (columnWanted) return isOneOf(columnSql(field) ?? '', columnWanted)
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
  const declared = fields.declared(field)
  if (declared) {
    const one = isOneOf(
      'folded',
      wanted.map(value => comparedValue(value, declared.as)),
    )
    return inSet('value', { sql: `field = ? AND ${one.sql}`, values: [declared.number, ...one.values] })
  }
  if (isDeclared) throw undeclaredField(field, 'whole values', 'keyword')
  // In the index, a marker of the path stands before and after each value. With both, the phrase is a whole value.
  const phrases = wanted.map(value => foldedWords(value)).filter(words => words.length > 0)
  const paths = fields.paths(field)
  checkPhraseCount(phrases.length * paths.length)
  return inLeaf(
    paths.flatMap(path =>
      phrases.map(words => phraseOf({ words: ['', ...words, ''], isBeginning: false }, `${path}~`)),
    ),
  )
}

function rangeSql(field: string, range: ValueRange, fields: FieldLookup): PartSql {
  const declared = fields.declared(field)
  const bounds = readRange(field, range, declared?.as ?? rangeKindOf(field))
  if (bounds.length === 0) return existsSql(field, fields)
  const column = declared ? 'num' : columnSql(field)
  const parts = bounds.map(({ side, number, inclusive }) => ({
    sql: `${column} ${side === 'from' ? '>' : '<'}${inclusive ? '=' : ''} ?`,
    values: [number],
  }))
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
