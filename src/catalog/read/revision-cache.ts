import { LRUCache } from 'lru-cache'
import { openAdmissionFilter } from '../../core/data-structures/admission-filter.js'
import { isPlain } from '../../core/plain-mode.js'
import type { Collection } from '../../core/records/collection.js'
import { shortPage } from '../../core/records/list-page.js'
import type { ListPage } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { recordToText } from '../../store/records/record-json.js'

/**
 * Revisions that were the newest of their record when they were read or written. A revision never changes, so it is not
 * read again if the catalog still names its commit as the newest of the record. A revision from a transaction that was
 * rolled back does no harm, because the catalog never names its commit.
 *
 * Fast path. A GET of a record takes 0.125 ms instead of 0.140 ms of processor time. Plain path: {@link
 * noRevisionCache}.
 * @see docs/decisions/011-fast-paths.md
 */
export interface RevisionCache {
  /** The last cached revision, which may no longer be the newest. */
  get(kind: Collection, id: Id): Revision | undefined
  /** Adds a revision that was written. */
  put(revision: Revision): void
  /** Adds a revision that was read, if it was read before. @param length characters of the record's JSON */
  putRead(revision: Revision, length: number): void
}

/** Limit of the size of each cache of revisions, in bytes as {@link weightOf} and {@link weightOnPage} estimate them. */
const capacity = 16 * 1024 * 1024

export function openRevisionCache(): RevisionCache {
  const cache = new LRUCache<string, Revision>({
    maxSize: capacity,
    // Enough for the longest record of a request. An update asks for it several times, and parsing it takes long.
    maxEntrySize: capacity / 4,
  })
  const admissionFilter = openAdmissionFilter()
  const keyOf = (kind: Collection, id: Id) => `${kind} ${id}`
  return {
    get: (kind, id) => cache.get(keyOf(kind, id)),
    put(revision) {
      const { length } = recordToText(revision.record)
      cache.set(keyOf(revision.kind, revision.id), revision, { size: weightOf(revision, length) })
    },
    putRead(revision, length) {
      const key = keyOf(revision.kind, revision.id)
      if (admissionFilter.seenBefore(key)) cache.set(key, revision, { size: weightOf(revision, length) })
    },
  }
}

/** The plain {@link RevisionCache}: keeps nothing, so that each revision is read when it is requested. */
export const noRevisionCache: RevisionCache = {
  get: () => undefined,
  put: () => undefined,
  putRead: () => undefined,
}

/** Estimated bytes of a revision in memory, with its record as text and as parsed values. */
function weightOf(revision: Revision, length: number): number {
  return 1000 + 3 * length + revision.files.size * 150
}

/** Reads the rows of a page, with the sizes of their records. */
export type ReadRows<T> = (revs: readonly number[]) => readonly Sized<T>[]

export interface Sized<T> {
  readonly item: T
  readonly bytes: number
}

/**
 * Revisions that pages of current lists have shown, by their row numbers. In one build of the catalog, a row never
 * changes. The rendered record is kept with its revision.
 *
 * Fast path: a page of 20 that was shown before takes 0.18 ms instead of 0.43 ms of processor time. Plain path: each
 * page reads its rows.
 * @see docs/decisions/011-fast-paths.md
 */
interface PageRevisionCache {
  /**
   * The revisions of the given rows, in their order.
   * @param identity of the build of the catalog
   * @param readRows reads the revisions that are not cached, in the order of the row numbers
   */
  read(identity: string, revs: readonly number[], readRows: ReadRows<Revision>): readonly Sized<Revision>[]
}

/** Limit of a record that is kept, in bytes. */
const maxRecordBytes = 4096

export const openPageRevisionCache = (): PageRevisionCache => (isPlain ? noPageRevisionCache : openCache())

function openCache(): PageRevisionCache {
  const cache = new LRUCache<number, Sized<Revision>>({ maxSize: capacity })
  const admission = openAdmissionFilter()
  let build = ''

  function keep(rev: number, read: Sized<Revision>): void {
    if (read.bytes > maxRecordBytes || !admission.seenBefore(String(rev))) return
    cache.set(rev, read, { size: weightOnPage(read) })
  }

  return {
    read(identity, revs, readRows) {
      if (identity !== build) cache.clear()
      build = identity
      const missing = revs.filter(rev => !cache.has(rev))
      if (missing.length === 0) return revs.map(rev => cache.get(rev) as Sized<Revision>)
      const rows = readRows(missing)
      const read = new Map(missing.map((rev, index) => [rev, rows[index] as Sized<Revision>]))
      const page = revs.map(rev => read.get(rev) ?? (cache.get(rev) as Sized<Revision>))
      for (const [rev, row] of read) keep(rev, row)
      return page
    },
  }
}

const noPageRevisionCache: PageRevisionCache = { read: (_identity, revs, readRows) => readRows(revs) }

/** Estimated bytes of a revision in memory: its record as text, as parsed values, and as two versions render it. */
function weightOnPage({ item, bytes }: Sized<Revision>): number {
  return 2000 + 6 * bytes + item.files.size * 150
}

/** Limit of the pages that are kept, in bytes as {@link weightOnPage} estimates them: more than a thousand of one record. */
const maxPageBytes = 8 * 1024 * 1024
/** Limit in bytes of the records of a page that is kept. */
const maxBytes = 64 * 1024

/**
 * Short pages of current lists, until the catalog changes. The rendered text is kept with its page.
 *
 * Fast path: the first page of 20, unchanged, takes 0.16 ms instead of 0.28 ms of processor time. Plain path: each page is
 * found anew.
 * @see docs/decisions/011-fast-paths.md
 */
export function openPageCache() {
  const pages = new LRUCache<string, ListPage<Revision>>({ maxSize: maxPageBytes })
  let known = ''
  return {
    /**
     * @param state of the catalog, which changes with each commit
     * @param name of the page: its query and its limits
     * @param find reads the page; undefined if another thread has to read it
     */
    read<T extends ListPage<Revision> | undefined>(state: string, name: string, find: () => T) {
      if (state !== known) pages.clear()
      known = state
      const found = pages.get(name)
      if (found) return found
      const page = find()
      if (!isPlain && page && isShort(page)) pages.set(name, page, { size: weightOfPage(page) })
      return page
    },
  }
}

function isShort({ items, bytes = 0 }: ListPage<Revision>): boolean {
  return items.length <= shortPage && bytes <= maxBytes
}

/** Estimated bytes of a page in memory, with its name and its text. */
function weightOfPage({ items, bytes = 0 }: ListPage<Revision>): number {
  return items.reduce((sum, item) => sum + weightOnPage({ item, bytes: 0 }), 1000 + 6 * bytes)
}
