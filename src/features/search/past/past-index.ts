import { basename } from 'node:path'
import { type Connection, openInMemory } from '../../../catalog/database/sqlite-connection.js'
import { type RevisionRow, revisionSql, toRevision } from '../../../catalog/read/revision-row.js'
import type { DeclaredField } from '../../../core/records/record.js'
import type { Id, Oid } from '../../../core/value-types.js'
import type { PackReader } from '../../../store/packs/pack-reader.js'
import { openFieldLookup } from '../find/field-lookup.js'
import { attachCatalog, type OpenedIndex } from '../find/opened-index.js'
import { maxDocumentBytes } from '../index/first-documents.js'
import { openIndexRows } from '../index/index-rows.js'
import type { SearchPlace } from '../index/index-thread-jobs.js'
import type { DescribeRecord } from '../index/load-describe-module.js'
import { createSearchTables, parseIndexFileName } from '../index/search-tables.js'

/** A record that has changed since a point, and the row of its revision at that point; null if it did not exist yet. */
export type ChangedRecord = readonly [rid: number, rev: number | null]

/**
 * An index in memory of former revisions of records. It has the tables of other indexes, so that the same SQL reads it.
 */
export interface PastIndex {
  readonly connection: Connection
  readonly fieldsSeenBy: OpenedIndex['fieldsSeenBy']
  /** Bytes of the indexed records and documents. */
  readonly bytes: number
  /**
   * Indexes those revisions that are not in the index yet, and stops after about a second.
   * @param documents documents that are in no pack, by object id; undefined for a document that cannot be read
   * @returns undefined once all revisions are in the index; else the documents, perhaps none, that the caller has to
   *   read before it calls again
   */
  add(
    records: readonly ChangedRecord[],
    documents: ReadonlyMap<Oid, Uint8Array | undefined>,
  ): readonly Oid[] | undefined
  close(): void
}

/** Milliseconds after which {@link PastIndex.add} stops. */
const maxPartMilliseconds = 1000
/** Limit of the documents that the caller has to read at once. */
const maxMissingDocuments = 20

type DeclarationRow = readonly [schema: string, json: string, said: string | null]

/** The fields that schemas declare today. */
export function declarationsOf({ connection }: OpenedIndex): readonly DeclarationRow[] {
  return connection
    .prepare<DeclarationRow>('SELECT schema, json, said FROM declaration ORDER BY schema')
    .all()
}

/**
 * Opens an empty index for former revisions of records in the catalog.
 * @param packs stay open when the index is closed
 */
export function openPastIndex(
  place: SearchPlace,
  packs: PackReader,
  declarations: readonly DeclarationRow[],
  describe: DescribeRecord,
): PastIndex {
  const connection = openInMemory()
  createSearchTables(connection, '')
  const rows = openIndexRows(connection, describe)
  for (const [schema, json, said] of declarations) {
    rows.declare(schema as Id, {
      fields: JSON.parse(json) as readonly DeclaredField[],
      said: said ?? undefined,
    })
    rows.setPending(schema, undefined)
  }
  attachCatalog(connection, place)
  const revisionOf = connection.prepare<RevisionRow>(revisionSql)
  const textLimit = parseIndexFileName(basename(place.file))?.textLimit ?? 0
  let bytes = 0

  function put(rid: number, rev: number, row: RevisionRow, document: Uint8Array | undefined): void {
    const revision = toRevision(row)
    rows.put(rid, rev, { revision, document, textLimit })
    const [, , , , , , json] = row
    bytes += (json?.length ?? 0) + Math.min(document?.length ?? 0, textLimit)
  }

  function add(
    records: readonly ChangedRecord[],
    documents: ReadonlyMap<Oid, Uint8Array | undefined>,
  ): readonly Oid[] | undefined {
    const end = performance.now() + maxPartMilliseconds
    const missing: Oid[] = []
    packs.refresh()
    for (const [rid, rev] of records) {
      if (rev === null || rows.revOf(rid) !== undefined) continue
      if (missing.length === maxMissingDocuments || performance.now() > end) return missing
      const row = revisionOf.get(rev)
      if (!row) continue
      const { document: oid } = toRevision(row)
      const document =
        textLimit === 0 ? undefined : (documents.get(oid) ?? packs.read(oid, maxDocumentBytes)?.bytes)
      if (textLimit > 0 && !document && !documents.has(oid)) missing.push(oid)
      else put(rid, rev, row, document)
    }
    return missing.length > 0 ? missing : undefined
  }

  return {
    connection,
    fieldsSeenBy: openFieldLookup(connection),
    get bytes() {
      return bytes
    },
    add: (records, documents) => rows.transaction('DEFERRED', () => add(records, documents)),
    close: connection.close,
  }
}
