import type { Connection } from '../../catalog/database/sqlite-connection.js'
import type { DeclaredField, StoredRecord } from '../../core/records/record.js'
import type { Id } from '../../core/value-types.js'

/** Fields that schemas declare, and schemas whose documents are to be indexed again. The caller opens transactions. */
export interface DeclarationRows {
  /** Fields that a schema declares, by path in lower case. */
  declared(schemaId: string): ReadonlyMap<string, DeclaredField>
  /** Stores the fields that a schema declares. If they have changed, its documents are indexed again. */
  declare(schemaId: Id, search: StoredRecord['search']): void
  /** A schema whose documents have to be indexed again, and the last of its records that is done; undefined if none. */
  pending(): readonly [schemaId: string, after: number] | undefined
  /** The next records of a schema, after the record `after`. */
  recordsOf(schemaId: string, after: number, limit: number): readonly number[]
  /**
   * Notes how far the documents of a schema are indexed again.
   * @param after undefined: all documents of the schema are done
   */
  setPending(schemaId: string, after: number | undefined): void
}

export function openDeclarationRows(
  connection: Connection,
  pathNumber: (name: string) => number,
): DeclarationRows {
  const sql = {
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

  return {
    declared(schemaId) {
      const json = sql.declaration.get(schemaId)?.[0]
      const fields = json === undefined ? [] : (JSON.parse(json) as readonly DeclaredField[])
      return new Map(fields.map(field => [field.path.toLowerCase(), field]))
    },
    declare(schemaId, search) {
      const fields = search?.fields ?? []
      const json = JSON.stringify(fields)
      const before = sql.declaration.get(schemaId)?.[0] ?? '[]'
      if (before === json) return
      sql.setDeclaration.run(schemaId, json)
      sql.deleteDeclared.run(schemaId)
      for (const { path, as, facet } of fields)
        sql.addDeclared.run(schemaId, pathNumber(path.toLowerCase()), as, facet ? 1 : 0)
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
