import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { inflateSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Oid } from '../../core/values.js'
import type { GitObject, ObjectType } from '../objects.js'
import { objectName } from '../pack-file.js'
import { nameBytes, readIndex } from '../pack-index.js'

/** A pack of which a part cannot be read. Git gives up at the first fault; here every entry is tried by itself. */
export interface DamagedPack {
  /** All objects its index names. */
  readonly oids: readonly Oid[]
  /** @returns undefined where nothing is left that has this name: whatever is returned was hashed */
  read(oid: Oid): Promise<GitObject | undefined>
  close(): Promise<void>
}

/** Bytes of objects that others may be deltas of, kept in memory. */
const keptBytes = 64 * 1024 * 1024
const wholeTypes: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const [offsetDelta, nameDelta] = [6, 7]

/**
 * @param index path of its index
 * @param elsewhere reads objects that entries of the pack are deltas of, where the pack has not got them
 * @returns undefined where the index is damaged too
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
      if (!isDamage(error)) throw error
    }
    if (!found || objectName(found.type, found.bytes) !== oid) return undefined
    kept.set(oid, found)
    return found
  }

  async function readAt(offset: number): Promise<GitObject | undefined> {
    const entry = await bytesOf(file, offset, Math.min(ends.get(offset) ?? size, size))
    const { type, size: length, end } = headerOf(entry)
    const whole = wholeTypes[type]
    if (whole) return { type: whole, bytes: inflated(entry.subarray(end), length) }
    const base = await baseOf(entry, offset, type, end)
    if (!base.object) return undefined
    const delta = inflated(entry.subarray(base.end), length)
    return { type: base.object.type, bytes: patched(base.object.bytes, delta) }
  }

  async function baseOf(entry: Buffer, offset: number, type: number, at: number) {
    if (type === nameDelta) {
      const oid = entry.toString('hex', at, at + nameBytes) as Oid
      return { object: (await read(oid)) ?? (await elsewhere(oid)), end: at + nameBytes }
    }
    if (type !== offsetDelta) throw new RangeError(`There is no entry of type ${type}.`)
    const { distance, end } = distanceAt(entry, at)
    const oid = oidAt.get(offset - distance)
    if (oid === undefined) throw new RangeError('It is a delta of nothing.')
    return { object: (await read(oid)) ?? (await elsewhere(oid)), end }
  }

  return { oids: [...offsets.keys()], read, close: () => file.close() }
}

interface Places {
  readonly offsets: ReadonlyMap<Oid, number>
  /** Where the entry that begins there ends: at the next one; none for the last. */
  readonly ends: ReadonlyMap<number, number>
}

async function placesIn(index: string): Promise<Places | undefined> {
  try {
    const { names, offsets } = readIndex(await readFile(index)).columns
    const sorted = [...offsets].sort((a, b) => a - b)
    const oidOf = (at: number) => names.toString('hex', at * nameBytes, (at + 1) * nameBytes) as Oid
    return {
      offsets: new Map([...offsets].map((offset, at) => [oidOf(at), offset])),
      ends: new Map(sorted.slice(1).map((offset, at) => [sorted[at] as number, offset])),
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

function byteAt(bytes: Buffer, at: number): number {
  const byte = bytes[at]
  if (byte === undefined) throw new RangeError('The entry is cut off.')
  return byte
}

/** Type and inflated size, seven bits a byte after the first four, least significant first. */
function headerOf(entry: Buffer): { readonly type: number; readonly size: number; readonly end: number } {
  let byte = byteAt(entry, 0)
  const type = (byte >> 4) & 7
  let size = byte & 15
  let end = 1
  for (let factor = 16; byte & 0x80; factor *= 128) {
    byte = byteAt(entry, end++)
    size += (byte & 0x7f) * factor
  }
  return { type, size, end }
}

/** How far before an entry its base begins: most significant bits first, one added for each further byte. */
function distanceAt(entry: Buffer, at: number): { readonly distance: number; readonly end: number } {
  let end = at
  let byte = byteAt(entry, end++)
  let distance = byte & 0x7f
  while (byte & 0x80) {
    byte = byteAt(entry, end++)
    distance = (distance + 1) * 128 + (byte & 0x7f)
  }
  return { distance, end }
}

function inflated(bytes: Buffer, length: number): Buffer {
  const found = inflateSync(bytes, { maxOutputLength: Math.max(1, length) })
  if (found.length !== length) throw new RangeError('The entry has another length than it says.')
  return found
}

/** @see gitformat-pack(5), "Deltified representation" */
function patched(base: Buffer, delta: Buffer): Buffer {
  let at = 0
  const number = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = byteAt(delta, at++)
      value += (byte & 0x7f) * factor
      if (!(byte & 0x80)) return value
    }
  }
  /** The bytes of a number that its instruction says are there. */
  const sparse = (bits: number, count: number) => {
    let value = 0
    for (let byte = 0; byte < count; byte++)
      if (bits & (1 << byte)) value += byteAt(delta, at++) * 256 ** byte
    return value
  }
  if (number() !== base.length) throw new RangeError('It is a delta of something else.')
  const size = number()
  const parts: Buffer[] = []
  while (at < delta.length) {
    const instruction = byteAt(delta, at++)
    if (instruction & 0x80) {
      const from = sparse(instruction, 4)
      const length = sparse(instruction >> 4, 3) || 0x10000
      parts.push(base.subarray(from, from + length))
    } else {
      parts.push(delta.subarray(at, at + instruction))
      at += instruction
    }
  }
  const result = Buffer.concat(parts)
  if (result.length !== size) throw new RangeError('The delta has another length than it says.')
  return result
}

/** What can be wrong with bytes, apart from what can be wrong with reading them. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    (error instanceof Error && 'code' in error && /^Z_/.test(String(error.code)))
  )
}
