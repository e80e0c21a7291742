import { hasPermission, type Principal } from '../../../core/access-control.js'
import type { DocumentType } from '../../../core/records/collection.js'
import type { ListCursor } from '../../../core/records/list-page.js'
import { stateOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { type Id, isId } from '../../../core/value-types.js'
import { isReadable } from '../../../service/rules/record-rules.js'
import type { HarvestCatalog } from '../rows/harvest-query.js'
import { HarvestError } from './harvest-error.js'
import { isBuiltIn } from './harvest-formats.js'
import { harvestVisibilityOf } from './harvester-access.js'

/** A schema whose records are a set for harvesters. */
export interface SchemaOfSet {
  readonly id: string
  /** The newest revision of the schema; undefined if the caller may not read the schema, or if it is GONE. */
  readonly revision: Revision | undefined
}

/**
 * The schemas that are formats and sets for harvesters. A format is an XML schema that the caller may read. A schema
 * that is REVOKED or GONE stays a format for its former readers: they are still told that its records are deleted.
 */
export interface HarvestedSchemas {
  /** The schema of a format that is not built in. It may be GONE. */
  format(caller: Principal, prefix: string): Promise<Revision | undefined>
  formats(caller: Principal): AsyncGenerator<Revision, void>
  /** Schemas that the caller may read, and schemas of records in the caller's lists: their headers name these sets. */
  schemasOfSets(caller: Principal): AsyncGenerator<SchemaOfSet, void>
  hasFormat(caller: Principal, prefix: string): Promise<boolean>
  /** Checks that a format exists for the caller. @throws HarvestError `cannotDisseminateFormat` */
  requireFormat(caller: Principal, prefix: string): Promise<void>
}

/** Number of schemas that are read at once. */
const schemasAtOnce = 50

export function openHarvestedSchemas({
  committed,
  harvest,
  goneSchemas: gone,
}: Pick<HarvestCatalog, 'committed' | 'harvest' | 'goneSchemas'>): HarvestedSchemas {
  /** Whether the caller's lists have a record that follows the schema, or the header of a deleted one. */
  async function hasEntries(caller: Principal, id: Id, documentTypes?: readonly DocumentType[]) {
    const selection = { schemaIds: [id], ...(documentTypes && { documentTypes }) }
    const query = { ...selection, ...harvestVisibilityOf(committed, caller), limit: 1 }
    return (await harvest(query, caller.client)).entries.length > 0
  }

  /** Whether a schema is a format. @param isGone whether the schema is GONE and the revision is its last one */
  async function isFormat(caller: Principal, { id, record, documentType }: Revision, isGone: boolean) {
    if (documentType !== 'XML') return false
    if (!isGone && isReadable(caller, record)) return true
    const isWithdrawn = isGone || stateOf(record) === 'REVOKED'
    return isWithdrawn && hasPermission(caller, record, 'READ') && (await hasEntries(caller, id, ['XML']))
  }

  async function format(caller: Principal, prefix: string): Promise<Revision | undefined> {
    if (!isId(prefix)) return undefined
    const served = committed.newest('schema', prefix)
    const found = served ?? gone.goneSchema(prefix)
    return found && (await isFormat(caller, found, !served)) ? found : undefined
  }

  async function hasFormat(caller: Principal, prefix: string): Promise<boolean> {
    return isBuiltIn(prefix) || (await format(caller, prefix)) !== undefined
  }

  async function* servedSchemas(documentTypes?: readonly DocumentType[]): AsyncGenerator<Revision, void> {
    let after: ListCursor | undefined
    do {
      const window = { offset: 0, limit: schemasAtOnce, ...(after && { after }) }
      const page = committed.list('schema', documentTypes ? { documentTypes } : {}, window)
      yield* page.items
      after = page.next
    } while (after)
  }

  async function* goneSchemas(): AsyncGenerator<Revision, void> {
    let schemas: readonly Revision[] = []
    do {
      schemas = gone.goneSchemas(schemas.at(-1)?.id ?? '', schemasAtOnce)
      yield* schemas
    } while (schemas.length === schemasAtOnce)
  }

  return {
    format,
    hasFormat,
    async *formats(caller) {
      for await (const schema of servedSchemas(['XML']))
        if (await isFormat(caller, schema, false)) yield schema
      for await (const schema of goneSchemas()) if (await isFormat(caller, schema, true)) yield schema
    },
    async *schemasOfSets(caller) {
      for await (const revision of servedSchemas()) {
        const { id, record } = revision
        if (isReadable(caller, record)) yield { id, revision }
        else if (await hasEntries(caller, id)) yield { id, revision: undefined }
      }
      for await (const { id } of goneSchemas())
        if (await hasEntries(caller, id)) yield { id, revision: undefined }
    },
    async requireFormat(caller, prefix) {
      if (await hasFormat(caller, prefix)) return
      throw new HarvestError(
        'cannotDisseminateFormat',
        'There is no format of this name. Ask with ListMetadataFormats.',
      )
    },
  }
}
