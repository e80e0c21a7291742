import type { Connection, SqlRow } from '../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../catalog/lists/list-sql.js'
import { malformedRequest } from '../../core/problem.js'
import { truncate } from '../../core/value-types.js'
import { valueFields } from '../index/record-values.js'
import type { SearchCondition } from '../search-condition.js'
import type { FacetRequest, FacetResult } from '../search-engine.js'
import { checkSize, columnSql, conditionSql } from './condition-sql.js'
import { type FieldLookup, undeclared } from './field-lookup.js'
import type { FindLimits } from './find-limits.js'
import { type HitSource, hitsSql } from './hits-sql.js'
import { plain } from './search-sql.js'

/** Milliseconds for the facets of few hits. */
const longTime = 2000
/** Most values of a facet that are told from each other. */
const mostValues = 100_000
/** Most facets, and most buckets of one. */
const mostFacets = 40
const mostBuckets = 1000

/** Columns of `indexed` that conditions and facets read. */
const columns = ['kind', 'id', 'schema', 'year', 'state', 'language', 'type', 'created', 'updated'] as const
const selected = ['rev', ...columns].map(name => `f.${name}`).join(', ')

const tooMany: FacetResult = { buckets: [], more: 0, tooMany: true }

/**
 * Counts facets over all hits: slice by slice, newest first, until the time is over. Either all facets are counted, or
 * none.
 * @param last the last row of the index
 * @throws ProblemError `malformed-request`
 */
export function countFacets(
  connection: Connection,
  requests: readonly FacetRequest[],
  source: HitSource,
  fields: FieldLookup,
  last: number,
  limits: FindLimits,
  isMany: () => boolean,
): ReadonlyMap<string, FacetResult> {
  if (requests.length > mostFacets) throw malformedRequest(`At most ${mostFacets} facets can be counted.`)
  const counters = requests.map(request => counterOf(connection, request, fields))
  if (counters.length === 0) return new Map()
  const end = performance.now() + (isMany() ? limits.shortTime : longTime)
  connection.exec(`CREATE TEMP TABLE IF NOT EXISTS hit (rev INTEGER PRIMARY KEY, ${columns.join(', ')})`)
  const clear = connection.prepare('DELETE FROM temp.hit')
  // A slice that has been begun is counted to its end, unless the facets have very many parts.
  const isOver = () => performance.now() > end + longTime
  let isWhole = true
  for (let most = last; most > 0 && isWhole; most -= limits.slice) {
    if (performance.now() > end) {
      isWhole = false
      break
    }
    clear.run()
    const hits = hitsSql(selected, source, { least: most - limits.slice + 1, most })
    connection.prepare(`INSERT INTO temp.hit ${hits.sql}`).run(...hits.values)
    isWhole = counters.every(counter => counter.count(isOver))
  }
  clear.run()
  return new Map(
    counters.map((counter, at) => [requests[at]?.name ?? '', isWhole ? counter.result() : tooMany] as const),
  )
}

interface Counter {
  /** Adds the hits of a slice. @returns false if the time was over before the end */
  count(isOver: () => boolean): boolean
  result(): FacetResult
}

function counterOf(connection: Connection, request: FacetRequest, fields: FieldLookup): Counter {
  const filter = request.filter ? checkedSql(request.filter, fields) : plain('1')
  const { counts } = request
  if (counts.type === 'terms') return termCounter(connection, request.field, counts, filter, fields)
  if (counts.type === 'extent') return extentCounter(connection, request.field, filter, fields)
  const parts =
    counts.type === 'ranges'
      ? counts.ranges.map(({ key, range }) => {
          return { key, sql: conditionSql({ type: 'range', field: request.field, range }, fields) }
        })
      : counts.conditions.map(({ key, condition }) => ({ key, sql: checkedSql(condition, fields) }))
  if (parts.length > mostBuckets) throw malformedRequest(`A facet has at most ${mostBuckets} parts.`)
  return partCounter(connection, parts, filter)
}

function checkedSql(condition: SearchCondition, fields: FieldLookup): SqlQuery {
  checkSize(condition)
  return conditionSql(condition, fields)
}

