import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { isPlain } from '../../core/plain-mode.js'
import { type HitColumns, openHitColumns } from './hit-columns.js'
import { readIndexState } from './opened-index.js'

/** The columns of one index, which are read between searches. */
export interface BackgroundColumns {
  /** Undefined until the first search that needs them. */
  readonly columns: HitColumns | undefined
  /**
   * Reads columns between searches.
   * @param milliseconds that a search needed without them: so long it may wait for a part of them
   */
  read(milliseconds: number): void
  close(): void
}

/**
 * Limits of the milliseconds for which columns are read at once: a search waits for it. With 1,000,000 records all take some
 * seconds.
 */
const [minMillisecondsAtOnce, maxMillisecondsAtOnce] = [50, 500]

export function openBackgroundColumns(connection: Connection): BackgroundColumns {
  let columns: HitColumns | undefined
  let isClosed = false
  /** As long as the searches that lack the columns. */
  let millisecondsAtOnce = minMillisecondsAtOnce

  function readPart(all: HitColumns): void {
    if (isClosed) return
    if (!all.follow(readIndexState(connection).through, millisecondsAtOnce)) setImmediate(() => readPart(all))
  }

  return {
    get columns() {
      return columns
    },
    read(milliseconds) {
      millisecondsAtOnce = Math.min(maxMillisecondsAtOnce, Math.max(minMillisecondsAtOnce, milliseconds))
      if (columns || isPlain) return
      const all = openHitColumns(connection)
      columns = all
      setImmediate(() => readPart(all))
    },
    close() {
      isClosed = true
    },
  }
}
