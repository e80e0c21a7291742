import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { DocumentSpan, Revision, RevisionLogEntry } from '../../core/records/revision.js'
import {
  asVersion,
  type Id,
  type Instant,
  type Oid,
  toInstant,
  type Version,
} from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { Connection } from '../database/sqlite-connection.js'
import { type HarvestLists, openHarvestLists } from '../lists/harvest-list.js'
import { audiencesSql, visibleSql } from '../lists/list-sql.js'
import { openPointInTimeTables } from '../lists/point-in-time.js'
import { openFaultQueries } from './fault-queries.js'
import { openNameQueries } from './name-queries.js'
import { openPageQueries, type PageQueries } from './page-queries.js'
import type { RevisionCache } from './revision-cache.js'
import { newestSql, type RevisionRow, revisionSql, toRevision } from './revision-row.js'

type DocumentRow = readonly [document: string, type: string, version: number, commit: string, time: number]
type LogRow = readonly [commit: string, time: number, version: number | null, findings: string | null]
type RowNumber = readonly [row: number]

export interface ConnectionQueries extends CatalogQueries, PageQueries, HarvestLists {
  /** Identifies the build of the catalog, in which row numbers are valid. */
  identity(): string
  /** The revision with this row number. */
  revision(rev: number): Revision
  /** The last valid revision of a schema that is GONE; undefined if there is no such schema. */
  goneSchema(id: Id): Revision | undefined
  /** The last valid revisions of schemas that are GONE, in the order of their ids, from the id after `after`. */
  goneSchemas(after: string, limit: number): readonly Revision[]
  /** Of the given ids, those of records that no list shows to the caller. It is a single query. */
  unlisted(kind: Collection, ids: readonly Id[], sight: Visibility): readonly Id[]
}

/**
 * Implements {@link CatalogQueries} on the readers' connection or on the writer's, which sees its open transaction.
 * @param cache of newest revisions
 */
export function openQueries(connection: Connection, cache: RevisionCache): ConnectionQueries {
  const sql = statementsOf(connection)
  const snapshots = openPointInTimeTables(connection)

  /** Runs a job whose reads all see one state of the catalog. */
  function snapshot<T>(job: () => T): T {
    return connection.inTransaction ? job() : connection.transaction('DEFERRED', job)
  }

  function revision(rev: number): Revision {
    const row = sql.revision.get(rev)
    if (!row) throw new Error(`The catalog has no revision ${rev}.`)
    return toRevision(row)
  }

  /** Says whether the record existed after the revision `upto` and was not GONE. */
  const wasThere = (rid: number, upto: number) => sql.standingUntil.get(rid, upto)?.[0] === 1
  const recordOf = (kind: Collection, id: Id) => sql.record.get(recordDirectory(kind, id))
  const revisionOfRow = (row: readonly [rev: number, ...unknown[]] | undefined) => row && revision(row[0])

  function newest(kind: Collection, id: Id): Revision | undefined {
    const last = cache.get(kind, id)
    if (last && sql.newestCommit.get(kind, id)?.[0] === last.commit) return last
    const row = sql.newest.get(kind, id)
    const read = row && toRevision(row)
    if (read) cache.putRead(read, row[6]?.length ?? 0)
    return read
  }

  return {
    ...openPageQueries(connection, snapshots, snapshot, wasThere),
    ...openHarvestLists(connection, snapshots, snapshot),
    ...openNameQueries(connection),
    ...openFaultQueries(connection),
    identity: () => sql.identity.get()?.[0] ?? '',
    revision,
    goneSchema: id => snapshot(() => revisionOfRow(sql.goneSchema.get(id))),
    goneSchemas: (after, limit) =>
      snapshot(() => sql.goneSchemas.all(after, limit).map(([rev]) => revision(rev))),
    newest,

    atVersion(kind, id, version) {
      const last = newest(kind, id)
      if (!last || last.version === version) return last
      return snapshot(() => {
        const record = sql.served.get(kind, id)
        return record && revisionOfRow(sql.ofVersionUpTo.get(record[0], version, Number.MAX_SAFE_INTEGER))
      })
    },

    asOf: (kind, id, at, version) =>
      snapshot(() => {
        const upto = snapshots.revisionAt(at)
        const [rid] = sql.served.get(kind, id) ?? []
        if (rid === undefined || !wasThere(rid, upto)) return undefined
        return revisionOfRow(
          version === undefined ? sql.upTo.get(rid, upto) : sql.ofVersionUpTo.get(rid, version, upto),
        )
      }),

    schemaAsOf: (id, version, sequence) =>
      snapshot(() => {
        const record = recordOf('schema', id)
        if (!record) return undefined
        const last = sql.until.get(record[0], sequence)
        const removed = sql.removedUntil.get(record[0], sequence)?.[0] ?? 0
        if (!last || removed > last[1]) return undefined
        return revisionOfRow(
          version === undefined ? last : sql.ofVersionUntil.get(record[0], version, sequence),
        )
      }),

    unlisted(kind, ids, sight) {
      const seen = visibleSql(sight, 'n', 'n.audience') ?? { sql: '1', values: [] }
      return connection
        .prepare<readonly [id: string]>(
          `SELECT q.value FROM json_each(?) q WHERE NOT EXISTS (
             SELECT 1 FROM newest n WHERE n.kind = ? AND n.id = q.value AND ${seen.sql})`,
        )
        .all(JSON.stringify(ids), kind, ...seen.values)
        .map(([id]) => id as Id)
    },

    documentRuns({ kind, id, sequence, unserved }) {
      if (unserved) return unserved.runs
      const [rid] = recordOf(kind, id) ?? []
      return rid === undefined ? [] : toDocumentRuns(sql.documents.all(rid, sequence))
    },

    validRevisions({ kind, id, sequence }, max) {
      const record = recordOf(kind, id)
      if (!record) return []
      return sql.valid.all(record[0], sequence, max).map(([version, commit, time]) => ({
        version: asVersion(version),
        commit: commit as Oid,
        time: toInstant(time),
      }))
    },

    revisions(kind, id) {
      const record = recordOf(kind, id)
      return record ? sql.log.all(record[0]).map(toLogEntry) : []
    },

    isOpenTo: subjects => sql.isOpenTo.get(JSON.stringify(subjects))?.[0] === 1,

    counts() {
      const counts = new Map(sql.counts.all())
      return { schemas: counts.get('schema') ?? 0, metadata: counts.get('metadata') ?? 0 }
    },
  }
}

