import type { Catalog } from '../../catalog/catalog.js'
import { listReadersOf } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { Visibility } from '../../core/records/list-query.js'
import { stateOf } from '../../core/records/record.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../core/value-types.js'

/** Most revisions without a document in the cluster that a search checks. */
const mostPending = 2000

/** Whether a record is in the lists of a caller. */
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

/** Tracks the records that changed after the commit that the cluster reflects. */
export interface PendingChanges {
  /**
   * Records that the cluster still has and that a caller may no longer see. The cluster is some time behind the
   * catalog, but a change of an access list takes effect at once. With more than {@link mostPending} pending revisions,
   * hits are still checked, but counts may include such records.
   * @param reflected the commit that the cluster reflects
   */
  hiddenFrom(visibility: Visibility, reflected: Oid | undefined): Promise<readonly ChangedRecord[]>
}

export function openPendingChanges(catalog: Pick<Catalog, 'feed' | 'committed' | 'head'>): PendingChanges {
  let known: { readonly between: string; readonly records: readonly ChangedRecord[] } | undefined

  /** Searches between two changes share these records. */
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
    // The history was rewritten: the cluster will be filled again.
    if (error instanceof ProblemError && error.kind === 'not-found') return []
    throw error
  }
}
