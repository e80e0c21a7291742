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
import { errorCode } from '../file-system/durable-files.js'
import { readRegularFileSync } from '../file-system/regular-files.js'
import { hashObject } from '../objects/hash-object.js'

/*
 * Brings checked-out files up to a newer commit. Synchronous, because it runs in a thread of its own where it has much
 * to do (`update-files-thread.ts`) and asynchronous file calls cost several times as much.
 */

/** A file that is to become what a newer commit has at its path. */
export interface FileUpdate {
  /** Path from the root of the work tree, `/` between its parts. */
  readonly path: string
  /** Blobs of ours the work tree may hold now, undefined for no file; any other is a person's edit. */
  readonly before: readonly (Oid | undefined)[]
  /** The blob it is to hold; undefined: no file. */
  readonly after: Oid | undefined
  /** Content of `after`; undefined until somebody reads it. */
  readonly bytes: Uint8Array | undefined
}

/** Inode, size and time of the last change of a file; empty: there is no regular file. A file that was edited has another one. */
export type FileState = string

export interface UpdatedFiles {
  /** Paths that hold what the newer commit has, each with the state of its file then. */
  readonly current: ReadonlyMap<string, FileState>
  /** Paths where a person has edited, added or removed something: left alone. */
  readonly left: readonly string[]
}

/** The bit of a folder's mode that gives its group to what is made in it. @see inode(7) */
const setGroup = 0o2000

/**
 * A file takes its place by one rename, and so does a folder that is not there yet, with its files: nobody sees half of one.
 * @param root the work tree
 * @param stagingDir a folder of our own on the same file system, for temporary files
 */
export function updateFiles(root: string, stagingDir: string, updates: readonly FileUpdate[]): UpdatedFiles {
  const temporary = join(stagingDir, `checkout-${randomBytes(6).toString('hex')}`)
  /** Folders that are real ones. */
  const folders = new Set<string>([root])
  const current = new Map<string, FileState>()
  const left: string[] = []
  const stagingGivesGroup = givesGroup(stagingDir)

  /** Whether every folder on the way to a path is a real one: nothing is ever written through a symbolic link. */
  function reachable(folder: string): boolean {
    if (folders.has(folder)) return true
    if (!reachable(dirname(folder))) return false
    const kind = kindOf(folder)
    if (kind === 'missing') return true
    if (kind === 'folder') folders.add(folder)
    return kind === 'folder'
  }

  /** @returns undefined where the file is left alone */
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

  /** @returns the files, where the folder was not there, and is now, with all of them; else undefined */
  function bringFolder(
    folder: string,
    files: readonly FileUpdate[],
  ): readonly (readonly [path: string, state: FileState])[] | undefined {
    if (folders.has(folder)) return undefined
    if (!files.every(({ before, after }) => after !== undefined && before.includes(undefined)))
      return undefined
    if (!reachable(folder) || folders.has(folder)) return undefined
    makeFolder(dirname(folder))
    // Made elsewhere it would not get the group that folders there are to have, or get one that they are not.
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
      // A person has put something there meanwhile, or the file system has its own rules: what is wrong shows file by file.
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

/** The state of a file now. */
export function fileState(path: string): FileState {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? stateOf(found) : noFile
}

function stateOf({ ino, size, mtimeNs }: BigIntStats): FileState {
  return `${ino} ${size} ${mtimeNs}`
}

/** @returns the state before anybody can edit it under its name */
function writeFile(path: string, bytes: Uint8Array, flag: 'w' | 'wx'): FileState {
  const file = openSync(path, flag, 0o644)
  try {
    writeFileSync(file, bytes)
    return stateOf(fstatSync(file, { bigint: true }))
  } finally {
    closeSync(file)
  }
}

/** Whether what is made in a folder gets its group. */
function givesGroup(folder: string): boolean {
  return (statSync(folder).mode & setGroup) !== 0
}

/** Files of one folder that come one after the other. */
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

/** Name of the blob a file would be, undefined where there is none, `other` where there is no regular file. */
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
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(thrown) ?? '')) return
    throw thrown
  }
  removeEmpty(root, dirname(folder))
}
