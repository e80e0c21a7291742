import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { errorCode } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { hashObject } from '../objects/hash-object.js'
import type { GitObject } from '../objects/object-reader.js'
import { checkIndexHead, countUpTo, largeOffset, layoutOf, nameBytes, namesAt } from './index-format.js'
import {
  applyDelta,
  type EntryHeader,
  inflateEntry,
  isCorruptEntry,
  maxEntryLength,
  offsetDelta,
  parseDeltaOffset,
  parseEntryHeader,
  refDelta,
  typeByCode,
} from './pack-format.js'

/**
 * Reads small objects directly from the packs of a repository. Synchronous, for worker threads. Reads neither loose
 * objects nor alternates nor long delta chains, and reports no damage: the caller asks git for what is not found here.
 */
export interface PackReader {
  /** Opens new packs and closes removed ones. Call it before every few reads. */
  refresh(): void
  /**
   * @param maxBytes limit of the object's size in bytes
   * @returns undefined if the object is missing, damaged, larger, or stored as a delta with many bases
   */
  read(oid: Oid, maxBytes: number): GitObject | undefined
  close(): void
}

/** Limit of the deltas in a chain. */
const maxChain = 6
/** Number of bytes that the first read of an entry asks for: enough for most records and documents. */
const usualEntry = 4096

interface Pack {
  readonly index: IndexLookup
  readonly file: number
}

/** @see gitformat-pack(5) */
export function openPackReader(gitDir: string): PackReader {
  const packs = openPackList(packFolder(gitDir))
  let entry: Buffer = Buffer.allocUnsafeSlow(usualEntry)

  /** The bytes of a pack from `offset` on. They are valid until the next call. */
  function readEntry(pack: Pack, offset: number, length: number): Buffer {
    if (entry.length < length) entry = Buffer.allocUnsafeSlow(length)
    return entry.subarray(0, readSync(pack.file, entry, 0, length, offset))
  }

  function readAt(pack: Pack, offset: number, maxBytes: number, chain: number): GitObject | undefined {
    let bytes = readEntry(pack, offset, usualEntry)
    const header = parseEntryHeader(bytes)
    const { size } = header
    if (size > maxBytes || chain > maxChain) return undefined
    const type = typeByCode[header.type]
    // This must be done before the next read, which reuses the buffer.
    const base = type === undefined ? baseOf(pack, offset, header, bytes) : undefined
    const from = base?.end ?? header.end
    const longest = from + maxEntryLength(size)
    if (longest > bytes.length) bytes = readEntry(pack, offset, longest)
    const content = inflateEntry(bytes.subarray(from), size)
    if (type !== undefined) return { type, bytes: content }
    const found = base && readAt(base.pack, base.offset, maxBytes, chain + 1)
    if (!found) return undefined
    return { type: found.type, bytes: applyDelta(found.bytes, content, maxBytes) }
  }

  /** The entry on which a delta is based, and the offset of the deflated delta in `bytes`. */
  function baseOf(pack: Pack, offset: number, { type, end: at }: EntryHeader, bytes: Buffer) {
    if (type === offsetDelta) {
      const { distance, end } = parseDeltaOffset(bytes, at)
      return { pack, offset: offset - distance, end }
    }
    if (type !== refDelta) throw new RangeError(`There is no entry of type ${type}.`)
    const found = pack.index.find(bytes.subarray(at, at + nameBytes))
    if (found === undefined) throw new RangeError('The pack has no base of the delta.')
    return { pack, offset: found, end: at + nameBytes }
  }

  return {
    refresh: packs.refresh,

    read(oid, maxBytes) {
      const name = Buffer.from(oid, 'hex')
      return orUnreadable(() => {
        for (const pack of packs.inOrder) {
          const offset = pack.index.find(name)
          if (offset === undefined) continue
          const found = readAt(pack, offset, maxBytes, 0)
          return found && hashObject(found.type, found.bytes) === oid ? found : undefined
        }
        return undefined
      })
    },

    close: packs.close,
  }
}

/** The open packs of a folder. */
function openPackList(folder: string) {
  const packs = new Map<string, Pack>()
  /** The open packs, the largest first, because it has most objects. */
  let inOrder: readonly Pack[] = []
  let seen: bigint | undefined

  function open(name: string): void {
    const path = join(folder, name)
    const index = openIndexLookup(`${path}.idx`)
    if (!index) return
    const file = orUnreadable(() => openSync(`${path}.pack`, 'r'))
    if (file === undefined) index.close()
    else packs.set(name, { index, file })
  }

  function forget(name: string, pack: Pack): void {
    packs.delete(name)
    pack.index.close()
    closeSync(pack.file)
  }

  return {
    get inOrder() {
      return inOrder
    },
    /** Opens new packs and closes removed ones, if the folder has changed. */
    refresh() {
      const changed = orUnreadable(() => statSync(folder, { bigint: true }))?.mtimeNs
      if (changed === seen) return
      seen = changed
      const names = new Set(
        (orUnreadable(() => readdirSync(folder)) ?? [])
          .filter(name => name.startsWith('pack-') && name.endsWith('.idx'))
          .map(name => name.slice(0, -'.idx'.length)),
      )
      for (const [name, pack] of packs) if (!names.has(name)) forget(name, pack)
      for (const name of names) if (!packs.has(name)) open(name)
      inOrder = [...packs.values()].sort((a, b) => b.index.count - a.index.count)
    },
    close() {
      for (const [name, pack] of [...packs]) forget(name, pack)
      inOrder = []
      seen = undefined
    },
  }
}

