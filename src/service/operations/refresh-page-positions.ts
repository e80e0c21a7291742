import type { Catalog } from '../../catalog/catalog.js'
import { anonymousPrincipal, selfPrincipal } from '../../core/access-control.js'
import type { Sort } from '../../core/records/list-query.js'
import { visibilityOf } from '../access/visible-lists.js'
import { startPeriodicTask } from '../remotes/periodic-task.js'

export interface WarmAnchorsOptions {
  readonly catalog: Pick<Catalog, 'committed' | 'headChanges' | 'prepareDeepPages'>
  /** Reports one line to the operator. */
  readonly report: (line: string) => void
}

/** Milliseconds between two checks for updates. An interval without updates is quiet. */
const interval = 2000

/** The orders in which the interface and the pages list metadata. */
const sorts: readonly Sort[] = [
  { by: 'lastUpdate', direction: 'desc' },
  { by: 'id', direction: 'asc' },
]

/**
 * Computes the anchors of the most requested metadata lists, after the start and in quiet intervals after updates. So
 * the first request for a deep page is as fast as later ones.
 */
export function warmPageAnchors({ catalog, report }: WarmAnchorsOptions): { close(): Promise<void> } {
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
      // Most callers: those of a server without authentication, who see everything, and those without a token.
      for (const caller of [selfPrincipal, anonymousPrincipal])
        for (const sort of sorts)
          if (!signal.aborted)
            await catalog.prepareDeepPages('metadata', { ...visibilityOf(committed, caller), sort })
      known = count
    },
    detail => report(`The anchors of lists cannot be computed: ${detail}`),
  )
}
