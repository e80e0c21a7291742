import type { Collection } from '../../core/records/collection.js'
import type { Connection } from '../database/sqlite-connection.js'

/** The values of a record by which records are counted. */
interface CountedBy {
  /** Schema id; empty for schemas. */
  readonly schema: string
  readonly audience: number
}

/**
 * The numbers of records by schema (table `tally`) and by audience and schema (table `shown`). They give the totals of
 * lists.
 */
export interface ListCounts {
  /** Counts a record by other values than before: `was` is undefined for a new record, `is` for a removed one. */
  move(kind: Collection, was: CountedBy | undefined, is: CountedBy | undefined): void
  flush(): void
  /** Drops changes that were not flushed. */
  clear(): void
}

export function openListCounts(connection: Connection): ListCounts {
  const sql = {
    count: connection.prepare(
      'INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (kind, schema) DO UPDATE SET n = n + excluded.n',
    ),
    show: connection.prepare(
      'INSERT INTO shown VALUES (?, ?, ?, ?) ON CONFLICT (audience, kind, schema) DO UPDATE SET n = n + excluded.n',
    ),
  }
  /** Changes of the numbers that `flush` has not written yet. */
  const bySchema = openSums<readonly [kind: Collection, schema: string]>()
  const byAudience = openSums<readonly [audience: number, kind: Collection, schema: string]>()

  return {
    move(kind, was, is) {
      const isOtherSchema = was?.schema !== is?.schema
      if (isOtherSchema) {
        if (was) bySchema.add([kind, was.schema], -1)
        if (is) bySchema.add([kind, is.schema], 1)
      }
      if (isOtherSchema || was?.audience !== is?.audience) {
        if (was) byAudience.add([was.audience, kind, was.schema], -1)
        if (is) byAudience.add([is.audience, kind, is.schema], 1)
      }
    },
    flush() {
      bySchema.take(([kind, schema], by) => sql.count.run(kind, schema, by))
      byAudience.take(([audience, kind, schema], by) => sql.show.run(audience, kind, schema, by))
    },
    clear() {
      bySchema.clear()
      byAudience.clear()
    },
  }
}

/** Sums of changes by key, so that each row is updated once. */
function openSums<Key extends readonly (string | number)[]>() {
  const sums = new Map<string, { readonly key: Key; by: number }>()
  return {
    add(key: Key, by: number): void {
      const name = key.join(' ')
      const sum = sums.get(name)
      if (sum) sum.by += by
      else sums.set(name, { key, by })
    },
    take(write: (key: Key, by: number) => void): void {
      for (const { key, by } of sums.values()) write(key, by)
      sums.clear()
    },
    clear(): void {
      sums.clear()
    },
  }
}
