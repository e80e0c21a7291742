import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Oid } from '../core/values.js'
import { errnoOf } from './durable.js'
import { objectName } from './pack-file.js'

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

/**
 * @param root the work tree
 * @param ownDir our own folder on the same file system, for temporary files
 */
export function bringFiles(root: string, ownDir: string, updates: readonly FileUpdate[]): FilesBrought {
  const temporary = join(ownDir, `checkout-${randomBytes(6).toString('hex')}`)
  const folders = new Set<string>([root])
  const current: string[] = []
  const left: string[] = []

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
    if (!bytes) throw new Error(`The content of ${path} is missing.`)
    writeFileSync(temporary, bytes, { flag: 'w', mode: 0o644 })
    if (!folders.has(dirname(target))) mkdirSync(dirname(target), { recursive: true })
    renameSync(temporary, target)
    return true
  }

  for (const update of updates) (bring(update) ? current : left).push(update.path)
  return { current, left }
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
  if (kind !== 'file') return 'other'
  return objectName('blob', readFileSync(path))
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
