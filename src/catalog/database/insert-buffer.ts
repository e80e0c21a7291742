import { isPlain } from '../../core/plain-mode.js'
import type { Connection, SqlValue } from './sqlite-connection.js'

/**
 * Rows to insert into a table in batches. Queries do not see them before they are flushed.
 *
 * Fast path. Row "rebuild of the catalog": a record takes 38 µs instead of 66 µs. Plain path: one row a statement.
 * @see docs/decisions/011-fast-paths.md
 */
export interface InsertBuffer {
  add(...row: readonly SqlValue[]): void
  flush(): void
  /** Drops rows that were not flushed. */
  clear(): void
}

/** Rows of one statement: a call of SQLite costs more than the insertion of a row. Plain path: one. */
const rowsPerStatement = isPlain ? 1 : 32

/**
 * @param verb says what happens to rows that exist already
 * @param width number of columns of the table
 */
export function openInsertBuffer(
  connection: Connection,
  verb: 'INSERT' | 'INSERT OR IGNORE' | 'INSERT OR REPLACE',
  table: string,
  width: number,
): InsertBuffer {
  // An error rolls back the whole transaction, so that no statement needs a statement journal.
  const start = `${verb === 'INSERT' ? 'INSERT OR FAIL' : verb} INTO ${table} VALUES `
  const row = `(${Array(width).fill('?').join(', ')})`
  const one = connection.prepare(start + row)
  const many = connection.prepare(start + Array(rowsPerStatement).fill(row).join(', '))
  let waiting: SqlValue[] = []

  return {
    add(...row) {
      for (const value of row) waiting.push(value)
      if (waiting.length < rowsPerStatement * width) return
      const rows = waiting
      waiting = []
      many.run(...rows)
    },
    flush() {
      const rows = waiting
      waiting = []
      for (let at = 0; at < rows.length; at += width) one.run(...rows.slice(at, at + width))
    },
    clear() {
      waiting = []
    },
  }
}
