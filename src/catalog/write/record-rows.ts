import { type BloomFilter, openBloomFilter } from '../../core/data-structures/bloom-filter.js'
import { isPlain } from '../../core/plain-mode.js'
import { asVersion, type Version } from '../../core/value-types.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { documentsDiffer, formatFiles } from '../database/directory-files.js'
import { openInsertBuffer } from '../database/insert-buffer.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { DirectoryState, RecordRows, RevisionInput, VersionPlacement } from '../replay/revision-rows.js'
import { openDirectoryStates } from './directory-states.js'
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
