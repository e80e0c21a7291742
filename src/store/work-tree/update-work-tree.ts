import { hash } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { isPlain } from '../../core/plain-mode.js'
import { writeFully } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import {
  comparePath,
  encodeExtension,
  encodeIndexEntry,
  encodeIndexHeader,
  hashSize,
  type IndexLayout,
  readIndexEntry,
  readIndexLayout,
  secondsAt,
  sizeAt,
} from './index-file.js'
import { type FileUpdate, type UpdatedFiles, updateFiles } from './update-files.js'

export interface WorkTreeJob {
  readonly root: string
  readonly gitDir: string
  readonly stagingDir: string
  readonly updates: readonly FileUpdate[]
  /** State of the index after the last job. */
  readonly index: string | undefined
  /** Whether edits of users are based on older contents, so that `update-index.ts` has to update the index. */
  readonly hasEditBases: boolean
}

export interface UpdatedWorkTree extends UpdatedFiles {
  /** State of the updated index; undefined: `update-index.ts` has to update it. */
  readonly index: string | undefined
  /** Milliseconds that the index took. */
  readonly indexTime: number
}

/** Updates checked-out files and, in the usual case, their entries in the index. */
export function updateWorkTree(job: WorkTreeJob): UpdatedWorkTree {
  const { root, gitDir, stagingDir, updates, hasEditBases } = job
  const { current, left } = updateFiles(root, stagingDir, updates)
  const began = performance.now()
  const isUsual = !isPlain && !hasEditBases && left.length === 0
  const index = isUsual
    ? mergeIntoIndex({ gitDir, stagingDir, updates, current, written: job.index })
    : undefined
  return { current, left, index, indexTime: performance.now() - began }
}

/*
 * Fast path: sets entries of `.git/index` without a git process. A create every 300 ms takes 29 ms instead of 44 ms of
 * processor time. Plain path: `update-index.ts`.
 * @see docs/decisions/011-fast-paths.md
 */

/** Larger indexes are left to git, because the whole index is held in memory here. */
const maxSize = 128 * 1024 * 1024
/** Limit in bytes of an index that stays in memory, so that the next merge neither reads nor parses it. */
const maxKept = 4 * 1024 * 1024
/** Bytes by which an index in memory may grow before it needs another buffer. */
const slack = 64 * 1024

/** An index that this thread has written. */
interface KeptIndex {
  readonly file: string
  readonly state: string
  readonly index: Buffer
  readonly layout: IndexLayout
  /** The buffer of the index before, for the next one. */
  readonly spare: Buffer | undefined
}

let kept: KeptIndex | undefined

export interface IndexMerge {
  readonly gitDir: string
  readonly stagingDir: string
  readonly updates: readonly FileUpdate[]
  readonly current: UpdatedFiles['current']
  /** State of the index that this function wrote last. The checksum of that index is not compared again. */
  readonly written: string | undefined
}

/** A new entry of a path; `entry` is undefined if the path is removed. */
interface Change {
  readonly path: Buffer
  readonly entry: Buffer | undefined
}

/**
 * Sets the entries of updated files in `.git/index`, and removes those of removed files. The caller holds
 * `.git/index.lock`.
 * @returns the state of the new index; undefined if nothing was done, because the index is missing, damaged, or of a
 *   kind that only git changes: version 4, split or sparse, or an entry of these files has flags or conflicts
 * @see gitformat-index(5)
 */
function mergeIntoIndex({ gitDir, stagingDir, updates, current, written }: IndexMerge): string | undefined {
  const file = join(gitDir, 'index')
  const before = undefinedIfMissing(() => statSync(file, { bigint: true }))
  if (!before || before.size > maxSize) return undefined
  const state = stateOf(before)
  const own = kept?.file === file && kept.state === state ? kept : undefined
  // What is in memory changes below, and is no longer the index if this function fails.
  kept = undefined
  const index = own?.index ?? readFileSync(file)
  const layout = own?.layout ?? readIndexLayout(index)
  if (!layout) return undefined
  const content = index.subarray(0, -hashSize)
  const sum = index.subarray(-hashSize)
  // Git writes zeros if `index.skipHash` is set.
  const isSummed = sum.some(byte => byte !== 0)
  if (isSummed && written !== state && !sum.equals(hash('sha1', content, 'buffer'))) return undefined

  const changes = changesOf(updates, current)
  const entries = mergeEntries(index, layout, changes)
  const extensions = keptExtensions(layout, changes)
  if (!entries || !extensions) return undefined
  markRacyEntries(index, layout, before.mtimeNs)
  const made = concatenate(own?.spare, [
    encodeIndexHeader(layout.version, entries.offsets.length - 1),
    ...entries.pieces,
    ...extensions.map(({ signature, bytes }) => encodeExtension(signature, bytes)),
    Buffer.alloc(hashSize),
  ])
  if (isSummed) made.set(hash('sha1', made.subarray(0, -hashSize), 'buffer'), made.length - hashSize)
  const now = replace(file, join(stagingDir, 'index.new'), made, Number(before.mode))
  if (made.length <= maxKept) {
    const { version } = layout
    const { offsets } = entries
    kept = { file, state: now, index: made, layout: { version, offsets, extensions }, spare: own?.index }
  }
  return now
}