/** Joins successive rows with the same document. @param rows oldest first @returns newest first */
function toDocumentRuns(rows: readonly DocumentRow[]): readonly DocumentSpan[] {
  const runs: DocumentSpan[] = []
  for (const [document, type, version, commit, time] of rows) {
    if (document === runs.at(-1)?.document) continue
    runs.push({
      document: document as Oid,
      documentType: type as DocumentType,
      first: { version: asVersion(version), commit: commit as Oid, time: toInstant(time) },
    })
  }
  return runs.reverse()
}

function toLogEntry([commit, time, version, findings]: LogRow): RevisionLogEntry {
  return {
    commit: commit as Oid,
    time: time as Instant,
    ...(version !== null && { version: version as Version }),
    ...(findings !== null && { findings: JSON.parse(findings) as Finding[] }),
  }
}

function statementsOf(connection: Connection) {
  return {
    revision: connection.prepare<RevisionRow>(revisionSql),
    identity: connection.prepare<readonly [identity: string]>('SELECT identity FROM state'),
    newest: connection.prepare<RevisionRow>(newestSql),
    newestCommit: connection.prepare<readonly [commit: string]>(
      'SELECT r.oid FROM newest n CROSS JOIN revision r ON r.rev = n.rev WHERE n.kind = ? AND n.id = ?',
    ),
    served: connection.prepare<RowNumber>('SELECT rid FROM newest WHERE kind = ? AND id = ?'),
    record: connection.prepare<RowNumber>('SELECT rid FROM record WHERE directory = ?'),
    ofVersionUntil: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ? AND sequence <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    upTo: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND rev <= ?
       ORDER BY version DESC, sequence DESC LIMIT 1`,
    ),
    ofVersionUpTo: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ? AND rev <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    until: connection.prepare<readonly [rev: number, sequence: number]>(
      `SELECT rev, sequence FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
       ORDER BY version DESC, sequence DESC LIMIT 1`,
    ),
    removedUntil: connection.prepare<readonly [sequence: number | null]>(
      'SELECT max(sequence) FROM revision WHERE rid = ? AND standing = 2 AND sequence <= ?',
    ),
    documents: connection.prepare<DocumentRow>(
      `SELECT document, type, version, oid, time FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
       ORDER BY version, sequence`,
    ),
    standingUntil: connection.prepare<readonly [standing: number]>(
      'SELECT standing FROM revision WHERE rid = ? AND standing <> 0 AND rev <= ? ORDER BY rev DESC LIMIT 1',
    ),
    valid: connection.prepare<readonly [version: number, commit: string, time: number]>(
      `SELECT version, oid, time FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
       ORDER BY version DESC, sequence DESC LIMIT ?`,
    ),
    log: connection.prepare<LogRow>(
      'SELECT oid, time, version, findings FROM revision WHERE rid = ? ORDER BY rev DESC',
    ),
    isOpenTo: connection.prepare<readonly [open: number]>(
      `SELECT NOT EXISTS (SELECT 1 FROM record WHERE bad = 1) AND n = (SELECT count(*) FROM record)
         AND n = (SELECT coalesce(sum(s.n), 0) FROM shown s WHERE s.audience IN (${audiencesSql}))
       FROM (SELECT count(*) AS n FROM newest)`,
    ),
    goneSchema: connection.prepare<RowNumber>(
      "SELECT good FROM record WHERE kind = 'schema' AND gone = 1 AND good IS NOT NULL AND id = ?",
    ),
    goneSchemas: connection.prepare<RowNumber>(
      `SELECT good FROM record WHERE kind = 'schema' AND gone = 1 AND good IS NOT NULL AND id > ?
       ORDER BY id LIMIT ?`,
    ),
    counts: connection.prepare<readonly [kind: string, n: number]>(
      'SELECT kind, sum(n) FROM tally GROUP BY kind',
    ),
  }
}
