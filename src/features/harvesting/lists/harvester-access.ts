import { isAtLeast, type Principal } from '../../../core/access-control.js'
import type { Visibility } from '../../../core/records/list-query.js'
import type { CatalogQueries } from '../../../core/records/record-queries.js'
import { visibilityOf } from '../../../service/access/visible-lists.js'

/** The subject of a harvester that no access list names. */
const noSubject = ''

/**
 * The caller as whom a harvester reads. A caller who may read all records, as everybody on a server without
 * authentication, gets all but REVOKED ones: the harvester may pass records on, and other services would keep them.
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
