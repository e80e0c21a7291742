import type { Oid } from '../../src/core/value-types.js'
import type { CatalogWriter } from '../../src/store/write/catalog-interface.js'

/** A catalog writer that keeps only its head, to measure the store without a catalog. */
export function openHeadOnly(): { readonly catalog: CatalogWriter; flushes(): number } {
  let head: Oid | undefined
  let flushes = 0
  return {
    catalog: {
      head: () => head,
      latestTime: () => undefined,
      async catchUp(to) {
        head = to
      },
      begin() {},
      add() {},
      prepare() {},
      async commit(to) {
        head = to
        flushes++
      },
      async rollback() {},
    },
    flushes: () => flushes,
  }
}
