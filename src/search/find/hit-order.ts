import { malformedRequest } from '../../core/problem.js'
import { fieldWithoutOrder } from '../declared-fields/undeclared-field.js'
import type { SortKey } from '../search-engine.js'
import { valueFields } from '../values/record-values.js'
import type { FieldLookup } from './conditions/field-lookup.js'
import { columnSql } from './conditions/record-columns.js'
import type { OrderColumn } from './hits-sql.js'
import { type ScoredMatch, scoreSql } from './scores/bm25.js'

/** Limit of the keys of an order. */
const maxKeys = 8
/** Limit of the keys with values in the table `value`, where they are looked up for each hit. */
const maxValueKeys = 3

export const updatedColumn = 'f.updated'

/** The order of a search. */
export type HitOrder =
  /** By score, then newest first. */
  | { readonly by: 'score'; readonly match: ScoredMatch }
  | { readonly by: 'newest' }
  | {
      readonly by: 'columns'
      readonly columns: readonly OrderColumn[]
      /** The position of the column with the score, if there is one. */
      readonly scoreAt?: number
    }

/**
 * The order of the hits that the keys ask for.
 * @param match the expression that gives hits their scores; undefined without words
 * @throws ProblemError `malformed-request` for a field without an order
 */
export function hitOrder(
  keys: readonly SortKey[],
  match: ScoredMatch | undefined,
  fields: FieldLookup,
): HitOrder {
  if (keys.length > maxKeys) throw malformedRequest(`At most ${maxKeys} fields can order the hits.`)
  const valueKeys = keys.filter(({ field }) => field !== 'score' && ownColumn(field) === undefined)
  if (valueKeys.length > maxValueKeys) {
    throw malformedRequest(
      `At most ${maxValueKeys} fields that may have several values, or are paths into documents, can order the hits.`,
    )
  }
  // Without words all hits have the same score.
  const known = match ? keys : keys.filter(({ field }) => field !== 'score')
  const [first] = known
  if (!first) return { by: 'newest' }
  if (match && known.length === 1 && first.field === 'score' && first.order === 'desc')
    return { by: 'score', match }
  const score = match && scoreSql(match)
  const columns = known.flatMap(({ field, order }) =>
    // Scores of FTS5 are negative: the better a hit is, the lower is the number.
    field === 'score' && score !== undefined
      ? [{ sql: score, values: [], isDescending: order === 'asc' }]
      : columnsOf({ field, order }, fields),
  )
  const scoreAt = columns.findIndex(({ sql }) => sql === score)
  return {
    by: 'columns',
    columns: [...columns, { sql: 'f.rev', values: [], isDescending: true }],
    ...(scoreAt >= 0 && { scoreAt }),
  }
}

/** The direction of an order by the last update alone; undefined for another order. */
export function updateDirection(order: HitOrder): 'asc' | 'desc' | undefined {
  if (order.by !== 'columns' || order.columns.length !== 2) return undefined
  const [first] = order.columns
  if (first?.sql !== updatedColumn) return undefined
  return first.isDescending ? 'desc' : 'asc'
}

function ownColumn(field: string): string | undefined {
  return columnSql(field === 'lastUpdate' ? 'updated' : field)
}

/** Records without a value are last, whatever the direction. */
function columnsOf({ field, order }: SortKey, fields: FieldLookup): readonly OrderColumn[] {
  const isDescending = order === 'desc'
  const column = ownColumn(field)
  if (column !== undefined) {
    const values: readonly [] = []
    if ([updatedColumn, 'f.created', 'f.id', 'f.kind', 'f.state', 'f.type'].includes(column))
      return [{ sql: column, values, isDescending }]
    const empty = field === 'year' ? '0' : "''"
    return [
      { sql: `(${column} IS NULL)`, values, isDescending: false },
      { sql: `coalesce(${column}, ${empty})`, values, isDescending },
    ]
  }
  const declared = fields.declared(field)
  if (!declared && !valueFields.has(field)) throw fieldWithoutOrder(field)
  const number = declared?.number ?? fields.paths(field)[0] ?? 0
  const isText = declared === undefined || declared.as === 'keyword'
  const pick = isDescending ? 'max' : 'min'
  const value = `(SELECT ${pick}(v.${isText ? 'folded' : 'num'}) FROM value v WHERE v.rev = f.rev AND v.field = ?)`
  return [
    { sql: `(${value} IS NULL)`, values: [number], isDescending: false },
    { sql: `coalesce(${value}, ${isText ? "''" : '0'})`, values: [number], isDescending },
  ]
}
