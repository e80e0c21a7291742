import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { Oid } from '../../../core/value-types.js'
import { hashObject } from '../../../store/objects/hash-object.js'
import type { GitObject } from '../../../store/objects/object-reader.js'
import { nameBytes, readIndex } from '../../../store/packs/index-format.js'
import {
  applyDelta,
  inflateEntry,
  isCorruptEntry,
  offsetDelta,
  parseDeltaOffset,
  parseEntryHeader,
  refDelta,
  typeByCode,
} from '../../../store/packs/pack-format.js'

/** Reads the intact entries of a damaged pack. Git stops at the first fault. */
export interface DamagedPack {
  /** All objects that the index of the pack names. */
  readonly oids: readonly Oid[]
  /** Reads an object and checks its hash. @returns undefined if the object is damaged */
  read(oid: Oid): Promise<GitObject | undefined>
  close(): Promise<void>
}

/** Limit of the cache of delta bases, in bytes. */
const keptBytes = 64 * 1024 * 1024

/**
 * Opens a damaged pack to read the objects that are intact.
 * @param pack path of the pack
 * @param index path of the pack's index
 * @param elsewhere reads delta bases that the pack does not have intact
 * @returns undefined if the index is damaged too
 * @see gitformat-pack(5)
 */
export async function openDamagedPack(
  pack: string,
  index: string,
  elsewhere: (oid: Oid) => Promise<GitObject | undefined>,
): Promise<DamagedPack | undefined> {
  const places = await placesIn(index)
  if (!places) return undefined
  const { offsets, ends } = places
  const oidAt = new Map([...offsets].map(([oid, offset]) => [offset, oid]))
  const file = await open(pack)
  const { size } = await stat(pack)
  const kept = new LRUCache<Oid, GitObject>({
    maxSize: keptBytes,
    sizeCalculation: ({ bytes }) => bytes.length + 100,
  })

  async function read(oid: Oid): Promise<GitObject | undefined> {
    const offset = offsets.get(oid)
    const known = kept.get(oid)
    if (known || offset === undefined) return known
    let found: GitObject | undefined
    try {
      found = await readAt(offset)
    } catch (error) {
      if (!isCorruptEntry(error)) throw error
    }
    if (!found || hashObject(found.type, found.bytes) !== oid) return undefined
    kept.set(oid, found)
    return found
  }

  async function readAt(offset: number): Promise<GitObject | undefined> {
    const entry = await bytesOf(file, offset, Math.min(ends.get(offset) ?? size, size))
    const { type, size: length, end } = parseEntryHeader(entry)
    const whole = typeByCode[type]
    if (whole) return { type: whole, bytes: inflateEntry(entry.subarray(end), length) }
    const base = await baseOf(entry, offset, type, end)
    if (!base.object) return undefined
    const delta = inflateEntry(entry.subarray(base.end), length)
    return { type: base.object.type, bytes: applyDelta(base.object.bytes, delta) }
  }

  async function baseOf(entry: Buffer, offset: number, type: number, at: number) {
    if (type === refDelta) {
      const oid = entry.toString('hex', at, at + nameBytes) as Oid
      return { object: (await read(oid)) ?? (await elsewhere(oid)), end: at + nameBytes }
    }
    if (type !== offsetDelta) throw new RangeError(`There is no entry of type ${type}.`)
    const { distance, end } = parseDeltaOffset(entry, at)
    const oid = oidAt.get(offset - distance)
    if (oid === undefined) throw new RangeError('There is no base of the delta.')
    return { object: (await read(oid)) ?? (await elsewhere(oid)), end }
  }

  return { oids: [...offsets.keys()], read, close: () => file.close() }
}

interface Places {
  readonly offsets: ReadonlyMap<Oid, number>
  /** End of the entry that begins at an offset: the offset of the next entry. The last entry has none. */
  readonly ends: ReadonlyMap<number, number>
}

async function placesIn(indexFile: string): Promise<Places | undefined> {
  try {
    const { names, offsets } = readIndex(await readFile(indexFile)).columns
    const sorted = [...offsets].sort((a, b) => a - b)
    const oidOf = (place: number) => names.toString('hex', place * nameBytes, (place + 1) * nameBytes) as Oid
    return {
      offsets: new Map([...offsets].map((offset, place) => [oidOf(place), offset])),
      ends: new Map(sorted.slice(1).map((offset, place) => [sorted[place] as number, offset])),
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function bytesOf(file: FileHandle, from: number, to: number): Promise<Buffer> {
  if (to <= from) throw new RangeError('The pack is cut off.')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from)
  return buffer.subarray(0, bytesRead)
}
