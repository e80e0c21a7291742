/** A set of texts with false positives but no false negatives. */
export interface BloomFilter {
  has(text: string): boolean
  add(text: string): void
}

/** Number of bits. With a million texts in the filter, about one in a hundred other texts is a false positive. */
const size = 2 ** 27
/** Number of bits of a block. A block is allocated for its first text, because most repositories have few texts. */
const blockSize = 2 ** 15

export function openBloomFilter(): BloomFilter {
  const blocks = new Array<Uint8Array | undefined>(size / blockSize)
  return {
    has(text) {
      const place = placeOf(text)
      const byte = blocks[blockOf(place)]?.[byteOf(place)] ?? 0
      return (byte & bitOf(place)) !== 0
    },
    add(text) {
      const place = placeOf(text)
      const index = blockOf(place)
      const block = blocks[index] ?? new Uint8Array(blockSize / 8)
      blocks[index] = block
      block[byteOf(place)] = (block[byteOf(place)] ?? 0) | bitOf(place)
    },
  }
}

/** The index of the bit of a text. */
function placeOf(text: string): number {
  return fnv1a(text) % size
}

const blockOf = (place: number) => Math.floor(place / blockSize)
/** The index of the byte in its block. */
const byteOf = (place: number) => (place % blockSize) >>> 3
const bitOf = (place: number) => 1 << (place & 7)

/** A 32-bit hash of a text. @see http://www.isthe.com/chongo/tech/comp/fnv/, FNV-1a */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}
