import { createHash, type Hash, hash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFile, writeFileDurably, writeFully } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { encodeIndex, type PackIndex, readIndex } from './index-format.js'
import { listPacks, type PackOnDisk } from './list-packs.js'
import { type ByteRange, mergeColumns, mergeNames, remainingRanges } from './merge-indexes.js'
import { entryType, packChecksumBytes, packHeader, packHeaderBytes, typeByCode } from './pack-format.js'
import { placePack } from './pack-writer.js'

/*
 * Synchronous, because it runs in a worker thread (`concatenate-thread.ts`), where many short file operations are
 * cheaper without promises.
 */

/** Limit of a pack that is merged, in bytes, because merging reads each pack as a whole into memory. */
const maxMergedBytes = 128 * 1024 * 1024
/**
 * A pack is merged with all smaller packs if it is smaller than this fraction of their total. A larger fraction leaves
 * fewer packs, but copies each object more often. @see docs/decisions/002-packs-are-concatenated.md
 */
const mergedBelow = 1 / 3
/** File endings of our own packs. Packs with other files (bitmaps, promisor packs) are not merged. */
const ownEndings: readonly string[] = ['pack', 'idx', 'rev']

/** A pack to merge, with its index. */
interface Piece extends PackIndex {
  readonly pack: PackOnDisk
}

/**
 * Merges packs without git. The entries of our own packs are whole objects, so their bytes can be copied unchanged.
 * The merged pack is durable before the old ones are removed. The caller ensures that no other merge runs.
 * @param except names of packs to keep, because a running repack reads them
 */
export function concatenatePacks(gitDir: string, stagingDir: string, except: ReadonlySet<string>): void {
  clearLeftovers(stagingDir)
  const folder = packFolder(gitDir)
  const packs = listPacks(gitDir).filter(pack => !except.has(pack.name))
  let pieces: Piece[] = []
  for (const pack of chooseSmall(packs)) {
    const index = readIndexOf(folder, pack)
    if (index) pieces.push({ pack, ...index })
  }
  while (pieces.length > 1) {
    const unfit = mergeInto(folder, join(stagingDir, `merge-${randomBytes(6).toString('hex')}`), pieces)
    if (!unfit) return
    pieces = pieces.filter(piece => piece !== unfit)
  }
}

/** The smallest packs, up to the last one that is smaller than {@link mergedBelow} of the total of all before it. */
function chooseSmall(packs: readonly PackOnDisk[]): readonly PackOnDisk[] {
  const candidates = packs.filter(
    pack => pack.bytes <= maxMergedBytes && pack.endings.every(ending => ownEndings.includes(ending)),
  )
  let before = 0
  let chosen = 0
  candidates.forEach((pack, index) => {
    if (pack.bytes < before * mergedBelow) chosen = index + 1
    before += pack.bytes
  })
  return candidates.slice(0, chosen)
}

function readIndexOf(folder: string, { name }: PackOnDisk): PackIndex | undefined {
  const index = undefinedIfMissing(() => readFileSync(join(folder, `${name}.idx`)))
  try {
    return index && readIndex(index)
  } catch (error) {
    // A damaged pack stays unchanged; `git fsck` reports it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Writes the merged pack and removes the old ones. A kill between two steps loses nothing:
 *
 * 1. Write the pack and its index to the staging folder, and sync them.
 * 2. Give them their names, durably ({@link placePack}).
 * 3. Remove a multi-pack-index, then the old packs, each index first.
 *
 * @param temporary path of the new files, without their endings
 * @returns a pack that cannot be merged, if there is one; then nothing has changed
 */
function mergeInto(folder: string, temporary: string, pieces: readonly Piece[]): Piece | undefined {
  const indexes = pieces.map(({ columns }) => columns)
  const names = mergeNames(indexes)
  const ranges = pieces.map(({ pack, columns }, place) =>
    remainingRanges(
      columns,
      { start: packHeaderBytes, end: pack.bytes - packChecksumBytes },
      names.repeated[place] ?? [],
    ),
  )
  const written = writeMerged(folder, `${temporary}.pack`, names.packs.length, pieces, ranges)
  if ('unfit' in written) {
    unlinkSync(`${temporary}.pack`)
    return written.unfit
  }
  const index = encodeIndex(mergeColumns(indexes, names, ranges, packHeaderBytes), written.checksum)
  writeFileDurably(`${temporary}.idx`, [index])
  const name = `pack-${written.checksum.toString('hex')}`
  placePack(folder, temporary, name)
  forgetMultiPackIndex(folder)
  for (const { pack } of pieces) {
    // One of the packs may already be equal to the merged one.
    if (pack.name === name) continue
    for (const ending of ['idx', 'rev', 'pack'])
      undefinedIfMissing(() => unlinkSync(join(folder, `${pack.name}.${ending}`)))
  }
  return undefined
}

/**
 * Writes the merged pack from the ranges of the pieces.
 * @returns the checksum of the durable pack, or the piece that cannot be merged
 */
function writeMerged(
  folder: string,
  path: string,
  count: number,
  pieces: readonly Piece[],
  ranges: readonly (readonly ByteRange[])[],
): { readonly checksum: Buffer } | { readonly unfit: Piece } {
  const file = createFile(path)
  try {
    const sum = createHash('sha1')
    append(file, sum, packHeader(count))
    for (const [place, piece] of pieces.entries()) {
      const bytes = undefinedIfMissing(() => readFileSync(join(folder, `${piece.pack.name}.pack`)))
      if (!bytes || !isWhole(bytes, piece)) return { unfit: piece }
      for (const { start, end } of ranges[place] ?? []) append(file, sum, bytes.subarray(start, end))
    }
    const checksum = sum.digest()
    writeFully(file, checksum)
    fsyncSync(file)
    return { checksum }
  } finally {
    closeSync(file)
  }
}

/** Whether a pack is undamaged, matches its index, and has whole objects only. */
function isWhole(pack: Buffer, { pack: { bytes }, columns: { offsets }, packChecksum }: Piece): boolean {
  if (pack.length !== bytes || bytes < packHeaderBytes + packChecksumBytes) return false
  if (pack.readUInt32BE(8) !== offsets.length) return false
  const checksum = hash('sha1', pack.subarray(0, -packChecksumBytes), 'buffer')
  if (!checksum.equals(packChecksum) || !checksum.equals(pack.subarray(-packChecksumBytes))) return false
  return offsets.every(offset => typeByCode[entryType(pack[offset] ?? 0)] !== undefined)
}

function append(file: number, sum: Hash, bytes: Buffer): void {
  sum.update(bytes)
  writeFully(file, bytes)
}

/** Removes a multi-pack-index of git, which names packs that are about to be removed. The next repack makes another. */
function forgetMultiPackIndex(folder: string): void {
  const names = readdirSync(folder).filter(name => /^multi-pack-index(-|$|\.)/.test(name))
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true })
}

/** Removes the temporary files of a merge that failed or was killed. */
function clearLeftovers(stagingDir: string): void {
  for (const name of readdirSync(stagingDir)) {
    if (/^merge-[0-9a-f]{12}\.(pack|idx)$/.test(name))
      undefinedIfMissing(() => unlinkSync(join(stagingDir, name)))
  }
}
