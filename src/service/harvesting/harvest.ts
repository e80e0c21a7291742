import type { Catalog } from '../../catalog/catalog.js'
import type { HarvestEntry, HarvestPage } from '../../catalog/lists/harvest-query.js'
import type { Principal } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { ListCursor } from '../../core/records/list-page.js'
import type { Revision } from '../../core/records/revision.js'
import { isId, type Oid, toInstant } from '../../core/value-types.js'
import type { BlobReader } from '../../store/objects/blob-cache.js'
import { isReadable } from '../rules/visibility.js'
import { visibilityOf } from '../rules/visible-lists.js'
import type { Transactions } from '../updates/submit-update.js'
import { type EmbeddedXml, embeddedXml, targetNamespaceOf } from './embedded-xml.js'
import { HarvestError } from './harvest-error.js'
import { isBuiltIn, selectionOfPrefix } from './harvest-formats.js'
import { intersection, type Placement, placementOf, type Selection, selectionOfSet } from './harvest-sets.js'
import {
  type Continuation,
  type HarvestListRequest,
  openResumptionTokens,
  type ResumptionTokens,
} from './resumption-token.js'

/**
 * Lists and single items for harvesters: metadata that the caller may read, and headers of metadata that the caller
 * could read before. Errors of the protocol are thrown as {@link HarvestError}.
 * @see docs/harvesting.md
 */
export interface Harvesting {
  /** No item of the caller has an earlier time, in milliseconds. The times of other items tell the caller nothing. */
  earliestTime(caller: Principal): Promise<number>
  /** The first part of a list. @param size usual number of items in a part */
  begin(caller: Principal, request: HarvestListRequest, size: number): Promise<HarvestPart>
  /** @param prefix the format in the request, which must be that of the token; undefined: not given */
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
  /** Schemas that the caller may read, by id. @param onlyXml schemas whose documents are XML */
  schemas(caller: Principal, onlyXml: boolean): AsyncGenerator<Revision, void>
  schema(caller: Principal, id: string): Revision | undefined
  /** The namespace of the documents of an XML schema. */
  namespaceOf(schema: Revision): Promise<string>
  /** The document of a revision as a part of another XML document. */
  embedded(revision: Revision): Promise<EmbeddedXml>
}

/** A part of a list. It has one item more than usual if the last part would have a single one. */
export interface HarvestPart {
  readonly request: HarvestListRequest
  readonly items: number
  /** Items of the list before this part. */
  readonly cursor: number
  /** Items of the whole list when it began. */
  readonly total: number
  readonly isContinued: boolean
  /**
   * Reads items by their places in the part.
   * @throws ProblemError `unavailable` if the catalog was rebuilt meanwhile
   */
  read(from: number, to: number): readonly HarvestItem[]
  /** The token after the first `taken` items; undefined at the end of the list. */
  tokenAfter(taken: number): string | undefined
}

export interface HarvestItem {
  readonly id: string
  /** Milliseconds. */
  readonly time: number
  readonly placement: Placement
  /** Undefined for an item that is deleted. */
  readonly revision?: Revision
}

export interface HarvestingOptions {
  readonly catalog: Pick<Catalog, 'harvest' | 'committed' | 'chain'>
  readonly transactions: Pick<Transactions, 'readCommitted'>
  readonly documents: BlobReader
}

/** Schemas that are read at once. */
const schemasAtOnce = 50

