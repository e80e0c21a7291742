import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { NumberList } from '../../core/data-structures/number-list.js'
import { foldValue } from '../index/fold-words.js'
import { recordPath } from '../index/search-tables.js'
import { columnSql } from './conditions/record-columns.js'
import { numbersOfBlob } from './scores/blob-numbers.js'
import type { ScoredTable } from './scores/bm25.js'

/*
 * Arrays (columns) with what facets and access checks need of each record of the index. To look up 40,000 hits in the
 * tables takes half a second of processor time with 1,000,000 records; in arrays it takes some milliseconds.
 *
 * A changed record gets a new row in the index, and the values of a row never change. So the arrays are only appended
 * to. Deleted rows stay in the arrays, but no search finds these rows. Only the number of words of a row can change,
 * when its schema declares other fields: see `hasLengths`.
 *
 * Fast path. First page with five facets: 45 ms instead of 641 ms of processor time with 1,000,000 documents. Plain
 * path: look-ups in the tables.
 * @see docs/decisions/011-fast-paths.md
 */

/** Fields with at most one value, which have a column of the table `indexed`. */
const singleFields = ['schema', 'year', 'state', 'type', 'language'] as const
/** Fields that may have several values. */
const listFields = ['creator', 'licence'] as const
type SingleField = (typeof singleFields)[number]
type ListField = (typeof listFields)[number]

/** Limits of the rows, and of their values, that are read at once. A row with more values is read alone. */
const rowsPerRead = 500
const valuesPerRead = 50_000
/** Limit of the different values of a field. With more, the field is not kept. */
const maxTexts = 200_000
/** Texts of so many characters may have been cut: their lower-case form is read from the index, not made from them. */
const longText = 150
/** Limit of the row numbers: the arrays of rows have four or eight bytes for each number. */
const maxRow = 20_000_000

/** For each value of hits: a key that identifies it, a text, and the number of hits. Two texts may have one key. */
export type FieldCounts = readonly (readonly [key: string | number, text: string, n: number])[]

/** The columns of one index. */
export interface HitColumns {
  /** All rows up to this one are in the columns. */
  readonly through: number
  /**
   * Reads rows that are not in the columns yet.
   * @param through the last revision that the index reflects: no rows up to it will be added
   * @param milliseconds time after which the reading stops
   * @returns whether all rows up to `through` are in the columns
   */
  follow(through: number, milliseconds: number): boolean
  /** The slot of a row: its place in the columns, in the order of the rows; undefined if the row is not there. */
  slotOf(row: number): number | undefined
  row(slot: number): number
  rid(slot: number): number
  isMetadata(slot: number): boolean
  /** The number of the audience (who sees the record); undefined if the record had changed when its row was read. */
  audience(slot: number): number | undefined
  /** Milliseconds since 1970. */
  updated(slot: number): number
  /** Whether `length` is still right: no schema has declared other fields since the columns were opened. */
  hasLengths(): boolean
  /** The number of words that a record has in a table. */
  length(table: ScoredTable, slot: number): number
  /** Whether the columns have the values of a field. */
  has(field: string): boolean
  /** Counts the values of records. @returns undefined for a field that has no column */
  counts(field: string, slots: Int32Array): FieldCounts | undefined
}

/** Whether a field has a column of its own in the index, which {@link HitColumns} has too. */
export function isSingleColumn(field: string): boolean {
  return (singleFields as readonly string[]).includes(field)
}

/** Numbers the different values of a field. */
class Texts {
  readonly #numbers = new Map<string | number, number>()
  readonly #texts: (string | number)[] = []
  readonly #keys: (string | number)[] = []

  get size(): number {
    return this.#texts.length
  }

