import { type SchemaReference, stateOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision, ValidRevision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Instant, Oid, Version } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { prefetch } from '../../store/process/prefetch.js'
import { originalTimeOf } from '../record-history/original-time.js'

/** A commit that made a state of a record. */
export interface RecordedChange {
  readonly version: Version
  readonly commit: Oid
  /** Time of the commit, which lists show as the last update. */
  readonly time: Instant
  /** Time of the state in its first repository, if it was imported from there. */
  readonly originalTime?: Instant
  /** Name of the author of the commit. */
  readonly author: string
  /** The service made the commit for the author. Other commits were made with plain git. */
  readonly isByService: boolean
  /** First line of the commit's message. */
  readonly subject: string
  /** The schema version that validated the document of this state. */
  readonly schema?: SchemaReference
  /** The change made the record REVOKED. */
  readonly revokes: boolean
}

/** Limit of the changes of a history. A longer history has the newest ones. */
const maxChanges = 1000

/** Commits that are read at once. */
const groupSize = 64

/** The valid states of a record up to a revision, oldest first. */
export type ReadRecordHistory = (revision: Revision) => Promise<readonly RecordedChange[]>

export function openRecordHistoryReader(
  committed: Pick<CatalogQueries, 'validRevisions' | 'atVersion'>,
  history: Pick<History, 'commit'>,
): ReadRecordHistory {
  return async revision => {
    const { kind, id } = revision
    const served = revision.unserved ? [] : committed.validRevisions(revision, maxChanges)
    const states: readonly ValidRevision[] = served.length > 0 ? served : [revision]
    const changes: RecordedChange[] = []
    const pauses = openEventLoopPauses()
    for await (const [state, info] of prefetch(states.toReversed(), groupSize, ({ commit }) =>
      history.commit(commit),
    )) {
      await pauses.ifDue()
      const { version, commit, time } = state
      const originalTime = originalTimeOf(info)
      // The newest state of a schema version represents the earlier ones, which have the same document.
      const then = commit === revision.commit ? revision : committed.atVersion(kind, id, version)
      changes.push({
        version,
        commit,
        time,
        // A clock of another machine may be ahead: nothing is generated after the commit.
        ...(originalTime !== undefined && originalTime < time && { originalTime }),
        author: info.authorName,
        isByService: info.recordedAt !== undefined,
        subject: info.subject,
        ...(then?.record.schema && { schema: then.record.schema }),
        revokes: then?.commit === commit && stateOf(then.record) === 'REVOKED',
      })
    }
    return changes
  }
}
