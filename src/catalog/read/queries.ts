import { type Finding, malformedRequest } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import { type ListCursor, type PageRequest, shortPage } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { DocumentSpan, Revision, RevisionLogEntry, RuleViolation } from '../../core/records/revision.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import { asVersion, toInstant } from '../../core/value-types.js'
import { documentTypeOfFile, recordDirectory } from '../../store/records/repository-layout.js'
import { parseFiles } from '../database/directory-files.js'
import type { Connection } from '../database/sqlite-connection.js'
import { type ListReader, openListReader } from '../lists/list-reader.js'
import { audiencesSql } from '../lists/list-sql.js'
import { openPointInTimeTables } from '../lists/point-in-time.js'
import { openLongRecordReader } from './long-record-reader.js'
import type { RevisionCache } from './revision-cache.js'
import {
  newestSql,
  type PageRow,
  pageRevisionsSql,
  type RevisionRow,
  revisionSql,
  toRevision,
} from './revision-row.js'

type DocumentRow = readonly [document: string, type: string, version: number, commit: string, time: number]
type FaultRow = readonly [
  kind: string,
  directory: string,
  id: string | null,
  commit: string,
  findings: string,
]
type Rev = readonly [rev: number]

/** Revisions by their rows, which mean something in this build of the catalog alone. */
export interface Rows {
  /** {@link Catalog.isQuick} */
  isQuick(kind: Collection, query: ListQuery, cut: PageRequest): boolean
  /** Tells this build from others. */
  identity(): string
  revision(rev: number): Revision
  /** One statement, however many there are; long records are read when they are asked for. */
  revisionsOf(revs: readonly number[]): readonly Revision[]
  /** As {@link CatalogQueries.list}. */
  listedRows(kind: Collection, query: ListQuery, cut: PageRequest): ListPage<SizedRow>
  /** As {@link CatalogQueries.versions}. */
  versionRows(kind: Collection, id: Id, cut: PageRequest): ListPage<SizedRow> | undefined
}

/** @param bytes of the record as it is stored */
export type SizedRow = readonly [rev: number, bytes: number]

/**
 * The questions of {@link CatalogQueries} on one connection: the readers' one, or the one the writer's transaction is on.
 * @param known is asked first, and told what had to be read
 */
