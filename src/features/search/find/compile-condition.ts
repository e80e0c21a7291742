import type { SqlValue } from '../../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../../catalog/lists/list-sql.js'
import { checkPhraseCount, checkSize } from '../match-words/check-search-size.js'
import { allOf, anyOf, columnOf, phraseOf, type WordRun, wordRuns } from '../match-words/match-expression.js'
import { rangeKindOf, readRange } from '../range-bounds.js'
import { documentPrefix, isRecordField, type SearchCondition, type ValueRange } from '../search-condition.js'
import { foldedWords } from '../values/fold-words.js'
import { undeclaredField } from '../values/undeclared-field.js'

/** A path that a schema declares, with the kind of its values. */
export interface DeclaredPath {
  readonly number: number
  readonly as: 'number' | 'keyword' | 'date'
  readonly isFacet: boolean
}

/** The fields of an index, as a caller sees them. */
export interface FieldLookup {
  /** Numbers of the paths that a field stands for. @param withMembers includes paths below them */
  paths(field: string, withMembers?: boolean): readonly number[]
  /**
   * The declaration of a document path; undefined if no schema that the caller sees declares it. If schemas differ,
   * numbers and dates take precedence over keywords.
   */
  declared(field: string): DeclaredPath | undefined
  /** The number under which whole values of a field are in the index; undefined for a field without whole values. */
  valueField(field: string): number | undefined
  /** The numbers of those whole values of a field that the index has; undefined for a field without whole values. */
  wholeValues(field: string, wanted: readonly string[]): readonly number[] | undefined
  /** Sentences about fields of which some paths were left out so far. */
  notes(): readonly string[]
}

/** A condition as SQL. A hit meets both parts. */
export interface CompiledCondition {
  /** An FTS5 expression on the table `words`; undefined if the condition has no words or whole values to look up. */
  readonly match: string | undefined
  /** Whether `match` has words, which give hits a score. Whole values give none. */
  readonly isScored: boolean
  /** An SQL condition on a row `f` of `indexed`. */
  readonly rest: SqlQuery
}

/** The condition that both conditions are met. */
export function withFilter(condition: SearchCondition, filter: SearchCondition | undefined): SearchCondition {
  return filter ? { type: 'and', conditions: [condition, filter] } : condition
}

/** A part of a condition. Exactly the rows that meet it match the expression, or meet the SQL condition. */
type Part =
  | { readonly match: string; readonly isScored: boolean }
  | { readonly match?: undefined; readonly sql: SqlQuery }

/**
 * Compiles a condition to an FTS5 expression and SQL.
 * @throws ProblemError `malformed-request` for a condition that is too large, or a comparison that a field does not allow
 */
export function compileCondition(condition: SearchCondition, fields: FieldLookup): CompiledCondition {
  checkSize(condition)
  const parts = conjunctsOf(condition, fields)
  const matched = joinedMatch(parts)
  if (!matched) return { match: undefined, isScored: false, rest: joined(parts.map(sqlOf), 'AND', '1') }
  return {
    match: matched.match,
    isScored: matched.isScored,
    rest: joined(matched.others.map(sqlOf), 'AND', '1'),
  }
}

/**
 * The whole condition, words included, as SQL on a row `f` of `indexed`.
 * @throws ProblemError as {@link compileCondition}
 */
export function conditionSql(condition: SearchCondition, fields: FieldLookup): SqlQuery {
  checkSize(condition)
  return sqlOf(partOf(condition, fields))
}

/** A part with the condition that it was made of. */
type Conjunct = Part & { readonly excluded?: string }

/** The parts of a condition that all have to be met. */
function conjunctsOf(condition: SearchCondition, fields: FieldLookup): readonly Conjunct[] {
  if (condition.type === 'and') return condition.conditions.flatMap(part => conjunctsOf(part, fields))
  if (condition.type !== 'not') return [partOf(condition, fields)]
  const excluded = partOf(condition.condition, fields)
  return [{ sql: notSql(excluded), ...(excluded.match !== undefined && { excluded: excluded.match }) }]
}

