import type { Id, Instant, Oid } from '../value-types.js'
import type { DocumentType } from './collection.js'
import type { ListCursor, Page } from './list-page.js'
import type { Revision } from './revision.js'

/** What of a list may be seen; without any of these everything. */
export interface Visibility {
  /**
   * Only records with an ACL entry of READ or more for one of these subjects, of ADMINISTRATE where the record is
   * REVOKED. @see docs/contract.md#what-a-list-shows
   */
  readonly readableBy?: readonly string[]
  /** With `readableBy`: these too, whatever their ACL. */
  readonly readableIds?: readonly Id[]
  /** With `readableBy`: everything else that is not REVOKED, too. */
  readonly readsUnrevoked?: true
}

export interface ListQuery extends Visibility {
  /** Schemas whose document is of one of these. Undefined: any. */
  readonly documentTypes?: readonly DocumentType[]
  /** Metadata that describes one of these resources. */
  readonly resources?: readonly string[]
  /** Metadata whose newest version follows one of these schemas, in whatever version. */
  readonly schemaIds?: readonly string[]
  /**
   * Only `from`: later than it. Only `until`: earlier. Both: between, both ends included.
   * @see docs/contract.md#filters-of-schemas
   */
  readonly from?: Instant
  readonly until?: Instant
  /** Default: schemas by id, metadata by `lastUpdate` descending. Equal times are ordered by id. */
  readonly sort?: Sort
}

/** `lastUpdate` ascending is the reverse of `lastUpdate` descending, records of one time included. */
export interface Sort {
  readonly by: 'id' | 'lastUpdate'
  readonly direction: 'asc' | 'desc'
}

/** A part of a list, and of which list. */
export interface ListPage<T = Revision> extends Page<T> {
  readonly limit: number
  /** Bytes that its records have together, as they are stored; where that is known. */
  readonly bytes?: number
  /** The commit whose list it is; undefined where the catalog reflects none yet. */
  readonly commit?: Oid
  /** The window began behind a place. */
  readonly continued?: true
  /** Where the next part begins, if there is one; of versions where the records of this part have as many bytes as they may. */
  readonly next?: ListCursor
}
