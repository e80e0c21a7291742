import type { Catalog } from '../../catalog/catalog.js'
import { anonymousPrincipal, selfPrincipal } from '../../core/access-control.js'
import type { Sort } from '../../core/records/list-query.js'
import { startPeriodicTask } from '../remotes/periodic-task.js'
import { visibilityOf } from '../rules/visible-lists.js'

export interface PlacesOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'headChanges' | 'prepareDeepPages'>
  /** Takes one line for whoever runs the program. */
  readonly report: (line: string) => void
}

/** Milliseconds between two looks whether there were updates; where there were none, it is quiet. */
const interval = 2000

/** The orders of lists that interfaces and pages offer. */
const sorts: readonly Sort[] = [
  { by: 'lastUpdate', direction: 'desc' },
  { by: 'id', direction: 'asc' },
]

/**
 * Has the lists of metadata that everybody asks for surveyed, after the start and when it is quiet after updates, so
 * that the first page far in is found as fast as those after it.
 */
export function warmListAnchors({ catalog, report }: PlacesOptions): { close(): Promise<void> } {
  const { committed, headChanges } = catalog
  let known: number | undefined
  let last: number | undefined

  return startPeriodicTask(
    interval,
    async signal => {
      const { count } = headChanges
      const isQuiet = count === last || last === undefined
      last = count
      if (count === known || !isQuiet) return
      // Whoever has no token sees what is open; without authentication, everybody sees everything.
      for (const caller of [selfPrincipal, anonymousPrincipal])
        for (const sort of sorts)
          if (!signal.aborted)
            await catalog.prepareDeepPages('metadata', { ...visibilityOf(committed, caller), sort })
      known = count
    },
    detail => report(`Lists cannot be surveyed: ${detail}`),
  )
}
