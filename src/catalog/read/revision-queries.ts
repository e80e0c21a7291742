import type { Finding } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Fault, Revision } from '../../core/records/revision.js'
import type { Id, Oid } from '../../core/value-types.js'
import { documentTypeOfFile } from '../../store/records/repository-layout.js'
import { parseFiles } from '../database/directory-files.js'
import type { Connection } from '../database/sqlite-connection.js'
import { audiencesSql, revokedList, totalSql, visibleSql } from '../lists/list-sql.js'
import { openPointInTimeTables } from '../point-in-time/point-in-time.js'
import { openPageQueries, type PageQueries } from './page-queries.js'
import { openRevisionLog, openRevisionSelection } from './record-revisions.js'
import type { RevisionCache } from './revision-cache.js'
import { newestSql, type RevisionRow, revisionSql, toRevision } from './revision-row.js'
import type { CatalogRows } from './row-readers.js'

type RowNumber = readonly [row: number]

export interface ConnectionQueries extends CatalogQueries, PageQueries {
  /** The rows, for readers of features. */
  readonly rows: CatalogRows
  /** Identifies the build of the catalog, in which row numbers are valid. */
  identity(): string
  /** The revision with this row number. */
  revision(rev: number): Revision
  /** The last valid revision of a schema that is GONE; undefined if there is no such schema. */
  goneSchema(id: Id): Revision | undefined
  /** The last valid revisions of schemas that are GONE, in the order of their ids, from the id after `after`. */
  goneSchemas(after: string, limit: number): readonly Revision[]
  /** Of the given ids, those of records that no list shows to the caller. It is a single query. */
  unlisted(kind: Collection, ids: readonly Id[], visibility: Visibility): readonly Id[]
}

/**
 * Implements {@link CatalogQueries} on the readers' connection or on the writer's, which sees its open transaction.
 * @param cache of newest revisions
 */
