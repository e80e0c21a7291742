import { LRUCache } from 'lru-cache'

/**
 * Makes a cache for many small entries, which drops the least recently used one when it is full. Its memory grows with
 * the entries. With the option `max`, it would allocate memory for all at once, which takes 4 ms for 50,000 entries.
 */
export function openEntryCache<K extends {}, V extends {}>(maxEntries: number): LRUCache<K, V> {
  return new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1 })
}
