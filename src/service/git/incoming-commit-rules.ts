import type { Oid } from '../../core/value-types.js'
import type { History, PathChange } from '../../store/commit-history/first-parent-history.js'
import { fileMode } from '../../store/objects/tree-format.js'
import {
  findFileSystemFault,
  metastoreFileName,
  parseRecordPath,
  recordFile,
} from '../../store/records/repository-layout.js'
import type { CommitFault } from './commit-fault.js'

/** Limits of the sizes of files, in bytes. */
export interface FileSizeLimits {
  /** A document, or any other file except `record.json`. */
  readonly document: number
  readonly record: number
}

/** Reads incoming commits. */
export interface IncomingCommits {
  readonly history: Pick<History, 'walk'>
  /** Sizes of blobs in bytes. Does not read the blobs. */
  sizes(blobs: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
}

/** Path segments that lead out of the directory, or that name Git's own folder on some file system. */
const notPlain = /(^|\/)(\.{1,2}|\.git[ .]*|git~\d+)(\/|$)/i

/** Names at the top of the repository. Others that differ in case alone would replace their files in some clones. */
const ownNames = ['schemas', 'metadata', metastoreFileName]

/** Limit in milliseconds by which the clock of another server may be ahead. */
const clockSkew = 300_000

/**
 * Finds commits from the future, and files with a forbidden kind, path or size. Pushes, `check`, `commit` and the hooks
 * call this function before they read any file.
 * @param from the commit before the first one; undefined: all of history
 */
export async function findIncomingFaults(
  { history, sizes }: IncomingCommits,
  from: Oid | undefined,
  to: Oid,
  limits: FileSizeLimits,
): Promise<readonly CommitFault[]> {
  const added: { readonly commit: Oid; readonly change: PathChange & { readonly after: Oid } }[] = []
  const faults: CommitFault[] = []
  const now = Date.now()
  for await (const { commit, changes } of history.walk(from, to)) {
    if ((commit.recordedAt ?? 0) > now + clockSkew) {
      const message = 'The time of the commit (Recorded-At) is in the future.'
      faults.push({ commit: commit.oid, message })
    }
    for (const change of changes) {
      const { path, after, mode } = change
      if (after === undefined) continue
      const message = placeFault(path) ?? kindFault(mode)
      if (message !== undefined) faults.push({ commit: commit.oid, path, message })
      else added.push({ commit: commit.oid, change: { ...change, after } })
    }
  }
  const bytes = await sizes(added.map(({ change }) => change.after))
  for (const { commit, change } of added) {
    const size = bytes.get(change.after) ?? 0
    const maxBytes = change.path.endsWith(`/${recordFile}`) ? limits.record : limits.document
    if (size <= maxBytes) continue
    const message = `The file has ${size} bytes; at most ${maxBytes} are accepted.`
    faults.push({ commit, path: change.path, message })
  }
  return faults
}

function placeFault(path: string): string | undefined {
  if (notPlain.test(path)) return 'A file here cannot have this path. Rename it.'
  const [top = ''] = path.split('/', 1)
  const own = ownNames.find(name => name !== top && name === top.toLowerCase())
  if (own) return `A file here cannot have this path: where case does not count, ${top} is ${own}. Rename it.`
  // The files of records have rules of their own, with further advice.
  const fault = parseRecordPath(path) ? undefined : findFileSystemFault(path)
  return fault === undefined ? undefined : `A file here cannot have this path: ${fault}. Rename it.`
}

function kindFault(mode: string | undefined): string | undefined {
  if (mode === fileMode) return undefined
  const advice =
    mode === '100755'
      ? 'Remove the permission (chmod -x, and git update-index --chmod=-x).'
      : 'Replace it by a file.'
  return `This is ${kindOf(mode)}; only plain files are stored here. ${advice}`
}

function kindOf(mode: string | undefined): string {
  if (mode === '100755') return 'an executable file'
  return mode === '160000' ? 'a submodule' : 'a symbolic link'
}
