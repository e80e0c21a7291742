import type { Principal } from '../../../core/access-control.js'
import type { Revision } from '../../../core/records/revision.js'
import { isId } from '../../../core/value-types.js'
import { openSchemaNamespaces } from '../../../service/rules/schema-namespaces.js'
import type { BlobReader } from '../../../store/blobs/blob-reader.js'
import type { HarvestCatalog } from '../rows/harvest-query.js'
import { type EmbeddedXml, embeddedXml } from './embedded-xml.js'
import { HarvestError } from './harvest-error.js'
import { isBuiltIn, selectionOfPrefix } from './harvest-formats.js'
import { type HarvestItem, type HarvestPagesOptions, openHarvestPages } from './harvest-pages.js'
import { badToken, type HarvestPart, type HarvestPartsOptions, openHarvestParts } from './harvest-parts.js'
import type { HarvestSet, Selection, StoredSetSource } from './harvest-sets.js'
import { type HarvestedSchemas, openHarvestedSchemas } from './harvested-schemas.js'
import { harvestVisibilityOf } from './harvester-access.js'
import type { HarvestListRequest } from './resumption-token.js'

export type { HarvestItem, HarvestPart }

/**
 * Lists and single items for harvesters: metadata that the caller may read, and headers of metadata that the caller
 * could read before. Errors of the protocol are thrown as {@link HarvestError}.
 * @see docs/use/harvesting.md
 */
export interface Harvesting extends Pick<HarvestedSchemas, 'format' | 'formats' | 'schemasOfSets'> {
  /**
   * The time up to which all changes are visible, in milliseconds: a change that becomes visible later has a later time.
   * Harvesters continue from this time.
   */
  servedUntil(): Promise<number>
  /** The sets that stored searches define. */
  storedSets(): Promise<readonly HarvestSet[]>
  /** The earliest time, in milliseconds, of the items that the caller may get; 0 if there are none. */
  earliestTime(caller: Principal): Promise<number>
  /** The first part of a list. @param size usual number of items in a part */
  begin(caller: Principal, request: HarvestListRequest, size: number): Promise<HarvestPart>
  /** The part after a resumption token. @param prefix format that the request names, if any: must be the token's */
  resume(
    caller: Principal,
    verb: HarvestListRequest['verb'],
    token: string,
    prefix: string | undefined,
    size: number,
  ): Promise<HarvestPart>
  item(caller: Principal, id: string, prefix: string): Promise<HarvestItem>
  /** The names of formats of one record: built-in ones, and the schema of an XML document. */
  prefixesOf(caller: Principal, id: string): Promise<readonly string[]>
  /** The namespace of the documents of an XML schema. */
  namespaceOf(schema: Revision): Promise<string>
  /** The document of a revision as a part of another XML document. */
  embedded(revision: Revision): Promise<EmbeddedXml>
}

export interface HarvestingOptions extends HarvestPagesOptions, Omit<HarvestPartsOptions, 'harvest'> {
  readonly catalog: HarvestCatalog
  readonly documents: BlobReader
  /** The sets that another feature defines. */
  readonly storedSets: () => StoredSetSource
  /**
   * For a server whose commits come from another repository: the time in milliseconds up to which every commit of that
   * repository is here. Returns undefined before the first fetch.
   */
  readonly completeUntil: (() => number | undefined) | undefined
}

/** Limit in milliseconds from the time of an update, which is set before its flush, until the update is visible. */
const maxFlushMilliseconds = 10_000

export function openHarvesting(options: HarvestingOptions): Harvesting {
  const { catalog, documents, history, transactions, storedSets, completeUntil } = options
  const { committed } = catalog
  const harvest = openHarvestPages(options)
  const parts = openHarvestParts({ catalog, harvest, transactions })
  const { format, formats, schemasOfSets, hasFormat, requireFormat } = openHarvestedSchemas(catalog)

  async function find(caller: Principal, id: string, selection: Selection): Promise<HarvestItem | undefined> {
    if (!isId(id)) return undefined
    const query = { ...selection, ...harvestVisibilityOf(committed, caller), id, limit: 1 }
    const { identity, entries } = await harvest.page(query, caller.client)
    return harvest.items(identity, entries)[0]
  }

  /** The time of the served commit, in milliseconds. Commits that are not fetched yet are later. */
  async function timeOfHead(): Promise<number> {
    const head = catalog.head()
    if (head === undefined) return 0
    const { recordedAt, committedAt } = await history.commit(head)
    return recordedAt ?? committedAt
  }

  return {
    format,
    formats,
    schemasOfSets,
    storedSets: () => storedSets().list(),
    async servedUntil() {
      const now = Date.now()
      const until = completeUntil ? Math.min(now, completeUntil() ?? (await timeOfHead())) : now
      return Math.max(0, until - maxFlushMilliseconds)
    },
    async earliestTime(caller) {
      const { entries } = await harvest.page(
        { ...harvestVisibilityOf(committed, caller), limit: 1 },
        caller.client,
      )
      return entries[0]?.time ?? 0
    },
    async begin(caller, request, size) {
      await requireFormat(caller, request.prefix)
      return await parts.first(caller, request, size)
    },
    async resume(caller, verb, token, prefix, size) {
      const found = await parts.continuationOf(token)
      if (found.verb !== verb) throw badToken(`It continues a list of ${found.verb}.`)
      if (prefix !== undefined && prefix !== found.prefix)
        throw new HarvestError('badArgument', `The token continues a list in the format ${found.prefix}.`)
      await requireFormat(caller, found.prefix)
      return await parts.next(caller, found, size)
    },
    async item(caller, id, prefix) {
      await requireFormat(caller, prefix)
      const found = await find(caller, id, selectionOfPrefix(prefix))
      if (found) return found
      if (!isBuiltIn(prefix) && (await find(caller, id, {})))
        throw new HarvestError('cannotDisseminateFormat', 'The record is not in this format.')
      throw unknownId()
    },
    async prefixesOf(caller, id) {
      const found = await find(caller, id, {})
      if (!found) throw unknownId()
      const { schema: schemaId, type } = found.placement
      const hasOwn = type === 'XML' && !isBuiltIn(schemaId) && (await hasFormat(caller, schemaId))
      return ['oai_dc', 'datacite', ...(hasOwn ? [schemaId] : [])]
    },
    namespaceOf: openSchemaNamespaces(documents),
    embedded: async ({ document }) => embeddedXml(await documents.read(document)),
  }
}

function unknownId(): HarvestError {
  return new HarvestError('idDoesNotExist', 'There is no record with this identifier.')
}
