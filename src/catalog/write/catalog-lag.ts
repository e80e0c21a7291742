import type { CatalogWriter } from '../../store/write/catalog-interface.js'

/** A catalog writer that knows whether its last update succeeded. */
export interface WatchedLedger extends CatalogWriter {
  /** The last update failed, because of the disk or a damaged repository. */
  readonly isStuck: boolean
}

export function watchLedger<L extends CatalogWriter>(ledger: L): L & WatchedLedger {
  let isStuck = false

  async function watched(take: () => Promise<void>): Promise<void> {
    try {
      await take()
      isStuck = false
    } catch (error) {
      isStuck = true
      throw error
    }
  }

  return {
    ...ledger,
    catchUp: to => watched(() => ledger.catchUp(to)),
    commit: head => watched(() => ledger.commit(head)),
    get isStuck() {
      return isStuck
    },
  }
}
