import { type BloomFilter, openBloomFilter } from '../../core/data-structures/bloom-filter.js'
import { asVersion } from '../../core/value-types.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { documentsDiffer, formatFiles } from '../database/directory-files.js'
import { openInsertBuffer } from '../database/insert-buffer.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { RecordRows } from '../replay/revision-rows.js'
import { openServedStateRows } from './current-record-rows.js'
import { openDirectoryStates } from './directory-states.js'

/** @param connection the writer's; a transaction is open during each call */
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
  /** Directories with rows, during a rebuild: it saves the queries for new directories. */
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
      if (rid === 0) seen = openBloomFilter()
    },
    flush,
    clear() {
      for (const buffer of Object.values(into)) buffer.clear()
      served.clear()
      touched.clear()
      seen = undefined
    },
    passed(sequence, commit) {
      into.chain.add(sequence, commit ?? null, last.rev)
    },

    before(directory) {
      if (seen && !seen.has(directory)) return undefined
      if (touched.has(directory)) flush()
      return stateOf(directory)
    },

    apply(entry, before) {
      const { kind, directory, findings, content } = entry
      const removal = entry.files.size === 0
      // The directory never was a record's.
      if (!before && removal) return undefined
      const id = before?.id ?? entry.id
      const revisions = (before?.revisions ?? 0) + 1
      const isOther = kind === 'schema' && before && !removal && documentsDiffer(before.files, entry.files)
      const versions = (before?.versions ?? 1) + (isOther ? 1 : 0)
      const version = removal ? undefined : asVersion(kind === 'metadata' ? revisions : versions)
      const standing = findings.length > 0 ? 0 : removal ? 2 : 1
      const state = standing === 1 && id !== undefined ? content : undefined
      const record = state && canonicalRecord(state.record)
      const known = state && before?.state?.recordBlob === state.recordBlob ? before.state : undefined
      const rid = before?.rid ?? ++last.rid
      const rev = ++last.rev
      const body = state ? (known?.body ?? ++last.body) : null
      const bad = standing === 0 ? 1 : 0
      touched.add(directory)
      seen?.add(directory)
      if (state && !known) into.body.add(body, JSON.stringify(record))
      into.revision.add(
        rev,
        rid,
        standing,
        version ?? null,
        entry.sequence,
        entry.commit,
        entry.time,
        formatFiles(entry.files),
        state?.recordBlob ?? null,
        body,
        state?.documentType ?? null,
        state?.document ?? null,
        state?.documentHash ?? null,
        bad ? JSON.stringify(findings) : null,
      )
      // `serve` adds all names of a valid state, its id included.
      if (id !== undefined && before?.id === undefined && !state) served.name(id, rid)
      if (state && record) {
        const { documentType } = state
        const change = !before ? 'new' : known && before.served ? 'same' : 'other'
        served.serve({ kind, rid, rev, time: entry.time, documentType, record }, change)
      } else if (standing === 2) served.withdraw(kind, rid)
      if (before) {
        const gone = bad ? before.gone : removal
        const good = state ? rev : before.goodRow
        sql.updateRecord.run(id ?? null, revisions, versions, rev, good, gone ? 1 : 0, bad, rid)
      } else {
        into.record.add(
          rid,
          kind,
          directory,
          id ?? null,
          entry.time,
          1,
          1,
          rev,
          state ? rev : null,
          0,
          bad,
          rev,
        )
      }
      const previous = before?.state?.version
      // For a revision of the same version, the version before it would have to be read.
      if (!state || !record || id === undefined || version === undefined || previous === version)
        return undefined
      return {
        version,
        ...(previous !== undefined && { previous }),
        createdAt: before?.createdAt ?? entry.time,
      }
    },
  }
}
