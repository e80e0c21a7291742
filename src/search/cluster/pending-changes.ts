import type { Catalog } from '../../catalog/catalog.js'
import { listReadersOf } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import { stateOf } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../core/value-types.js'

/** Most revisions that the cluster lacks and that are looked at for each search. */
const mostPending = 2000

/** Whether a record is in lists of a caller. */
export function isListed(
  { record }: Revision,
  { readableBy, readableIds = [], readsUnrevoked }: Visibility,
): boolean {
  if (!readableBy || readableIds.includes(record.id)) return true
  if (readsUnrevoked && stateOf(record) !== 'REVOKED') return true
  const subjects = new Set(readableBy)
  return listReadersOf(record).some(sid => subjects.has(sid))
}

interface ChangedRecord {
  readonly kind: Collection
  readonly id: Id
}

/** Knows what changed after the commit that the cluster reflects. */
export interface PendingChanges {
  /**
   * Records that the cluster still has, and that a caller may not see any more: the cluster is some time behind the
   * catalog, but an access list counts at once. Beyond {@link mostPending} revisions, only hits are checked, not
   * counts.
   * @param reflected the commit that the cluster reflects
   */
  hiddenFrom(visibility: Visibility, reflected: Oid | undefined): Promise<readonly ChangedRecord[]>
}

export function openPendingChanges(catalog: Pick<Catalog, 'feed' | 'committed' | 'head'>): PendingChanges {
  let known: { readonly between: string; readonly records: readonly ChangedRecord[] } | undefined

  /** All searches between two changes share them. */
  function changedSince(reflected: Oid): readonly ChangedRecord[] {
    const between = `${reflected} ${catalog.head()}`
    if (known?.between !== between) {
      const entries = entriesAfter(catalog, reflected)
      const records = new Map(entries.map(({ kind, id }) => [`${kind} ${id}`, { kind, id }]))
      known = { between, records: [...records.values()] }
    }
    return known.records
  }

  return {
    async hiddenFrom(visibility, reflected) {
      if (reflected === undefined || reflected === catalog.head()) return []
      const pauses = openEventLoopPauses()
      const hidden: ChangedRecord[] = []
      for (const record of changedSince(reflected)) {
        const newest = catalog.committed.newest(record.kind, record.id)
        if (!newest || !isListed(newest, visibility)) hidden.push(record)
        await pauses.ifDue()
      }
      return hidden
    },
  }
}

function entriesAfter(catalog: Pick<Catalog, 'feed'>, commit: Oid) {
  try {
    return catalog.feed.after(commit, mostPending).entries
  } catch (error) {
    // The history was rewritten: the cluster is filled again.
    if (error instanceof ProblemError && error.kind === 'not-found') return []
    throw error
  }
}
