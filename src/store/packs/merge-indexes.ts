import { prefixLength } from '../../core/data-structures/binary-search.js'
import { compareNames, type IndexColumns, nameBytes } from './index-format.js'

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
export function mergeNames(indexes: readonly IndexColumns[]): MergedNames {
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
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The ranges of a pack without some of its objects.
 * @param body the range of all objects
 * @param repeated places of the objects to leave out
 */
export function remainingRanges(
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
export function mergeColumns(
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
