import type { Connection, SqlRow } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'
import { fieldWithoutFacet } from '../declared-fields/undeclared-field.js'
import { checkFacets } from '../match-words/check-search-size.js'
import { rangeKindOf } from '../range-bounds.js'
import type { SearchCondition } from '../search-condition.js'
import { type FacetRequest, type FacetResult, maxBuckets } from '../search-engine.js'
import { valueFields } from '../values/record-values.js'
import { conditionSql } from './conditions/compile-condition.js'
import type { FieldLookup } from './conditions/field-lookup.js'
import { columnSql } from './conditions/record-columns.js'
import { plain } from './conditions/search-sql.js'
import type { FindLimits } from './find-limits.js'
import type { ColumnHits } from './gather-by-columns.js'
import { clearHits, gatherRange } from './gathered-hits.js'
import { gatheredHits, type HitSource } from './hits-sql.js'

/** Limit of the milliseconds for the facets of few hits. */
const millisecondsForFewHits = 2000
/** Limit of the distinct values of a facet. */
const maxDistinctValues = 100_000
/** Limit of the values of a facet that are counted at once, in all hits together: one record may have 50,000. */
const maxTallied = 2_000_000

const tooMany: FacetResult = { buckets: [], more: 0, tooMany: true }

/** An index whose hits are counted. */
export interface CountedIndex {
  readonly connection: Connection
  readonly source: HitSource
  readonly fields: FieldLookup
  /** The last row of the index. */
  readonly last: number
  /** The hits, if they were found by columns. */
  readonly columns?: ColumnHits | undefined
}

/**
 * Counts facets over all hits: slice by slice, newest first, until the time is over. Either all facets are counted, or
 * none.
 * @param indexes have different records
 * @param isMany whether there are so many hits that the time is short
 * @throws ProblemError `malformed-request`
 */
export function countFacets(
  requests: readonly FacetRequest[],
  indexes: readonly CountedIndex[],
  limits: FindLimits,
  isMany: () => boolean,
): ReadonlyMap<string, FacetResult> {
  checkFacets(requests)
  const counters = requests.map(counterOf)
  if (counters.length === 0) return new Map()
  const end = performance.now() + (isMany() ? limits.shortTime : millisecondsForFewHits)
  let isWhole = true
  for (const index of indexes) isWhole &&= countIndex(index, counters, limits.slice, end)
  return new Map(
    counters.map(
      (counter, index) => [requests[index]?.name ?? '', isWhole ? counter.result() : tooMany] as const,
    ),
  )
}

/** Counts the hits of one index. @returns whether all were counted before the end of the time */
function countIndex(
  { connection, source, fields, last, columns }: CountedIndex,
  counters: readonly Counter[],
  slice: number,
  end: number,
): boolean {
  const counts = counters.map(counter => counter.countOf(connection, fields, columns))
  // A slice that has been begun is counted to its end, unless this takes {@link millisecondsForFewHits} too long.
  const isOver = () => performance.now() > end + millisecondsForFewHits
  if (source.from === 'gathered') return counts.every(count => count(isOver))
  for (let max = last; max > 0; max -= slice) {
    if (performance.now() > end) return false
    gatherRange(connection, source, { min: max - slice + 1, max })
    if (!counts.every(count => count(isOver))) return false
  }
  clearHits(connection)
  return true
}

/** Adds the hits of a slice of an index to the counts. @returns false if the time was over before the end */
type SliceCount = (isOver: () => boolean) => boolean

interface Counter {
  countOf(connection: Connection, fields: FieldLookup, columns: ColumnHits | undefined): SliceCount
  result(): FacetResult
}

/** The condition that restricts a facet to some hits; undefined for all hits. */
type Condition = SearchCondition | undefined

function sqlOf(condition: Condition, fields: FieldLookup): SqlQuery {
  return condition ? conditionSql(condition, fields) : plain('1')
}

function counterOf({ field, filter, counts }: FacetRequest): Counter {
  if (counts.type === 'terms') return termCounter(field, counts, filter)
  if (counts.type === 'extent') return extentCounter(field, filter)
  const parts =
    counts.type === 'ranges'
      ? counts.ranges.map(({ key, range }) => ({ key, condition: { type: 'range' as const, field, range } }))
      : counts.conditions
  return partCounter(parts, filter)
}

function partCounter(
  parts: readonly { readonly key: string; readonly condition: SearchCondition }[],
  filter: Condition,
): Counter {
  const counted = parts.map(part => ({ ...part, n: 0 }))
  return {
    countOf(connection, fields) {
      const more = sqlOf(filter, fields)
      const counts = counted.map(part => {
        const { sql, values } = sqlOf(part.condition, fields)
        const statement = connection.prepare<readonly [number]>(
          `SELECT count(*) FROM ${gatheredHits} WHERE ${sql} AND ${more.sql}`,
        )
        return () => {
          part.n += statement.get(...values, ...more.values)?.[0] ?? 0
        }
      })
      return isOver =>
        counts.every(count => {
          count()
          return !isOver()
        })
    },
    result: () => ({ buckets: counted.map(({ key, n }) => ({ value: key, count: n })), more: 0 }),
  }
}

