import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Oid } from '../../core/value-types.js'
import { errorCode } from '../file-system/file-errors.js'
import { packFolder } from '../git-commands/git-directory.js'
import { hashObject } from '../objects/hash-object.js'
import type { GitObject } from '../objects/object-reader.js'
import { nameBytes } from './index-format.js'
import { type IndexLookup, openIndexLookup } from './index-lookup.js'
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