export function openQueries(
  connection: Connection,
  known: RevisionCache,
): CatalogQueries & Rows & Pick<ListReader, 'hasAnchors' | 'addAnchors'> {
  const sql = {
    revision: connection.prepare<RevisionRow>(revisionSql),
    pageRevisions: connection.prepare<PageRow>(pageRevisionsSql),
    sizes: connection.prepare<SizedRow>(
      `SELECT r.rev, octet_length(b.json) FROM json_each(?) q CROSS JOIN revision r ON r.rev = q.value
         CROSS JOIN body b ON b.body = r.body ORDER BY q.key`,
    ),
    identity: connection.prepare<readonly [identity: string]>('SELECT identity FROM state'),
    newest: connection.prepare<RevisionRow>(newestSql),
    newestCommit: connection.prepare<readonly [commit: string]>(
      'SELECT r.oid FROM newest n CROSS JOIN revision r ON r.rev = n.rev WHERE n.kind = ? AND n.id = ?',
    ),
    served: connection.prepare<Rev>('SELECT rid FROM newest WHERE kind = ? AND id = ?'),
    record: connection.prepare<Rev>('SELECT rid FROM record WHERE directory = ?'),
    ofVersion: connection.prepare<Rev>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    ofVersionUntil: connection.prepare<Rev>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ? AND sequence <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    upTo: connection.prepare<Rev>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND rev <= ?
       ORDER BY version DESC, sequence DESC LIMIT 1`,
    ),
    ofVersionUpTo: connection.prepare<Rev>(
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
      'SELECT n.id FROM uses u CROSS JOIN newest n ON n.rid = u.rid WHERE u.schema = ? LIMIT 1',
    ),
    versions: connection.prepare<readonly [rev: number, version: number]>(
      `SELECT max(rev), version FROM revision WHERE rid = ? AND standing = 1 AND rev <= ? AND version < ?
       GROUP BY version ORDER BY version DESC LIMIT ? OFFSET ?`,
    ),
    versionCount: connection.prepare<readonly [n: number, before: number]>(
      `SELECT count(DISTINCT version), count(DISTINCT version) FILTER (WHERE version >= ?)
       FROM revision WHERE rid = ? AND standing = 1 AND rev <= ?`,
    ),
    documents: connection.prepare<DocumentRow>(
      `SELECT document, type, version, oid, time FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
       ORDER BY version, sequence`,
    ),
    standingUntil: connection.prepare<readonly [standing: number]>(
      'SELECT standing FROM revision WHERE rid = ? AND standing <> 0 AND rev <= ? ORDER BY rev DESC LIMIT 1',
    ),
    lastUpTo: connection.prepare<readonly [commit: string]>(
      'SELECT oid FROM revision WHERE rid = ? AND rev <= ? ORDER BY rev DESC LIMIT 1',
    ),
    log: connection.prepare<readonly [string, number, number | null, string | null]>(
      'SELECT oid, time, version, findings FROM revision WHERE rid = ? ORDER BY rev DESC',
    ),
    isOpenTo: connection.prepare<readonly [open: number]>(
      `SELECT NOT EXISTS (SELECT 1 FROM record WHERE bad = 1) AND n = (SELECT count(*) FROM record)
         AND n = (SELECT coalesce(sum(s.n), 0) FROM shown s WHERE s.audience IN (${audiencesSql}))
       FROM (SELECT count(*) AS n FROM newest)`,
    ),
    counts: connection.prepare<readonly [kind: string, n: number]>(
      'SELECT kind, sum(n) FROM tally GROUP BY kind',
    ),
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
    bad: connection.prepare<readonly [bad: number]>('SELECT bad FROM record WHERE directory = ?'),
  }
  const readBodies = openLongRecordReader(connection)
  const snapshots = openPointInTimeTables(connection)
  const listing = openListReader(connection, snapshots)

  /** Several reads that see one state, whatever another process commits between them. */
  function snapshot<T>(job: () => T): T {
    return connection.inTransaction ? job() : connection.transaction('DEFERRED', job)
  }

  function revision(rev: number): Revision {
    const row = sql.revision.get(rev)
    if (!row) throw new Error(`The catalog has no revision ${rev}.`)
    return toRevision(row)
  }

  function pageRevisions(rows: readonly PageRow[]): readonly Revision[] {
    const read = readBodies(rows)
    return rows.map(row => {
      const [, , , , , , json, , , , , , , body] = row
      return toRevision(
        row as readonly unknown[] as RevisionRow,
        json === null ? () => read(body) : undefined,
      )
    })
  }

  /** Reads revisions in one statement, and their long records when they are asked for. */
  function pageRows(revs: readonly number[]): readonly PageRow[] {
    return whole(revs, sql.pageRevisions.all(JSON.stringify(revs)))
  }

  function sizedRows(revs: readonly number[]): readonly SizedRow[] {
    return whole(revs, sql.sizes.all(JSON.stringify(revs)))
  }

  function listed<T>(kind: Collection, query: ListQuery, cut: PageRequest, rowsOf: ReadRows<T>): ListPage<T> {
    // Uncommitted rows have no name that what is remembered about them could be kept under.
    const remember = !connection.inTransaction
    return snapshot(() => {
      const page = listing.list(kind, query, cut, remember, revs => withinBytes(rowsOf(revs), cut.bytes))
      return {
        ...page,
        items: page.items.map(({ item }) => item),
        bytes: bytesOf(page.items),
        limit: cut.limit,
        ...(cut.after && { continued: true }),
      }
    })
  }

  function versionsOf<T>(
    kind: Collection,
    id: Id,
    { offset, limit, at, after, bytes }: PageRequest,
    rowsOf: ReadRows<T>,
  ): ListPage<T> | undefined {
    const behind = after ? versionOf(after) : Number.MAX_SAFE_INTEGER
    return snapshot(() => {
      const upto = at && snapshots.revisionAt(at)
      const [rid] = sql.served.get(kind, id) ?? []
      if (rid === undefined) return undefined
      if (upto !== undefined && !wasThere(rid, upto)) return undefined
      const last = upto ?? Number.MAX_SAFE_INTEGER
      // Commits of other records do not count: the reader may have no right to know of them.
      const commit = sql.lastUpTo.get(rid, last)?.[0] as Oid | undefined
      const found = sql.versions.all(rid, last, behind, limit, after ? 0 : offset)
      const rows = withinBytes(rowsOf(found.map(([rev]) => rev)), bytes)
      const [total, before] = sql.versionCount.get(behind, rid, last) ?? [0, 0]
      const [, end] = found[rows.length - 1] ?? []
      return {
        items: rows.map(({ item }) => item),
        bytes: bytesOf(rows),
        offset: after ? before : offset,
        limit,
        total,
        ...(commit && { commit }),
        // The page is not full: its successor has another place than by its number.
        ...(rows.length < found.length && end !== undefined && { next: { id: String(end) } }),
        ...(after && { continued: true }),
      }
    })
  }

  const readRevisions: ReadRows<Revision> = revs => {
    const rows = pageRows(revs)
    return pageRevisions(rows).map((item, at) => ({ item, bytes: (rows[at] as PageRow)[14] }))
  }
  const readSizes: ReadRows<SizedRow> = revs => sizedRows(revs).map(item => ({ item, bytes: item[1] }))

  /** Says whether the record was in the tree after the revision `upto`, rather than not there yet, or GONE. */
  const wasThere = (rid: number, upto: number) => sql.standingUntil.get(rid, upto)?.[0] === 1
  const recordOf = (kind: Collection, id: Id) => sql.record.get(recordDirectory(kind, id))
  const given = (row: readonly [rev: number, ...unknown[]] | undefined) => row && revision(row[0])

  function newest(kind: Collection, id: Id): Revision | undefined {
    const last = known.get(kind, id)
    if (last && sql.newestCommit.get(kind, id)?.[0] === last.commit) return last
    const row = sql.newest.get(kind, id)
    const read = row && toRevision(row)
    if (read) known.putRead(read, row[6]?.length ?? 0)
    return read
  }

  return {
    isQuick: (kind, query, cut) =>
      cut.limit <= shortPage && (!cut.at || snapshots.isNewest(cut.at)) && listing.isNear(kind, query, cut),
    identity: () => sql.identity.get()?.[0] ?? '',
    revision,
    revisionsOf: revs => pageRevisions(pageRows(revs)),
    hasAnchors: listing.hasAnchors,
    addAnchors: listing.addAnchors,
    newest,

    atVersion(kind, id, version) {
      const last = newest(kind, id)
      if (!last || last.version === version) return last
      return snapshot(() => {
        const record = sql.served.get(kind, id)
        return record && given(sql.ofVersion.get(record[0], version))
      })
    },

    asOf: (kind, id, at, version) =>
      snapshot(() => {
        const upto = snapshots.revisionAt(at)
        const [rid] = sql.served.get(kind, id) ?? []
        if (rid === undefined || !wasThere(rid, upto)) return undefined
        return given(
          version === undefined ? sql.upTo.get(rid, upto) : sql.ofVersionUpTo.get(rid, version, upto),
        )
      }),

    schemaAsOf: (id, version, sequence) =>
      snapshot(() => {
        const record = recordOf('schema', id)
        if (!record) return undefined
        const last = sql.until.get(record[0], sequence)
        const removed = sql.removedUntil.get(record[0], sequence)?.[0] ?? 0
        // It was GONE at that time.
        if (!last || removed > last[1]) return undefined
        return given(version === undefined ? last : sql.ofVersionUntil.get(record[0], version, sequence))
      }),

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

    dependentOf: schemaId => sql.dependent.get(schemaId)?.[0] as Id | undefined,

    list: (kind, query, cut) => listed(kind, query, cut, readRevisions),
    listedRows: (kind, query, cut) => listed(kind, query, cut, readSizes),
    versions: (kind, id, cut) => versionsOf(kind, id, cut, readRevisions),
    versionRows: (kind, id, cut) => versionsOf(kind, id, cut, readSizes),

    documentRuns({ kind, id, sequence, aside }) {
      if (aside) return aside.runs
      const record = recordOf(kind, id)
      const runs: DocumentSpan[] = []
      for (const [document, type, version, commit, time] of record
        ? sql.documents.all(record[0], sequence)
        : []) {
        if (document === runs.at(-1)?.document) continue
        runs.push({
          document: document as Oid,
          documentType: type as DocumentType,
          first: { version: asVersion(version), commit: commit as Oid, time: toInstant(time) },
        })
      }
      return runs.reverse()
    },

    revisions(kind, id) {
      const record = recordOf(kind, id)
      if (!record) return []
      return sql.log.all(record[0]).map(
        ([commit, time, version, findings]): RevisionLogEntry => ({
          commit: commit as Oid,
          time: time as Instant,
          ...(version !== null && { version: version as Version }),
          ...(findings !== null && { findings: JSON.parse(findings) as Finding[] }),
        }),
      )
    },

    isOpenTo: subjects => sql.isOpenTo.get(JSON.stringify(subjects))?.[0] === 1,

    counts() {
      const counts = new Map(sql.counts.all())
      return { schemas: counts.get('schema') ?? 0, metadata: counts.get('metadata') ?? 0 }
    },

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

    isFree({ directory, names, resources, schemaId }) {
      const schema = schemaId ?? null
      const [name] = names
      // Most records; a question about lists takes longer.
      const isTaken =
        name !== undefined && names.length === 1 && resources.length <= 1
          ? sql.taken.get(name, directory, resources[0] ?? null, schema)
          : sql.anyTaken.get(directory, JSON.stringify(names), JSON.stringify(resources), schema)
      return isTaken?.[0] === 0
    },

    isFaulty: directory => sql.bad.get(directory)?.[0] === 1,
  }
}

/** Reads the rows of a page, with the bytes of their records. */
type ReadRows<T> = (revs: readonly number[]) => readonly Sized<T>[]

interface Sized<T> {
  readonly item: T
  readonly bytes: number
}

function bytesOf(rows: readonly Sized<unknown>[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** The first rows whose records have at most so many bytes together; one is always there. */
/** @throws ProblemError `malformed-request` */
function versionOf({ id, time }: ListCursor): number {
  if (time === undefined && /^[1-9]\d{0,14}$/.test(id)) return Number(id)
  throw malformedRequest(
    'The parameter after is no version, and the list is one of versions: write it as a whole number from 1.',
  )
}

function withinBytes<T>(rows: readonly Sized<T>[], most = Number.POSITIVE_INFINITY): readonly Sized<T>[] {
  let sum = 0
  const end = rows.findIndex(({ bytes }, at) => {
    sum += bytes
    return sum > most && at > 0
  })
  return end < 0 ? rows : rows.slice(0, end)
}

function whole<T>(revs: readonly number[], rows: readonly T[]): readonly T[] {
  if (rows.length === revs.length) return rows
  throw new Error(`The catalog has ${rows.length} of ${revs.length} revisions.`)
}

function toFault([kind, directory, id, commit, findings]: FaultRow): RuleViolation {
  return {
    kind: kind as Collection,
    directory,
    ...(id !== null && { id: id as Id }),
    commit: commit as Oid,
    findings: JSON.parse(findings) as Finding[],
  }
}