/** Where the values of a field are: in a column of the row of a hit, or in rows of the table `value`. */
function valuesOf(field: string, fields: FieldLookup, needsFacet: boolean) {
  const column = columnSql(field === 'lastUpdate' ? 'updated' : field)
  if (column !== undefined)
    return {
      from: gatheredHits,
      folded: column,
      text: column,
      num: column,
      values: [] as SqlRow,
      isTime: rangeKindOf(field) === 'date',
    }
  const declared = fields.declared(field)
  const isKnown = declared ? declared.isFacet || !needsFacet : valueFields.has(field)
  if (!isKnown) throw fieldWithoutFacet(field)
  return {
    from: `${gatheredHits} CROSS JOIN value v ON v.rev = f.rev AND v.field = ?`,
    folded: 'v.folded',
    text: 'v.text',
    num: 'v.num',
    values: [declared?.number ?? fields.paths(field)[0] ?? 0] as SqlRow,
    isTime: declared?.as === 'date',
  }
}

function termCounter(
  field: string,
  { size, order }: Extract<FacetRequest['counts'], { type: 'terms' }>,
  filter: Condition,
): Counter {
  const found = new Map<string | number, { text: string; n: number }>()
  let isTallied = true
  function addCount(key: string | number, text: string, n: number): void {
    const known = found.get(key)
    if (known) {
      known.n += n
      if (text < known.text) known.text = text
    } else if (found.size <= maxDistinctValues) found.set(key, { text, n })
  }
  return {
    countOf(connection, fields, columns) {
      const counts = filter ? undefined : columns?.counts(field)
      // Gathered rows without a `kind` are of hits that columns have counted already.
      const more = counts ? plain('f.kind IS NOT NULL') : sqlOf(filter, fields)
      const { from, folded, text, values } = valuesOf(field, fields, true)
      // A table with a row for each value: to find this row is faster than to sort all values.
      connection.exec('CREATE TEMP TABLE IF NOT EXISTS tally (folded PRIMARY KEY, text, n) WITHOUT ROWID')
      const clear = connection.prepare('DELETE FROM temp.tally')
      const add = connection.prepare(
        `INSERT INTO temp.tally SELECT ${folded}, ${text}, 1 FROM ${from} WHERE ${folded} IS NOT NULL AND ${more.sql}
         LIMIT ${maxTallied} ON CONFLICT DO UPDATE SET n = n + 1, text = min(text, excluded.text)`,
      )
      const counted = connection.prepare<
        readonly [folded: string | number, text: string | number, n: number]
      >('SELECT folded, text, n FROM temp.tally')
      const tallied = connection.prepare<readonly [rows: number]>('SELECT changes()')
      return isOver => {
        clear.run()
        add.run(...values, ...more.values)
        isTallied &&= (tallied.get()?.[0] ?? 0) < maxTallied
        for (const [key, text, n] of counted.all()) addCount(key, String(text), n)
        for (const [key, text, n] of counts ?? []) addCount(key, text, n)
        return !isOver()
      }
    },
    result() {
      if (found.size > maxDistinctValues || !isTallied) return tooMany
      const all = [...found.values()].map(({ text, n }) => ({ value: text, count: n }))
      const byValue = (a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1)
      all.sort((a, b) => (order === 'count' ? b.count - a.count || byValue(a, b) : byValue(a, b)))
      const kept = Math.max(0, Math.min(size, maxBuckets))
      return { buckets: all.slice(0, kept), more: all.slice(kept).reduce((sum, { count }) => sum + count, 0) }
    },
  }
}

function extentCounter(field: string, filter: Condition): Counter {
  let extent: { min: number | string; max: number | string } | undefined
  let isTimes = false
  return {
    countOf(connection, fields) {
      const more = sqlOf(filter, fields)
      const { from, num, values, isTime } = valuesOf(field, fields, false)
      isTimes ||= isTime
      const statement = connection.prepare<
        readonly [min: number | string | null, max: number | string | null]
      >(`SELECT min(${num}), max(${num}) FROM ${from} WHERE ${more.sql}`)
      return isOver => {
        const [min, max] = statement.get(...values, ...more.values) ?? [null, null]
        if (min === null || max === null) return !isOver()
        extent = {
          min: extent && extent.min < min ? extent.min : min,
          max: extent && extent.max > max ? extent.max : max,
        }
        return !isOver()
      }
    },
    result: () => ({
      buckets: [],
      more: 0,
      ...(extent && {
        min: String(extent.min),
        max: String(extent.max),
        ...(isTimes && { isTime: true }),
      }),
    }),
  }
}