/** Like `Buffer.concat`, in the memory of a buffer that is no longer needed, if that suffices. */
function concatenate(spare: Buffer | undefined, pieces: readonly Buffer[]): Buffer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const memory =
    spare && spare.buffer.byteLength >= length ? spare.buffer : Buffer.allocUnsafeSlow(length + slack).buffer
  const made = Buffer.from(memory, 0, length)
  let at = 0
  for (const piece of pieces) {
    made.set(piece, at)
    at += piece.length
  }
  return made
}

function changesOf(updates: readonly FileUpdate[], current: UpdatedFiles['current']): readonly Change[] {
  return updates
    .flatMap(({ path, after }) => {
      const stat = current.get(path)
      if (!stat) return []
      const bytes = Buffer.from(path)
      return { path: bytes, entry: after === undefined ? undefined : encodeIndexEntry(bytes, after, stat) }
    })
    .sort((one, other) => one.path.compare(other.path))
}

/** @returns the parts of the new entries, and their offsets; undefined if git has to decide about an entry */
function mergeEntries(
  index: Buffer,
  { offsets }: IndexLayout,
  changes: readonly Change[],
): { readonly pieces: readonly Buffer[]; readonly offsets: Uint32Array } | undefined {
  const pieces: Buffer[] = []
  const total = offsets.length - 1
  const offsetOf = (number: number) => offsets[number] as number
  /** Folders that are no entries themselves. */
  const folders = new Set<string>()
  const made = new Uint32Array(total + changes.length + 1)
  /** Number of new entries, number of old entries that are copied or left out, difference of the next offsets. */
  let [count, done, shift] = [0, 0, 0]
  for (const { path, entry } of changes) {
    const number = firstNotBefore(index, offsets, path)
    const next = number < total ? readIndexEntry(index, offsetOf(number)) : undefined
    const isReplaced = next?.path.equals(path) === true
    if (isReplaced && next.isFlagged) return undefined
    if (!isReplaced && entry && isConflict(path, next?.path)) return undefined
    copyUntil(number)
    if (entry) {
      pieces.push(entry)
      made[count++] = offsetOf(number) + shift
      shift += entry.length
    }
    if (isReplaced) {
      shift -= offsetOf(number + 1) - offsetOf(number)
      done = number + 1
    }
  }
  copyUntil(total)
  made[count] = offsetOf(total) + shift
  return { pieces, offsets: made.subarray(0, count + 1) }

  function copyUntil(number: number): void {
    pieces.push(index.subarray(offsetOf(done), offsetOf(number)))
    for (; done < number; done++) made[count++] = offsetOf(done) + shift
  }

  /** Whether a new path is a folder of other entries, or is below another entry. */
  function isConflict(path: Buffer, following: Buffer | undefined): boolean {
    if (following?.subarray(0, path.length + 1).equals(Buffer.concat([path, slash]))) return true
    for (
      let folder = dirname(path.toString());
      folder !== '.' && !folders.has(folder);
      folder = dirname(folder)
    ) {
      const name = Buffer.from(folder)
      const number = firstNotBefore(index, offsets, name)
      if (number < total && readIndexEntry(index, offsetOf(number)).path.equals(name)) return true
      folders.add(folder)
    }
    return false
  }
}

const slash = Buffer.from('/')

