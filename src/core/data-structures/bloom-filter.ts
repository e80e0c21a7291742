import { fnv1a } from './string-hash.js'

/** A set of texts with false positives but no false negatives. */
export interface BloomFilter {
  has(text: string): boolean
  add(text: string): void
}

/** Bytes of the filter. With a million texts, about one in a hundred other texts is a false positive. */
const size = 2 ** 24

export function openBloomFilter(): BloomFilter {
  const bits = new Uint8Array(size)
  return {
    has(text) {
      const place = placeOf(text)
      return ((bits[place >>> 3] ?? 0) & (1 << (place & 7))) !== 0
    },
    add(text) {
      const place = placeOf(text)
      bits[place >>> 3] = (bits[place >>> 3] ?? 0) | (1 << (place & 7))
    },
  }
}

/** The index of the bit of a text. */
function placeOf(text: string): number {
  return fnv1a(text) % (size * 8)
}
