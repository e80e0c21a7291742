import type { Instant, Oid } from '../../core/value-types.js'
import type { Connection } from '../database/sqlite-connection.js'

/** How far a catalog has read the history: its last commit. */
export interface IndexedPosition {
  /** Undefined for an empty catalog. */
  readonly head: Oid | undefined
  /** Position of `head` on the first-parent chain. */
  readonly sequence: number
  /** The latest `Recorded-At` up to `head`. */
  readonly latest: Instant | undefined
}

export function openPositionTable(connection: Connection) {
  const select = connection.prepare<readonly [string | null, number, number | null]>(
    'SELECT head, sequence, latest FROM state',
  )
  const update = connection.prepare('UPDATE state SET head = ?, sequence = ?, latest = ?')
  return {
    read(): IndexedPosition {
      const [head, sequence, latest] = select.get() ?? []
      return {
        head: (head ?? undefined) as Oid | undefined,
        sequence: sequence ?? 0,
        latest: (latest ?? undefined) as Instant | undefined,
      }
    },
    write({ head, sequence, latest }: IndexedPosition): void {
      update.run(head ?? null, sequence, latest ?? null)
    },
  }
}

export function laterOf(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a > b ? a : b
}
