import { LRUCache } from 'lru-cache'
import { isPlain } from '../../core/plain-mode.js'
import { shortPage } from '../../core/records/list-page.js'
import type { ListPage } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'

/**
 * Short pages of current lists, until the catalog changes. The rendered text is kept with its page.
 *
 * Fast path: PAGE_CACHE_FIGURE. Plain path: each page is found anew.
 * @see docs/decisions/011-fast-paths.md
 */
export interface PageCache {
  /**
   * @param state of the catalog, which changes with each commit
   * @param name of the page: its query and its limits
   */
  read(state: string, name: string, find: () => ListPage<Revision>): ListPage<Revision>
}

/** Limit of the number of pages, of at most {@link shortPage} records each. */
const maxPages = 32
/** Limit in bytes of the records of a page that is kept. */
const maxBytes = 64 * 1024

export function openPageCache(): PageCache {
  const pages = new LRUCache<string, ListPage<Revision>>({ max: maxPages })
  let known = ''
  return {
    read(state, name, find) {
      if (state !== known) pages.clear()
      known = state
      const found = pages.get(name)
      if (found) return found
      const page = find()
      const isKept = !isPlain && page.items.length <= shortPage && (page.bytes ?? 0) <= maxBytes
      if (isKept) pages.set(name, page)
      return page
    },
  }
}
