import { isPlain } from '../../core/plain-mode.js'
import type { Connection, SqlValue } from './sqlite-connection.js'

/**
 * Rows to insert into a table in batches. Queries do not see them before `flush`.
 *
 * Fast path. Benchmark "rebuild of the catalog": a record takes 38 µs instead of 66 µs. Plain path: one row at a time.
 * @see docs/decisions/011-fast-paths.md
 */
export interface InsertBuffer {
  add(...row: readonly SqlValue[]): void
  flush(): void
  /** Drops rows that were not flushed. */
  clear(): void
}

/** Number of rows of one statement: calling SQLite costs more than inserting a row. Plain path: one. */
const rowsPerStatement = isPlain ? 1 : 32

/**
 * Gathers rows of a table and inserts many of them with one statement.
 * @param verb says what happens to rows that exist already
 * @param width number of columns of the table
 */
export function openInsertBuffer(
  connection: Connection,
  verb: 'INSERT' | 'INSERT OR IGNORE' | 'INSERT OR REPLACE',
  table: string,
  width: number,
): InsertBuffer {
  // With OR FAIL, SQLite keeps no journal to undo a single statement: an error rolls back the whole transaction here.
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
      for (let index = 0; index < rows.length; index += width) one.run(...rows.slice(index, index + width))
    },
    clear() {
      waiting = []
    },
  }
}
