import type { Connection } from '../../../catalog/database/sqlite-connection.js'
import type { DeclaredField } from '../../../core/records/record.js'
import type { Id } from '../../../core/value-types.js'
import type { SchemaIndexedAgain } from '../search-engine.js'
import { type EntrySource, searchIndexEntryOf } from './index-entry.js'
import { asStored, type DescribeRecord } from './load-describe-module.js'
import { foldedSql, recordPath, reversedPath, valueHash } from './search-tables.js'

/** Reads and writes the rows of an index. */
export interface IndexRows {
  /** Runs a job that writes in a transaction. */
  transaction<T>(mode: 'DEFERRED' | 'IMMEDIATE', job: () => T): T
  /** The row of the revision that the index has for a record; undefined if it has none. */
  revOf(rid: number): number | undefined
  /** Replaces the entry of a record by that of a revision. */
  put(rid: number, rev: number, source: Pick<EntrySource, 'revision' | 'document' | 'textLimit'>): void
  remove(rid: number): void
  /** Stores what a schema declares. If that has changed, its documents are indexed again. */
  declare(schemaId: Id, schema: SchemaDeclaration): void
  /** A schema whose documents have to be indexed again, and the last row that is done; undefined if there is none. */
  pending(): PendingSchema | undefined
  /** All such schemas, in their order. */
  indexedAgain(): readonly SchemaIndexedAgain[]
  /** The rows of the next documents of a schema, and their records. */
  rowsOf(pending: PendingSchema, limit: number): readonly (readonly [rev: number, rid: number])[]
  /**
   * Notes how far the documents of a schema are indexed again.
   * @param after undefined: all documents of the schema are done
   */
  setPending(schemaId: string, after: number | undefined): void
}

/** What a schema declares for the index. */
export interface SchemaDeclaration {
  readonly fields: readonly DeclaredField[]
  /** What it says about its documents. @see DescribeModule.saidBySchema */
  readonly said: string | undefined
}

export type PendingSchema = readonly [schemaId: string, after: number]

/** Limit of the schemas whose progress is told. */
const maxTold = 20

const nothingDeclared: Declared = { fields: new Map(), said: undefined }

/** Limit of the numbers of paths, and of whole values, that are kept in memory. */
const maxKept = 20_000

interface Declared extends Pick<SchemaDeclaration, 'said'> {
  /** By path in lower case. */
  readonly fields: ReadonlyMap<string, DeclaredField>
}

/** @param describe default: entries have only what records say */
export function openIndexRows(connection: Connection, describe: DescribeRecord = asStored): IndexRows {
  const sql = statementsOf(connection)
  const numbers = openNumbers(connection)
  const schemaValue = (id: string) => [numbers.path(recordPath('schema')), valueHash(id), id, id] as const
  const declarations = new Map<string, Declared>()

  function declaredBy(schemaId: string): Declared {
    const known = declarations.get(schemaId)
    if (known) return known
    const [json = '[]', said] = sql.declaration.get(schemaId) ?? []
    const fields = JSON.parse(json) as readonly DeclaredField[]
    const declared = {
      fields: new Map(fields.map(field => [field.path.toLowerCase(), field])),
      said: said ?? undefined,
    }
    if (declarations.size >= maxKept) declarations.clear()
    declarations.set(schemaId, declared)
    return declared
  }

  function remove(rid: number): void {
    const rev = sql.rev.get(rid)?.[0]
    if (rev === undefined) return
    for (const statement of [sql.deleteWords, sql.deleteRow, sql.deleteNumbers]) statement.run(rev)
  }

  return {
    transaction(mode, job) {
      // Another process may have replaced the index, and a transaction that failed has taken back its numbers.
      numbers.forget()
      declarations.clear()
      return connection.transaction(mode, job)
    },
    revOf: rid => sql.rev.get(rid)?.[0],
    remove,
    put(rid, rev, source) {
      remove(rid)
      const { revision, document } = source
      const { record } = revision
      const { fields, said } = record.schema ? declaredBy(record.schema.schemaId) : nothingDeclared
      const entry = searchIndexEntryOf({
        ...source,
        described: describe(revision, document, said),
        declared: fields,
        pathNumber: numbers.path,
        valueNumber: numbers.value,
      })
      const { kind, id, year = null, created, updated, title, schema, version, facets } = entry
      sql.words.run(
        rev,
        entry.titleWords,
        entry.description,
        entry.record,
        entry.document,
        entry.leaf,
        entry.whole,
      )
      sql.row.run(rev, rid, kind, id, year, created, updated, title, schema, version, facets)
      for (const [field, num] of entry.numbers) sql.number.run(rev, field, num)
    },
    declare(schemaId, { fields, said = null }) {
      const now = [JSON.stringify(fields), said] as const
      const [json, before] = sql.declaration.get(schemaId) ?? ['[]', null]
      if (json === now[0] && before === now[1]) return
      declarations.delete(schemaId)
      sql.setDeclaration.run(schemaId, ...now)
      sql.deleteDeclared.run(schemaId)
      for (const { path, as, facet } of fields)
        sql.addDeclared.run(schemaId, numbers.path(path.toLowerCase()), as, facet ? 1 : 0)
      sql.setPending.run(schemaId, 0)
    },
    pending: () => sql.pending.get(),
    indexedAgain: () =>
      sql.allPending.all().map(([schema, after]) => {
        const number = after === 0 ? undefined : sql.value.get(...schemaValue(schema))?.[0]
        const [total, done] = (number !== undefined && sql.counts.get(after, `"~${number}"`)) || [0, 0]
        return { schema: schema as Id, done, total }
      }),
    rowsOf([schemaId, after], limit) {
      const number = sql.value.get(...schemaValue(schemaId))?.[0]
      return number === undefined ? [] : sql.rowsOf.all(`"~${number}"`, after, limit)
    },
    setPending(schemaId, after) {
      if (after === undefined) sql.deletePending.run(schemaId)
      else sql.setPending.run(schemaId, after)
    },
  }
}

