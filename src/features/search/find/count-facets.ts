import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import type { SqlQuery } from '../../../catalog/lists/list-sql.js'
import { foldedSql, usualValueBytes } from '../index/search-tables.js'
import { checkFacets } from '../match-words/check-search-size.js'
import { rangeKindOf } from '../range-bounds.js'
import type { SearchCondition } from '../search-condition.js'
import { type FacetRequest, type FacetResult, maxBuckets } from '../search-engine.js'
import { fieldWithoutFacet } from '../values/undeclared-field.js'
import { conditionSql, type FieldLookup, plain } from './compile-condition.js'
import type { FindLimits } from './find-jobs.js'
import { type HitSource, hitsSql, newestFirst } from './hits-sql.js'

/** Limit of the distinct values of a facet. */
const maxDistinctValues = 100_000
/** Number of conditions that one query counts. */
const conditionsAtOnce = 50

const tooMany: FacetResult = { buckets: [], more: 0, tooMany: true }

/** An index whose hits are counted. */
export interface CountedIndex {
  readonly connection: Connection
  readonly fields: FieldLookup
  /** The hits that meet a further condition, or all hits. */
  sourceOf(filter?: SearchCondition): HitSource
}

export interface CountedFacets {
  readonly facets: ReadonlyMap<string, FacetResult>
  totalOf(filter: SearchCondition | undefined): number | undefined
}

/**
 * Counts facets over the newest {@link FindLimits.faceted} hits of each index. All facets are counted, or none if that
 * takes too long.
 * @param indexes have different records
 * @returns the facets by name, and the number of hits that meet a further condition, if it came with a facet of one index
 * @throws ProblemError `malformed-request`
 */
export function countFacets(
  requests: readonly FacetRequest[],
  indexes: readonly CountedIndex[],
  limits: FindLimits,
): CountedFacets {
  checkFacets(requests)
  const counters = requests.map(counterOf)
  const end = performance.now() + limits.facetTime
  const keys: readonly (string | undefined)[] = requests.map(({ filter }) => JSON.stringify(filter))
  /** The hits by the text of the filter, for each index. */
  const hitsOf = indexes.map(index => {
    const hits = new Map<string | undefined, CountedHits>()
    for (const [at, { filter }] of requests.entries()) {
      const key = keys[at]
      if (hits.has(key)) continue
      const alike = requests.filter((_, other) => keys[other] === key)
      hits.set(key, openHits(index, filter, alike, limits))
    }
    return hits
  })
  const isWhole = hitsOf.every(hits =>
    counters.every((counter, at) => {
      const ofFilter = hits.get(keys[at])
      return !ofFilter || counter.count(ofFilter, () => performance.now() > end)
    }),
  )
  const facets = new Map(
    counters.map(({ result }, at) => [requests[at]?.name ?? '', isWhole ? result() : tooMany] as const),
  )
  const [only, ...others] = hitsOf
  const totalOf = (filter: SearchCondition | undefined) =>
    others.length === 0 ? only?.get(JSON.stringify(filter))?.total() : undefined
  return { facets, totalOf }
}

/** The newest hits of one index that meet the filter of a facet. */
interface CountedHits extends CountedIndex {
  /** SQL that selects the rows of `indexed` of these hits. */
  readonly rows: SqlQuery
  /** Whether there are more hits than `rows` selects. */
  hasMore(): boolean
  /** The number of hits; undefined if `rows` does not select all of them, or they were not read yet. */
  total(): number | undefined
  /** How often the hits have each whole value of a field, by number; undefined if there are too many values. */
  countsOf(field: string): ReadonlyMap<number, number> | undefined
}

