import type { Finding } from '../../../core/problem.js'
import type { DocumentType } from '../../../core/records/collection.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import type { DocumentSpan, RevisionLogEntry } from '../../../core/records/revision.js'
import { asVersion, type Instant, type Oid, toInstant, type Version } from '../../../core/value-types.js'
import type { Connection } from '../../database/sqlite-connection.js'
import { openRecordNumbers } from './record-number.js'

type DocumentRow = readonly [document: string, type: string, version: number, commit: string, time: number]
type LogRow = readonly [commit: string, time: number, version: number | null, findings: string | null]

/** What happened to one record: its revisions, its valid revisions and its documents. */
type RevisionLog = Pick<CatalogQueries, 'documentRuns' | 'validRevisions' | 'revisions'>

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

    revisions(kind, id) {
      const rid = recordNumber(kind, id)
      return rid === undefined ? [] : log.all(rid).map(toLogEntry)
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
