import { isAtLeast, type Principal, seesEverything, subjectsOf } from '../../core/access-control.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { isId } from '../../core/value-types.js'
import { findByName } from './find-record.js'
import { isReadable } from './visibility.js'

/** What a caller may see of a list. */
export function restrictToVisible<Q extends object>(
  queries: CatalogQueries,
  caller: Principal,
  query: Q,
): Q & Visibility {
  return { ...query, ...visibilityOf(queries, caller) }
}

/** What a caller may see: undefined members of it narrow nothing. */
export function visibilityOf(queries: CatalogQueries, caller: Principal): Visibility {
  if (seesEverything(caller)) return {}
  const granted = [...(caller.granted?.keys() ?? [])].filter(isId).filter(id => {
    const found = queries.newest('metadata', id) ?? queries.newest('schema', id)
    return found && isReadable(caller, found.record)
  })
  return {
    readableBy: subjectsOf(caller),
    ...(granted.length > 0 && { readableIds: granted }),
    ...(isAtLeast(caller.everywhere ?? 'NONE', 'READ') && { readsUnrevoked: true }),
  }
}

/** What a caller may see of a list; `schemaIds` may be any names of schemas. */
export function restrictToVisibleByName<Q extends { readonly schemaIds?: readonly string[] }>(
  queries: CatalogQueries,
  caller: Principal,
  query: Q,
): Q & Visibility {
  const schemaIds = query.schemaIds?.map(name => {
    const found = findByName(queries, 'schema', name)
    // Which schema it is another name of is for those to know who may read it.
    return found && isReadable(caller, found.record) ? found.id : name
  })
  return restrictToVisible(queries, caller, { ...query, ...(schemaIds && { schemaIds }) })
}