function openHits(
  index: CountedIndex,
  filter: SearchCondition | undefined,
  requests: readonly FacetRequest[],
  { faceted, facetBytes }: FindLimits,
): CountedHits {
  const { connection, fields } = index
  const source = index.sourceOf(filter)
  const tail = (after: string, values: readonly number[]) => ({ sql: newestFirst(source) + after, values })
  const newest = (selected: string) => hitsSql(selected, source, { tail: tail(' LIMIT ?', [faceted]) })
  const rows = newest('f.*')
  const texts = newest('f.facets')
  let hasMore: boolean | undefined
  /** Number of the rows, once they were read. */
  let selected: number | undefined
  let counts: { readonly all: ReadonlyMap<number, ReadonlyMap<number, number>> | undefined } | undefined

  /** The counts of all fields that the requests name. */
  function countAll() {
    if (mayExceed(facetBytes)) return undefined
    const all = connection.prepare<readonly [text: string | null, rows: number]>(
      `SELECT group_concat(f.facets, ''), count(*) FROM (${texts.sql}) f`,
    )
    const last = connection.prepare<readonly [value: number]>('SELECT coalesce(max(value), 0) FROM value')
    const numbers = new Set(requests.flatMap(({ field }) => fields.valueField(field) ?? []))
    const [text, rows] = all.get(...texts.values) ?? [null, 0]
    selected = rows
    return countValuesIn(text ?? '', [...numbers], last.get()?.[0] ?? 0)
  }

  /** Whether the values of the hits may have more bytes. They are counted if any record of the index has many values. */
  function mayExceed(bytes: number): boolean {
    const large = connection.prepare(
      `SELECT 1 FROM indexed WHERE octet_length(facets) > ${usualValueBytes} LIMIT 1`,
    )
    if (faceted * usualValueBytes <= bytes && !large.get()) return false
    const size = connection.prepare<readonly [bytes: number]>(
      `SELECT coalesce(sum(octet_length(f.facets)), 0) FROM (${texts.sql}) f`,
    )
    return (size.get(...texts.values)?.[0] ?? 0) > bytes
  }

  return {
    ...index,
    rows,
    total: () => (selected !== undefined && selected < faceted ? selected : undefined),
    hasMore() {
      if (selected !== undefined && selected < faceted) return false
      const query = hitsSql('1', source, { tail: tail(' LIMIT 1 OFFSET ?', [faceted]) })
      hasMore ??= connection.prepare(query.sql).get(...query.values) !== undefined
      return hasMore
    },
    countsOf(field) {
      counts ??= { all: countAll() }
      return counts.all?.get(fields.valueField(field) ?? 0)
    },
  }
}

interface Counter {
  /** Adds the hits of an index to the counts. @returns false if that takes too long */
  count(hits: CountedHits, isOver: () => boolean): boolean
  result(): FacetResult
}

function counterOf({ field, counts }: FacetRequest): Counter {
  switch (counts.type) {
    case 'terms':
      return termCounter(field === 'lastUpdate' ? 'updated' : field, counts)
    case 'extent':
      return extentCounter(field === 'lastUpdate' ? 'updated' : field)
    case 'conditions':
      return conditionCounter(counts.conditions)
    case 'ranges':
      return conditionCounter(
        counts.ranges.map(({ key, range }) => ({ key, condition: { type: 'range', field, range } })),
      )
  }
}

function conditionCounter(
  parts: readonly { readonly key: string; readonly condition: SearchCondition }[],
): Counter {
  const numbers = parts.map(() => 0)
  let isCut = false
  return {
    count(hits, isOver) {
      const { connection, rows, fields } = hits
      for (let first = 0; first < parts.length; first += conditionsAtOnce) {
        const conditions = parts
          .slice(first, first + conditionsAtOnce)
          .map(({ condition }) => conditionSql(condition, fields))
        const sums = conditions.map(({ sql }) => `total(${sql})`).join(', ')
        const counted = connection
          .prepare(`SELECT ${sums} FROM (${rows.sql}) f`)
          .get(...conditions.flatMap(({ values }) => values), ...rows.values)
        for (const [at, number] of (counted ?? []).entries())
          numbers[first + at] = (numbers[first + at] ?? 0) + Number(number)
        if (isOver()) return false
      }
      isCut ||= hits.hasMore()
      return true
    },
    result: () => ({
      buckets: parts.map(({ key }, at) => ({ value: key, count: numbers[at] ?? 0 })),
      more: 0,
      ...(isCut && { atLeast: true }),
    }),
  }
}

/** A counted value. Values with one compared form are one value; the first of their texts is shown. */
interface CountedValue {
  text: string
  n: number
}

function termCounter(
  field: string,
  { size, order }: Extract<FacetRequest['counts'], { type: 'terms' }>,
): Counter {
  const found = new Map<string, CountedValue>()
  let isCut = false
  function add(compared: string, text: string, n: number): void {
    const known = found.get(compared)
    if (known) {
      known.n += n
      if (text < known.text) known.text = text
    } else found.set(compared, { text, n })
  }
  return {
    count(hits, isOver) {
      const isCounted = isColumn(field) ? countColumn(hits, field, add) : countValues(hits, field, add)
      if (!isCounted || found.size > maxDistinctValues || isOver()) return false
      isCut ||= hits.hasMore()
      return true
    },
    result() {
      const all = [...found.values()].map(({ text, n }) => ({ value: text, count: n }))
      const byValue = (a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1)
      all.sort((a, b) => (order === 'count' ? b.count - a.count || byValue(a, b) : byValue(a, b)))
      const kept = Math.max(0, Math.min(size, maxBuckets))
      return {
        buckets: all.slice(0, kept),
        more: all.slice(kept).reduce((sum, { count }) => sum + count, 0),
        ...(isCut && { atLeast: true }),
      }
    },
  }
}

