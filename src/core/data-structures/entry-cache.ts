import { LRUCache } from 'lru-cache'

/**
 * Makes a cache for many small entries, from which the least recently used ones go. Its memory grows with the entries: with
 * the option `max`, the cache would allocate room for all of them at once, which takes 4 ms for 50,000.
 */
export function openEntryCache<K extends {}, V extends {}>(maxEntries: number): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1 })
}
