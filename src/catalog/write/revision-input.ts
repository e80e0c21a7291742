import { documentFileName, recordDirectory } from '../../store/records/repository-layout.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { RevisionInput } from '../replay/revision-rows.js'

/** Translates a revision of the writer. */
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
