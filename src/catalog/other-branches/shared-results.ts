import { LRUCache } from 'lru-cache'
import type { BeginWork, ClientWork } from '../../core/scheduling/client-work.js'

/** A cache of promises: the first client that asks for a value computes it, and others wait for the result. */
interface SharedResults<V> {
  /**
   * The value of a key, computed once for all clients that ask at the same time or later.
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
          // If the client that computed the value has disconnected, compute it again for this one.
          if (!known.signal?.aborted) throw error
        }
      }
    },
  }
}
