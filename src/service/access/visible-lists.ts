import { isAtLeast, type Principal, seesEverything, subjectsOf } from '../../core/access-control.js'
import type { Visibility } from '../../core/records/list-query.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import { isId } from '../../core/value-types.js'
import { isReadable } from '../rules/record-rules.js'
import { findIfReadable } from './find-record.js'

/** The filter for records that a caller may see. An undefined member does not restrict. */
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

/** Restricts a list to records that the caller may see. Its `schemaIds` may be any names of schemas. */
export function restrictToVisibleByName<Q extends { readonly schemaIds?: readonly string[] }>(
  queries: CatalogQueries,
  caller: Principal,
  query: Q,
): Q & Visibility {
  // Only callers who may read a schema learn that a name belongs to it.
  const schemaIds = query.schemaIds?.map(name => findIfReadable(queries, caller, 'schema', name)?.id ?? name)
  return { ...query, ...(schemaIds && { schemaIds }), ...visibilityOf(queries, caller) }
}
