import { fnv1a } from './string-hash.js'

/** A set of texts that may say of one that it has it where it has not, but never the other way round. */
export interface BloomFilter {
  has(text: string): boolean
  add(text: string): void
}

/** 16 MiB: of a million texts, one in a hundred others is taken for one of them. */
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

/** Number of a bit. */
function placeOf(text: string): number {
  return fnv1a(text) % (size * 8)
}
