import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { NeighboursOf } from '../../catalog/read/record-revisions.js'
import type { Collection } from '../../core/records/collection.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import { readUndoneUpdates, undoneFile } from '../../store/manual-edits/undone-updates.js'
import { parseRecordPath, recordFile } from '../../store/records/repository-layout.js'
import { abbreviateCommit, editName } from '../git/commit-fault.js'

/** A commit of a git user that undid updates of a record, because its edit was based on an older version. */
export interface UndoneVersion {
  readonly kind: Collection
  readonly id?: Id
  /** The file, from the root of the work tree. */
  readonly path: string
  /**
   * The commit that undid the updates, its time and author, and the version that it made. Without a version it removed
   * the record.
   */
  readonly commit: Oid
  readonly time: Instant
  readonly author: string
  readonly version?: Version
  /** The version that the edit was based on, if it is known. */
  readonly basedOn?: Version
  /** The newest revision that was undone. */
  readonly undone: { readonly commit: Oid; readonly version?: Version }
  /** Whether the updates are still missing: no later version changed the file. */
  readonly isMissing: boolean
  /** The file when the edit began, and after the commit. Users compare them with git. */
  readonly blobs: { readonly base?: Oid; readonly edited?: Oid }
}

/** Undone updates in the served history, oldest first. */
export interface UndoneUpdates {
  all(): readonly UndoneVersion[]
}

/**
 * Reads the file of undone updates, and finds their versions. The result is cached until the file or the catalog
 * changes.
 * @param ownDir the server's folder in the Git directory
 * @param state returns a text that changes with the catalog, and so invalidates the cache
 */
export function openUndoneUpdates(
  ownDir: string,
  neighbours: NeighboursOf,
  state: () => string | undefined,
): UndoneUpdates {
  const file = join(ownDir, undoneFile)
  let known: { readonly key: string; readonly all: readonly UndoneVersion[] } | undefined
  return {
    all() {
      const found = undefinedIfMissing(() => statSync(file, { bigint: true }))
      if (!found) return []
      const key = [state(), found.ino, found.size, found.mtimeNs].join(' ')
      if (known?.key !== key) known = { key, all: undoneVersions(ownDir, neighbours) }
      return known.all
    },
  }
}

export function undoneVersions(ownDir: string, neighbours: NeighboursOf): readonly UndoneVersion[] {
  return readUndoneUpdates(ownDir).flatMap(({ path, commit, author, basedOn, base, edited }) => {
    const place = parseRecordPath(path)
    const around = place && neighbours({ ...place, commit, edited, basedOn })
    if (!around?.before) return []
    const { before, lasts, ...revision } = around
    return {
      ...revision,
      path,
      commit,
      author,
      undone: before,
      isMissing: lasts,
      blobs: { ...(base && { base }), ...(edited && { edited }) },
    }
  })
}

/** Describes an undone update in one sentence. */
export function undoneText(update: UndoneVersion): string {
  const { path, commit, author, version, basedOn, undone } = update
  const made = version === undefined ? 'removed the record' : `made version ${version}`
  const newest = undone.version
  const first = basedOn === undefined ? newest : basedOn + 1
  const which =
    newest === undefined || first === undefined
      ? 'what was stored before'
      : first < newest
        ? `versions ${first} to ${newest}`
        : `version ${newest}`
  const based = basedOn === undefined ? 'an older version' : `version ${basedOn}`
  return `Commit ${abbreviateCommit(commit)} by ${author} ${made} of ${editName(update)} and undid ${which} of ${path}: its edit was based on ${based}.`
}

/** Lines with commands that show the edit and the undone update, and that restore the latter. @param dir data folder */
export function repairLines(
  { kind, id, path, version, undone, blobs }: UndoneVersion,
  dir: string,
): readonly string[] {
  const git = `git -C ${dir}`
  const { base, edited } = blobs
  const isDocument = id !== undefined && version !== undefined && parseRecordPath(path)?.file !== recordFile
  const back =
    isDocument && undone.version !== undefined
      ? `git-metastore restore ${id} ${undone.version} --data ${dir}`
      : `${git} restore --source=${undone.commit.slice(0, 12)} -- ${path} && git-metastore commit --data ${dir} -m 'Restore ${kind}'`
  return [
    ...(base && edited ? [`the edit:    ${git} diff ${base.slice(0, 12)} ${edited.slice(0, 12)}`] : []),
    `what it undid: ${git} log -p --first-parent ${undone.commit.slice(0, 12)} -- ${path}`,
    `to restore it: ${back}`,
    'To keep both, restore it, and make the edit again on it.',
  ]
}