export function openQueries(connection: Connection, cache: RevisionCache): ConnectionQueries {
  const sql = statementsOf(connection)
  const snapshots = openPointInTimeTables(connection)
  const selection = openRevisionSelection(connection)

  /** Runs a job whose reads all see one state of the catalog. */
  function snapshot<T>(job: () => T): T {
    return connection.inTransaction ? job() : connection.transaction('DEFERRED', job)
  }

  function revision(rev: number): Revision {
    const row = sql.revision.get(rev)
    if (!row) throw new Error(`The catalog has no revision ${rev}.`)
    return toRevision(row)
  }

  const revisionIfAny = (rev: number | undefined) => (rev === undefined ? undefined : revision(rev))

  function newest(kind: Collection, id: Id): Revision | undefined {
    const last = cache.get(kind, id)
    if (last && sql.newestCommit.get(kind, id)?.[0] === last.commit) return last
    const row = sql.newest.get(kind, id)
    const read = row && toRevision(row)
    if (read) cache.putRead(read, row[6]?.length ?? 0)
    return read
  }

  return {
    ...openPageQueries(connection, snapshots, snapshot, selection.wasThere),
    rows: { connection, snapshots, snapshot },
    ...openRevisionLog(connection),
    ...openNameQueries(connection),
    ...openFaultQueries(connection),
    identity: () => sql.identity.get()?.[0] ?? '',
    revision,
    goneSchema: id => snapshot(() => revisionIfAny(sql.goneSchema.get(id)?.[0])),
    goneSchemas: (after, limit) =>
      snapshot(() => sql.goneSchemas.all(after, limit).map(([rev]) => revision(rev))),
    newest,

    atVersion(kind, id, version) {
      const last = newest(kind, id)
      if (!last || last.version === version) return last
      return snapshot(() => revisionIfAny(selection.ofVersion(kind, id, version)))
    },

    asOf: (kind, id, at, version) =>
      snapshot(() => revisionIfAny(selection.upTo(kind, id, snapshots.revisionAt(at), version))),

    schemaAsOf: (id, version, sequence) =>
      snapshot(() => revisionIfAny(selection.ofSchemaUntil(id, sequence, version))),

    unlisted(kind, ids, visibility) {
      const seen = visibleSql(visibility, 'n', 'n.audience')
      return connection
        .prepare<readonly [id: string]>(
          `SELECT q.value FROM json_each(?) q WHERE NOT EXISTS (
             SELECT 1 FROM newest n WHERE n.kind = ? AND n.id = q.value AND ${seen.sql})`,
        )
        .all(JSON.stringify(ids), kind, ...seen.values)
        .map(([id]) => id as Id)
    },

    isOpenTo: subjects => sql.isOpenTo.get(JSON.stringify(subjects))?.[0] === 1,

    countSharedWithOthers: subjects => sql.sharedWithOthers.get(JSON.stringify(subjects))?.[0] ?? 0,

    countRevoked(kind, query) {
      const { sql, values } = totalSql(revokedList(kind, query))
      return connection.prepare<readonly [n: number]>(sql).get(...values)?.[0] ?? 0
    },

    counts() {
      const counts = new Map(sql.counts.all())
      return { schemas: counts.get('schema') ?? 0, metadata: counts.get('metadata') ?? 0 }
    },
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
    isOpenTo: connection.prepare<readonly [open: number]>(
      `SELECT NOT EXISTS (SELECT 1 FROM record WHERE bad = 1) AND n = (SELECT count(*) FROM record)
         AND n = (SELECT coalesce(sum(s.n), 0) FROM shown s WHERE s.audience IN (${audiencesSql}))
       FROM (SELECT count(*) AS n FROM newest)`,
    ),
    sharedWithOthers: connection.prepare<readonly [n: number]>(
      `SELECT coalesce(sum(s.n), 0) FROM shown s WHERE EXISTS (
         SELECT 1 FROM member m WHERE m.audience = s.audience AND m.sid NOT IN (SELECT value FROM json_each(?)))`,
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

/** Queries for the rules between records: unique names, described resources, schemas in use. */
function openNameQueries(
  connection: Connection,
): Pick<CatalogQueries, 'owner' | 'owners' | 'describers' | 'isFree' | 'dependentOf'> {
  const sql = {
    owner: connection.prepare<readonly [kind: string, id: string, gone: number]>(
      'SELECT c.kind, c.id, c.gone FROM name n CROSS JOIN record c ON c.rid = n.rid WHERE n.name = ?',
    ),
    owners: connection.prepare<readonly [name: string, kind: string, id: string, gone: number]>(
      `SELECT n.name, c.kind, c.id, c.gone FROM json_each(?) q CROSS JOIN name n ON n.name = q.value
         CROSS JOIN record c ON c.rid = n.rid WHERE NOT (c.kind = ? AND c.id = ?) ORDER BY q.key`,
    ),
    describers: connection.prepare<readonly [resource: string, id: string]>(
      `SELECT * FROM (
         SELECT q.value, (SELECT n.id FROM resource r CROSS JOIN newest n ON n.rid = r.rid
           WHERE r.resource = q.value AND n.schema = ? AND n.id <> ? ORDER BY n.id LIMIT 1) AS id
         FROM json_each(?) q ORDER BY q.key)
       WHERE id IS NOT NULL`,
    ),
    taken: connection.prepare<readonly [taken: number]>(
      `SELECT EXISTS (SELECT 1 FROM name WHERE name = ?) OR EXISTS (SELECT 1 FROM record WHERE directory = ?)
         OR EXISTS (SELECT 1 FROM resource q CROSS JOIN newest n ON n.rid = q.rid
                    WHERE q.resource = ? AND n.schema = ?)`,
    ),
    anyTaken: connection.prepare<readonly [taken: number]>(
      `SELECT EXISTS (SELECT 1 FROM record WHERE directory = ?)
         OR EXISTS (SELECT 1 FROM json_each(?) q CROSS JOIN name n ON n.name = q.value)
         OR EXISTS (SELECT 1 FROM json_each(?) q CROSS JOIN resource r ON r.resource = q.value
                    CROSS JOIN newest n ON n.rid = r.rid WHERE n.schema = ?)`,
    ),
    dependent: connection.prepare<readonly [id: string]>(
      `SELECT n.id FROM uses u CROSS JOIN newest n ON n.rid = u.rid
       WHERE u.schema = ? AND n.id NOT IN (SELECT value FROM json_each(?)) LIMIT 1`,
    ),
  }
  return {
    owner(name) {
      const row = sql.owner.get(name)
      return row && { kind: row[0] as Collection, id: row[1] as Id, gone: row[2] === 1 }
    },

    owners: (names, except) =>
      sql.owners
        .all(JSON.stringify(names), except?.kind ?? '', except?.id ?? '')
        .map(([name, kind, id, gone]) => ({
          name,
          kind: kind as Collection,
          id: id as Id,
          gone: gone === 1,
        })),

    describers: (resources, schemaId, except) =>
      sql.describers
        .all(schemaId, except ?? '', JSON.stringify(resources))
        .map(([resource, id]) => ({ resource, id: id as Id })),

    dependentOf: (schemaId, except = []) =>
      sql.dependent.get(schemaId, JSON.stringify(except))?.[0] as Id | undefined,

    isFree({ directory, names, resources, schemaId }) {
      const schema = schemaId ?? null
      const [name] = names
      // The statement for lists takes longer, and most records have one name and at most one resource.
      const isTaken =
        name !== undefined && names.length === 1 && resources.length <= 1
          ? sql.taken.get(name, directory, resources[0] ?? null, schema)
          : sql.anyTaken.get(directory, JSON.stringify(names), JSON.stringify(resources), schema)
      return isTaken?.[0] === 0
    },
  }
}

type FaultRow = readonly [
  kind: string,
  directory: string,
  id: string | null,
  commit: string,
  findings: string,
]

/** Queries for revisions that break a rule. */
function openFaultQueries(
  connection: Connection,
): Pick<CatalogQueries, 'faults' | 'since' | 'hasFaults' | 'isFaulty'> {
  const sql = {
    faults: connection.prepare<FaultRow>(
      `SELECT c.kind, c.directory, c.id, r.oid, r.findings
       FROM record c CROSS JOIN revision r ON r.rev = c.last WHERE c.bad = 1 ORDER BY c.kind DESC, c.directory`,
    ),
    lastOf: connection.prepare<readonly [rev: number]>('SELECT rev FROM chain WHERE oid = ?'),
    countSince: connection.prepare<readonly [n: number]>('SELECT count(*) FROM revision WHERE rev > ?'),
    faultsSince: connection.prepare<readonly [string, string, string | null, string, string, string]>(
      `SELECT c.kind, c.directory, c.id, r.oid, r.findings, r.files
       FROM revision r CROSS JOIN record c ON c.rid = r.rid WHERE r.standing = 0 AND r.rev > ? ORDER BY r.rev`,
    ),
    anyBad: connection.prepare('SELECT 1 FROM record WHERE bad = 1 LIMIT 1'),
    bad: connection.prepare<readonly [bad: number]>('SELECT bad FROM record WHERE directory = ?'),
  }
  return {
    faults: () => sql.faults.all().map(toFault),

    since(commit) {
      const [last] = (commit && sql.lastOf.get(commit)) ?? [0]
      return {
        revisions: sql.countSince.get(last)?.[0] ?? 0,
        faults: sql.faultsSince.all(last).map(([kind, directory, id, oid, findings, files]) => {
          const document = [...parseFiles(files).keys()].find(file =>
            documentTypeOfFile(kind as Collection, file),
          )
          return {
            ...toFault([kind, directory, id, oid, findings]),
            ...(document !== undefined && { document }),
          }
        }),
      }
    },

    hasFaults: () => sql.anyBad.get() !== undefined,

    isFaulty: directory => sql.bad.get(directory)?.[0] === 1,
  }
}

function toFault([kind, directory, id, commit, findings]: FaultRow): Fault {
  return {
    kind: kind as Collection,
    directory,
    ...(id !== null && { id: id as Id }),
    commit: commit as Oid,
    findings: JSON.parse(findings) as Finding[],
  }
}
