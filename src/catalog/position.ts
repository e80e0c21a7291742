import type { Instant, Oid } from '../core/values.js'
import type { Connection } from './database.js'

/** What a catalog reflects. */
export interface Position {
  /** Undefined: nothing. */
  readonly head: Oid | undefined
  /** Of `head` on the first-parent chain. */
  readonly sequence: number
  /** The latest `Recorded-At` up to it. */
  readonly latest: Instant | undefined
}

export interface PositionTable {
  read(): Position
  write(position: Position): void
}

export function openPosition(connection: Connection): PositionTable {
  const select = connection.prepare<readonly [string | null, number, number | null]>(
    'SELECT head, sequence, latest FROM state',
  )
  const update = connection.prepare('UPDATE state SET head = ?, sequence = ?, latest = ?')
  return {
    read() {
      const [head, sequence, latest] = select.get() ?? []
      return {
        head: (head ?? undefined) as Oid | undefined,
        sequence: sequence ?? 0,
        latest: (latest ?? undefined) as Instant | undefined,
      }
    },
    write({ head, sequence, latest }) {
      update.run(head ?? null, sequence, latest ?? null)
    },
  }
}

/** @throws Error where the catalog reflects something else: it has gone on while a flush was planned */
export function assertAt(table: PositionTable, { head, sequence }: Position): void {
  const now = table.read()
  if (now.head === head && now.sequence === sequence) return
  throw new Error(`The catalog is at ${now.head} (${now.sequence}), not at ${head} (${sequence}).`)
}

export function later(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a > b ? a : b
}
