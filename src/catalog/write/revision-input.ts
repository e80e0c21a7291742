import { directoryOf, documentFile } from '../../store/records/repository-layout.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { Entry } from '../replay/revision-rows.js'

/** What the writer made, as a revision like any other. */
export function entryOf(revision: WrittenRevision, sequence: number): Entry {
  const { kind, id, commit, time, state } = revision
  const document = state?.files.get(documentFile(kind, state.documentType))
  if (state && !document) throw new Error(`The files of ${kind} ${id} lack its document.`)
  return {
    kind,
    directory: directoryOf(kind, id),
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
