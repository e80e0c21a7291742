import { randomBytes } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Oid } from '../core/values.js'
import { errnoOf } from './durable.js'
import { objectName } from './pack-file.js'
import { readRegularFileSync } from './regular-files.js'

/*
 * Brings checked-out files up to a newer commit. Synchronous, because it runs in a thread of its own where it has much
 * to do (`work-tree-thread.ts`) and asynchronous file calls cost several times as much.
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

export interface FilesBrought {
  /** Paths that hold what the newer commit has. */
  readonly current: readonly string[]
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
export function bringFiles(root: string, stagingDir: string, updates: readonly FileUpdate[]): FilesBrought {
  const temporary = join(stagingDir, `checkout-${randomBytes(6).toString('hex')}`)
  /** Folders that are real ones. */
  const folders = new Set<string>([root])
  const current: string[] = []
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

  function bring({ path, before, after, bytes }: FileUpdate): boolean {
    const target = join(root, path)
    if (!reachable(dirname(target))) return false
    const there = blobAt(target)
    if (there === after) return true
    if (there === 'other' || !before.includes(there)) return false
    if (after === undefined) {
      unlinkSync(target)
      removeEmpty(root, dirname(target))
      folders.clear()
      folders.add(root)
      return true
    }
    writeFileSync(temporary, contentOf(path, bytes), { flag: 'w', mode: 0o644 })
    makeFolder(dirname(target))
    renameSync(temporary, target)
    return true
  }

  function makeFolder(folder: string): void {
    if (folders.has(folder)) return
    mkdirSync(folder, { recursive: true })
    folders.add(folder)
  }

  /** @returns whether the folder was not there, and is now, with all of the files */
  function bringFolder(folder: string, files: readonly FileUpdate[]): boolean {
    if (folders.has(folder)) return false
    if (!files.every(({ before, after }) => after !== undefined && before.includes(undefined))) return false
    if (!reachable(folder) || folders.has(folder)) return false
    makeFolder(dirname(folder))
    // Made elsewhere it would not get the group that folders there are to have, or get one that they are not.
    if (stagingGivesGroup || givesGroup(dirname(folder))) return false
    mkdirSync(temporary)
    try {
      for (const { path, bytes } of files) {
        writeFileSync(join(temporary, basename(path)), contentOf(path, bytes), { flag: 'wx', mode: 0o644 })
      }
      renameSync(temporary, folder)
    } catch {
      rmSync(temporary, { recursive: true, force: true })
      // A person has put something there meanwhile, or the file system has its own rules: what is wrong shows file by file.
      return false
    }
    folders.add(folder)
    return true
  }

  for (const [folder, files] of byFolder(updates)) {
    if (bringFolder(join(root, folder), files)) current.push(...files.map(({ path }) => path))
    else for (const file of files) (bring(file) ? current : left).push(file.path)
  }
  return { current, left }
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
  return bytes === undefined ? 'other' : objectName('blob', bytes)
}

function removeEmpty(root: string, folder: string): void {
  if (folder === root) return
  try {
    rmdirSync(folder)
  } catch (thrown) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errnoOf(thrown) ?? '')) return
    throw thrown
  }
  removeEmpty(root, dirname(folder))
}
