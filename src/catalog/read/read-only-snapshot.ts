import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Oid } from '../../core/value-types.js'
import { openCatalogFile } from '../database/open-catalog-file.js'
import type { Connection } from '../database/sqlite-connection.js'
import { removeDatabase } from '../database/sqlite-file.js'
import { type NeighboursOf, openNeighbours } from './record-revisions.js'
import { openRevisionCache } from './revision-cache.js'
import { openQueries } from './revision-queries.js'

/** A catalog as it is when it is opened. It does not follow the branch, and never rebuilds or writes the file. */
interface ReadOnlySnapshot {
  /** The newest commit that the catalog has read; undefined if it is empty. */
  readonly head: Oid | undefined
  readonly queries: CatalogQueries
  readonly neighbours: NeighboursOf
  close(): void
}

/**
 * Opens a catalog for reading. All reads until `close` see one state.
 * @returns undefined if there is no readable catalog
 */
export function openReadOnlySnapshot(file: string): ReadOnlySnapshot | undefined {
  const connection = openCatalogFile(file)
  if (!connection) return undefined
  connection.exec('BEGIN')
  return {
    head: headOf(connection),
    queries: openQueries(connection, openRevisionCache()),
    neighbours: openNeighbours(connection),
    close() {
      connection.exec('ROLLBACK')
      connection.close()
    },
  }
}

/**
 * Copies a catalog while others may write to it.
 * @param to must not exist
 * @param wanted says whether a catalog that has read up to this commit is useful; called again for a newer commit
 * @returns false if there is no useful catalog
 */
export async function copyCatalog(
  file: string,
  to: string,
  wanted: (head: Oid) => Promise<boolean>,
): Promise<boolean> {
  const connection = openCatalogFile(file)
  if (!connection) return false
  let head: Oid | undefined
  try {
    head = headOf(connection)
    if (!head || !(await wanted(head))) return false
    // VACUUM cannot run in a transaction. It copies what the catalog is now, which may be newer than `head`.
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
  const copied = settleCopy(to)
  if (copied === head || (copied && (await wanted(copied)))) return true
  removeDatabase(to)
  return false
}

/** Prepares a copied catalog for its use. @returns the newest commit that it has read; undefined if it is unusable */
function settleCopy(file: string): Oid | undefined {
  const copy = openCatalogFile(file)
  try {
    // A copy has a rollback journal at first, with which readers would block the writer.
    copy?.exec('PRAGMA journal_mode = WAL')
    return copy && headOf(copy)
  } finally {
    copy?.close()
  }
}

function headOf(connection: Connection): Oid | undefined {
  const [head] = connection.prepare<readonly [Oid | null]>('SELECT head FROM state').get() ?? []
  return head ?? undefined
}
