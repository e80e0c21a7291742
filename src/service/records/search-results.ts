import type { Catalog } from '../../catalog/catalog.js'
import { type Principal, seesEverything } from '../../core/access-control.js'
import { largestPageSize, type Page, type PageWindow } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { isReadable } from '../rules/visibility.js'

export type SearchReadable = (caller: Principal, words: string, window: PageWindow) => Promise<Page<Revision>>

/** Full-text search over what the caller may read. */
export function openReadableSearch(catalog: Catalog): SearchReadable {
  return async (caller, words, window) => {
    if (seesEverything(caller)) return await catalog.search(words, window)
    // The catalog knows words, not rights: the total may count only what the caller may know of.
    const readable: Revision[] = []
    for (let offset = 0; ; offset += largestPageSize) {
      const page = await catalog.search(words, { offset, limit: largestPageSize })
      readable.push(...page.items.filter(revision => isReadable(caller, revision.record)))
      if (offset + page.items.length >= page.total || page.items.length === 0) break
    }
    const { offset, limit } = window
    return { items: readable.slice(offset, offset + limit), offset, total: readable.length }
  }
}
