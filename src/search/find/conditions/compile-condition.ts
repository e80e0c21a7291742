import type { SqlQuery } from '../../../catalog/lists/list-sql.js'
import { checkSize } from '../../match-words/check-search-size.js'
import { allOf, columnOf, isWithin, matchOf } from '../../match-words/match-expression.js'
import type { SearchCondition } from '../../search-condition.js'
import type { ScoredMatch } from '../scores/bm25.js'
import type { FieldLookup } from './field-lookup.js'
import { leafExpressions, type PartSql, partSql } from './part-sql.js'
import { type HitSet, matchedRows } from './row-sets.js'
import { joined, plain } from './search-sql.js'

/** A condition as SQL. A hit meets all of its parts. */
export interface CompiledCondition {
  /** The FTS5 expression that gives hits their scores. Undefined for a condition without words to score. */
  readonly match: ScoredMatch | undefined
  readonly sets: readonly HitSet[]
  /** An SQL condition on a row `f` of `indexed`. */
  readonly rest: SqlQuery
  /** Whether `sets` and `rest` are the whole condition, so that only scores need `match`. */
  readonly isWhole: boolean
}

/**
 * Compiles a condition to SQL and full-text expressions.
 * @throws ProblemError `malformed-request` for a condition that is too large, or a field without ranges
 */
export function compileCondition(condition: SearchCondition, fields: FieldLookup): CompiledCondition {
  checkSize(condition)
  const match = matchOf(condition)
  if (match?.isExact) return { match: inAnyField(match.text), sets: [], rest: plain('1'), isWhole: false }
  const compiled = (parts: readonly SearchCondition[]): readonly CompiledPart[] =>
    parts.map(part => ({ part, sql: partSql(part, fields) }))
  const allParts = requiredParts(condition)
  if (!match) return { match: undefined, ...joinedParts(compiled(allParts)), isWhole: true }
  const scored = isAtPaths(condition) ? scoredAtPaths(compiled(allParts)) : undefined
  if (scored) return scored
  const unmatchedParts = requiredParts(condition, { withoutMatched: true })
  return {
    match: inAnyField(match.text),
    ...joinedParts(compiled(unmatchedParts)),
    isWhole: unmatchedParts.length === allParts.length,
  }
}

/**
 * The whole condition, words included, as SQL on a row `f` of `indexed`.
 * @throws ProblemError `malformed-request` for a condition that is too large, or a field without ranges
 */
export function conditionSql(condition: SearchCondition, fields: FieldLookup): SqlQuery {
  checkSize(condition)
  return partSql(condition, fields)
}

interface CompiledPart {
  readonly part: SearchCondition
  readonly sql: PartSql
}

/**
 * Compiles a condition whose words are all searched at document paths.
 * @returns undefined if one FTS5 expression on the table `leaf` cannot find the words
 */
function scoredAtPaths(parts: readonly CompiledPart[]): CompiledCondition | undefined {
  const withWords = parts.filter(({ part }) => matchOf(part) !== undefined)
  const wordSets = withWords.flatMap(({ sql }) => sql.set ?? [])
  const match = joinedLeaf(wordSets)
  if (!match || wordSets.length < withWords.length) return undefined
  const { sets, rest } = joinedParts(parts)
  const [leafSet, ...otherSets] = sets
  // Other parts of the condition, such as whole values, add nothing to the score.
  const isAlone = leafSet?.table === 'leaf' && leafSet.where.values[0] === match.text
  return { match, sets: isAlone ? otherSets : sets, rest, isWhole: !isAlone }
}

const inAnyField = (text: string): ScoredMatch => ({ table: 'words', text })

/** Joins parts that all have to be met. Their sets of the table `leaf` become one set, the first. */
function joinedParts(parts: readonly CompiledPart[]): Pick<CompiledCondition, 'sets' | 'rest'> {
  const allSets = parts.flatMap(({ sql }) => sql.set ?? [])
  const leaf = joinedLeaf(allSets)
  const sets = allSets.filter(({ table }) => table !== 'leaf')
  const others = parts.flatMap(({ sql }) => (sql.set === undefined ? [sql] : []))
  return { sets: leaf ? [matchedRows(leaf), ...sets] : sets, rest: joined(others, 'AND', '1') }
}

/**
 * One expression for all sets of the table `leaf`; undefined if there are none. FTS5 finds rows that meet two
 * expressions without reading all rows of either.
 */
function joinedLeaf(sets: readonly HitSet[]): ScoredMatch | undefined {
  const expressions = leafExpressions(sets)
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
 * @param withoutMatched leaves out the parts that the FTS5 expression of the condition covers
 */
function requiredParts(
  condition: SearchCondition,
  { withoutMatched = false } = {},
): readonly SearchCondition[] {
  if (condition.type !== 'and') return [condition]
  return condition.conditions.flatMap(part =>
    withoutMatched && isWithin(part)
      ? []
      : requiredParts(part, { withoutMatched: withoutMatched && matchOf(part) !== undefined }),
  )
}
