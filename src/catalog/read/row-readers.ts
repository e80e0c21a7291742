import type { Connection } from '../database/sqlite-connection.js'
import type { PointInTimeTables } from '../point-in-time/point-in-time.js'

/** The committed rows, as one connection sees them. */
export interface CatalogRows {
  readonly connection: Connection
  readonly snapshots: PointInTimeTables
  /** Runs a job whose reads all see one state of the catalog. */
  snapshot<T>(job: () => T): T
}

/** What the script of a reader exports as `openReader`. Queries and results are plain values. */
export type OpenRowReader<Query, Result> = (rows: CatalogRows) => (query: Query) => Result

/** Runs the readers of features on one connection. They are loaded when they are needed. */
export function openRowReaders(rows: CatalogRows): (script: string, query: unknown) => Promise<unknown> {
  const opened = new Map<string, Promise<(query: unknown) => unknown>>()
  async function open(script: string) {
    const { openReader } = (await import(script)) as { readonly openReader: OpenRowReader<unknown, unknown> }
    return openReader(rows)
  }
  return async (script, query) => {
    const reader = opened.get(script) ?? open(script)
    opened.set(script, reader)
    return (await reader)(query)
  }
}
