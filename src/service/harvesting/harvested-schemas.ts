import type { Catalog } from '../../catalog/catalog.js'
import type { Principal } from '../../core/access-control.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import { isId } from '../../core/value-types.js'
import { isReadable } from '../rules/visibility.js'
import { HarvestError } from './harvest-error.js'
import { isBuiltIn } from './harvest-formats.js'
import { harvestVisibilityOf } from './harvester-access.js'

/** A schema whose records are a set for harvesters. */
export interface SchemaOfSet {
  readonly id: string
  /** Undefined if the caller may not read the schema. */
  readonly revision: Revision | undefined
}

/** The schemas that a caller may read. Those of XML documents are formats for harvesters. */
export interface HarvestedSchemas {
  schema(caller: Principal, id: string): Revision | undefined
  /** Schemas by id. @param onlyXml schemas whose documents are XML */
  schemas(caller: Principal, onlyXml: boolean): AsyncGenerator<Revision, void>
  /** Schemas that the caller may read, and those of records in its lists: headers name their sets too. */
  schemasOfSets(caller: Principal): AsyncGenerator<SchemaOfSet, void>
  hasFormat(caller: Principal, prefix: string): boolean
  /** @throws HarvestError `cannotDisseminateFormat` */
  requireFormat(caller: Principal, prefix: string): void
}

/** Schemas that are read at once. */
const schemasAtOnce = 50

export function openHarvestedSchemas({
  committed,
  harvest,
}: Pick<Catalog, 'committed' | 'harvest'>): HarvestedSchemas {
  function schema(caller: Principal, id: string): Revision | undefined {
    const found = isId(id) ? committed.newest('schema', id) : undefined
    return found && isReadable(caller, found.record) ? found : undefined
  }

  function hasFormat(caller: Principal, prefix: string): boolean {
    return isBuiltIn(prefix) || schema(caller, prefix)?.documentType === 'XML'
  }

  /** @param query read again for each page: access lists may have changed */
  async function* listed(query: () => ListQuery): AsyncGenerator<Revision, void> {
    let after: ListCursor | undefined
    do {
      const window = { offset: 0, limit: schemasAtOnce, ...(after && { after }) }
      const page = committed.list('schema', query(), window)
      yield* page.items
      after = page.next
    } while (after)
  }

  return {
    schema,
    hasFormat,
    schemas(caller, onlyXml) {
      const filter = onlyXml ? ({ documentTypes: ['XML'] } as const) : {}
      return listed(() => ({ ...filter, ...harvestVisibilityOf(committed, caller) }))
    },
    async *schemasOfSets(caller) {
      for await (const revision of listed(() => ({}))) {
        const { id, record } = revision
        if (isReadable(caller, record)) yield { id, revision }
        else {
          const query = { schemaIds: [id], ...harvestVisibilityOf(committed, caller), limit: 1 }
          const { entries } = await harvest.page(query, caller.client)
          if (entries.length > 0) yield { id, revision: undefined }
        }
      }
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