function statementsOf(connection: Connection) {
  return {
    rev: connection.prepare<readonly [rev: number]>('SELECT rev FROM indexed WHERE rid = ?'),
    deleteWords: connection.prepare('DELETE FROM words WHERE rowid = ?'),
    deleteRow: connection.prepare('DELETE FROM indexed WHERE rev = ?'),
    deleteNumbers: connection.prepare('DELETE FROM number WHERE rev = ?'),
    words: connection.prepare(
      'INSERT INTO words (rowid, title, description, record, document, leaf, whole) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ),
    row: connection.prepare('INSERT INTO indexed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    number: connection.prepare('INSERT OR IGNORE INTO number VALUES (?, ?, ?)'),
    value: connection.prepare<readonly [value: number]>(valueSql),
    declaration: connection.prepare<readonly [json: string, said: string | null]>(
      'SELECT json, said FROM declaration WHERE schema = ?',
    ),
    setDeclaration: connection.prepare('INSERT OR REPLACE INTO declaration VALUES (?, ?, ?)'),
    deleteDeclared: connection.prepare('DELETE FROM declared WHERE schema = ?'),
    addDeclared: connection.prepare('INSERT OR REPLACE INTO declared VALUES (?, ?, ?, ?)'),
    pending: connection.prepare<PendingSchema>('SELECT schema, after FROM pending LIMIT 1'),
    allPending: connection.prepare<PendingSchema>(`SELECT schema, after FROM pending LIMIT ${maxTold}`),
    counts: connection.prepare<readonly [total: number, done: number]>(
      'SELECT count(*), count(*) FILTER (WHERE rowid <= ?) FROM words WHERE words MATCH ?',
    ),
    setPending: connection.prepare('INSERT OR REPLACE INTO pending VALUES (?, ?)'),
    deletePending: connection.prepare('DELETE FROM pending WHERE schema = ?'),
    rowsOf: connection.prepare<readonly [rev: number, rid: number]>(
      `SELECT f.rev, f.rid FROM words CROSS JOIN indexed f ON f.rev = words.rowid
       WHERE words MATCH ? AND words.rowid > ? ORDER BY words.rowid LIMIT ?`,
    ),
  }
}

const valueSql = `SELECT value FROM value WHERE field = ? AND hash = ? AND text = ? AND ${foldedSql()} = ?`

/**
 * The numbers of paths and whole values, which are added if they are new. The paths of each document are limited, those
 * of the index are not: no document takes the room of others.
 */
function openNumbers(connection: Connection) {
  const paths = new Map<string, number>()
  const values = new Map<string, number>()
  const sql = {
    path: connection.prepare<readonly [path: number]>('SELECT path FROM path WHERE name = ?'),
    addPath: connection.prepare('INSERT INTO path (name) VALUES (?)'),
    addEnding: connection.prepare('INSERT INTO ending VALUES (?, ?)'),
    value: connection.prepare<readonly [value: number]>(valueSql),
    addValue: connection.prepare(
      'INSERT INTO value (field, hash, folded, text) SELECT ?1, ?2, nullif(?4, lower(?3)), ?3',
    ),
  }

  function keep(numbers: Map<string, number>, key: string, number: number): number {
    if (numbers.size >= maxKept) numbers.clear()
    numbers.set(key, number)
    return number
  }

  function addPath(name: string): number {
    const number = sql.addPath.run(name)
    sql.addEnding.run(reversedPath(name), number)
    return number
  }

  return {
    forget(): void {
      paths.clear()
      values.clear()
    },
    path(name: string): number {
      return paths.get(name) ?? keep(paths, name, sql.path.get(name)?.[0] ?? addPath(name))
    },
    value(field: number, folded: string, text: string): number {
      const key = `${field} ${folded}\n${text}`
      const known = values.get(key)
      if (known !== undefined) return known
      const row = [field, valueHash(folded), text, folded] as const
      const number = sql.value.get(...row)?.[0] ?? sql.addValue.run(...row)
      return keep(values, key, number)
    },
  }
}
