import type { Revision } from '../../core/records/revision.js'
import { canonicalRecord } from '../../store/records/record-json.js'
import { documentFileName, recordDirectory } from '../../store/records/repository-layout.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { RevisionInput, VersionPlacement } from '../replay/revision-rows.js'

/** A revision of the writer, in the form in which it is inserted into the tables. */
export function toRevisionInput(revision: WrittenRevision, sequence: number): RevisionInput {
  const { kind, id, commit, time, state } = revision
  const document = state?.files.get(documentFileName(kind, state.documentType))
  if (state && !document) throw new Error(`The files of ${kind} ${id} lack its document.`)
  return {
    kind,
    directory: recordDirectory(kind, id),
    id,
    commit,
    time,
    sequence,
    files: new Map([...(state?.files ?? [])].map(([file, oid]) => [file, { oid }])),
    findings: [],
    ...(state &&
      document && {
        content: {
          record: state.record,
          recordBlob: state.recordBlob,
          documentType: state.documentType,
          document,
          documentHash: state.documentHash,
        },
      }),
  }
}

/** A valid revision that was written, in the form in which readers find it. */
export function toWrittenRevision(
  { kind, id, commit, time, sequence, files, content }: RevisionInput,
  place: VersionPlacement,
): Revision {
  if (id === undefined || !content) throw new Error('Readers find valid states only.')
  const { record, documentType, documentHash, document } = content
  return {
    kind,
    id,
    ...place,
    commit,
    time,
    record: canonicalRecord(record),
    documentType,
    documentHash,
    document,
    files: new Map([...files].map(([file, { oid }]) => [file, oid])),
    sequence,
  }
}
