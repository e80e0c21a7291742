import type { Catalog } from '../../../catalog/catalog.js'
import type { FeedEntry } from '../../../catalog/revision-history/change-feed.js'
import { listReadersOf } from '../../../core/access-control.js'
import { ProblemError } from '../../../core/problem.js'
import { type Collection, collections } from '../../../core/records/collection.js'
import type { Visibility } from '../../../core/records/list-query.js'
import { stateOf } from '../../../core/records/record.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import { openOneAtATime } from '../../../core/scheduling/one-at-a-time.js'
import type { Id, Oid } from '../../../core/value-types.js'

/** Number of revisions that are read at once. */
const revisionsPerRead = 2000
/** Limit of the records that a search leaves out. A query of the cluster takes at most 65,536 values. */
const maxHiddenRecords = 20_000

/** Whether a caller sees a record in lists. */
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
  /** Position of the last change on the first-parent chain. */
  readonly position: number
}

/** Tracks the records that changed after the commit that the cluster reflects. */
export function openUnreflectedChanges(catalog: Pick<Catalog, 'feed' | 'unlisted' | 'head' | 'chain'>) {
  /** The last change of each record that the cluster lacks; not of records that are new and have not changed since. */
  const changed = new Map<string, ChangedRecord>()
  /** All revisions up to this commit have been read into `changed`. */
  let readTo: Oid | undefined
  let reflectedTo = 0
  const readInTurn = openOneAtATime()

  /** Removes the changes that the cluster has by now, and reads newer ones. @throws ProblemError `unavailable` */
  async function follow(reflected: Oid): Promise<void> {
    const position = catalog.chain.positionOf(reflected)
    if (position === undefined) throw rewrittenHistoryProblem()
    const readPosition = readTo && catalog.chain.positionOf(readTo)
    // A cluster that was restored from a backup reflects an earlier commit than before.
    const beginsAnew = readPosition === undefined || readPosition < position || position < reflectedTo
    if (beginsAnew) {
      changed.clear()
      readTo = reflected
    } else if (position > reflectedTo) {
      for (const [key, record] of changed) if (record.position <= position) changed.delete(key)
    }
    reflectedTo = position
    const pauses = openEventLoopPauses()
    while (readTo !== catalog.head()) {
      const { entries, next } = partAfter(catalog.feed, readTo)
      for (const entry of entries) addTo(changed, entry, catalog.chain.positionOf(entry.commit) ?? 0)
      readTo = next
      await pauses.ifDue()
    }
  }

  async function unlistedOf(records: readonly ChangedRecord[], visibility: Visibility) {
    const pauses = openEventLoopPauses()
    const hidden: Pick<ChangedRecord, 'kind' | 'id'>[] = []
    for (const kind of collections) {
      const ids = records.flatMap(record => (record.kind === kind ? record.id : []))
      for (let start = 0; start < ids.length; start += revisionsPerRead) {
        const unlisted = catalog.unlisted(kind, ids.slice(start, start + revisionsPerRead), visibility)
        hidden.push(...unlisted.map(id => ({ kind, id })))
        await pauses.ifDue()
      }
    }
    return hidden
  }

  return {
    /**
     * Records that the cluster still has and that a caller may no longer see. The cluster is some time behind the
     * catalog, but a change of an access list takes effect at once.
     * @param reflected the commit that the cluster reflects
     * @throws ProblemError `unavailable` if the history was rewritten and the cluster is to be filled again, or if
     *   there are more than {@link maxHiddenRecords} such records
     */
    async hiddenFrom(visibility: Visibility, reflected: Oid | undefined) {
      if (reflected === undefined || reflected === catalog.head()) return []
      // A search fails only if its own reading fails.
      const records = await readInTurn(async () => {
        await follow(reflected)
        return [...changed.values()]
      }, undefined)
      const hidden = await unlistedOf(records, visibility)
      if (hidden.length > maxHiddenRecords) throw tooFarBehindProblem()
      return hidden
    },
  }
}

/** Notes a change, unless the record is new and unchanged since: the cluster then has it as it is, or not at all. */
function addTo(changed: Map<string, ChangedRecord>, { kind, id, change }: FeedEntry, position: number): void {
  const key = `${kind} ${id}`
  if (change !== 'created' || changed.has(key)) changed.set(key, { kind, id, position })
}

function partAfter(feed: Catalog['feed'], commit: Oid | undefined) {
  try {
    return feed.after(commit, revisionsPerRead)
  } catch (error) {
    if (error instanceof ProblemError && error.kind === 'not-found') throw rewrittenHistoryProblem()
    throw error
  }
}

function rewrittenHistoryProblem(): ProblemError {
  const message = 'The history was rewritten, and the search cluster is being filled again. Try again.'
  return new ProblemError('unavailable', message, { retryAfter: 10 })
}

function tooFarBehindProblem(): ProblemError {
  const message = 'The search cluster is too far behind the access lists. Try again.'
  return new ProblemError('unavailable', message, { retryAfter: 10 })
}
