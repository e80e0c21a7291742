import { type BloomFilter, openBloomFilter } from '../../core/data-structures/bloom-filter.js'
import { once } from '../../core/data-structures/lazy-value.js'
import { isPlain } from '../../core/plain-mode.js'
import type { DocumentType } from '../../core/records/collection.js'
import type { StoredRecord } from '../../core/records/record.js'
import {
  asVersion,
  type Id,
  type Instant,
  type Oid,
  type Sha1,
  toInstant,
  type Version,
} from '../../core/value-types.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { type DirectoryFiles, documentsDiffer, formatFiles, parseFiles } from '../database/directory-files.js'
import { openInsertBuffer } from '../database/insert-buffer.js'
import type { Connection } from '../database/sqlite-connection.js'
import type {
  DirectoryState,
  RecordRows,
  ReplayedRecord,
  RevisionInput,
  VersionPlacement,
} from '../replay/revision-rows.js'
import { openServedStateRows } from './served-state-rows.js'

/**
 * Writes the rows of revisions, and of the records that they change.
 * @param connection for writing; a transaction is open during each call
 */
export function openRecordRows(connection: Connection): RecordRows {
  const sql = {
    last: connection.prepare<readonly [rid: number, rev: number, body: number]>(
      `SELECT (SELECT coalesce(max(rid), 0) FROM record), (SELECT coalesce(max(rev), 0) FROM revision),
         (SELECT coalesce(max(body), 0) FROM body)`,
    ),
    updateRecord: connection.prepare(
      'UPDATE record SET id = ?, revisions = ?, versions = ?, last = ?, good = ?, gone = ?, bad = ? WHERE rid = ?',
    ),
  }
  const into = {
    record: openInsertBuffer(connection, 'INSERT', 'record', 12),
    revision: openInsertBuffer(connection, 'INSERT', 'revision', 14),
    body: openInsertBuffer(connection, 'INSERT', 'body', 2),
    chain: openInsertBuffer(connection, 'INSERT', 'chain', 3),
  }
  const stateOf = openDirectoryStates(connection)
  const served = openServedStateRows(connection)
  /** Directories with rows that are not flushed. */
  const touched = new Set<string>()
  /**
   * Directories that have rows, during a rebuild: other directories need no query.
   *
   * Fast path. Rebuild: 38 µs instead of 66 µs a record, together with the insert buffer. Plain path: a query for each
   * directory.
   * @see docs/decisions/011-fast-paths.md
   */
  let seen: BloomFilter | undefined
  /** The last keys in use. */
  let last = { rid: 0, rev: 0, body: 0 }

  function flush(): void {
    for (const buffer of Object.values(into)) buffer.flush()
    served.flush()
    touched.clear()
  }

  return {
    begin() {
      const [rid, rev, body] = sql.last.get() ?? [0, 0, 0]
      last = { rid, rev, body }
      if (rid === 0 && !isPlain) seen = openBloomFilter()
    },
    flush,
    clear() {
      for (const buffer of Object.values(into)) buffer.clear()
      served.clear()
      touched.clear()
      seen = undefined
    },
    addCommit(sequence, commit) {
      into.chain.add(sequence, commit ?? null, last.rev)
    },

    before(directory) {
      if (seen && !seen.has(directory)) return undefined
      if (touched.has(directory)) flush()
      return stateOf(directory)
    },

    apply(entry, before) {
      const derived = derive(entry, before)
      if (!derived) return undefined
      const { kind, directory, time } = entry
      const { id, version, standing, valid, known } = derived
      const rid = before?.rid ?? ++last.rid
      const rev = ++last.rev
      const body = valid ? (known?.body ?? ++last.body) : null
      touched.add(directory)
      seen?.add(directory)
      if (valid && !known) into.body.add(body, JSON.stringify(valid.record))
      into.revision.add(...revisionRow(entry, derived, { rev, rid, body }))
      if (valid) {
        const change = !before ? 'new' : known && before.served ? 'same' : 'other'
        served.serve({ kind, rid, rev, time, documentType: valid.documentType, record: valid.record }, change)
      } else {
        // For valid revisions, `serve` has added all names, ids included.
        if (id !== undefined && before?.id === undefined) served.name(id, rid)
        if (standing === 2) served.withdraw(kind, rid, rev, time)
      }
      if (before) sql.updateRecord.run(...changedColumns(derived, before, rid, rev))
      else into.record.add(...newRecordRow(entry, derived, rid, rev))
      return valid && version !== undefined ? placementOf(version, entry, before) : undefined
    },
  }
}

