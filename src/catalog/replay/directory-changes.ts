import { type Collection, changeRank } from '../../core/records/collection.js'
import type { PathChange } from '../../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../../store/objects/commit-format.js'
import type { ObjectRequest } from '../../store/objects/object-reader.js'
import { documentTypeOfFile, parseRecordPath, recordFile } from '../../store/records/repository-layout.js'
import { isPlain } from './record-directory.js'

/** A commit that changes the directory of a record. */
export interface DirectoryChange {
  readonly commit: CommitInfo
  readonly sequence: number
  readonly kind: Collection
  readonly directory: string
}

/** The change of a record's directory with its files, and the objects to read for it. */
export interface FileChanges extends DirectoryChange {
  readonly changes: ReadonlyMap<string, PathChange>
  readonly wanted: readonly ObjectRequest[]
}

/**
 * The record directories that a commit changes. Removals come first, so that a record can be moved. Schemas come before
 * metadata, which may follow them.
 */
export function directoryChanges(
  commit: CommitInfo,
  sequence: number,
  changes: readonly PathChange[],
): readonly FileChanges[] {
  const found = new Map<string, { kind: Collection; directory: string; changes: Map<string, PathChange> }>()
  for (const change of changes) {
    const place = parseRecordPath(change.path)
    if (!place) continue
    const { kind, directory, file } = place
    const entry = found.get(directory) ?? { kind, directory, changes: new Map() }
    entry.changes.set(file, change)
    found.set(directory, entry)
  }
  return [...found.values()]
    .map(entry => ({ entry, rank: rankOf(entry.kind, entry.changes) }))
    .sort((a, b) => a.rank - b.rank || (a.entry.directory < b.entry.directory ? -1 : 1))
    .map(({ entry: { kind, directory, changes } }) => {
      return { commit, sequence, kind, directory, changes, wanted: wantedBy(kind, changes) }
    })
}

function rankOf(kind: Collection, changes: ReadonlyMap<string, PathChange>): number {
  const leaves = [...changes.values()].every(change => change.after === undefined)
  return changeRank(kind, leaves)
}

/** The record, and the document to hash, if the commit changes them. */
function wantedBy(kind: Collection, changes: ReadonlyMap<string, PathChange>): readonly ObjectRequest[] {
  const wanted: ObjectRequest[] = []
  for (const [file, { after, mode }] of changes) {
    if (after === undefined || !isPlain(mode)) continue
    if (file === recordFile) wanted.push({ oid: after, as: 'bytes' })
    else if (documentTypeOfFile(kind, file)) wanted.push({ oid: after, as: 'sha1' })
  }
  return wanted
}
