import { randomBytes } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { hasErrorCode } from '../file-system/durable-files.js'
import { readRegularFileSync } from '../file-system/regular-files.js'
import { hashObject } from '../objects/hash-object.js'

/*
 * Updates checked-out files to a newer commit. Synchronous, because many updates run in a worker thread
 * (`update-files-thread.ts`), where asynchronous file operations would be much slower.
 */

/** The change of one file to the state of a newer commit. */
export interface FileUpdate {
  /** Path relative to the work tree, with `/` as separator. */
  readonly path: string
  /** Expected blobs in the work tree, undefined for no file; any other content is a user's edit. */
  readonly before: readonly (Oid | undefined)[]
  /** The new blob; undefined: no file. */
  readonly after: Oid | undefined
  /** Content of `after`; undefined: not read yet. */
  readonly bytes: Uint8Array | undefined
}

/** Inode, size and modification time of a file, which change with each edit; empty: no regular file. */
export type FileState = string

export interface UpdatedFiles {
  /** Updated paths with the states of their files. */
  readonly current: ReadonlyMap<string, FileState>
  /** Skipped paths, which a user has edited, added or removed. */
  readonly left: readonly string[]
}

/** The set-group-ID bit of a folder's mode: new entries inherit the group of the folder. @see inode(7) */
const setGroup = 0o2000

/**
 * Updates files atomically: each file is put in place by a rename, and so is each new folder with its files.
 * @param root the work tree
 * @param stagingDir a folder of our own on the same file system, for temporary files
 */
export function updateFiles(root: string, stagingDir: string, updates: readonly FileUpdate[]): UpdatedFiles {
  const temporary = join(stagingDir, `checkout-${randomBytes(6).toString('hex')}`)
  /** Folders known not to be links. */
  const folders = new Set<string>([root])
  const current = new Map<string, FileState>()
  const left: string[] = []
  const stagingGivesGroup = givesGroup(stagingDir)

  /** Whether a folder and its parents are no symbolic links, so that nothing is written through a link. */
  function reachable(folder: string): boolean {
    if (folders.has(folder)) return true
    if (!reachable(dirname(folder))) return false
    const kind = kindOf(folder)
    if (kind === 'missing') return true
    if (kind === 'folder') folders.add(folder)
    return kind === 'folder'
  }

  /** @returns undefined if the file was skipped */
  function bring({ path, before, after, bytes }: FileUpdate): FileState | undefined {
    const target = join(root, path)
    if (!reachable(dirname(target))) return undefined
    const state = fileState(target)
    const there = blobAt(target)
    if (there === after) return state
    if (there === 'other' || !before.includes(there)) return undefined
    if (after === undefined) {
      unlinkSync(target)
      removeEmpty(root, dirname(target))
      folders.clear()
      folders.add(root)
      return noFile
    }
    const written = writeFile(temporary, contentOf(path, bytes), 'w')
    makeFolder(dirname(target))
    renameSync(temporary, target)
    return written
  }

  function makeFolder(folder: string): void {
    if (folders.has(folder)) return
    mkdirSync(folder, { recursive: true })
    folders.add(folder)
  }

  /** Creates a new folder with all its files. @returns undefined if the files have to be updated one by one */
  function bringFolder(
    folder: string,
    files: readonly FileUpdate[],
  ): readonly (readonly [path: string, state: FileState])[] | undefined {
    if (folders.has(folder)) return undefined
    if (!files.every(({ before, after }) => after !== undefined && before.includes(undefined)))
      return undefined
    if (!reachable(folder) || folders.has(folder)) return undefined
    makeFolder(dirname(folder))
    // A folder made in the staging folder would have the wrong group.
    if (stagingGivesGroup || givesGroup(dirname(folder))) return undefined
    mkdirSync(temporary)
    let written: readonly (readonly [string, FileState])[]
    try {
      written = files.map(({ path, bytes }) => [
        path,
        writeFile(join(temporary, basename(path)), contentOf(path, bytes), 'wx'),
      ])
      renameSync(temporary, folder)
    } catch {
      rmSync(temporary, { recursive: true, force: true })
      // The folder exists meanwhile, or the file system refuses. Updating file by file shows the fault.
      return undefined
    }
    folders.add(folder)
    return written
  }

  for (const [folder, files] of byFolder(updates)) {
    const written = bringFolder(join(root, folder), files)
    if (written) {
      for (const [path, state] of written) current.set(path, state)
      continue
    }
    for (const file of files) {
      const state = bring(file)
      if (state === undefined) left.push(file.path)
      else current.set(file.path, state)
    }
  }
  return { current, left }
}

const noFile: FileState = ''

/** The current state of a file. */
export function fileState(path: string): FileState {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? stateOf(found) : noFile
}

function stateOf({ ino, size, mtimeNs }: BigIntStats): FileState {
  return `${ino} ${size} ${mtimeNs}`
}

/** @returns the state of the file before it gets its final name */
function writeFile(path: string, bytes: Uint8Array, flag: 'w' | 'wx'): FileState {
  const file = openSync(path, flag, 0o644)
  try {
    writeFileSync(file, bytes)
    return stateOf(fstatSync(file, { bigint: true }))
  } finally {
    closeSync(file)
  }
}

/** Whether new entries of a folder inherit its group. */
function givesGroup(folder: string): boolean {
  return (statSync(folder).mode & setGroup) !== 0
}

/** Groups consecutive files of the same folder. */
function byFolder(updates: readonly FileUpdate[]): readonly (readonly [string, readonly FileUpdate[]])[] {
  const groups: [string, FileUpdate[]][] = []
  for (const update of updates) {
    const folder = dirname(update.path)
    const last = groups.at(-1)
    if (last?.[0] === folder) last[1].push(update)
    else groups.push([folder, [update]])
  }
  return groups
}

function contentOf(path: string, bytes: Uint8Array | undefined): Uint8Array {
  if (!bytes) throw new Error(`The content of ${path} is missing.`)
  return bytes
}

function kindOf(path: string): 'missing' | 'folder' | 'file' | 'other' {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return 'missing'
  if (found.isDirectory()) return 'folder'
  return found.isFile() ? 'file' : 'other'
}

/** Object name of a file's content; undefined: no file; `other`: not a regular file. */
function blobAt(path: string): Oid | undefined | 'other' {
  const kind = kindOf(path)
  if (kind === 'missing') return undefined
  const bytes = kind === 'file' ? readRegularFileSync(path) : undefined
  return bytes === undefined ? 'other' : hashObject('blob', bytes)
}

function removeEmpty(root: string, folder: string): void {
  if (folder === root) return
  try {
    rmdirSync(folder)
  } catch (thrown) {
    if (hasErrorCode(thrown, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return
    throw thrown
  }
  removeEmpty(root, dirname(folder))
}
