import type { Catalog } from '../../catalog/catalog.js'
import type { Principal } from '../../core/access-control.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { isId } from '../../core/value-types.js'
import { isReadable } from '../rules/visibility.js'
import { visibilityOf } from '../rules/visible-lists.js'
import { HarvestError } from './harvest-error.js'
import { isBuiltIn } from './harvest-formats.js'

/** The schemas that a caller may read. Those of XML documents are formats for harvesters. */
export interface HarvestedSchemas {
  schema(caller: Principal, id: string): Revision | undefined
  /** Schemas by id. @param onlyXml schemas whose documents are XML */
  schemas(caller: Principal, onlyXml: boolean): AsyncGenerator<Revision, void>
  hasFormat(caller: Principal, prefix: string): boolean
  /** @throws HarvestError `cannotDisseminateFormat` */
  requireFormat(caller: Principal, prefix: string): void
}

/** Schemas that are read at once. */
const schemasAtOnce = 50

export function openHarvestedSchemas({ committed }: Pick<Catalog, 'committed'>): HarvestedSchemas {
  function schema(caller: Principal, id: string): Revision | undefined {
    const found = isId(id) ? committed.newest('schema', id) : undefined
    return found && isReadable(caller, found.record) ? found : undefined
  }

  function hasFormat(caller: Principal, prefix: string): boolean {
    return isBuiltIn(prefix) || schema(caller, prefix)?.documentType === 'XML'
  }

  return {
    schema,
    hasFormat,
    async *schemas(caller, onlyXml) {
      const filter = onlyXml ? ({ documentTypes: ['XML'] } as const) : {}
      let after: ListCursor | undefined
      do {
        const page = committed.list(
          'schema',
          { ...filter, ...visibilityOf(committed, caller) },
          { offset: 0, limit: schemasAtOnce, ...(after && { after }) },
        )
        yield* page.items
        after = page.next
      } while (after)
    },
    requireFormat(caller, prefix) {
      if (hasFormat(caller, prefix)) return
      throw new HarvestError(
        'cannotDisseminateFormat',
        'There is no format of this name. Ask with ListMetadataFormats.',
      )
    },
  }
}