/** One expression for all parts that have one; undefined if none has. `others`: the parts that it does not cover. */
function joinedMatch(parts: readonly Conjunct[]) {
  const matches = parts.flatMap(({ match }) => match ?? [])
  if (matches.length === 0) return undefined
  const excluded = parts.flatMap(part => part.excluded ?? [])
  const all = allOf(matches)
  return {
    match: excluded.length > 0 ? `(${all} NOT ${anyOf(excluded)})` : all,
    isScored: parts.some(part => part.match !== undefined && part.isScored),
    others: parts.filter(part => part.match === undefined && part.excluded === undefined),
  }
}

function partOf(condition: SearchCondition, fields: FieldLookup): Part {
  switch (condition.type) {
    case 'all':
      return { sql: plain('1') }
    case 'not':
      return { sql: notSql(partOf(condition.condition, fields)) }
    case 'and': {
      const parts = conjunctsOf(condition, fields)
      const matched = joinedMatch(parts)
      if (matched && matched.others.length === 0) return matched
      return { sql: joined(parts.map(sqlOf), 'AND', '1') }
    }
    case 'or':
      return anyPart(condition.conditions.map(part => partOf(part, fields)))
    case 'text':
      return textPart(condition, fields)
    case 'equals':
      return equalsPart(condition, fields)
    case 'range':
      return { sql: rangeSql(condition.field, condition.range, fields) }
    case 'exists':
      return { sql: existsSql(condition.field, fields) }
  }
}

function anyPart(parts: readonly Part[]): Part {
  const matches = parts.flatMap(({ match }) => match ?? [])
  if (parts.length > 0 && matches.length === parts.length)
    return { match: anyOf(matches), isScored: parts.some(part => part.match !== undefined && part.isScored) }
  return { sql: joined(parts.map(sqlOf), 'OR', '0') }
}

function sqlOf(part: Part): SqlQuery {
  return part.match === undefined ? part.sql : matchedSql(part.match)
}

function notSql(part: Part): SqlQuery {
  const { sql, values } = sqlOf(part)
  return { sql: `NOT coalesce(${sql}, 0)`, values }
}

function matchedSql(match: string): SqlQuery {
  return { sql: 'f.rev IN (SELECT rowid FROM words WHERE words MATCH ?)', values: [match] }
}

function textPart(
  { text, match, fields: named }: Extract<SearchCondition, { type: 'text' }>,
  fields: FieldLookup,
): Part {
  const runs = wordRuns(text, match)
  if (runs.length === 0) return { sql: plain(text.trim() === '' ? '1' : '0') }
  const anywhere = allOf(runs.map(run => phraseOf(run)))
  if (!named) return { match: anywhere, isScored: true }
  const columns = [...new Set(named.flatMap(({ field }) => columnOf(field) ?? []))]
  const paths = new Set(
    named.flatMap(({ field }) => (columnOf(field) === undefined ? fields.paths(field) : [])),
  )
  const ways = [
    ...columns.map(column => `({${column}} : ${anywhere})`),
    ...[...paths].map(path => runsAtPath(runs, path)),
  ]
  return ways.length === 0 ? { sql: plain('0') } : { match: anyOf(ways), isScored: true }
}

function runsAtPath(runs: readonly WordRun[], path: number): string {
  return allOf(runs.map(run => phraseOf(run, `~${path}~`)))
}

