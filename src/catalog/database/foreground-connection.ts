import type { BackgroundConnection } from './background-connection.js'
import { type Connection, openToWrite } from './sqlite-connection.js'

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
    async close() {
      connection?.close()
      connection = undefined
    },
  }
}
