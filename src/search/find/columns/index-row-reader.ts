import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import { recordPath } from '../../index/search-tables.js'
import { foldValue } from '../../values/fold-words.js'
import { columnSql } from '../conditions/record-columns.js'

/** Fields with at most one value, which have a column of the table `indexed`. */
export const singleFields = ['schema', 'year', 'state', 'type', 'language'] as const
/** Fields that may have several values. */
export const listFields = ['creator', 'licence'] as const
export type ListField = (typeof listFields)[number]

/** Limits of the rows, and of their values, that are read at once. A row with more values is read alone. */
const rowsPerRead = 500
const valuesPerRead = 50_000
/** Texts of so many characters may have been cut: their lower-case form is read from the index, not made from them. */
const longText = 150

/** A row of the index. */
export interface IndexRow {
  readonly rev: number
  readonly rid: number
  /** 1 for metadata, 0 for a schema. */
  readonly isMetadata: number
  /** Null if the record has changed since. */
  readonly audience: number | null
  /** Milliseconds since 1970. */
  readonly updated: number
  /** Numbers of words of each column of the two tables, as hex text. */
  readonly words: string
  readonly leaf: string
  /** Values of {@link singleFields}. */
  readonly values: readonly (string | number | null)[]
}

/** A value of a row. */
interface FieldValue {
  readonly rev: number
  readonly text: string
  /** What identifies the value: its lower-case form. */
  key(): string
}

/** Reads ranges of rows and their values. @param connection to the index, with the catalog attached */
export function openRowReader(connection: Connection) {
  const sql = statementsOf(connection)
  return {
    /** The last row of the next part after `from`, up to `to`: a part has a limited number of rows and values. */
    endOfPart(from: number, to: number): number {
      const last = sql.end.get(from, to)?.[0] ?? to
      const beyond = sql.manyValues.get(from, last)?.[0]
      return beyond === undefined ? last : Math.max(beyond - 1, from + 1)
    },
    /** The rows after `from` up to `to`, in their order. */
    rows(from: number, to: number): readonly IndexRow[] {
      type Row = readonly [
        ...[rev: number, rid: number, isMetadata: number, audience: number | null, updated: number],
        ...[words: string, leaf: string],
        ...values: IndexRow['values'],
      ]
      const read = JSON.parse(sql.rows.get(from, to)?.[0] ?? '[]') as Row[]
      return read
        .sort(([one], [other]) => one - other)
        .map(([rev, rid, isMetadata, audience, updated, words, leaf, ...values]) => {
          return { rev, rid, isMetadata, audience, updated, words, leaf, values }
        })
    },
    /** The values of a field in these rows. */
    values(field: ListField, from: number, to: number): readonly FieldValue[] {
      const path = sql.path.get(recordPath(field))?.[0] ?? 0
      type Row = readonly [rev: number, text: string, folded: string | null]
      const read = JSON.parse(sql.values.get(from, to, path)?.[0] ?? '[]') as Row[]
      return read.map(([rev, text, folded]) => ({ rev, text, key: () => folded ?? foldValue(text) }))
    },
    /** The declared fields of all schemas as JSON, and the number of schemas whose documents are indexed again. */
    declarations(): { readonly json: string | undefined; readonly pending: number } {
      const [json, pending = 1] = sql.declarations.get() ?? []
      return { json, pending }
    },
  }
}

function statementsOf(connection: Connection) {
  return {
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
}