/** Fields whose values are only in a column of `indexed`. */
function isColumn(field: string): boolean {
  return field === 'id' || rangeKindOf(field) === 'date'
}

type AddValue = (compared: string, text: string, n: number) => void

function countColumn({ connection, rows }: CountedHits, field: string, add: AddValue): boolean {
  const counted = connection
    .prepare<readonly [value: string | number, n: number]>(
      `SELECT f.${field}, count(*) FROM (${rows.sql}) f GROUP BY 1`,
    )
    .all(...rows.values)
  for (const [value, n] of counted) add(String(value), String(value), n)
  return true
}

/** @returns false if there are too many values */
function countValues(hits: CountedHits, field: string, add: AddValue): boolean {
  const { connection, fields } = hits
  const declared = fields.declared(field)
  if (fields.valueField(field) === undefined || (declared && !declared.isFacet))
    throw fieldWithoutFacet(field)
  const counts = hits.countsOf(field)
  if (!counts || counts.size > maxDistinctValues) return false
  const known = connection
    .prepare<readonly [value: number, folded: string, text: string]>(
      `SELECT value, ${foldedSql()}, text FROM value WHERE value IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify([...counts.keys()]))
  for (const [value, folded, shown] of known) add(folded, shown, counts.get(value) ?? 0)
  return true
}

/**
 * Counts the whole values of some fields in a text, by field. It reads characters, because to parse the text takes
 * several times as long.
 * @param text objects of the column `facets`, such as `{"3":[12,7],"4":[8]}{"3":[12]}`
 * @param last the highest number of a value
 */
function countValuesIn(
  text: string,
  fields: readonly number[],
  last: number,
): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const counts = new Uint32Array(last + 1)
  const found = fields.map((): number[] => [])
  let number = 0
  let place = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= zero && code <= zero + 9) number = number * 10 + code - zero
    else if (code === quote) {
      // The number before the second quotation mark is that of a field.
      place = fields.indexOf(number)
      if (number > 0 && place < 0) at = text.indexOf(']', at)
      number = 0
    } else if (number > 0) {
      const before = counts[number] ?? 0
      if (before === 0) found[place]?.push(number)
      counts[number] = before + 1
      number = 0
    }
  }
  return new Map(
    fields.map(
      (field, at) => [field, new Map(found[at]?.map(value => [value, counts[value] ?? 0]))] as const,
    ),
  )
}

/** Codes of characters. */
const [zero, quote] = [0x30, 0x22]

function extentCounter(field: string): Counter {
  let extent: { readonly min: number; readonly max: number } | undefined
  let isTime = false
  let isCut = false
  return {
    count(hits, isOver) {
      const { connection, rows, fields } = hits
      const number = fields.declared(field)?.number
      const isOfRecord = rangeKindOf(field) !== undefined
      if (number === undefined && !isOfRecord) throw fieldWithoutFacet(field)
      isTime ||= (fields.declared(field)?.as ?? rangeKindOf(field)) === 'date'
      const values = isOfRecord
        ? plain('')
        : { sql: ' CROSS JOIN number v ON v.field = ? AND v.rev = f.rev', values: [number ?? 0] }
      const column = isOfRecord ? `f.${field}` : 'v.num'
      const [min, max] = connection
        .prepare<readonly [min: number | null, max: number | null]>(
          `SELECT min(${column}), max(${column}) FROM (${rows.sql}) f${values.sql}`,
        )
        .get(...rows.values, ...values.values) ?? [null, null]
      if (min !== null && max !== null)
        extent = { min: Math.min(min, extent?.min ?? min), max: Math.max(max, extent?.max ?? max) }
      isCut ||= hits.hasMore()
      return !isOver()
    },
    result: () => ({
      buckets: [],
      more: 0,
      ...(extent && { min: String(extent.min), max: String(extent.max), ...(isTime && { isTime: true }) }),
      ...(isCut && { atLeast: true }),
    }),
  }
}
