import { existsSync } from 'node:fs'
import { type Connection, openToRead } from './sqlite-connection.js'
import { tableVersion } from './table-definitions.js'

/** Opens an existing catalog for reading; undefined if there is none, or none that can be read. */
export function openCatalogFile(file: string): Connection | undefined {
  return existsSync(file) ? openToRead(file, tableVersion) : undefined
}

/** Opens the catalog for reading in a thread. @throws Error if it cannot; then the caller reads in the main thread */
export function openCatalogInThread(file: string): Connection {
  const connection = openCatalogFile(file)
  if (!connection) throw new Error(`The catalog ${file} cannot be read as it is.`)
  connection.keepPages()
  return connection
}