/** The values of a revision that depend on what was before; undefined if the directory never was that of a record. */
function derive(
  { kind, id: ownId, files, findings, content }: RevisionInput,
  before: DirectoryState | undefined,
) {
  const isRemoval = files.size === 0
  if (!before && isRemoval) return undefined
  const id = before?.id ?? ownId
  const revisions = (before?.revisions ?? 0) + 1
  const isOther = kind === 'schema' && before && !isRemoval && documentsDiffer(before.files, files)
  const versions = (before?.versions ?? 1) + (isOther ? 1 : 0)
  const version = isRemoval ? undefined : asVersion(kind === 'metadata' ? revisions : versions)
  const standing = findings.length > 0 ? 0 : isRemoval ? 2 : 1
  const state = standing === 1 && id !== undefined ? content : undefined
  const valid = state && { ...state, record: canonicalRecord(state.record) }
  /** The newest valid revision before this one, if it has the same record. */
  const known = valid && before?.state?.recordBlob === valid.recordBlob ? before.state : undefined
  return { id, revisions, versions, version, standing, valid, known }
}

type DerivedValues = NonNullable<ReturnType<typeof derive>>

/** The columns of a new record's row. */
function newRecordRow(
  { kind, directory, time }: RevisionInput,
  { id, standing, valid }: DerivedValues,
  rid: number,
  rev: number,
) {
  const bad = standing === 0 ? 1 : 0
  return [rid, kind, directory, id ?? null, time, 1, 1, rev, valid ? rev : null, 0, bad, rev]
}

/** The columns of a record's row that a revision changes, and the number of the row. */
function changedColumns(
  { id, revisions, versions, standing, valid }: DerivedValues,
  before: DirectoryState,
  rid: number,
  rev: number,
) {
  const bad = standing === 0 ? 1 : 0
  const gone = (bad ? before.gone : standing === 2) ? 1 : 0
  return [id ?? null, revisions, versions, rev, valid ? rev : before.validRow, gone, bad, rid]
}

/** The columns of a revision's row. @param keys of the revision, its record and its stored record */
function revisionRow(
  { sequence, commit, time, files, findings }: RevisionInput,
  { version, standing, valid }: DerivedValues,
  keys: { readonly rev: number; readonly rid: number; readonly body: number | null },
) {
  return [
    keys.rev,
    keys.rid,
    standing,
    version ?? null,
    sequence,
    commit,
    time,
    formatFiles(files),
    valid?.recordBlob ?? null,
    keys.body,
    valid?.documentType ?? null,
    valid?.document ?? null,
    valid?.documentHash ?? null,
    standing === 0 ? JSON.stringify(findings) : null,
  ]
}

/**
 * Where a revision is among the versions of its record.
 * @returns undefined for a revision of the same version as before: the previous version would have to be read
 */
function placementOf(
  version: Version,
  { time }: RevisionInput,
  before: DirectoryState | undefined,
): VersionPlacement | undefined {
  const previous = before?.state?.version
  if (previous === version) return undefined
  return { version, ...(previous !== undefined && { previous }), createdAt: before?.createdAt ?? time }
}

type RecordRow = readonly [
  rid: number,
  id: string | null,
  revisions: number,
  versions: number,
  last: number,
  good: number | null,
  gone: number,
  created: number,
  goodBlob: string | null,
  goodBody: number | null,
  goodVersion: number | null,
]

