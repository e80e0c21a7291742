import type { Id, Oid } from '../value-types.js'
import type { ListFilters } from './list-filters.js'
import type { ListCursor, Page } from './list-page.js'
import type { Revision } from './revision.js'

/** Restricts a list to visible records. Without any member, all records are visible. */
export interface Visibility {
  /**
   * Only records with an ACL entry for one of these subjects, with READ or more, or with ADMINISTRATE if the record is
   * REVOKED.
   */
  readonly readableBy?: readonly string[]
  /** With `readableBy`: these records too, independent of their ACLs. */
  readonly readableIds?: readonly Id[]
  /** With `readableBy`: all records that are not REVOKED, too. */
  readonly readsUnrevoked?: true
}

export interface ListQuery extends Visibility, ListFilters {
  /** Default: schemas by id, metadata by `lastUpdate` descending. Equal times are ordered by id. */
  readonly sort?: Sort
}

/**
 * The order of a list. `lastUpdate` ascending is the reverse of `lastUpdate` descending, records of one time
 * included.
 */
export interface Sort {
  readonly by: 'id' | 'lastUpdate'
  readonly direction: 'asc' | 'desc'
}

/** A part of a list, and the commit at which the list was read. */
export interface ListPage<T = Revision> extends Page<T> {
  readonly limit: number
  /** Sum of the bytes of the stored records, if known. */
  readonly bytes?: number
  /** The commit at which the list was read; undefined if the catalog is empty. */
  readonly commit?: Oid
  /** The request has a cursor (`after`). */
  readonly continued?: true
  /** The place after which the next part begins, if any. For versions: only if this part ends at the limit of bytes. */
  readonly next?: ListCursor
}
