import type { Catalog } from '../../catalog/catalog.js'
import type { BatchedRevision, RevisionExtras } from '../../catalog/read/revision-batch-reader.js'
import { type Principal, seesEverything } from '../../core/access-control.js'
import type { Precondition } from '../../core/precondition.js'
import type { Collection } from '../../core/records/collection.js'
import type { Page, PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import { stateOf } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { type Id, isId, type Oid, type Version } from '../../core/value-types.js'
import {
  findByName,
  findChangeable,
  findReadable,
  requireReadable,
  unknownRecord,
  unknownVersion,
} from '../access/find-record.js'
import { restrictToVisibleByName, visibilityOf } from '../access/visible-lists.js'
import { prepareRemoval } from '../updates/prepare-deletion.js'
import {
  checkPrepared,
  commitPrepared,
  type RecordPreparer,
  type UpdateBase,
} from '../updates/prepared-update.js'
import type { NewRecordUpload, OwnBaseUrls, RecordDraft, RecordUpdate } from '../updates/record-drafts.js'
import type { Transactions } from '../updates/submit-update.js'

/**
 * The common methods of schemas and metadata records. `name` is a current name of the record: its id, persistent
 * identifier or an alternate identifier. @see docs/contract.md#names-of-a-record
 */
export interface RecordCollection {
  /**
   * Refuses what `revise` would refuse for any change, before the body of the request is read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `precondition-failed`
   */
  demandChangeable(caller: Principal, name: string, precondition: Precondition): Promise<void>
  /** @param origins needed for a schema whose document refers to this server by its address */
  create(
    caller: Principal,
    draft: RecordDraft,
    upload: NewRecordUpload,
    origins?: OwnBaseUrls,
  ): Promise<Revision>
  /**
   * If a document or a file of a schema is uploaded, files of the current version stay as far as the document still
   * refers to them. The others are removed.
   * @param origins as for {@link create}
   */
  revise(
    caller: Principal,
    name: string,
    precondition: Precondition,
    update: RecordUpdate,
    origins?: OwnBaseUrls,
  ): Promise<Revision>
  /** Checks all that `create` and `revise` check, and stores nothing: no commit and no object. They take the same. */
  readonly dryRun: {
    create(...update: Parameters<RecordCollection['create']>): Promise<void>
    revise(...update: Parameters<RecordCollection['revise']>): Promise<void>
  }
  read(caller: Principal, name: string, version?: Version): Revision
  /**
   * Newest revisions that the caller may see. `schemaIds` may be any names of schemas; a list of schemas ignores it.
   */
  list(caller: Principal, query: ListQuery, window: PageRequest): ListPage
  /** Number of the records of `list` that are REVOKED. */
  countRevoked(caller: Principal, query: ListQuery): number
  /**
   * The first records of the caller's list that are not REVOKED, in its default order. `total` counts all of them.
   * @param max limit of their number
   */
  latest(caller: Principal, max: number): Page<Revision>
  /**
   * Versions newest first.
   * @throws ProblemError `not-found` for a metadata record; an unknown schema has an empty page
   */
  versions(caller: Principal, name: string, window: PageRequest): ListPage
  /** Takes the next of the two steps of a deletion. @returns the commit of this step; undefined if nothing changed */
  remove(caller: Principal, name: string, precondition: Precondition): Promise<Oid | undefined>
}

export interface RecordCollectionOptions<Draft extends RecordDraft> {
  readonly transactions: Transactions
  /** The records as the last flush stored them. Updates are prepared on these. */
  readonly committed: UpdateBase
  readonly updates: RecordPreparer<Draft>
}

const noOrigins: OwnBaseUrls = { bases: [] }

/** Limit of the pages that are read to find records that are not REVOKED. */
const maxPagesOfLatest = 20

/**
 * The methods that do not depend on the kind.
 * @param identified adds the id of a new record, if the kind has a default
 */
export function openRecordCollection<Draft extends RecordDraft>(
  kind: Collection,
  { transactions, committed, updates }: RecordCollectionOptions<Draft>,
  identified: (draft: RecordDraft) => Draft,
): Omit<RecordCollection, 'versions'> {
  const unstored: UpdateBase = { ...committed, isDryRun: true }
  return {
    async create(caller, draft, upload, origins = noOrigins) {
      const named = identified(draft)
      return await commitPrepared(transactions, caller, () =>
        updates.create(committed, caller, named, upload, origins),
      )
    },

    async revise(caller, name, precondition, update, origins = noOrigins) {
      return await commitPrepared(transactions, caller, () =>
        updates.revise(committed, caller, name, precondition, update, origins),
      )
    },

    dryRun: {
      async create(caller, draft, upload, origins = noOrigins) {
        const named = identified(draft)
        await checkPrepared(transactions, () => updates.create(unstored, caller, named, upload, origins))
      },

      async revise(caller, name, precondition, update, origins = noOrigins) {
        await checkPrepared(transactions, () =>
          updates.revise(unstored, caller, name, precondition, update, origins),
        )
      },
    },

    async demandChangeable(caller, name, precondition) {
      await transactions.readCommitted(state => findChangeable(state, caller, kind, name, precondition))
    },

    read(caller, name, version) {
      const newest = findReadable(transactions.committed, caller, kind, name)
      if (version === undefined) return newest
      const found = transactions.committed.atVersion(kind, newest.id, version)
      if (!found) throw unknownVersion(transactions.committed, newest, name, version)
      return found
    },

    list: (caller, query, window) =>
      transactions.committed.list(
        kind,
        restrictToVisibleByName(transactions.committed, caller, query),
        window,
      ),

    countRevoked: (caller, query) =>
      transactions.committed.countRevoked(
        kind,
        restrictToVisibleByName(transactions.committed, caller, query),
      ),

    latest(caller, max) {
      const visible = visibilityOf(transactions.committed, caller)
      const list = (window: PageRequest) => transactions.committed.list(kind, visible, window)
      const found: Revision[] = []
      let page = list({ offset: 0, limit: max })
      const total = page.total - transactions.committed.countRevoked(kind, visible)
      for (let read = 1; ; read++) {
        found.push(...page.items.filter(({ record }) => stateOf(record) !== 'REVOKED'))
        if (found.length >= max || !page.next || read >= maxPagesOfLatest) break
        page = list({ offset: 0, limit: 5 * max, after: page.next })
      }
      return { items: found.slice(0, max), offset: 0, total }
    },

    async remove(caller, name, precondition) {
      const { id, plan } = await prepareRemoval(committed, caller, kind, name, precondition)
      return await transactions.commit(caller, async state => (await plan(state)).change, { kind, id })
    },
  }
}

interface MetadataOptions extends RecordCollectionOptions<RecordDraft & { readonly id: Id }> {
  /** Makes a random UUID. */
  readonly newId: () => Id
}

/** The metadata records, with the functions that change them. `name` as in {@link RecordCollection}. */
export function openMetadata(options: MetadataOptions): RecordCollection {
  const { transactions, newId } = options
  return {
    ...openRecordCollection('metadata', options, draft => ({ ...draft, id: draft.id ?? newId() })),

    versions(caller, name, window) {
      const { id } = findReadable(transactions.committed, caller, 'metadata', name)
      const page = transactions.committed.versions('metadata', id, window)
      if (!page) throw unknownRecord('metadata', id)
      return page
    },
  }
}

/**
 * The newest revision of a record.
 * @param name a current name of the record: its id, persistent identifier or an alternate identifier
 * @param along what is read together with the revision
 * @throws ProblemError `not-found`, `forbidden`
 */
export type ReadNewest = (
  caller: Principal,
  kind: Collection,
  name: string,
  along: RevisionExtras,
) => Promise<BatchedRevision>

/** Reads newest revisions. When there are many requests, another thread reads the revisions in batches. */
export function openNewestReader({ committed, newest }: Pick<Catalog, 'committed' | 'newest'>): ReadNewest {
  return async (caller, kind, name, along) => {
    const read = isId(name)
      ? await newest(kind, name, seesEverything(caller) ? along : { ...along, record: true })
      : undefined
    const revision = requireReadable(
      committed,
      caller,
      kind,
      name,
      read?.revision ?? findByName(committed, kind, name),
    )
    return { ...read, revision }
  }
}
