import { randomBytes } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  fstatSync,
  futimesSync,
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
import { hasErrorCode } from '../file-system/file-errors.js'
import { readRegularFileSync } from '../file-system/regular-files.js'
import { hashObject } from '../objects/hash-object.js'
import { secondsAt, sizeAt, statSize } from './index-file.js'

/*
 * Updates checked-out files to a newer commit. Synchronous, because many updates run in a worker thread
 * (`update-files-thread.ts`), where asynchronous file operations would be much slower.
 */

/** The change of one file to what a newer commit has. */
export interface FileUpdate {
  /** Path relative to the work tree, with `/` as separator. */
  readonly path: string
  /** Blobs that the file may have now, undefined for no file. Any other content is a user's edit. */
  readonly before: readonly (Oid | undefined)[]
  /** The new blob; undefined if the file is removed. */
  readonly after: Oid | undefined
  /** Content of `after`; undefined if it is not read yet. */
  readonly bytes: Uint8Array | undefined
}

/**
 * What `.git/index` has about a file: ten words, of which times, inode and size change with each edit. Empty if it is no
 * regular file.
 */
export type FileState = Uint8Array

export interface UpdatedFiles {
  /** Updated paths with the states of their files. */
  readonly current: ReadonlyMap<string, FileState>
  /** Skipped paths, which a user has edited, added or removed. */
  readonly left: readonly string[]
}

const second = 1_000_000_000n
const fileMode = 0o100644n
/** More than one second, because git compares whole seconds. @see https://git-scm.com/docs/racy-git */
const secondsBack = 2

/** The set-group-ID bit of a folder's mode: new entries inherit the group of the folder. @see inode(7) */
const setGroup = 0o2000

/**
 * Updates files atomically: each file is put in place by a rename, and so is each new folder with its files.
 * @param root the work tree
 * @param stagingDir a folder of our own on the same file system, for temporary files
 */
export function updateFiles(root: string, stagingDir: string, updates: readonly FileUpdate[]): UpdatedFiles {
  const updater = new FileUpdater(root, stagingDir)
  const current = new Map<string, FileState>()
  const left: string[] = []
  for (const [folder, files] of byFolder(updates)) {
    const created = updater.createFolder(join(root, folder), files)
    for (const [index, file] of files.entries()) {
      const state = created ? created[index] : updater.updateFile(file)
      if (state === undefined) left.push(file.path)
      else current.set(file.path, state)
    }
  }
  return { current, left }
}

class FileUpdater {
  readonly #root: string
  readonly #temporary: string
  readonly #stagingGivesGroup: boolean
  /** Folders that are known not to be symbolic links. */
  readonly #folders: Set<string>

  constructor(root: string, stagingDir: string) {
    this.#root = root
    this.#temporary = join(stagingDir, `checkout-${randomBytes(6).toString('hex')}`)
    this.#stagingGivesGroup = givesGroup(stagingDir)
    this.#folders = new Set([root])
  }

  /** Writes or removes a file, unless it is not as the update expects. @returns undefined if the file was skipped */
  updateFile({ path, before, after, bytes }: FileUpdate): FileState | undefined {
    const target = join(this.#root, path)
    if (!this.#isWithoutLinks(dirname(target))) return undefined
    const state = fileState(target)
    const found = blobAt(target)
    if (found === after) return withoutSize(state)
    if (found === 'other' || !before.includes(found)) return undefined
    if (after === undefined) {
      unlinkSync(target)
      removeEmpty(this.#root, dirname(target))
      this.#folders.clear()
      this.#folders.add(this.#root)
      return noFile
    }
    const written = writeFile(this.#temporary, contentOf(path, bytes), 'w')
    this.#makeFolder(dirname(target))
    renameSync(this.#temporary, target)
    // The rename sets the time of the last change of the inode, which git compares too.
    const renamed = fileState(target)
    return isSameContent(renamed, written) ? renamed : withoutSize(written)
  }

  /**
   * Creates a new folder with all its files.
   * @returns the states of the files; undefined if they have to be updated one by one
   */
  createFolder(folder: string, files: readonly FileUpdate[]): readonly FileState[] | undefined {
    if (this.#folders.has(folder)) return undefined
    if (!files.every(({ before, after }) => after !== undefined && before.includes(undefined)))
      return undefined
    if (!this.#isWithoutLinks(folder) || this.#folders.has(folder)) return undefined
    this.#makeFolder(dirname(folder))
    // A folder made in the staging folder would have the wrong group.
    if (this.#stagingGivesGroup || givesGroup(dirname(folder))) return undefined
    mkdirSync(this.#temporary)
    let states: readonly FileState[]
    try {
      states = files.map(({ path, bytes }) =>
        writeFile(join(this.#temporary, basename(path)), contentOf(path, bytes), 'wx'),
      )
      renameSync(this.#temporary, folder)
    } catch {
      rmSync(this.#temporary, { recursive: true, force: true })
      // The folder was made meanwhile, or the file system refuses. The update file by file will show what is wrong.
      return undefined
    }
    this.#folders.add(folder)
    return states
  }

  /** Whether a folder and its parents are no symbolic links, so that nothing is written through a link. */
  #isWithoutLinks(folder: string): boolean {
    if (this.#folders.has(folder)) return true
    if (!this.#isWithoutLinks(dirname(folder))) return false
    const kind = kindOf(folder)
    if (kind === 'folder') this.#folders.add(folder)
    return kind === 'folder' || kind === 'missing'
  }

  #makeFolder(folder: string): void {
    if (this.#folders.has(folder)) return
    mkdirSync(folder, { recursive: true })
    this.#folders.add(folder)
  }
}

const noFile: FileState = new Uint8Array()

/** The current state of a file. */
export function fileState(path: string): FileState {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.isFile() ? stateOf(found) : noFile
}

/** Git stores the lower 32 bits of each value. @see gitformat-index(5) */
function stateOf({ ctimeNs, mtimeNs, dev, ino, uid, gid, size }: BigIntStats): FileState {
  const words = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second, dev, ino, fileMode]
  const state = Buffer.alloc(statSize)
  for (const [number, word] of [...words, uid, gid, size].entries())
    state.writeUInt32BE(Number(BigInt.asUintN(32, word)), 4 * number)
  return state
}

/** Whether a file has not been edited or replaced between two states. */
function isSameContent(one: FileState, other: FileState): boolean {
  return Buffer.compare(one.subarray(secondsAt), other.subarray(secondsAt)) === 0
}

/** The state of a file that may be edited again before the clock of the file system advances: git compares contents. */
function withoutSize(state: FileState): FileState {
  return state.fill(0, sizeAt, sizeAt + 4)
}

/**
 * Writes a temporary file. Its modification time is in the past, so that any later edit changes it: the clocks of file
 * systems advance every few milliseconds only.
 * @returns its state
 */
function writeFile(path: string, bytes: Uint8Array, flag: 'w' | 'wx'): FileState {
  const file = openSync(path, flag, 0o644)
  try {
    writeFileSync(file, bytes)
    const now = Date.now() / 1000
    futimesSync(file, now, now - secondsBack)
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

/** Object name of a file's content; undefined if there is no file; `other` for anything but a regular file. */
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
