import Database from 'libsql/promise'
import { busyTimeoutMs, type SqlRow } from './sqlite-file.js'

/** A connection of its own whose statements run in another thread, one after the other: nobody waits with them. */
export interface BackgroundConnection {
  exec(sql: string): Promise<void>
  /**
   * @param sql is run in the other thread
   * @param question then, for one row that is found at once: it is read in this one
   */
  ask<R extends SqlRow>(sql: string, question: string): Promise<R | undefined>
  /**
   * Waits for what has been asked, and closes the connection; what is asked later opens it anew. Before the file is deleted:
   * a connection that closes last removes the log, by its name.
   */
  close(): Promise<void>
}

/** What we use of libsql's promises, which have no types worth the name. */
interface Connection {
  exec(sql: string): Promise<void>
  prepare(sql: string): Promise<{ raw(on: boolean): { get(values: readonly []): unknown } }>
  close(): void
}

export function openBackgroundConnection(file: string): BackgroundConnection {
  let connection: Connection | undefined
  let last: Promise<unknown> = Promise.resolve()

  function next<T>(job: (on: Connection) => Promise<T>): Promise<T> {
    const done = last.then(() => {
      connection ??= new Database(file, { timeout: busyTimeoutMs }) as Connection
      return job(connection)
    })
    // Whoever asked hears of it.
    last = done.catch(() => undefined)
    return done
  }

  return {
    exec: sql => next(on => on.exec(sql)),
    ask: <R extends SqlRow>(sql: string, question: string) =>
      next(async on => {
        await on.exec(sql)
        return (await on.prepare(question)).raw(true).get([]) as R | undefined
      }),
    async close() {
      await last
      connection?.close()
      connection = undefined
    },
  }
}
