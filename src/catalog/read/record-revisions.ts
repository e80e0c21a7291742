import type { Finding } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { DocumentSpan, RevisionLogEntry, UnservedRevision } from '../../core/records/revision.js'
import {
  asVersion,
  type Id,
  type Instant,
  type Oid,
  toInstant,
  type Version,
} from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import { parseFiles } from '../database/directory-files.js'
import type { Connection } from '../database/sqlite-connection.js'

type RowNumber = readonly [row: number]

/**
 * Selects a valid revision of a record by its version, by a point of history, or by both. The results are row numbers
 * of revisions; undefined if there is no such revision.
 */
interface RevisionSelection {
  /** Says whether the record with the row number `rid` existed after the revision `upTo` and was not GONE. */
  wasThere(rid: number, upTo: number): boolean
  /** The newest revision of a version of a record that is not GONE now. */
  ofVersion(kind: Collection, id: Id, version: Version): number | undefined
  /** The newest one, or the newest one of a version, up to the revision `upTo`, if the record is not GONE, then or now. */
  upTo(kind: Collection, id: Id, upTo: number, version: Version | undefined): number | undefined
  /** The same of a schema, which may be GONE now, up to the position `sequence` of the history. */
  ofSchemaUntil(id: Id, sequence: number, version: Version | undefined): number | undefined
}

export function openRevisionSelection(connection: Connection): RevisionSelection {
  const sql = statementsOf(connection)
  const recordNumber = openRecordNumbers(connection)
  const wasThere = (rid: number, upTo: number) => sql.standingUntil.get(rid, upTo)?.[0] === 1

  return {
    wasThere,

    ofVersion(kind, id, version) {
      const [rid] = sql.served.get(kind, id) ?? []
      if (rid === undefined) return undefined
      return sql.ofVersionUpTo.get(rid, version, Number.MAX_SAFE_INTEGER)?.[0]
    },

    upTo(kind, id, upTo, version) {
      const [rid] = sql.served.get(kind, id) ?? []
      if (rid === undefined || !wasThere(rid, upTo)) return undefined
      const row = version === undefined ? sql.upTo.get(rid, upTo) : sql.ofVersionUpTo.get(rid, version, upTo)
      return row?.[0]
    },

    ofSchemaUntil(id, sequence, version) {
      const rid = recordNumber('schema', id)
      if (rid === undefined) return undefined
      const last = sql.until.get(rid, sequence)
      const removed = sql.removedUntil.get(rid, sequence)?.[0] ?? 0
      if (!last || removed > last[1]) return undefined
      return version === undefined ? last[0] : sql.ofVersionUntil.get(rid, version, sequence)?.[0]
    },
  }
}