/**
 * The result of a read, if the pack is readable.
 * @returns undefined after a system error or for malformed bytes, which git will report when it is asked instead
 */
function orUnreadable<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch (error) {
    if (isCorruptEntry(error) || errorCode(error) !== undefined) return undefined
    throw error
  }
}

/** Finds objects by a pack index. Reads only the needed parts: the index of a large pack has hundreds of megabytes. */
interface IndexLookup {
  /** Number of objects in the pack. */
  readonly count: number
  /**
   * @param name of an object, as twenty bytes
   * @returns the offset of the object's entry in the pack, in bytes; undefined if the pack does not have it
   * @throws RangeError if the index is cut off
   */
  find(name: Buffer): number | undefined
  close(): void
}

/** Limit of an index that is read as a whole, in bytes. */
const maxWhole = 256 * 1024
/** Limit of the objects of an index whose table of offsets is kept in memory. That saves one read for each lookup. */
const maxKept = 2 ** 21

/**
 * Opens an index file for lookups; `close` closes it.
 * @returns undefined if the file is missing, unreadable, or not an index of version 2
 * @see gitformat-pack(5), "pack-*.idx files"
 */
function openIndexLookup(path: string): IndexLookup | undefined {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return lookupIn(file)
  } catch (error) {
    if (file !== undefined) closeSync(file)
    if (error instanceof RangeError || errorCode(error) !== undefined) return undefined
    throw error
  }
}

/** @throws RangeError if the file is not an index of version 2, or is cut off */
function lookupIn(file: number): IndexLookup {
  const { size } = fstatSync(file)
  const scratch = Buffer.allocUnsafeSlow(size <= maxWhole ? size : 8 * 1024)
  const whole = size <= maxWhole ? fill(scratch, 0, size) : undefined

  function fill(into: Buffer, position: number, bytes: number): Buffer {
    if (readSync(file, into, 0, bytes, position) < bytes) throw new RangeError('The pack index is cut off.')
    return into.subarray(0, bytes)
  }
  /** A part of the index. The result is valid until the next call. */
  const part = (position: number, bytes: number) =>
    whole ? whole.subarray(position, position + bytes) : fill(scratch, position, bytes)

  const head = Buffer.from(part(0, Math.min(size, namesAt)))
  checkIndexHead(head)
  const count = countUpTo(head)
  const { offsetsAt, largeAt } = layoutOf(count)
  const offsets =
    !whole && count <= maxKept ? fill(Buffer.allocUnsafeSlow(count * 4), offsetsAt, count * 4) : undefined
  const maxNames = Math.floor(scratch.length / nameBytes)

  /** Place of a name, if it is there. Names are evenly distributed, so the value of a name predicts its place. */
  function placeOf(name: Buffer): number | undefined {
    const first = name[0] as number
    let [low, high] = [countUpTo(head, first - 1), countUpTo(head, first)]
    const share = name.readUIntBE(1, 4) / 2 ** 32
    // The standard deviation from the predicted place is at most half of this root, so one read is usually enough.
    const around = Math.min(maxNames, Math.ceil(3 * Math.sqrt(high - low)) + 8)
    let from = Math.floor(low + share * (high - low) - around / 2)
    while (low < high) {
      from = Math.max(low, Math.min(from, high - around))
      const to = Math.min(high, from + around)
      const names = part(namesAt + from * nameBytes, (to - from) * nameBytes)
      const hit = search(names, to - from, name)
      if (hit.found) return from + hit.place
      if (hit.place > 0 && hit.place < to - from) return undefined
      if (hit.place === 0) high = from
      else low = to
      from = Math.floor((low + high - around) / 2)
    }
    return undefined
  }

  return {
    count,
    find(name) {
      const place = placeOf(name)
      if (place === undefined) return undefined
      const short = offsets ? offsets.readUInt32BE(place * 4) : part(offsetsAt + place * 4, 4).readUInt32BE(0)
      if (short < largeOffset) return short
      return Number(part(largeAt + (short - largeOffset) * 8, 8).readBigUInt64BE(0))
    },
    close: () => closeSync(file),
  }
}

/** Binary search. @returns the place of the name, or the place to insert it */
function search(
  names: Buffer,
  count: number,
  name: Buffer,
): { readonly found: boolean; readonly place: number } {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = names.compare(name, 0, nameBytes, middle * nameBytes, (middle + 1) * nameBytes)
    if (order === 0) return { found: true, place: middle }
    if (order < 0) low = middle + 1
    else high = middle
  }
  return { found: false, place: low }
}
