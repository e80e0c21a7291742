import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { type DeclarationRows, openDeclarationRows } from './declaration-rows.js'
import { type EntrySource, searchIndexEntryOf } from './index-entry.js'
import { reversedPath } from './search-tables.js'

/** Reads and writes the rows of an index. The caller opens transactions. */
export interface IndexRows extends Omit<DeclarationRows, 'declared'> {
  /** The row of the revision that the index has for a record; undefined if it has none. */
  revOf(rid: number): number | undefined
  /** Replaces the entry of a record by that of a revision. */
  put(rid: number, rev: number, source: Omit<EntrySource, 'declared' | 'pathNumber'>): void
  remove(rid: number): void
}

export function openIndexRows(connection: Connection): IndexRows {
  const sql = {
    rev: connection.prepare<readonly [rev: number]>('SELECT rev FROM indexed WHERE rid = ?'),
    deleteWords: connection.prepare('DELETE FROM words WHERE rowid = ?'),
    deleteLeaf: connection.prepare('DELETE FROM leaf WHERE rowid = ?'),
    deleteRow: connection.prepare('DELETE FROM indexed WHERE rev = ?'),
    deleteValues: connection.prepare('DELETE FROM value WHERE rev = ?'),
    words: connection.prepare('INSERT INTO words (rowid, title, record, document) VALUES (?, ?, ?, ?)'),
    leaf: connection.prepare('INSERT INTO leaf (rowid, t) VALUES (?, ?)'),
    row: connection.prepare('INSERT INTO indexed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    value: connection.prepare('INSERT OR IGNORE INTO value VALUES (?, ?, ?, ?, ?)'),
    path: connection.prepare<readonly [path: number]>('SELECT path FROM path WHERE name = ?'),
    addPath: connection.prepare('INSERT INTO path (name) VALUES (?)'),
    addEnding: connection.prepare('INSERT INTO ending VALUES (?, ?)'),
  }
  const revOf = (rid: number) => sql.rev.get(rid)?.[0]

  function remove(rid: number): void {
    const rev = revOf(rid)
    if (rev === undefined) return
    for (const statement of [sql.deleteWords, sql.deleteLeaf, sql.deleteRow, sql.deleteValues])
      statement.run(rev)
  }

  /**
   * The number of a path, which is added if it is new. The paths of each document are limited, those of the index are
   * not: no document takes the room of others.
   */
  function pathNumber(name: string): number {
    const known = sql.path.get(name)?.[0]
    if (known !== undefined) return known
    const number = sql.addPath.run(name)
    sql.addEnding.run(reversedPath(name), number)
    return number
  }

  const { declared, ...others } = openDeclarationRows(connection, pathNumber)

  return {
    ...others,
    revOf,
    remove,
    put(rid, rev, source) {
      remove(rid)
      const schemaId = source.revision.record.schema?.schemaId
      const declaredOf = schemaId === undefined ? new Map() : declared(schemaId)
      const entry = searchIndexEntryOf({ ...source, declared: declaredOf, pathNumber })
      const { kind, id, schema, year, state, language, type, created, updated } = entry
      sql.words.run(rev, entry.title, entry.record, entry.document)
      sql.leaf.run(rev, entry.leaf)
      const schemaOrNull = schema ?? null
      sql.row.run(
        rev,
        rid,
        kind,
        id,
        schemaOrNull,
        year ?? null,
        state,
        language ?? null,
        type,
        created,
        updated,
      )
      for (const { path, folded, text, num } of entry.values)
        sql.value.run(rev, path, folded, text, num ?? null)
    },
  }
}
