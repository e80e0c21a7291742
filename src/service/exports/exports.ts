import type { Client, Principal } from '../../core/access-control.js'
import { isPlain } from '../../core/plain-mode.js'
import type { Collection } from '../../core/records/collection.js'
import { identifierTypeOf, type SchemaReference, stateOf } from '../../core/records/record.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision, ValidRevision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import { type ExportJob, isLongRecord, runExportJob } from '../../exports/export-job.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { prefetch } from '../../store/process/prefetch.js'
import { openWorkerThread } from '../../store/workers/worker-thread.js'
import { findIfReadable } from '../access/find-record.js'
import { originalTimeOf } from '../updates/commit-messages.js'
import type { RecordWalk } from './public-records.js'

/** Services for exports. */
export interface Exports {
  /** The changes of a record up to a revision, oldest first. */
  readonly history: ReadRecordHistory
  /** All records that a caller may read. */
  readonly walk: RecordWalk
  /** Writes an export. @throws ProblemError `unavailable` if many long exports wait */
  write: ExportWriter['write']
  /** Size in bytes of a document or another file. Does not read the file. @throws MissingObject */
  blobSize(blob: Oid): Promise<number>
  /** The name and the description of the repository. */
  about(): Promise<{ readonly name?: string; readonly description?: string }>
  /**
   * The records that the related identifiers of the type INTERNAL name, if the caller may read them, by name. Lets
   * other requests run between look-ups, because a record may name thousands.
   */
  internalRecords(
    caller: Principal,
    revision: Pick<Revision, 'record'>,
  ): Promise<ReadonlyMap<string, NamedRecord>>
}

export interface NamedRecord {
  readonly kind: Collection
  readonly id: Id
}

export function openInternalRecords(committed: CatalogQueries): Exports['internalRecords'] {
  const find = (caller: Principal, name: string): NamedRecord | undefined =>
    findIfReadable(committed, caller, 'metadata', name) ?? findIfReadable(committed, caller, 'schema', name)

  return async (caller, { record }) => {
    const found = new Map<string, NamedRecord>()
    const pauses = openEventLoopPauses()
    const names = (record.relatedIdentifiers ?? [])
      .filter(related => identifierTypeOf(related) === 'INTERNAL')
      .map(({ value }) => value)
    for (const name of new Set(names)) {
      await pauses.ifDue()
      const named = find(caller, name)
      if (named) found.set(name, { kind: named.kind, id: named.id })
    }
    return found
  }
}

/**
 * Writes exports. An export of a long record takes up to a second: a thread writes them one after another, and the
 * clients take turns.
 *
 * Fast path, for fairness and not for speed: the longest record keeps the thread busy for 0.1 to 0.9 s, depending on
 * the format, and not the event loop. Plain path: the event loop writes each export.
 * @see docs/decisions/011-fast-paths.md
 */
interface ExportWriter {
  /** Writes an export. @throws ProblemError `unavailable` if many long exports wait, or the client has disconnected */
  write(job: ExportJob, client: Client | undefined): Promise<string>
  close(): Promise<void>
}

/** Limit of the long exports that wait. */
const maxWaiting = 64

export function openExportWriter(): ExportWriter {
  const thread = openWorkerThread<ExportJob, string>(new URL('./export-thread.js', import.meta.url))
  const inTurn = openOneAtATime({
    maxWaiting,
    refusal: 'Many exports of long records are waiting. Try again.',
    retryAfter: 5,
  })

  return {
    async write(job, client) {
      if (isPlain || !isLong(job)) return runExportJob(job)
      return await inTurn(() => thread.run(job), client, client?.signal)
    },
    close: thread.close,
  }
}

function isLong(job: ExportJob): boolean {
  if (isLongRecord(job.record.revision.record)) return true
  return job.write === 'crate' && job.schema !== undefined && isLongRecord(job.schema.record.revision.record)
}

/** A commit that made a valid revision of a record. */
interface RecordedChange {
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
type ReadRecordHistory = (revision: Revision) => Promise<readonly RecordedChange[]>

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
