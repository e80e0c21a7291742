import Database from 'libsql/promise'
import type { Row } from './database.js'

/** A connection of its own whose statements run in another thread, one after the other: nobody waits with them. */
export interface Background {
  exec(sql: string): Promise<void>
  /** For one row that is found at once: reading it is done here. */
  get<R extends Row>(sql: string): Promise<R | undefined>
  /**
   * Breaks off what is under way, and closes the connection; what is asked next opens it anew. Before the file is deleted: a
   * connection that closes last removes the log, by its name.
   */
  close(): Promise<void>
}

/** What we use of libsql's promises, which have no types worth the name. */
interface Connection {
  exec(sql: string): Promise<void>
  prepare(sql: string): Promise<{ raw(on: boolean): { get(values: readonly []): unknown } }>
  interrupt(): void
  close(): void
}

export function openBackground(file: string): Background {
  let connection: Connection | undefined
  let last: Promise<unknown> = Promise.resolve()

  function next<T>(job: (on: Connection) => Promise<T>): Promise<T> {
    const done = last.then(() => {
      connection ??= new Database(file, {}) as Connection
      return job(connection)
    })
    // Whoever asked hears of it.
    last = done.catch(() => undefined)
    return done
  }

  return {
    exec: sql => next(on => on.exec(sql)),
    get: <R extends Row>(sql: string) =>
      next(async on => (await on.prepare(sql)).raw(true).get([]) as R | undefined),
    async close() {
      connection?.interrupt()
      await last
      connection?.close()
      connection = undefined
    },
  }
}
