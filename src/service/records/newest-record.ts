import type { Catalog } from '../../catalog/catalog.js'
import { seesEverything } from '../../core/access-control.js'
import { isId } from '../../core/value-types.js'
import { named, permitted } from '../rules/request-rules.js'
import type { Services } from '../services.js'

/** Records as they are now: where many ask, by another thread. */
export function openNewest({ committed, newest }: Pick<Catalog, 'committed' | 'newest'>): Services['newest'] {
  return async (caller, kind, name, along) => {
    const read = isId(name)
      ? await newest(kind, name, seesEverything(caller) ? along : { ...along, record: true })
      : undefined
    const revision = permitted(caller, kind, name, read?.revision ?? named(committed, kind, name))
    return { ...read, revision }
  }
}
