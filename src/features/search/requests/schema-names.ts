import type { Catalog } from '../../../catalog/catalog.js'
import type { Principal } from '../../../core/access-control.js'
import { findIfReadable } from '../../../service/access/find-record.js'
import type { SearchCondition } from '../search-condition.js'

/** Limit of the names of schemas that are looked up at once. */
const maxNames = 100

/** Replaces names of schemas by ids. Only callers who may read a schema learn that a name belongs to it. */
export function withSchemaIds(
  committed: Catalog['committed'],
  caller: Principal,
  condition: SearchCondition,
): SearchCondition {
  switch (condition.type) {
    case 'not':
      return { ...condition, condition: withSchemaIds(committed, caller, condition.condition) }
    case 'and':
    case 'or':
      return {
        ...condition,
        conditions: condition.conditions.map(part => withSchemaIds(committed, caller, part)),
      }
    case 'equals': {
      if (condition.field !== 'schema' || condition.values.length > maxNames) return condition
      const values = condition.values.map(
        name => findIfReadable(committed, caller, 'schema', name)?.id ?? name,
      )
      return { ...condition, values }
    }
    default:
      return condition
  }
}
