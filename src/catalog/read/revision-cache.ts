import { LRUCache } from 'lru-cache'
import { openDoorkeeper } from '../../core/data-structures/admission-filter.js'
import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { recordToText } from '../../store/records/record-json.js'

/**
 * Revisions that were the newest of their record when they were read or written. A revision is told by its commit and
 * its record and never changes, so a known commit need not be read again. A revision of a transaction that was
 * rolled back is never looked up.
 */
export interface RevisionCache {
  /** The last one that was known, whether or not it still is the newest. */
  get(kind: Collection, id: Id): Revision | undefined
  /** One that was written. */
  put(revision: Revision): void
  /** One that had to be read: it is kept from the second time on. @param length of the record as JSON, which is not looked at */
  putRead(revision: Revision, length: number): void
}

/** Bytes that are kept at most, as {@link weightOf} counts them. */
const capacity = 16 * 1024 * 1024

export function openRevisionCache(): RevisionCache {
  const kept = new LRUCache<string, Revision>({
    maxSize: capacity,
    // The longest record that a request may have: one update asks for it several times, and to parse it takes 10 ms.
    maxEntrySize: capacity / 4,
  })
  const doorkeeper = openDoorkeeper()
  const keyOf = (kind: Collection, id: Id) => `${kind} ${id}`
  return {
    get: (kind, id) => kept.get(keyOf(kind, id)),
    put(revision) {
      const { length } = recordToText(revision.record)
      kept.set(keyOf(revision.kind, revision.id), revision, { size: weightOf(revision, length) })
    },
    putRead(revision, length) {
      const key = keyOf(revision.kind, revision.id)
      if (doorkeeper.seenBefore(key)) kept.set(key, revision, { size: weightOf(revision, length) })
    },
  }
}

/** What a revision takes in memory, roughly; its record as text and as what it is parsed to. */
function weightOf(revision: Revision, length: number): number {
  return 1000 + 3 * length + revision.files.size * 150
}
