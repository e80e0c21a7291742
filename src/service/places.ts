import { setImmediate as turn } from 'node:timers/promises'
import type { Catalog, ListQuery, Sort } from '../catalog/catalog.js'
import { anonymous, self } from '../core/access.js'
import { periodically } from './periodically.js'
import { sightOf } from './rules.js'

export interface PlacesOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'moves'>
  /** Takes one line for whoever runs the program. */
  readonly report: (line: string) => void
}

/** Entries gone over in one turn of the event loop: about a millisecond. */
const stride = 4096
/** Milliseconds between two looks whether there were updates; where there were none, it is quiet. */
const interval = 2000

/** The orders of lists that interfaces and pages offer. */
const sorts: readonly Sort[] = [
  { by: 'lastUpdate', direction: 'desc' },
  { by: 'id', direction: 'asc' },
]

/**
 * Goes over the lists of metadata that everybody asks for after the start, and when it is quiet after updates, so that what
 * the catalog remembers of the way is there before somebody wants a page far in: that is counted to otherwise.
 */
export function keepPlaces({ catalog, report }: PlacesOptions): { close(): Promise<void> } {
  const { committed, moves } = catalog
  let known: number | undefined
  let last: number | undefined

  async function goOver(query: ListQuery, signal: AbortSignal): Promise<void> {
    for (let offset = 0; !signal.aborted; offset += stride) {
      const { total } = committed.list('metadata', query, { offset, limit: 1 })
      if (offset + stride >= total) return
      await turn()
    }
  }

  return periodically(
    interval,
    async signal => {
      const { count } = moves
      const isQuiet = count === last || last === undefined
      last = count
      if (count === known || !isQuiet) return
      known = count
      // Whoever has no token sees what is open; without authentication, everybody sees everything.
      for (const caller of [self, anonymous])
        for (const sort of sorts) await goOver({ ...sightOf(committed, caller), sort }, signal)
    },
    detail => report(`Lists cannot be gone over ahead: ${detail}`),
  )
}