function statementsOf(connection: Connection) {
  return {
    served: connection.prepare<RowNumber>('SELECT rid FROM newest WHERE kind = ? AND id = ?'),
    standingUntil: connection.prepare<readonly [standing: number]>(
      'SELECT standing FROM revision WHERE rid = ? AND standing <> 0 AND rev <= ? ORDER BY rev DESC LIMIT 1',
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
    ofVersionUntil: connection.prepare<RowNumber>(
      `SELECT rev FROM revision WHERE rid = ? AND standing = 1 AND version = ? AND sequence <= ?
       ORDER BY sequence DESC LIMIT 1`,
    ),
    removedUntil: connection.prepare<readonly [sequence: number | null]>(
      'SELECT max(sequence) FROM revision WHERE rid = ? AND standing = 2 AND sequence <= ?',
    ),
  }
}

type DocumentRow = readonly [document: string, type: string, version: number, commit: string, time: number]
type UnservedRow = readonly [
  commit: string,
  time: number,
  version: number,
  findings: string,
  isNewest: number,
  before: number | null,
  after: number | null,
]
type LogRow = readonly [commit: string, time: number, version: number | null, findings: string | null]

/** What happened to one record: its revisions, its valid revisions and its documents. */
type RevisionLog = Pick<CatalogQueries, 'documentRuns' | 'validRevisions' | 'revisions' | 'unservedRevisions'>

/** Limit of the unserved revisions of a record in an answer. */
const maxUnserved = 100

export function openRevisionLog(connection: Connection): RevisionLog {
  const recordNumber = openRecordNumbers(connection)
  const documents = connection.prepare<DocumentRow>(
    `SELECT document, type, version, oid, time FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
     ORDER BY version, sequence`,
  )
  const valid = connection.prepare<readonly [version: number, commit: string, time: number]>(
    `SELECT version, oid, time FROM revision WHERE rid = ? AND standing = 1 AND sequence <= ?
     ORDER BY version DESC, sequence DESC LIMIT ?`,
  )
  const log = connection.prepare<LogRow>(
    'SELECT oid, time, version, findings FROM revision WHERE rid = ? ORDER BY rev DESC',
  )

  const unserved = connection.prepare<UnservedRow>(
    `SELECT r.oid, r.time, r.version, r.findings, r.rev = c.last,
       (SELECT max(v.version) FROM revision v WHERE v.rid = r.rid AND v.standing = 1 AND v.version <= r.version),
       (SELECT min(v.version) FROM revision v WHERE v.rid = r.rid AND v.standing = 1 AND v.version > r.version)
     FROM revision r CROSS JOIN record c ON c.rid = r.rid
     WHERE r.rid = ? AND r.standing = 0 AND (r.rev = c.last OR NOT EXISTS (
       SELECT 1 FROM revision v WHERE v.rid = r.rid AND v.standing = 1 AND v.version = r.version))
       AND (? IS NULL OR r.version = ?)
     ORDER BY r.rev DESC LIMIT ${maxUnserved}`,
  )

  return {
    documentRuns({ kind, id, sequence, unserved }) {
      if (unserved) return unserved.runs
      const rid = recordNumber(kind, id)
      return rid === undefined ? [] : toDocumentRuns(documents.all(rid, sequence))
    },

    validRevisions({ kind, id, sequence }, max) {
      const rid = recordNumber(kind, id)
      if (rid === undefined) return []
      return valid.all(rid, sequence, max).map(([version, commit, time]) => ({
        version: asVersion(version),
        commit: commit as Oid,
        time: toInstant(time),
      }))
    },

    unservedRevisions(kind, id, version) {
      const rid = recordNumber(kind, id)
      const wanted = version ?? null
      return rid === undefined ? [] : unserved.all(rid, wanted, wanted).map(toUnserved)
    },

    revisions(kind, id) {
      const rid = recordNumber(kind, id)
      return rid === undefined ? [] : log.all(rid).map(toLogEntry)
    },
  }
}

function toUnserved([
  commit,
  time,
  version,
  findings,
  isNewest,
  before,
  after,
]: UnservedRow): UnservedRevision {
  return {
    commit: commit as Oid,
    time: time as Instant,
    version: version as Version,
    findings: JSON.parse(findings) as Finding[],
    isNewest: isNewest === 1,
    ...(before !== null && { before: before as Version }),
    ...(after !== null && { after: after as Version }),
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

/** Returns a function that looks up the row number of a record, also of one that is GONE. */
function openRecordNumbers(connection: Connection): (kind: Collection, id: Id) => number | undefined {
  const record = connection.prepare<readonly [rid: number]>('SELECT rid FROM record WHERE directory = ?')
  return (kind, id) => record.get(recordDirectory(kind, id))?.[0]
}

/** The revision that a commit made of a directory, and the revisions before and after it. */
interface Neighbours {
  readonly kind: Collection
  readonly id?: Id
  /** Undefined if the commit removes the directory. */
  readonly version?: Version
  readonly time: Instant
  /** The previous revision of the directory, valid or not. */
  readonly before?: { readonly commit: Oid; readonly version?: Version }
  /** The version of the directory at the commit that the edit is based on. */
  readonly basedOn?: Version
  /** Whether every later revision has the same blob of the file. */
  readonly lasts: boolean
}

/** An edit of a file by a commit. */
interface FileEdit {
  readonly directory: string
  /** Path inside the directory. */
  readonly file: string
  readonly commit: Oid
  /** The blob after the edit; undefined if the file was deleted. */
  readonly edited: Oid | undefined
  /** The commit that the edit is based on. */
  readonly basedOn: Oid | undefined
}

/** Finds the revisions before and after that of an edit of a file; undefined if the history does not have it. */
export type NeighboursOf = (edit: FileEdit) => Neighbours | undefined

export function openNeighbours(connection: Connection): NeighboursOf {
  const sql = {
    made: connection.prepare<
      readonly [
        rid: number,
        rev: number,
        kind: string,
        id: string | null,
        version: number | null,
        time: number,
      ]
    >(
      `SELECT c.rid, r.rev, c.kind, c.id, r.version, r.time
       FROM record c CROSS JOIN revision r ON r.rid = c.rid WHERE c.directory = ? AND r.oid = ?`,
    ),
    before: connection.prepare<readonly [commit: string, version: number | null]>(
      'SELECT oid, version FROM revision WHERE rid = ? AND rev < ? ORDER BY rev DESC LIMIT 1',
    ),
    upTo: connection.prepare<readonly [version: number | null]>(
      `SELECT version FROM revision WHERE rid = ? AND rev <= (SELECT rev FROM chain WHERE oid = ?)
       ORDER BY rev DESC LIMIT 1`,
    ),
    since: connection.prepare<readonly [files: string]>(
      'SELECT files FROM revision WHERE rid = ? AND rev > ? ORDER BY rev',
    ),
  }

  return ({ directory, file, commit, edited, basedOn }) => {
    const made = sql.made.get(directory, commit)
    if (!made) return undefined
    const [rid, rev, kind, id, version, time] = made
    const before = sql.before.get(rid, rev)
    const based = basedOn === undefined ? undefined : sql.upTo.get(rid, basedOn)?.[0]
    return {
      kind: kind as Collection,
      ...(id !== null && { id: id as Id }),
      ...(version !== null && { version: asVersion(version) }),
      time: toInstant(time),
      ...(before && {
        before: {
          commit: before[0] as Oid,
          ...(before[1] !== null && { version: asVersion(before[1]) }),
        },
      }),
      ...(typeof based === 'number' && { basedOn: asVersion(based) }),
      lasts: sql.since.all(rid, rev).every(([files]) => parseFiles(files).get(file)?.oid === edited),
    }
  }
}
