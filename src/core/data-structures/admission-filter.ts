import { fnv1a } from './string-hash.js'

/**
 * Says what is worth to be kept: what was asked for before, lately. Where each of very many things is asked for once, keeping
 * them all costs more than it brings, and drives out what is asked for again and again.
 * @see https://arxiv.org/abs/1512.00727, TinyLFU, 3.4.2, "doorkeeper"
 */
export interface AdmissionFilter {
  /** Remembers that it was asked for. @returns whether it had been before, as far as that is remembered */
  seenBefore(key: string): boolean
}

/** Things that are remembered at most, by one number each; those of the same place take each other's. */
const places = 2 ** 14

export function openDoorkeeper(): AdmissionFilter {
  const hashes = new Uint32Array(places)
  return {
    seenBefore(key) {
      const hash = fnv1a(key)
      const place = hash % places
      const known = hashes[place] === hash
      hashes[place] = hash
      return known
    },
  }
}
