/** Choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, and without, `end`. */
  below(end: number): number
  /** True in one of so many cases. */
  oneIn(cases: number): boolean
  pick<T>(items: readonly T[]): T
}

/** @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c (mulberry32, public domain) */
export function openRandom(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    oneIn: cases => below(cases) === 0,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError('nothing to pick from')
      return items[below(items.length)] as T
    },
  }
}
