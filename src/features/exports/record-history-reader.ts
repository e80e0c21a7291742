import { type SchemaReference, stateOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision, ValidRevision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Instant, Oid, Version } from '../../core/value-types.js'
import { originalTimeOf } from '../../service/updates/commit-messages.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { prefetch } from '../../store/process/prefetch.js'

/** A commit that made a valid revision of a record. */
export interface RecordedChange {
  readonly version: Version
  readonly commit: Oid
  /** Time of the commit, which lists show as the last update. */
  readonly time: Instant
  /** Time at which another repository stored this revision, if it was imported from there. */
  readonly originalTime?: Instant
  /** Name of the author of the commit. */
  readonly author: string
  /** Whether the service made the commit for the author. Other commits were made with plain git. */
  readonly isByService: boolean
  /** First line of the commit's message. */
  readonly subject: string
  /** The schema version that validated the document of this revision. */
  readonly schema?: SchemaReference
  /** Whether the change made the record REVOKED. */
  readonly revokes: boolean
}

/** Limit of the changes that are read. Of a longer history, these are the newest. */
const maxChanges = 1000

/** Number of commits that are read at once. */
const groupSize = 64

/** Reads the commits that made the valid revisions of a record, up to a given revision, oldest first. */
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
      // Several revisions of a schema can be one version, with the same document: the newest stands for all.
      const then = commit === revision.commit ? revision : committed.atVersion(kind, id, version)
      changes.push({
        version,
        commit,
        time,
        // The clock of another machine may be ahead: an original time after the commit is left out.
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
