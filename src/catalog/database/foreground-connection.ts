import type { BackgroundConnection } from './background-connection.js'
import { type Connection, openToWrite, type SqlRow } from './sqlite-connection.js'

/** The plain {@link BackgroundConnection}: its statements run in the calling thread. */
export function openForegroundConnection(file: string): BackgroundConnection {
  let connection: Connection | undefined

  function opened(): Connection {
    connection ??= openToWrite(file)
    return connection
  }

  return {
    async exec(sql) {
      opened().exec(sql)
    },
    async ask<R extends SqlRow>(sql: string, question: string) {
      opened().exec(sql)
      return opened().prepare<R>(question).get()
    },
    async close() {
      connection?.close()
      connection = undefined
    },
  }
}
