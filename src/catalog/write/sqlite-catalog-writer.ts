import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { CatalogWriter } from '../../store/write/catalog-interface.js'
import type { DryRunCatchUp, WatchedCatalogWriter } from '../catalog.js'
import type { Connection } from '../database/sqlite-connection.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import type { RevisionCache } from '../read/revision-cache.js'
import { type CatchUpParts, openCatchUp } from './catch-up.js'
import { openPendingStateQueries } from './pending-state.js'
import { PlannedTransaction } from './planned-transaction.js'
import { type IndexedPosition, openPositionTable, openRowTransaction } from './row-transaction.js'

interface CatalogWriterParts extends CatchUpParts {
  /** The number of revisions of a flush from which another thread writes it. {@link CatalogOptions.minInBackground} */
  readonly minInBackground?: number | undefined
  /** The readers' connection. */
  readonly reading: Connection
  /** Receives the revisions that were committed. */
  readonly revisionCache: RevisionCache
}

/** Default of {@link CatalogOptions.minInBackground}: writing fewer revisions costs less than a message to a thread. */
const defaultMinInBackground = 8

/**
 * Opens the writing part of the catalog. `planning` queries the pending state, on which updates are planned;
 * `dryRunCatchUp` checks the commits of a push in a transaction that is rolled back.
 */
export function openSqliteCatalogWriter(
  parts: CatalogWriterParts,
): CatalogWriter & { readonly dryRunCatchUp: DryRunCatchUp; readonly planning: CatalogQueries } {
  const { database, backgroundWriter, writing, revisionCache } = parts
  const { minInBackground = defaultMinInBackground } = parts
  const rowTransaction = openRowTransaction(writing)
  const positionNow = openCommittedPosition(database, parts.reading)
  let transaction: PlannedTransaction | undefined

  function assertNone(): void {
    if (transaction || writing.inTransaction) throw new Error('The catalog has an open transaction already.')
  }

  function current(): PlannedTransaction {
    if (!transaction) throw new Error('The catalog has no open transaction.')
    return transaction
  }

  /**
   * Opens a read transaction for planning. Without it, each query would take a reader lock and check for changes.
   * @returns how far the catalog has read the history
   */
  function beginReading(): IndexedPosition {
    try {
      writing.exec('BEGIN')
      return rowTransaction.position()
    } catch (thrown) {
      rowTransaction.rollback()
      throw thrown
    }
  }

  return {
    planning: openPendingStateQueries(
      parts.writerQueries,
      () => transaction?.touched,
      () => current().writeHere(),
    ),
    head: () => positionNow()?.head,
    latestTime: () => positionNow()?.latest,
    ...openCatchUp(parts, rowTransaction, assertNone),
    begin() {
      assertNone()
      const shared = { writing, rowTransaction, backgroundWriter, minInBackground }
      transaction = new PlannedTransaction(shared, beginReading())
    },
    add: revisions => current().add(revisions),
    prepare: () => current().prepare(),
    async commit(head) {
      const written = await current().commit(head)
      transaction = undefined
      for (const revision of written) revisionCache.put(revision)
      parts.moved(head)
      parts.copyLog(written.length)
    },
    async rollback() {
      const ended = transaction
      transaction = undefined
      if (ended) await ended.rollback()
      else rowTransaction.rollback()
    },
  }
}

/** Returns a reader of how far the catalog has read the history; it returns undefined while the file is damaged. */
function openCommittedPosition(
  database: DatabaseFile,
  reading: Connection,
): () => IndexedPosition | undefined {
  const { read } = openPositionTable(reading)
  return () => {
    if (!database.usable) return undefined
    try {
      return read()
    } catch (thrown) {
      if (database.damaged) return undefined
      throw thrown
    }
  }
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
