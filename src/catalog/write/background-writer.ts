import { ProblemError } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { Id, Instant, Oid, Sha1 } from '../../core/value-types.js'
import { recordFromText, recordToText } from '../../store/records/record-json.js'
import { openWorkerThread, ThreadEnded } from '../../store/workers/worker-thread.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import type { VersionPlacement } from '../replay/revision-rows.js'
import type { IndexedPosition } from './row-transaction.js'

/**
 * A connection in another thread that writes the rows of a flush while the objects of the flush are made durable. There
 * is one transaction at a time, and no other connection may have a write transaction meanwhile.
 *
 * Fast path. Benchmark "durable creates through HTTP": 1.16 times the rate. Plain path: the main thread writes rows.
 * @see docs/decisions/003-catalog-in-sqlite-written-by-a-thread.md
 * @see docs/decisions/011-fast-paths.md
 */
export interface BackgroundWriter {
  /**
   * Begins a transaction and writes all rows.
   * @param from how far the catalog has read the history
   * @param to how far it has read the history after the transaction
   * @param commits the revisions of each commit, in order
   * @returns the result of {@link RecordRows.apply} for each revision
   * @throws ProblemError `unavailable` (also if the thread has ended) or `no-space`; other errors. No transaction is
   *   open after an error
   */
  prepare(
    from: IndexedPosition,
    to: IndexedPosition,
    commits: readonly (readonly WrittenRevision[])[],
  ): Promise<WrittenPlacements>
  /** Commits the transaction. @throws as `prepare`; the transaction may still be open */
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Closes the connection; the next transaction opens another one. Call it before the file is deleted. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

export type WrittenPlacements = readonly (VersionPlacement | undefined)[]

/**
 * Commits in a message to the thread. To copy two texts costs a fraction of copying the objects. Records have a text of
 * their own: as JSON text inside JSON, they would be escaped, and parsed twice.
 */
interface PackedCommits {
  readonly commits: string
  /** The records of revisions that have one, in order. */
  readonly records: string
}

/** A revision without its record, for JSON. */
interface SentRevision {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  readonly time: Instant
  readonly state?: {
    readonly recordBlob: Oid
    readonly documentType: DocumentType
    readonly documentHash: Sha1
    /** Paths and blobs, alternating. */
    readonly files: readonly string[]
  }
}

export type BackgroundWriterJob =
  | {
      readonly do: 'prepare'
      readonly file: string
      readonly from: IndexedPosition
      readonly to: IndexedPosition
      /** Result of {@link packCommits}. */
      readonly commits: PackedCommits
    }
  | { readonly do: 'commit' | 'rollback' | 'disconnect' }

/**
 * Opens the background writer. Its thread starts with the first transaction.
 * @param file path of the SQLite file of `database`, which the thread opens for itself
 */
export function openBackgroundWriter(
  file: string,
  database: Pick<DatabaseFile, 'toProblem'>,
): BackgroundWriter {
  const thread = openWorkerThread<BackgroundWriterJob, WrittenPlacements>(
    new URL('./background-writer-thread.js', import.meta.url),
  )

  async function run(job: BackgroundWriterJob): Promise<WrittenPlacements> {
    try {
      return await thread.run(job)
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw database.toProblem(thrown)
      const message = `The catalog could not be written: ${thrown.message} Try again.`
      throw new ProblemError('unavailable', message, { retryAfter: 2 }, { cause: thrown })
    }
  }

  const disconnect = () => thread.disconnect({ do: 'disconnect' })

  return {
    prepare: (from, to, commits) => run({ do: 'prepare', file, from, to, commits: packCommits(commits) }),
    async commit() {
      await run({ do: 'commit' })
    },
    async rollback() {
      await run({ do: 'rollback' })
    },
    disconnect,
    async close() {
      await disconnect()
      await thread.close()
    },
  }
}

/** A character that JSON text never contains. */
const separator = '\0'

function packCommits(commits: readonly (readonly WrittenRevision[])[]): PackedCommits {
  const records: string[] = []
  for (const { state } of commits.flat()) if (state) records.push(recordToText(state.record))
  return {
    commits: JSON.stringify(commits.map(revisions => revisions.map(toSentRevision))),
    records: records.join(separator),
  }
}

export function unpackCommits(packed: PackedCommits): readonly (readonly WrittenRevision[])[] {
  const records = packed.records.split(separator).values()
  return (JSON.parse(packed.commits) as readonly (readonly SentRevision[])[]).map(revisions =>
    revisions.map(revision => fromSentRevision(revision, records)),
  )
}

function toSentRevision({ kind, id, commit, time, state }: WrittenRevision): SentRevision {
  if (!state) return { kind, id, commit, time }
  const { recordBlob, documentType, documentHash, files } = state
  return {
    kind,
    id,
    commit,
    time,
    state: { recordBlob, documentType, documentHash, files: [...files].flat() },
  }
}

function fromSentRevision({ state, ...revision }: SentRevision, records: Iterator<string>): WrittenRevision {
  if (!state) return revision
  const record = recordFromText(records.next().value as string)
  const files = new Map<string, Oid>()
  for (let index = 0; index < state.files.length; index += 2)
    files.set(state.files[index] as string, state.files[index + 1] as Oid)
  return { ...revision, state: { ...state, record, files } }
}
