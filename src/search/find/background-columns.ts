import type { Connection } from '../../catalog/database/sqlite-connection.js'
import { isPlain } from '../../core/plain-mode.js'
import { type HitColumns, openHitColumns } from './columns/hit-columns.js'
import { readIndexState } from './opened-index.js'

/** The {@link HitColumns} of one index, which are read between searches. */
export interface BackgroundColumns {
  /** Undefined until the first search that needs them. */
  readonly columns: HitColumns | undefined
  /**
   * Reads columns between searches.
   * @param milliseconds that a search took without columns: the next search may wait as long for a part of the reading
   */
  read(milliseconds: number): void
  close(): void
}

/**
 * Limits of the milliseconds of one part of the reading, for which a search may have to wait. The columns of 1,000,000
 * records take some seconds.
 */
const [minMillisecondsAtOnce, maxMillisecondsAtOnce] = [50, 500]

export function openBackgroundColumns(connection: Connection): BackgroundColumns {
  let columns: HitColumns | undefined
  let isClosed = false
  /** Limit of the milliseconds of a part: about as long as the searches take that lack the columns. */
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