export function openHarvesting({ catalog, transactions, documents }: HarvestingOptions): Harvesting {
  const { committed, harvest, chain } = catalog
  let tokens: { readonly of: Oid; readonly codec: ResumptionTokens } | undefined

  function tokenCodec(): ResumptionTokens {
    const of = chain.first()
    if (of === undefined)
      throw new ProblemError('unavailable', 'The history is still being read. Try again.', { retryAfter: 2 })
    if (tokens?.of !== of) tokens = { of, codec: openResumptionTokens(of) }
    return tokens.codec
  }

  function schema(caller: Principal, id: string): Revision | undefined {
    const found = isId(id) ? committed.newest('schema', id) : undefined
    return found && isReadable(caller, found.record) ? found : undefined
  }

  function hasFormat(caller: Principal, prefix: string): boolean {
    return isBuiltIn(prefix) || schema(caller, prefix)?.documentType === 'XML'
  }

  /** @throws HarvestError `cannotDisseminateFormat` */
  function requireFormat(caller: Principal, prefix: string): void {
    if (hasFormat(caller, prefix)) return
    throw new HarvestError(
      'cannotDisseminateFormat',
      'There is no format of this name. Ask with ListMetadataFormats.',
    )
  }

  async function pageOf(
    caller: Principal,
    { prefix, set, from, until }: HarvestListRequest,
    size: number,
    continuation?: Continuation,
  ): Promise<HarvestPage> {
    const selection = selectionOf(prefix, set)
    if (!selection) throw nothing(continuation !== undefined)
    // A single item that would be left for the last part belongs to this one.
    const limit = size + 2
    const page = await harvest.page(
      {
        ...selection,
        ...boundsOf(from, until),
        ...visibilityOf(committed, caller),
        limit,
        ...(continuation
          ? { at: { commit: continuation.commit }, after: continuation.after }
          : { counted: true }),
      },
      caller.client,
    )
    if (page.entries.length === 0) throw nothing(continuation !== undefined)
    return page
  }

  function partOf(
    { identity, entries, total = 0, commit }: HarvestPage,
    request: HarvestListRequest,
    size: number,
    continuation?: Continuation,
  ): HarvestPart {
    const isLast = entries.length <= size + 1
    const items = isLast ? entries : entries.slice(0, size)
    const whole = continuation?.total ?? total
    const before = continuation?.count ?? 0
    return {
      request,
      items: items.length,
      cursor: before,
      total: whole,
      isContinued: continuation !== undefined,
      read: (start, end) => itemsOf(harvest, identity, items.slice(start, end)),
      tokenAfter(taken) {
        const last = items[taken - 1]
        if (!last || commit === undefined || (isLast && taken === items.length)) return undefined
        const after = { time: last.time, id: last.id }
        return tokenCodec().encode({ ...request, commit, after, count: before + taken, total: whole })
      },
    }
  }

  /** @throws HarvestError `badResumptionToken` */
  async function continuationOf(token: string): Promise<Continuation> {
    const found = tokenCodec().decode(token)
    if (!found) throw badToken('It is not a token of this repository, or it was altered.')
    try {
      await transactions.readCommitted(() => {
        if (chain.positionOf(found.commit) !== undefined) return
        throw new ProblemError('not-found', 'The history has no such commit.')
      })
    } catch (error) {
      if (error instanceof ProblemError && error.kind === 'not-found')
        throw badToken('The history no longer has the state of this list.')
      throw error
    }
    return found
  }

  async function one(caller: Principal, id: string, selection: Selection): Promise<HarvestItem | undefined> {
    if (!isId(id)) return undefined
    const query = { ...selection, ...visibilityOf(committed, caller), id, limit: 1 }
    const { identity, entries } = await harvest.page(query, caller.client)
    return itemsOf(harvest, identity, entries)[0]
  }

  async function* schemas(caller: Principal, onlyXml: boolean): AsyncGenerator<Revision, void> {
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
  }

  return {
    async earliestTime(caller) {
      const { entries } = await harvest.page({ ...visibilityOf(committed, caller), limit: 1 }, caller.client)
      return entries[0]?.time ?? 0
    },
    async begin(caller, request, size) {
      requireFormat(caller, request.prefix)
      return partOf(await pageOf(caller, request, size), request, size)
    },
    async resume(caller, verb, token, prefix, size) {
      const found = await continuationOf(token)
      if (found.verb !== verb) throw badToken(`It continues a list of ${found.verb}.`)
      if (prefix !== undefined && prefix !== found.prefix)
        throw new HarvestError('badArgument', `The token continues a list in the format ${found.prefix}.`)
      return partOf(await pageOf(caller, found, size, found), found, size, found)
    },
    async item(caller, id, prefix) {
      requireFormat(caller, prefix)
      const found = await one(caller, id, selectionOfPrefix(prefix))
      if (found) return found
      if (!isBuiltIn(prefix) && (await one(caller, id, {})))
        throw new HarvestError('cannotDisseminateFormat', 'The record is not in this format.')
      throw unknownId()
    },
    async prefixesOf(caller, id) {
      const found = await one(caller, id, {})
      if (!found) throw unknownId()
      const { schema: schemaId, type } = found.placement
      const own = type === 'XML' && !isBuiltIn(schemaId) && hasFormat(caller, schemaId) ? [schemaId] : []
      return ['oai_dc', 'datacite', ...own]
    },
    schemas,
    schema,
    namespaceOf: async ({ document }) => targetNamespaceOf(await documents.read(document)),
    embedded: async ({ document }) => embeddedXml(await documents.read(document)),
  }
}

function itemsOf(
  harvest: Catalog['harvest'],
  identity: string,
  entries: readonly HarvestEntry[],
): readonly HarvestItem[] {
  const revs = entries.flatMap(({ rev }) => rev ?? [])
  const revisions = harvest.revisions(identity, revs)
  const byRow = new Map(revs.map((rev, at) => [rev, revisions[at]]))
  return entries.map(({ id, time, rev, former }) => {
    const revision = rev === undefined ? undefined : byRow.get(rev)
    if (revision) return { id, time, placement: placementOf(revision), revision }
    if (!former) throw new Error(`The entry of ${id} is neither a record nor a loss.`)
    return { id, time, placement: former }
  })
}

function selectionOf(prefix: string, set: string | undefined): Selection | undefined {
  const ofSet = set === undefined ? {} : selectionOfSet(set)
  return ofSet && intersection(selectionOfPrefix(prefix), ofSet)
}

/** Both ends of a range, where one is given: lists exclude a lone end. */
function boundsOf(from: number | undefined, until: number | undefined) {
  if (from === undefined && until === undefined) return {}
  return { from: toInstant(from ?? -farthest), until: toInstant(until ?? farthest) }
}

/** The time range of ECMAScript, in milliseconds. */
const farthest = 8.64e15

function nothing(isContinued: boolean): HarvestError {
  return new HarvestError(
    'noRecordsMatch',
    isContinued ? 'Nothing is left of the list.' : 'No records match the request.',
  )
}

function badToken(reason: string): HarvestError {
  return new HarvestError('badResumptionToken', `${reason} Begin the list again.`)
}

function unknownId(): HarvestError {
  return new HarvestError('idDoesNotExist', 'There is no record with this identifier.')
}
