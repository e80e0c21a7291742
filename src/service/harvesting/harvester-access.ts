import { isAtLeast, type Principal } from '../../core/access-control.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { visibilityOf } from '../rules/visible-lists.js'

/** The subject of a harvester that no access list names. */
const noSubject = ''

/**
 * A caller who may read all records, as every caller of a server without authentication, harvests those that are not
 * REVOKED, whatever their access lists say: what it passes on would have them for ever.
 */
export function harvesterOf(caller: Principal): Principal {
  if (!readsEverything(caller)) return caller
  return { ...caller, administrator: false, everywhere: 'READ', sid: noSubject, groups: [] }
}

/** The filter for records that a harvester gets. @param harvester by {@link harvesterOf} */
export function harvestVisibilityOf(queries: CatalogQueries, harvester: Principal): Visibility {
  return readsEverything(harvester)
    ? { readableBy: [], readsUnrevoked: true }
    : visibilityOf(queries, harvester)
}

function readsEverything({ administrator, everywhere = 'NONE' }: Principal): boolean {
  return administrator || isAtLeast(everywhere, 'READ')
}