/** Returns a reader of what the catalog knows of a directory; undefined for one that never was that of a record. */
function openDirectoryStates(connection: Connection): (directory: string) => DirectoryState | undefined {
  const sql = {
    record: connection.prepare<RecordRow>(
      `SELECT c.rid, c.id, c.revisions, c.versions, c.last, c.good, c.gone, c.created, r.record_blob, r.body,
         r.version
       FROM record c LEFT JOIN revision r ON r.rev = c.good WHERE c.directory = ?`,
    ),
    first: connection.prepare<readonly [commit: string, time: number]>(
      'SELECT r.oid, r.time FROM record c CROSS JOIN revision r ON r.rev = c.first WHERE c.rid = ?',
    ),
    files: connection.prepare<readonly [string]>('SELECT files FROM revision WHERE rev = ?'),
    content: connection.prepare<readonly [string, string, string, string, string]>(
      `SELECT r.record_blob, r.type, r.document, r.hash, b.json
       FROM revision r JOIN body b ON b.body = r.body WHERE r.rev = ?`,
    ),
  }

  function firstOf(rid: number): DirectoryState['first'] {
    const row = sql.first.get(rid)
    if (!row) throw new Error(`The catalog has no first revision of record ${rid}.`)
    return { commit: row[0] as Oid, time: toInstant(row[1]) }
  }

  function filesAt(rev: number): DirectoryFiles {
    const row = sql.files.get(rev)
    return row ? parseFiles(row[0]) : new Map()
  }

  function contentAt(rev: number): ReplayedRecord | undefined {
    const row = sql.content.get(rev)
    return (
      row && {
        recordBlob: row[0] as Oid,
        documentType: row[1] as DocumentType,
        document: row[2] as Oid,
        documentHash: row[3] as Sha1,
        record: JSON.parse(row[4]) as StoredRecord,
      }
    )
  }

  const reads: ContentReads = { firstOf, filesAt, contentAt }
  return directory => {
    const row = sql.record.get(directory)
    return row && new StoredDirectory(row, reads)
  }
}

/** Reads what few updates need. */
interface ContentReads {
  firstOf(rid: number): DirectoryState['first']
  filesAt(rev: number): DirectoryFiles
  contentAt(rev: number): ReplayedRecord | undefined
}

/** A class, because V8 keeps a hidden class, with all that the getters refer to, for every object with own getters. */
class StoredDirectory implements DirectoryState {
  readonly rid: number
  readonly id: Id | undefined
  readonly revisions: number
  readonly versions: number
  readonly createdAt: Instant
  readonly served: boolean
  readonly gone: boolean
  readonly validRow: number | null
  readonly state: DirectoryState['state']
  readonly #first: () => DirectoryState['first']
  readonly #files: () => DirectoryFiles
  readonly #content: () => ReplayedRecord | undefined

  constructor(row: RecordRow, { firstOf, filesAt, contentAt }: ContentReads) {
    const [rid, id, revisions, versions, newest, good, gone, created, recordBlob, body, version] = row
    this.rid = rid
    this.id = (id ?? undefined) as Id | undefined
    this.revisions = revisions
    this.versions = versions
    this.createdAt = toInstant(created)
    this.served = good !== null && gone === 0
    this.gone = gone === 1
    this.validRow = good
    this.state =
      recordBlob === null || body === null || version === null
        ? undefined
        : { recordBlob: recordBlob as Oid, body, version: asVersion(version) }
    this.#first = once(() => firstOf(rid))
    this.#files = once(() => filesAt(newest))
    this.#content = once(() => (good === null ? undefined : contentAt(good)))
  }

  get first(): DirectoryState['first'] {
    return this.#first()
  }

  get files(): DirectoryFiles {
    return this.#files()
  }

  get validState(): ReplayedRecord | undefined {
    return this.#content()
  }
}
