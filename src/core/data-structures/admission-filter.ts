import { fnv1a } from './bloom-filter.js'

/**
 * Decides which values enter a cache: those that were requested before, recently. Values that are requested once would
 * evict values that are requested often.
 * @see https://arxiv.org/abs/1512.00727, TinyLFU, 3.4.2, "doorkeeper"
 */
interface AdmissionFilter {
  /** Remembers a request for the key. @returns whether an earlier request is remembered */
  seenBefore(key: string): boolean
}

/** Limit of the remembered keys. Each place has the hash of one key; another key with that place replaces it. */
const places = 2 ** 14

export function openAdmissionFilter(): AdmissionFilter {
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
