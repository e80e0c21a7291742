import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { numbersOfBlob } from '../scores/blob-numbers.js'
import type { ScoredTable } from '../scores/bm25.js'
import { type FieldCounts, ListColumn, SingleColumn } from './field-columns.js'
import { type IndexRow, type ListField, listFields, openRowReader, singleFields } from './index-row-reader.js'
import { NumberList } from './number-list.js'

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

/** Limit of the different values of a field. With more, the field is not kept. */
const maxTexts = 200_000
/** Limit of the row numbers: the arrays of rows have four or eight bytes for each number. */
const maxRow = 20_000_000

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
  /**
   * The number that identifies the audience of the record (who sees it). Undefined if the columns read the row when it
   * was not the newest revision of the record any more.
   */
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

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/**
 * Opens the columns of an index, which are empty until {@link HitColumns.follow}.
 * @param connection to the index, with the catalog attached
 */
export function openHitColumns(connection: Connection): HitColumns {
  const reader = openRowReader(connection)
  const rows = openRowColumns()
  const single = new Map(singleFields.map(field => [field, new SingleColumn()]))
  const lists = new Map<ListField, ListColumn>(listFields.map(field => [field, new ListColumn()]))
  let through = 0
  const declarations = reader.declarations()
  let isDeclaredAsBefore = declarations.pending === 0

  /** Reads the rows after `through` up to `end`. */
  function readTo(end: number): void {
    const first = rows.size
    for (const row of reader.rows(through, end)) {
      rows.push(row)
      for (const [index, field] of singleFields.entries()) single.get(field)?.push(row.values[index] ?? null)
    }
    for (const [field, column] of lists) {
      for (const { rev, text, key } of reader.values(field, through, end))
        column.add(rows.slotOf(rev), text, key)
      column.close(first, rows.size)
      if (column.size > maxTexts) lists.delete(field)
    }
    through = end
  }

  return {
    get through() {
      return through
    },
    follow(wanted, milliseconds) {
      const until = performance.now() + milliseconds
      while (through < wanted) {
        if (wanted > maxRow || performance.now() > until) return false
        readTo(reader.endOfPart(through, wanted))
      }
      return true
    },
    ...rows.values,
    slotOf(row) {
      const slot = rows.slotOf(row)
      return slot < 0 ? undefined : slot
    },
    hasLengths() {
      // After a change, some lengths may have been read before it, and others after it.
      const { json, pending } = reader.declarations()
      isDeclaredAsBefore &&= json === declarations.json && pending === 0
      return isDeclaredAsBefore
    },
    has: field => isSingleColumn(field) || lists.has(field as ListField),
    counts(field, slots) {
      const column = isSingleColumn(field)
        ? single.get(field as (typeof singleFields)[number])
        : lists.get(field as ListField)
      return column?.counts(slots)
    },
  }
}

/** The columns with one number for each row. */
function openRowColumns() {
  /** The slot of each row plus one; 0 for a row that is not there. */
  const slots = new NumberList()
  const rows = new NumberList()
  const rids = new NumberList()
  const kinds = new NumberList()
  const audiences = new NumberList()
  const updates = new NumberList()
  const lengths = { words: new NumberList(), leaf: new NumberList() }
  return {
    get size() {
      return rids.length
    },
    push({ rev, rid, isMetadata, audience, updated, words, leaf }: IndexRow): void {
      slots.set(rev, rids.length + 1)
      rows.push(rev)
      rids.push(rid)
      kinds.push(isMetadata)
      // 0 stands for no audience.
      audiences.push(audience === null ? 0 : audience + 1)
      updates.push(updated)
      lengths.words.push(total(numbersOfBlob(words)))
      lengths.leaf.push(total(numbersOfBlob(leaf)))
    },
    /** The slot of a row; -1 if it is not there. */
    slotOf: (row: number): number => (row < slots.length ? slots.at(row) : 0) - 1,
    values: {
      row: (slot: number) => rows.at(slot),
      rid: (slot: number) => rids.at(slot),
      isMetadata: (slot: number) => kinds.at(slot) === 1,
      audience(slot: number): number | undefined {
        const audience = audiences.at(slot)
        return audience === 0 ? undefined : audience - 1
      },
      updated: (slot: number) => updates.at(slot),
      length: (table: ScoredTable, slot: number) => lengths[table].at(slot),
    },
  }
}
