import { existsSync } from 'node:fs'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Oid } from '../../core/value-types.js'
import { type Connection, openToRead } from '../database/sqlite-connection.js'
import { removeDatabase } from '../database/sqlite-file.js'
import { tableVersion } from '../database/table-definitions.js'
import { openSurroundings, type SurroundingsOf } from './neighbouring-revisions.js'
import { openQueries } from './queries.js'
import { openRevisionCache } from './revision-cache.js'

/** A catalog as it is at one moment: nothing is followed, made anew or written. */
export interface ReadOnlySnapshot {
  /** The commit it reflects. */
  readonly head: Oid | undefined
  readonly queries: CatalogQueries
  readonly surroundings: SurroundingsOf
  close(): void
}

/** @returns undefined where there is no catalog that can be read as it is */
export function openGlance(file: string): ReadOnlySnapshot | undefined {
  if (!existsSync(file)) return undefined
  const connection = openToRead(file, tableVersion)
  if (!connection) return undefined
  connection.exec('BEGIN')
  return {
    head: headOf(connection),
    queries: openQueries(connection, openRevisionCache()),
    surroundings: openSurroundings(connection),
    close() {
      connection.exec('ROLLBACK')
      connection.close()
    },
  }
}

/**
 * Copies a catalog, beside whoever writes to it.
 * @param to must not exist
 * @param wanted says whether the commit it reflects is of use; asked again where the writer went on meanwhile
 * @returns false where there is none that is
 */
export async function copyCatalog(
  file: string,
  to: string,
  wanted: (head: Oid) => Promise<boolean>,
): Promise<boolean> {
  if (!existsSync(file)) return false
  const connection = openToRead(file, tableVersion)
  if (!connection) return false
  let head: Oid | undefined
  try {
    head = headOf(connection)
    if (!head || !(await wanted(head))) return false
    // In no transaction with what was read: SQLite copies a catalog as it is when the copy is begun.
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
  const copied = settleCopy(to)
  if (copied === head || (copied && (await wanted(copied)))) return true
  removeDatabase(to)
  return false
}

/** @returns the commit it reflects */
function settleCopy(file: string): Oid | undefined {
  const copy = openToRead(file, tableVersion)
  try {
    // A copy has a rollback journal, with which readers would be in the writer's way.
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
