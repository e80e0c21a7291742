import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { errorCode } from '../file-system/file-errors.js'
import { checkIndexHead, countUpTo, largeOffset, layoutOf, nameBytes, namesAt } from './index-format.js'

/** Finds objects by a pack index. Reads only the needed parts: the index of a large pack has hundreds of megabytes. */
export interface IndexLookup {
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
export function openIndexLookup(path: string): IndexLookup | undefined {
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
