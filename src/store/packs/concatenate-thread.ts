import { createHash, type Hash, hash, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { prefixLength } from '../../core/data-structures/binary-search.js'
import { createFile, writeFileDurably, writeFully } from '../file-system/durable-files.js'
import { undefinedIfMissing } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { runJobLoop } from '../workers/job-loop.js'
import {
  compareNames,
  encodeIndex,
  type IndexColumns,
  nameBytes,
  type PackIndex,
  readIndex,
} from './index-format.js'
import { listPacks, type PackOnDisk } from './list-packs.js'
import { entryType, packChecksumBytes, packHeader, packHeaderBytes, typeByCode } from './pack-format.js'
import { placePack } from './pack-writer.js'

/*
 * Synchronous, because it runs in a worker thread, where many short file operations are
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
function concatenatePacks(gitDir: string, stagingDir: string, except: ReadonlySet<string>): void {
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

/*
 * Merges the indexes of concatenated packs in memory, by a k-way merge of their sorted names.
 */

/** The objects of several packs, sorted by name, without duplicates. */
interface MergedNames {
  /** Index of the pack that each object is taken from. */
  readonly packs: Uint32Array
  /** Place of each object in the index of that pack. */
  readonly places: Uint32Array
  /** For each pack, the places of objects that an earlier pack also has. */
  readonly repeated: readonly (readonly number[])[]
}

/** Merges the names of several indexes. An object that is in several packs is taken from the first of them. */
function mergeNames(indexes: readonly IndexColumns[]): MergedNames {
  const counts = indexes.map(index => index.offsets.length)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const packs = new Uint32Array(total)
  const places = new Uint32Array(total)
  const repeated = indexes.map((): number[] => [])
  const next = new Uint32Array(indexes.length)
  const starts = Float64Array.from(indexes, (_, pack) => startOf(pack))
  let made = 0

  /** The first four bytes of a pack's next name, as a number. That is enough to compare most names. */
  function startOf(pack: number): number {
    const { names } = indexes[pack] as IndexColumns
    const place = next[pack] as number
    return place < (counts[pack] as number) ? names.readUInt32BE(place * nameBytes) : Number.POSITIVE_INFINITY
  }

  function compareNext(a: number, b: number): number {
    const [one, other] = [indexes[a] as IndexColumns, indexes[b] as IndexColumns]
    return compareNames(one.names, next[a] as number, other.names, next[b] as number)
  }

  /** Advances a pack to its next name. @returns the place of the name before */
  function advance(pack: number): number {
    const place = next[pack] as number
    next[pack] = place + 1
    starts[pack] = startOf(pack)
    return place
  }

  for (;;) {
    let smallest = 0
    let isAlone = true
    for (let pack = 1; pack < starts.length; pack++) {
      const start = starts[pack] as number
      if (start < (starts[smallest] as number)) {
        smallest = pack
        isAlone = true
      } else if (start === starts[smallest]) {
        isAlone = false
        if (start !== Number.POSITIVE_INFINITY && compareNext(pack, smallest) < 0) smallest = pack
      }
    }
    const start = starts[smallest] as number
    if (start === Number.POSITIVE_INFINITY) break
    if (!isAlone) {
      for (let pack = smallest + 1; pack < starts.length; pack++) {
        if (starts[pack] === start && compareNext(pack, smallest) === 0) repeated[pack]?.push(advance(pack))
      }
    }
    packs[made] = smallest
    places[made] = advance(smallest)
    made += 1
  }
  return { packs: packs.subarray(0, made), places: places.subarray(0, made), repeated }
}

/** A range of bytes of a pack that is copied in one piece. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The ranges of a pack without some of its objects.
 * @param body the range of all objects
 * @param repeated places of the objects to leave out
 */
function remainingRanges(
  { offsets }: IndexColumns,
  body: ByteRange,
  repeated: readonly number[],
): readonly ByteRange[] {
  if (repeated.length === 0) return [body]
  const omitted = new Set(repeated.map(place => offsets[place] as number))
  const ranges: ByteRange[] = []
  let start: number | undefined
  for (const offset of offsets.toSorted()) {
    if (!omitted.has(offset)) start ??= offset
    else if (start !== undefined) {
      ranges.push({ start, end: offset })
      start = undefined
    }
  }
  return start === undefined ? ranges : [...ranges, { start, end: body.end }]
}

/**
 * The index of the merged pack.
 * @param ranges the copied ranges of each pack, in the order of the merged pack
 * @param start offset of the first object of the merged pack in bytes
 */
function mergeColumns(
  indexes: readonly IndexColumns[],
  { packs, places }: MergedNames,
  ranges: readonly (readonly ByteRange[])[],
  start: number,
): IndexColumns {
  const count = packs.length
  const names = Buffer.allocUnsafe(count * nameBytes)
  const crc32s = new Uint32Array(count)
  const offsets = new Float64Array(count)
  let end = start
  const shifts = ranges.map(each =>
    each.map(range => {
      const shift = end - range.start
      end += range.end - range.start
      return shift
    }),
  )
  for (let made = 0; made < count; made++) {
    const pack = packs[made] as number
    const place = places[made] as number
    const from = indexes[pack] as IndexColumns
    const offset = from.offsets[place] as number
    const range = placeOfRange(ranges[pack] as readonly ByteRange[], offset)
    from.names.copy(names, made * nameBytes, place * nameBytes, (place + 1) * nameBytes)
    crc32s[made] = from.crc32s[place] as number
    offsets[made] = offset + (shifts[pack]?.[range] as number)
  }
  return { names, crc32s, offsets }
}

/** Index of the range that contains an offset. */
function placeOfRange(ranges: readonly ByteRange[], offset: number): number {
  return Math.max(0, prefixLength(ranges, range => range.start <= offset) - 1)
}

/** The arguments of {@link concatenatePacks}. */
export interface ConcatenateJob {
  readonly gitDir: string
  readonly stagingDir: string
  readonly except: ReadonlySet<string>
}

runJobLoop(({ gitDir, stagingDir, except }: ConcatenateJob) => concatenatePacks(gitDir, stagingDir, except))
