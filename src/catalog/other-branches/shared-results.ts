import { LRUCache } from 'lru-cache'
import type { BeginWork, ClientWork } from '../../core/scheduling/client-work.js'

/** A cache of promises: the first client computes a value, and others wait for it. */
interface SharedResults<V> {
  /**
   * @param find computes the value as work of the client that asked first
   * @throws errors of `begin` and `find`
   */
  of(key: string, begin: BeginWork, find: (work: ClientWork | undefined) => Promise<V>): Promise<V>
}

export function openSharedResults<V extends object>(maxResults: number): SharedResults<V> {
  const cache = new LRUCache<string, { readonly result: Promise<V>; readonly signal?: AbortSignal }>({
    max: maxResults,
  })
  return {
    async of(key, begin, find) {
      for (;;) {
        const known = cache.get(key)
        if (!known) {
          const work = begin()
          const result = find(work)
          cache.set(key, { result, ...(work && { signal: work.signal }) })
          result.catch(() => cache.delete(key))
          return await result
        }
        try {
          return await known.result
        } catch (error) {
          // If the first client has disconnected, this one starts again.
          if (!known.signal?.aborted) throw error
        }
      }
    },
  }
}
