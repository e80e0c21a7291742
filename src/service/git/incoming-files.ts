import type { Oid } from '../../core/value-types.js'
import type { History, PathChange } from '../../store/commit-history/first-parent-history.js'
import { fileMode } from '../../store/objects/tree-editor.js'
import { recordFile } from '../../store/records/repository-layout.js'
import type { CommitViolation } from './commit-violations.js'

/** In bytes. */
export interface FileSizeLimits {
  /** A document, or another file that is no record. */
  readonly document: number
  readonly record: number
}

/** Where commits that come in are read. */
export interface IncomingCommits {
  readonly history: Pick<History, 'walk'>
  /** Bytes of blobs, without reading them. */
  sizes(blobs: readonly Oid[]): Promise<ReadonlyMap<Oid, number>>
}

/** What no directory has: a way out of it, or a name that Git keeps for itself on some file system. */
const notPlain = /(^|\/)(\.{1,2}|\.git[ .]*|git~\d+)(\/|$)/i

/** Milliseconds by which the clock of another server may be ahead. */
const clockSkew = 300_000

/**
 * Commits from the future, and files that no data folder may hold: their kind, their path or their size is wrong.
 * Pushes, `check`, `commit` and the hooks ask this before anything is read.
 * @param from the commit before the first one; undefined: all of history
 */
export async function findFaultsOfFiles(
  { history, sizes }: IncomingCommits,
  from: Oid | undefined,
  to: Oid,
  limits: FileSizeLimits,
): Promise<readonly CommitViolation[]> {
  const added: { readonly commit: Oid; readonly change: PathChange & { readonly after: Oid } }[] = []
  const faults: CommitViolation[] = []
  const now = Date.now()
  for await (const { commit, changes } of history.walk(from, to)) {
    if ((commit.recordedAt ?? 0) > now + clockSkew) {
      const message = 'The time it says it was recorded at (Recorded-At) is yet to come.'
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
    const most = change.path.endsWith(`/${recordFile}`) ? limits.record : limits.document
    if (size <= most) continue
    const message = `The file has ${size} bytes; at most ${most} are taken.`
    faults.push({ commit, path: change.path, message })
  }
  return faults
}

function placeFault(path: string): string | undefined {
  return notPlain.test(path) ? 'The path cannot be one of a file here. Rename it.' : undefined
}

function kindFault(mode: string | undefined): string | undefined {
  if (mode === fileMode) return undefined
  const advice =
    mode === '100755'
      ? 'Take the permission away (chmod -x, and git update-index --chmod=-x).'
      : 'Put a file in its place.'
  return `This is ${kindOf(mode)}; only plain files are kept here. ${advice}`
}

function kindOf(mode: string | undefined): string {
  if (mode === '100755') return 'a file that can be executed'
  return mode === '160000' ? 'a submodule' : 'a symbolic link'
}
