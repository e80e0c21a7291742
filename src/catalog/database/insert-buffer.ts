import type { Connection, SqlValue } from './sqlite-file.js'

/** Rows on their way into a table. Nothing that is read from it knows of them before they are flushed. */
export interface InsertBuffer {
  add(...row: readonly SqlValue[]): void
  flush(): void
  /** Forgets what was not flushed. */
  clear(): void
}

/** Rows of one statement: to call SQLite costs more than to write a row. */
const together = 32

/**
 * @param verb `INSERT`, or what else is to be done with rows that are there already
 * @param width columns of the table
 */
export function openInsertBuffer(
  connection: Connection,
  verb: 'INSERT' | 'INSERT OR IGNORE' | 'INSERT OR REPLACE',
  table: string,
  width: number,
): InsertBuffer {
  // A row that cannot be written ends the whole transaction, so no statement needs a journal of its own.
  const start = `${verb === 'INSERT' ? 'INSERT OR FAIL' : verb} INTO ${table} VALUES `
  const row = `(${Array(width).fill('?').join(', ')})`
  const one = connection.prepare(start + row)
  const many = connection.prepare(start + Array(together).fill(row).join(', '))
  let waiting: SqlValue[] = []

  return {
    add(...row) {
      for (const value of row) waiting.push(value)
      if (waiting.length < together * width) return
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