  number(text: string | number, key: () => string | number): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    this.#numbers.set(text, this.size)
    this.#keys.push(key())
    return this.#texts.push(text) - 1
  }

  /** The values that have hits. @param counts the number of hits of each value, by the number of the value */
  counts(counts: Uint32Array): FieldCounts {
    const found: (readonly [key: string | number, text: string, n: number])[] = []
    for (const [number, n] of counts.entries()) {
      if (n > 0) found.push([this.#keys[number] ?? '', String(this.#texts[number]), n])
    }
    return found
  }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** @param connection to the index, with the catalog attached */
export function openHitColumns(connection: Connection): HitColumns {
  /** The slot of each row plus one; 0 for a row that is not there. */
  const slots = new NumberList()
  const rows = new NumberList()
  const rids = new NumberList()
  const kinds = new NumberList()
  const audiences = new NumberList()
  const updates = new NumberList()
  const lengths = { words: new NumberList(), leaf: new NumberList() }
  const single = new Map(
    singleFields.map(field => [field, { texts: new Texts(), numbers: new NumberList() }]),
  )
  const lists = new Map<ListField, { texts: Texts; starts: NumberList; numbers: NumberList }>(
    listFields.map(field => [
      field,
      { texts: new Texts(), starts: new NumberList(), numbers: new NumberList() },
    ]),
  )
  let through = 0

  const sql = {
    end: connection.prepare<readonly [rev: number | null]>(
      `SELECT max(rev) FROM (SELECT rev FROM indexed WHERE rev > ? AND rev <= ? ORDER BY rev LIMIT ${rowsPerRead})`,
    ),
    manyValues: connection.prepare<readonly [rev: number]>(
      `SELECT rev FROM value WHERE rev > ? AND rev <= ? ORDER BY rev LIMIT 1 OFFSET ${valuesPerRead}`,
    ),
    rows: connection.prepare<readonly [json: string]>(
      `SELECT json_group_array(json_array(f.rev, f.rid, f.kind = 'metadata', n.audience, f.updated,
         hex(words.sz), hex(leaf.sz), ${singleFields.map(columnSql).join(', ')}))
       FROM indexed f JOIN words_docsize words ON words.id = f.rev JOIN leaf_docsize leaf ON leaf.id = f.rev
       LEFT JOIN newest n ON n.rid = f.rid AND n.rev = f.rev WHERE f.rev > ? AND f.rev <= ?`,
    ),
    values: connection.prepare<readonly [json: string]>(
      `SELECT json_group_array(json_array(rev, text, iif(length(text) >= ${longText}, folded, NULL)))
       FROM value WHERE rev > ? AND rev <= ? AND +field = ?`,
    ),
    path: connection.prepare<readonly [path: number]>('SELECT path FROM path WHERE name = ?'),
    declarations: connection.prepare<readonly [json: string, pending: number]>(
      `SELECT (SELECT json_group_array(json_array(schema, json)) FROM (SELECT * FROM declaration ORDER BY schema)),
         (SELECT count(*) FROM pending)`,
    ),
  }

  const [declarations, documentsPending = 1] = sql.declarations.get() ?? []
  let isDeclaredAsBefore = documentsPending === 0

  function readRows(end: number): void {
    type Values = readonly (string | number | null)[]
    type Row = readonly [
      ...[rev: number, rid: number, kind: number, audience: number | null, updated: number],
      ...[words: string, leaf: string],
      ...values: Values,
    ]
    const read = JSON.parse(sql.rows.get(through, end)?.[0] ?? '[]') as Row[]
    read.sort(([one], [other]) => one - other)
    for (const [rev, rid, kind, audience, updated, words, leaf, ...values] of read) {
      const slot = rids.length
      slots.set(rev, slot + 1)
      rows.push(rev)
      rids.push(rid)
      kinds.push(kind)
      // 0 stands for no audience.
      audiences.push(audience === null ? 0 : audience + 1)
      updates.push(updated)
      lengths.words.push(total(numbersOfBlob(words)))
      lengths.leaf.push(total(numbersOfBlob(leaf)))
      for (const [index, field] of singleFields.entries()) {
        const value = values[index] ?? null
        const column = single.get(field)
        // 0 stands for no value.
        column?.numbers.push(value === null ? 0 : column.texts.number(value, () => value) + 1)
      }
    }
  }

  function readValues(field: ListField, end: number, first: number): void {
    const column = lists.get(field)
    if (!column) return
    const number = sql.path.get(recordPath(field))?.[0] ?? 0
    type Row = readonly [rev: number, text: string, folded: string | null]
    const read = JSON.parse(sql.values.get(through, end, number)?.[0] ?? '[]') as Row[]
    const bySlot = new Map<number, number[]>()
    for (const [rev, text, folded] of read) {
      const slot = slots.at(rev) - 1
      const value = column.texts.number(text, () => folded ?? foldValue(text))
      const known = bySlot.get(slot)
      if (known) known.push(value)
      else bySlot.set(slot, [value])
    }
    for (let slot = first; slot < rids.length; slot++) {
      column.starts.set(slot, column.numbers.length)
      for (const value of bySlot.get(slot) ?? []) column.numbers.push(value)
    }
    if (column.texts.size > maxTexts) lists.delete(field)
  }

  function countSingle(field: SingleField, of: Int32Array): FieldCounts | undefined {
    const column = single.get(field)
    if (!column) return undefined
    const { values } = column.numbers
    const counts = new Uint32Array(column.texts.size + 1)
    for (const slot of of) {
      const number = values[slot] ?? 0
      counts[number] = (counts[number] ?? 0) + 1
    }
    return column.texts.counts(counts.subarray(1))
  }

  function countList(field: ListField, of: Int32Array): FieldCounts | undefined {
    const column = lists.get(field)
    if (!column) return undefined
    const { values } = column.numbers
    const starts = column.starts.values
    const counts = new Uint32Array(column.texts.size)
    for (const slot of of) {
      const end = (slot + 1 < column.starts.length ? starts[slot + 1] : column.numbers.length) ?? 0
      for (let index = starts[slot] ?? 0; index < end; index++) {
        const number = values[index] ?? 0
        counts[number] = (counts[number] ?? 0) + 1
      }
    }
    return column.texts.counts(counts)
  }

  return {
    get through() {
      return through
    },
    follow(wanted, milliseconds) {
      const until = performance.now() + milliseconds
      while (through < wanted) {
        if (wanted > maxRow || performance.now() > until) return false
        const last = sql.end.get(through, wanted)?.[0] ?? wanted
        const beyond = sql.manyValues.get(through, last)?.[0]
        const end = beyond === undefined ? last : Math.max(beyond - 1, through + 1)
        const first = rids.length
        readRows(end)
        for (const field of lists.keys()) readValues(field, end, first)
        through = end
      }
      return true
    },
    slotOf(row) {
      const slot = row < slots.length ? slots.at(row) : 0
      return slot === 0 ? undefined : slot - 1
    },
    row: slot => rows.at(slot),
    rid: slot => rids.at(slot),
    isMetadata: slot => kinds.at(slot) === 1,
    audience(slot) {
      const audience = audiences.at(slot)
      return audience === 0 ? undefined : audience - 1
    },
    updated: slot => updates.at(slot),
    hasLengths() {
      // After a change, some lengths may have been read before it, and others after it.
      const [now, pending] = sql.declarations.get() ?? []
      isDeclaredAsBefore &&= now === declarations && pending === 0
      return isDeclaredAsBefore
    },
    length: (table, slot) => lengths[table].at(slot),
    has: field => isSingleColumn(field) || lists.has(field as ListField),
    counts(field, of) {
      if (isSingleColumn(field)) return countSingle(field as SingleField, of)
      return (listFields as readonly string[]).includes(field) ? countList(field as ListField, of) : undefined
    },
  }
}
