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

export function openSharedResults<V extends object>(most: number): SharedResults<V> {
  const kept = new LRUCache<string, { readonly result: Promise<V>; readonly signal?: AbortSignal }>({
    max: most,
  })
  return {
    async of(key, begin, find) {
      for (;;) {
        const known = kept.get(key)
        if (!known) {
          const work = begin()
          const result = find(work)
          kept.set(key, { result, ...(work && { signal: work.signal }) })
          result.catch(() => kept.delete(key))
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