function equalsPart(
  { field, values: wanted, isDeclared }: Extract<SearchCondition, { type: 'equals' }>,
  fields: FieldLookup,
): Part {
  if (field === 'id') return { sql: isOneOf('f.id', wanted) }
  if (field === 'created' || field === 'updated') {
    const bounds = wanted.map(value => ({ value, inclusive: true }))
    const ranges = bounds.map(bound => rangeSql(field, { from: bound, until: bound }, fields))
    return { sql: joined(ranges, 'OR', '0') }
  }
  const known = fields.wholeValues(field, wanted)
  if (known) {
    checkPhraseCount(known.length)
    const tokens = known.map(value => `"~${value}"`)
    return tokens.length === 0 ? { sql: plain('0') } : { match: anyOf(tokens), isScored: false }
  }
  if (isDeclared) throw undeclaredField(field, 'whole values', 'keyword')
  // In the index, a marker of the path stands before and after each value. With both, the phrase is a whole value.
  const phrases = wanted.map(value => foldedWords(value)).filter(words => words.length > 0)
  if (field === 'description') {
    checkPhraseCount(phrases.length)
    const whole = phrases.map(words => phraseOf({ words: ['~', ...words, '~'], isBeginning: false }))
    return { sql: anyMatchSql(whole.map(phrase => `description : ${phrase}`)) }
  }
  const paths = fields.paths(field)
  checkPhraseCount(phrases.length * paths.length)
  return {
    sql: anyMatchSql(
      paths.flatMap(path =>
        phrases.map(words => phraseOf({ words: ['', ...words, ''], isBeginning: false }, `~${path}~`)),
      ),
    ),
  }
}

/** The rows that match one of the expressions. It is SQL, because these expressions must not add to scores. */
function anyMatchSql(matches: readonly string[]): SqlQuery {
  return matches.length === 0 ? plain('0') : matchedSql(anyOf(matches))
}

function rangeSql(field: string, range: ValueRange, fields: FieldLookup): SqlQuery {
  const declared = fields.declared(field)
  const kind = declared?.as ?? rangeKindOf(field)
  const bounds = readRange(field, range, kind)
  if (bounds.length === 0) return existsSql(field, fields)
  const column = declared ? 'num' : `f.${field}`
  const parts = bounds.map(({ side, number, inclusive }) => ({
    sql: `${column} ${side === 'from' ? '>' : '<'}${inclusive ? '=' : ''} ?`,
    values: [number],
  }))
  const { sql, values } = joined(parts, 'AND', '1')
  if (!declared) return { sql, values }
  return {
    sql: `f.rev IN (SELECT rev FROM number WHERE field = ? AND ${sql})`,
    values: [declared.number, ...values],
  }
}

function existsSql(field: string, fields: FieldLookup): SqlQuery {
  if (rangeKindOf(field) !== undefined) return plain(`f.${field} IS NOT NULL`)
  if (!isRecordField(field) && !field.startsWith(documentPrefix)) return plain('0')
  return anyMatchSql(fields.paths(field, true).map(path => `"~${path}~"`))
}

/** SQL without values. */
export function plain(sql: string): SqlQuery {
  return { sql, values: [] }
}

/** Limit of the conditions that one AND or OR joins: each is a level of the expression, and SQLite takes 1000. */
const maxJoined = 100

/** Joins conditions by AND or OR. @param empty the result if there are none */
export function joined(parts: readonly SqlQuery[], by: 'AND' | 'OR', empty: '0' | '1'): SqlQuery {
  const [first] = parts
  if (!first) return plain(empty)
  if (parts.length === 1) return first
  if (parts.length > maxJoined) {
    const size = Math.ceil(parts.length / maxJoined)
    const groups = Array.from({ length: Math.ceil(parts.length / size) }, (_, index) =>
      joined(parts.slice(index * size, (index + 1) * size), by, empty),
    )
    return joined(groups, by, empty)
  }
  return {
    sql: `(${parts.map(({ sql }) => sql).join(` ${by} `)})`,
    values: parts.flatMap(({ values }) => values),
  }
}

/** The condition that a column has one of these values, however many there are. */
export function isOneOf(column: string, wanted: readonly SqlValue[]): SqlQuery {
  return { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(wanted)] }
}
