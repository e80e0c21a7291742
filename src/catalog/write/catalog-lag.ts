import type { CatalogWriter } from '../../store/write/catalog-interface.js'

/** A ledger, and whether it could take in what it was told last. */
export interface WatchedLedger extends CatalogWriter {
  /** A disk, or a damaged repository, has kept it from taking in commits of the branch, and it has taken in none since. */
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
