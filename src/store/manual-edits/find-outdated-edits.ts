import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { undefinedIfMissingAsync } from '../file-system/file-errors.js'
import { readIfRegular } from '../file-system/regular-files.js'
import { type Clone, type EnvironmentVariables, linesOrThrow } from '../local-clone/open-clone.js'
import type { ScratchRepository } from '../local-clone/scratch-repository.js'
import { hashObject } from '../objects/hash-object.js'
import { ownFolder } from '../repository/open-repository.js'
import { type EditBase, isEditGone, readEditBases } from '../work-tree/edit-bases.js'
import { indexEntriesIn, listEntries } from '../work-tree/index-file.js'
import { holdsUpdate } from './merge-lines.js'

/** An edit that is based on an outdated version of a file. To commit it would undo the later updates of the file. */
export interface StaleEdit {
  readonly path: string
  readonly base: EditBase
  /** The blob of the file in the last commit; undefined if the file is not there. */
  readonly newest: Oid | undefined
  /** The blob of the edited file; undefined if the file was removed. */
  readonly edited: Oid | undefined
}

/** Reads files as the user has edited them. */
export interface EditedFiles {
  /** The blobs of files by their paths. Missing files are left out. */
  find(paths: readonly string[]): Promise<ReadonlyMap<string, Oid>>
  /** Content of one of these blobs, or of any blob in the clone. */
  read(blob: Oid): Promise<Uint8Array>
}

/**
 * Finds uncommitted edits that are based on an outdated version.
 * @param head the last commit
 * @param files the edited files
 */
export async function findStaleEdits(
  clone: Clone,
  head: Oid | undefined,
  files: EditedFiles,
): Promise<readonly StaleEdit[]> {
  const live = await liveBases(clone, head)
  if (live.length === 0) return []
  const edited = await files.find(live.map(({ base }) => base.path))
  const stale: StaleEdit[] = []
  for (const { base, newest } of live) {
    const edit = { path: base.path, base, newest, edited: edited.get(base.path) }
    if (edit.edited === newest) continue
    const blobs = { base: base.blob, ours: edit.edited, theirs: newest }
    if (!(await holdsUpdate(clone.binary, clone.gitDir, blobs, files.read))) stale.push(edit)
  }
  return stale
}

/** Those bases whose edits still exist: the file was neither checked out again nor restored to its base. */
async function liveBases(
  clone: Clone,
  head: Oid | undefined,
): Promise<readonly { base: EditBase; newest: Oid | undefined }[]> {
  // No server updates a linked work tree.
  if (clone.workTree === undefined || clone.gitDir !== clone.commonDir || head === undefined) return []
  const bases = readEditBases(join(clone.commonDir, ownFolder))
  if (bases.size === 0) return []
  const paths = [...bases.keys()]
  const listed = await clone.git(['-C', clone.workTree, ...listEntries(paths)], ownIndex())
  const entries = indexEntriesIn(`${linesOrThrow(listed, 'git ls-files').join('\n')}\n`)
  const newest = await blobsIn(clone, head, paths)
  return [...bases.values()].flatMap(base => {
    const now = newest.get(base.path)
    return isEditGone(base, now, entries.get(base.path)) ? [] : [{ base, newest: now }]
  })
}

/** The variable by which git names another index inside a hook, if it does. @see githooks(5), "pre-commit" */
function ownIndex(): EnvironmentVariables {
  return process.env.GIT_INDEX_FILE === undefined ? {} : { GIT_INDEX_FILE: process.env.GIT_INDEX_FILE }
}

/** The blobs at paths of a commit or tree. */
export async function blobsIn(
  clone: Clone,
  tree: Oid,
  paths: readonly string[],
  variables: EnvironmentVariables = {},
): Promise<ReadonlyMap<string, Oid>> {
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths]
  const listed = await clone.git(args, variables)
  const lines = linesOrThrow(listed, 'git ls-tree').join('\n').split('\0')
  const wanted = new Set(paths)
  const found = new Map<string, Oid>()
  for (const line of lines) {
    // Format: mode, type and name of the object, a tab, the path.
    const path = line.slice(line.indexOf('\t') + 1)
    if (wanted.has(path)) found.set(path, line.split(/[ \t]/)[2] as Oid)
  }
  return found
}

/** The files of a dry-run commit. */
export function draftedFiles(
  clone: Clone,
  { objects, variables }: ScratchRepository,
  tree: Oid,
): EditedFiles {
  return {
    find: paths => blobsIn(clone, tree, paths, variables),
    read: async blob => (await objects.read(blob)).bytes,
  }
}

/** The files of the work tree, whose contents git may not have as blobs. Ignores entries that are not regular files. */
export function workTreeFiles(clone: Clone, workTree: string): EditedFiles {
  const known = new Map<Oid, Uint8Array>()
  return {
    async find(paths) {
      const found = new Map<string, Oid>()
      for (const path of paths) {
        const bytes = await undefinedIfMissingAsync(readIfRegular(workTree, path))
        if (!bytes) continue
        const blob = hashObject('blob', bytes)
        found.set(path, blob)
        known.set(blob, bytes)
      }
      return found
    },
    async read(blob) {
      const bytes = known.get(blob)
      if (bytes) return bytes
      const found = await clone.git(['cat-file', 'blob', blob])
      linesOrThrow(found, 'git cat-file')
      return found.stdout
    },
  }
}
