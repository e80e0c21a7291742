import { existsSync } from 'node:fs'
import type { Oid } from '../core/values.js'
import type { Queries } from './catalog.js'
import { openToRead } from './database.js'
import { openKnownRevisions } from './known-revisions.js'
import { openQueries } from './queries.js'
import { tablesVersion } from './tables.js'

/** A catalog as it is at one moment: nothing is followed, made anew or written. */
export interface Glance {
  /** The commit it reflects. */
  readonly head: Oid | undefined
  readonly queries: Queries
  close(): void
}

/** @returns undefined where there is no catalog that can be read as it is */
export function openGlance(file: string): Glance | undefined {
  if (!existsSync(file)) return undefined
  const connection = openToRead(file, tablesVersion)
  if (!connection) return undefined
  connection.exec('BEGIN')
  const [head] = connection.prepare<readonly [string | null]>('SELECT head FROM state').get() ?? []
  return {
    head: (head ?? undefined) as Oid | undefined,
    queries: openQueries(connection, openKnownRevisions()),
    close() {
      connection.exec('ROLLBACK')
      connection.close()
    },
  }
}

/**
 * Copies a catalog, beside whoever writes to it.
 * @param to must not exist
 * @param wanted says whether the commit it reflects is of use
 * @returns false where there is none that is
 */
export async function copyCatalog(
  file: string,
  to: string,
  wanted: (head: Oid) => Promise<boolean>,
): Promise<boolean> {
  if (!existsSync(file)) return false
  const connection = openToRead(file, tablesVersion)
  if (!connection) return false
  try {
    const [head] = connection.prepare<readonly [string | null]>('SELECT head FROM state').get() ?? []
    if (!head || !(await wanted(head as Oid))) return false
    connection.prepare('VACUUM INTO ?').run(to)
  } finally {
    connection.close()
  }
  // A copy has a rollback journal, with which readers would be in the writer's way.
  const copy = openToRead(to, tablesVersion)
  copy?.exec('PRAGMA journal_mode = WAL')
  copy?.close()
  return true
}