/** The hits of a slice, as rows of `indexed`. */
const hits = 'temp.hit f'

function partCounter(
  connection: Connection,
  parts: readonly { readonly key: string; readonly sql: SqlQuery }[],
  filter: SqlQuery,
): Counter {
  const counted = parts.map(({ key, sql }) => ({
    key,
    n: 0,
    values: [...sql.values, ...filter.values],
    statement: connection.prepare<readonly [number]>(
      `SELECT count(*) FROM ${hits} WHERE ${sql.sql} AND ${filter.sql}`,
    ),
  }))
  return {
    count: isOver =>
      counted.every(part => {
        part.n += part.statement.get(...part.values)?.[0] ?? 0
        return !isOver()
      }),
    result: () => ({ buckets: counted.map(({ key, n }) => ({ value: key, count: n })), more: 0 }),
  }
}

/** Where the values of a field are: a column of the row of a hit, or rows of their own. */
function valuesOf(field: string, fields: FieldLookup, needsFacet: boolean) {
  const column = columnSql(field === 'lastUpdate' ? 'updated' : field)
  if (column !== undefined)
    return { from: hits, folded: column, text: column, num: column, values: [] as SqlRow }
  const declared = fields.declared(field)
  const isKnown = declared ? declared.isFacet || !needsFacet : valueFields.has(field)
  if (!isKnown) {
    if (field.startsWith('document.')) throw undeclared(field, 'facet', 'keyword')
    throw malformedRequest(`There is no facet "${truncate(field)}".`)
  }
  return {
    from: `${hits} CROSS JOIN value v ON v.rev = f.rev AND v.field = ?`,
    folded: 'v.folded',
    text: 'v.text',
    num: 'v.num',
    values: [declared?.number ?? fields.paths(field)[0] ?? 0] as SqlRow,
  }
}

function termCounter(
  connection: Connection,
  field: string,
  { size, order }: Extract<FacetRequest['counts'], { type: 'terms' }>,
  filter: SqlQuery,
  fields: FieldLookup,
): Counter {
  const { from, folded, text, values } = valuesOf(field, fields, true)
  const statement = connection.prepare<readonly [folded: string | number, text: string | number, n: number]>(
    `SELECT ${folded}, min(${text}), count(*) FROM ${from} WHERE ${folded} IS NOT NULL AND ${filter.sql} GROUP BY 1`,
  )
  const found = new Map<string | number, { readonly text: string; n: number }>()
  return {
    count(isOver) {
      for (const [key, shown, n] of statement.all(...values, ...filter.values)) {
        const known = found.get(key)
        if (known) known.n += n
        else if (found.size <= mostValues) found.set(key, { text: String(shown), n })
      }
      return !isOver()
    },
    result() {
      if (found.size > mostValues) return tooMany
      const all = [...found.values()].map(({ text, n }) => ({ value: text, count: n }))
      const byValue = (a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1)
      all.sort((a, b) => (order === 'count' ? b.count - a.count || byValue(a, b) : byValue(a, b)))
      const kept = Math.max(0, Math.min(size, mostBuckets))
      return { buckets: all.slice(0, kept), more: all.slice(kept).reduce((sum, { count }) => sum + count, 0) }
    },
  }
}

function extentCounter(
  connection: Connection,
  field: string,
  filter: SqlQuery,
  fields: FieldLookup,
): Counter {
  const { from, num, values } = valuesOf(field, fields, false)
  const statement = connection.prepare<
    readonly [least: number | string | null, most: number | string | null]
  >(`SELECT min(${num}), max(${num}) FROM ${from} WHERE ${filter.sql}`)
  let extent: { least: number | string; most: number | string } | undefined
  return {
    count(isOver) {
      const [least, most] = statement.get(...values, ...filter.values) ?? [null, null]
      if (least === null || most === null) return !isOver()
      extent = {
        least: extent && extent.least < least ? extent.least : least,
        most: extent && extent.most > most ? extent.most : most,
      }
      return !isOver()
    },
    result: () => ({
      buckets: [],
      more: 0,
      ...(extent && { least: String(extent.least), most: String(extent.most) }),
    }),
  }
}
