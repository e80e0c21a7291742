/** A random number generator whose numbers depend only on the seed. */
export interface Random {
  /** Returns a number from 0 to below 1. */
  next(): number
  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number
  /** Returns true in one of `cases` cases on average. */
  oneIn(cases: number): boolean
  pick<T>(from: readonly T[]): T
}

/**
 * Returns a well-mixed hash of 32 bits of a text and numbers.
 * @see http://www.isthe.com/chongo/tech/comp/fnv/; https://github.com/aappleby/smhasher, MurmurHash3
 */
export function mix(text: string, ...numbers: readonly number[]): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  for (const number of numbers) hash = finish(Math.imul(hash ^ number, 0x9e3779b1))
  return finish(hash)
}

function finish(bits: number): number {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * Implements mulberry32, which is in the public domain.
 * @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
 */
export function openRandom(seed: number): Random {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 0x100000000
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    oneIn: cases => below(cases) === 0,
    pick(from) {
      if (from.length === 0) throw new RangeError('There are no values to choose from.')
      return from[below(from.length)] as (typeof from)[number]
    },
  }
}
