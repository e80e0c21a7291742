import { directoryOf, documentFile } from '../store/layout.js'
import type { WrittenRevision } from '../store/ledger.js'
import type { Entry, Place, Rows } from './rows.js'

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

/** Takes over what one commit of the writer's did. @returns the place of each revision, as {@link Rows.apply} does */
export function applyCommit(rows: Rows, entries: readonly Entry[]): readonly (Place | undefined)[] {
  const places = entries.map(entry => rows.apply(entry, rows.before(entry.directory)))
  const last = entries.at(-1)
  if (!last) throw new Error('A commit of the writer changes records.')
  rows.passed(last.sequence, last.commit)
  return places
}
