import type { CatalogWriter } from '../../store/write/catalog-interface.js'

/** A catalog writer that knows whether its last update succeeded. */
export interface WatchedCatalogWriter extends CatalogWriter {
  /** Whether the last update of the catalog failed, because of the disk or a damaged repository. */
  readonly lastUpdateFailed: boolean
}

export function watchCatalogWriter<L extends CatalogWriter>(writer: L): L & WatchedCatalogWriter {
  let hasFailed = false

  async function watched(take: () => Promise<void>): Promise<void> {
    try {
      await take()
      hasFailed = false
    } catch (error) {
      hasFailed = true
      throw error
    }
  }

  return {
    ...writer,
    catchUp: to => watched(() => writer.catchUp(to)),
    commit: head => watched(() => writer.commit(head)),
    get lastUpdateFailed() {
      return hasFailed
    },
  }
}
