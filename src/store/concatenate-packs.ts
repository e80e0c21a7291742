import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Oid } from '../core/values.js'
import { syncDirectory, unlessMissing, writeDurable } from './durable.js'
import { packHeader } from './pack-file.js'
import { listPacks, type PackOnDisk, packFolder } from './pack-folder.js'
import { encodeIndex, type IndexEntry, readIndex } from './pack-index.js'

/** Larger packs are left alone: merging holds one at a time in memory. */
const largestMerged = 128 * 1024 * 1024
/** All that packs of ours have. Others (bitmaps, promisor packs) are not ours to merge. */
const ownEndings: readonly string[] = ['pack', 'idx', 'rev']
const checksumBytes = 20
/** Object types as packs write them: commit, tree, blob, tag. The others are deltas. */
const wholeTypes: readonly number[] = [1, 2, 3, 4]

interface Piece {
  readonly pack: PackOnDisk
  readonly entries: readonly IndexEntry[]
}

/**
 * Merges packs without git: the entries of our own packs are whole objects, so they can be put one after the other as
 * they are. The merged pack is durable before the old ones go. The caller is the only one who merges.
 * @param except names of packs to leave alone: a repack under way counts on them
 */
export async function concatenatePacks(
  gitDir: string,
  ownDir: string,
  except: ReadonlySet<string> = new Set(),
): Promise<void> {
  await clearLeftovers(ownDir)
  const folder = packFolder(gitDir)
  const pieces: Piece[] = []
  const packs = (await listPacks(gitDir)).filter(pack => !except.has(pack.name))
  for (const pack of chooseSmall(packs)) {
    const entries = await readWhole(folder, pack)
    if (entries) pieces.push({ pack, entries })
  }
  if (pieces.length < 2) return
  const temporary = join(ownDir, `merge-${randomBytes(6).toString('hex')}`)
  const { entries, checksum } = await writeMerged(folder, pieces, `${temporary}.pack`)
  writeDurable(`${temporary}.idx`, [encodeIndex(entries, checksum)])
  const name = `pack-${checksum.toString('hex')}`
  await rename(`${temporary}.pack`, join(folder, `${name}.pack`))
  await rename(`${temporary}.idx`, join(folder, `${name}.idx`))
  syncDirectory(folder)
  await forgetMultiPackIndex(folder)
  for (const { pack } of pieces) {
    // The index first: without it nobody looks for the pack.
    for (const ending of ['idx', 'rev', 'pack'])
      await unlessMissing(unlink(join(folder, `${pack.name}.${ending}`)))
  }
}

/** The smallest packs up to the last one that is less than twice as large as all before it together. */
function chooseSmall(packs: readonly PackOnDisk[]): readonly PackOnDisk[] {
  const candidates = packs.filter(
    pack => pack.bytes <= largestMerged && pack.endings.every(ending => ownEndings.includes(ending)),
  )
  let before = 0
  let chosen = 0
  candidates.forEach((pack, at) => {
    if (pack.bytes < 2 * before) chosen = at + 1
    before += pack.bytes
  })
  return candidates.slice(0, chosen)
}

/** Entries of a pack in the order of their offsets; undefined where it has deltas or is not what its index says. */
async function readWhole(folder: string, pack: PackOnDisk): Promise<readonly IndexEntry[] | undefined> {
  const files = await readPack(folder, pack)
  if (!files) return undefined
  const entries = [...files.index.entries].sort((a, b) => a.offset - b.offset)
  const good = entries.every((entry, at) => {
    const bytes = entryBytes(files.bytes, entries, at)
    const type = ((bytes[0] ?? 0) >> 4) & 7
    return wholeTypes.includes(type) && crc32(bytes) === entry.crc32
  })
  const sealed = files.bytes.subarray(-checksumBytes).equals(files.index.packChecksum)
  return good && sealed && files.bytes.readUInt32BE(8) === entries.length ? entries : undefined
}

async function readPack(folder: string, pack: PackOnDisk) {
  const [bytes, index] = await Promise.all(
    ['pack', 'idx'].map(ending => unlessMissing(readFile(join(folder, `${pack.name}.${ending}`)))),
  )
  if (!bytes || !index) return undefined
  try {
    return { bytes, index: readIndex(index) }
  } catch (error) {
    // A damaged pack stays as it is, for `git fsck` to tell of it.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function entryBytes(pack: Buffer, entries: readonly IndexEntry[], at: number): Buffer {
  return pack.subarray(entries[at]?.offset, entries[at + 1]?.offset ?? pack.length - checksumBytes)
}

async function writeMerged(folder: string, pieces: readonly Piece[], path: string) {
  const file = await open(path, 'wx', 0o644)
  try {
    const names = new Set(pieces.flatMap(piece => piece.entries.map(entry => entry.oid)))
    const written = new Map<Oid, IndexEntry>()
    const header = packHeader(names.size)
    const hash = createHash('sha1').update(header)
    await writeFully(file, header)
    let offset = header.length
    for (const { pack, entries } of pieces) {
      const bytes = await readFile(join(folder, `${pack.name}.pack`))
      const parts: Buffer[] = []
      entries.forEach((entry, at) => {
        if (written.has(entry.oid)) return
        const part = entryBytes(bytes, entries, at)
        written.set(entry.oid, { ...entry, offset })
        offset += part.length
        parts.push(part)
      })
      const joined = Buffer.concat(parts)
      hash.update(joined)
      await writeFully(file, joined)
    }
    const checksum = hash.digest()
    await writeFully(file, checksum)
    await file.sync()
    return { entries: [...written.values()], checksum }
  } finally {
    await file.close()
  }
}

async function writeFully(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
}

/** One that git made earlier would name packs that are gone now; git makes it anew when it merges. */
async function forgetMultiPackIndex(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(name => /^multi-pack-index(-|$|\.)/.test(name))
  for (const name of names) await rm(join(folder, name), { recursive: true, force: true })
}

/** What a merge that was killed has left. */
async function clearLeftovers(ownDir: string): Promise<void> {
  for (const name of await readdir(ownDir)) {
    if (/^merge-[0-9a-f]{12}\.(pack|idx)$/.test(name)) await unlessMissing(unlink(join(ownDir, name)))
  }
}