/** Binary search: the number of entries before a path. */
function firstNotBefore(index: Buffer, offsets: Uint32Array, path: Buffer): number {
  let [low, high] = [0, offsets.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePath(path, index, offsets[middle] as number) > 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The extensions of the new index. Others than these are caches that git makes anew.
 * @returns undefined if git must not ignore one of the others
 */
function keptExtensions(
  { extensions }: IndexLayout,
  changes: readonly Change[],
): IndexLayout['extensions'] | undefined {
  const known: IndexLayout['extensions'][number][] = []
  for (const { signature, bytes } of extensions) {
    if (!/^[A-Z]/.test(signature)) return undefined
    // Copies, because the index in memory is overwritten.
    if (signature === 'REUC') known.push({ signature, bytes: Buffer.from(bytes) })
    const trees = signature === 'TREE' ? invalidateTrees(bytes, foldersOf(changes)) : undefined
    if (trees) known.push({ signature, bytes: trees })
  }
  return known
}

function foldersOf(changes: readonly Change[]): ReadonlySet<string> {
  const folders = new Set([''])
  for (const { path } of changes) {
    for (
      let folder = dirname(path.toString());
      folder !== '.' && !folders.has(folder);
      folder = dirname(folder)
    )
      folders.add(folder)
  }
  return folders
}

/**
 * Sets the size to zero in entries of files that were changed in the second in which the index was written, or later.
 * Git then compares their content. Without that, it would trust the later time of the new index.
 * @see https://git-scm.com/docs/racy-git
 */
function markRacyEntries(index: Buffer, { offsets }: IndexLayout, writtenAt: bigint): void {
  const seconds = Number(writtenAt / 1_000_000_000n)
  for (const offset of offsets.subarray(0, -1))
    if (index.readUInt32BE(offset + secondsAt) >= seconds) index.writeUInt32BE(0, offset + sizeAt)
}

/** Replaces the index. Nothing is synced, because the index is derived. */
function replace(file: string, made: string, content: Buffer, mode: number): string {
  const opened = openSync(made, 'w')
  try {
    writeFully(opened, content)
    fchmodSync(opened, mode & 0o777)
  } finally {
    closeSync(opened)
  }
  renameSync(made, file)
  return stateOf(statSync(file, { bigint: true }))
}

function stateOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
}

/*
 * The extension `TREE` of `.git/index`: the tree objects of folders whose entries have not changed since, so that
 * `git commit` need not write these again, and `git status` need not compare them.
 * @see gitformat-index(5), "Cache tree"
 */

const [newline, space, minus, zero] = [0x0a, 0x20, 0x2d, 0x30]

/**
 * Marks folders as changed. Reads bytes, because most folders of the extension are others.
 * @param folders paths without a slash at the end, each with all folders above it; the empty path is the root
 * @returns undefined if the extension is malformed
 */
function invalidateTrees(extension: Buffer, folders: ReadonlySet<string>): Buffer | undefined {
  const pieces: Buffer[] = []
  /** The part of the extension that is not in `pieces` yet begins here. */
  let copied = 0
  let at = 0

  /** Reads a decimal number and the byte after it. @returns NaN if there is none */
  function number(end: number): number {
    const sign = extension[at] === minus ? -1 : 1
    if (sign < 0) at++
    let value = extension[at] === end ? Number.NaN : 0
    for (let byte = extension[at++]; byte !== end; byte = extension[at++]) {
      const digit = (byte ?? 0) - zero
      if (!(digit >= 0 && digit <= 9)) return Number.NaN
      value = value * 10 + digit
    }
    return sign * value
  }

  /**
   * Reads a folder and those below it.
   * @param parent the changed folder that has this one; undefined if the folder above has not changed
   * @returns whether they are well-formed
   */
  function readFolder(parent: string | undefined): boolean {
    const nameAt = at
    while (extension[at] !== 0) if (at++ >= extension.length) return false
    const path = parent === undefined ? undefined : parent + extension.toString('utf8', nameAt, at)
    const isChanged = path !== undefined && folders.has(path)
    at++
    const countAt = at
    const entries = number(space)
    const subtrees = number(newline)
    if (Number.isNaN(entries) || !(subtrees >= 0)) return false
    if (entries >= 0) {
      at += hashSize
      if (isChanged) {
        pieces.push(extension.subarray(copied, countAt), Buffer.from(`-1 ${subtrees}\n`))
        copied = at
      }
    }
    const prefix = isChanged ? (path === '' ? '' : `${path}/`) : undefined
    for (let count = 0; count < subtrees; count++) if (!readFolder(prefix)) return false
    return true
  }

  if (!readFolder('') || at !== extension.length) return undefined
  pieces.push(extension.subarray(copied))
  return Buffer.concat(pieces)
}
