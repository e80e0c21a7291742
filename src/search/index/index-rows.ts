import type { Connection } from '../../catalog/database/sqlite-connection.js'
import type { DeclaredField, StoredRecord } from '../../core/records/record.js'
import type { Id } from '../../core/value-types.js'
import type { IndexEntry } from './index-entry.js'

/** Most paths that are told from others in the whole index. */
const mostPaths = 200_000

/** Reads and writes the rows of an index. The caller opens transactions. */
export interface IndexRows {
  /** The row of the revision that is in the index for a record. */
  revOf(rid: number): number | undefined
  /** Replaces what the index has of a record. */
  put(rid: number, rev: number, entry: IndexEntry): void
  remove(rid: number): void
  /** The number of a path, which is added if it is new; undefined if there are too many. */
  pathNumber(name: string): number | undefined
  /** Fields that a schema declares, by path in lower case. */
  declared(schemaId: string): ReadonlyMap<string, DeclaredField>
  /** Takes over what a schema declares. Its documents are indexed again if that has changed. */
  declare(schemaId: Id, search: StoredRecord['search']): void
  /** A schema whose documents have to be indexed again, and the last record of it that was. */
  pending(): readonly [schemaId: string, after: number] | undefined
  /** Records of a schema after another one. */
  recordsOf(schemaId: string, after: number, limit: number): readonly number[]
  /** @param after undefined: all documents of the schema are done */
  setPending(schemaId: string, after: number | undefined): void
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
    paths: connection.prepare<readonly [count: number]>('SELECT coalesce(max(path), 0) FROM path'),
    addPath: connection.prepare('INSERT INTO path (name) VALUES (?)'),
    declaration: connection.prepare<readonly [json: string]>('SELECT json FROM declaration WHERE schema = ?'),
    setDeclaration: connection.prepare('INSERT OR REPLACE INTO declaration VALUES (?, ?)'),
    deleteDeclared: connection.prepare('DELETE FROM declared WHERE schema = ?'),
    addDeclared: connection.prepare('INSERT OR REPLACE INTO declared VALUES (?, ?, ?, ?)'),
    pending: connection.prepare<readonly [schema: string, after: number]>(
      'SELECT schema, after FROM pending LIMIT 1',
    ),
    setPending: connection.prepare('INSERT OR REPLACE INTO pending VALUES (?, ?)'),
    deletePending: connection.prepare('DELETE FROM pending WHERE schema = ?'),
    recordsOf: connection.prepare<readonly [rid: number]>(
      'SELECT rid FROM indexed WHERE schema = ? AND rid > ? ORDER BY rid LIMIT ?',
    ),
  }
  const revOf = (rid: number) => sql.rev.get(rid)?.[0]

  function remove(rid: number): void {
    const rev = revOf(rid)
    if (rev === undefined) return
    for (const statement of [sql.deleteWords, sql.deleteLeaf, sql.deleteRow, sql.deleteValues])
      statement.run(rev)
  }

  function pathNumber(name: string): number | undefined {
    const known = sql.path.get(name)?.[0]
    if (known !== undefined) return known
    return (sql.paths.get()?.[0] ?? 0) < mostPaths ? sql.addPath.run(name) : undefined
  }

  function fieldsOf(json: string | undefined): readonly DeclaredField[] {
    return json === undefined ? [] : (JSON.parse(json) as readonly DeclaredField[])
  }

  return {
    revOf,
    remove,
    pathNumber,
    put(rid, rev, entry) {
      remove(rid)
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
    declared(schemaId) {
      const fields = fieldsOf(sql.declaration.get(schemaId)?.[0])
      return new Map(fields.map(field => [field.path.toLowerCase(), field]))
    },
    declare(schemaId, search) {
      const fields = search?.fields ?? []
      const json = JSON.stringify(fields)
      const before = sql.declaration.get(schemaId)?.[0] ?? '[]'
      if (before === json) return
      sql.setDeclaration.run(schemaId, json)
      sql.deleteDeclared.run(schemaId)
      for (const { path, as, facet } of fields) {
        const number = pathNumber(path.toLowerCase())
        if (number !== undefined) sql.addDeclared.run(schemaId, number, as, facet ? 1 : 0)
      }
      sql.setPending.run(schemaId, 0)
    },
    pending: () => sql.pending.get(),
    recordsOf: (schemaId, after, limit) => sql.recordsOf.all(schemaId, after, limit).map(([rid]) => rid),
    setPending(schemaId, after) {
      if (after === undefined) sql.deletePending.run(schemaId)
      else sql.setPending.run(schemaId, after)
    },
  }
}
