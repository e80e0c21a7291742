import { ProblemError } from '../../core/problem.js'
import type { Collection, DocumentType } from '../../core/records/collection.js'
import type { Id, Instant, Oid, Sha1 } from '../../core/value-types.js'
import { openWorkerThread, ThreadEnded } from '../../store/process/worker-thread.js'
import { recordFromText, recordToText } from '../../store/records/record-json.js'
import type { WrittenRevision } from '../../store/write/catalog-interface.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import type { VersionPlacement } from '../replay/revision-rows.js'
import type { IndexedPosition } from './indexed-position.js'

/**
 * A connection of its own in another thread, which writes what a flush did while that is made durable: a quarter of all that
 * a create took of the event loop. One transaction at a time; nobody else may have one open meanwhile.
 */
export interface BackgroundWriter {
  /**
   * Begins a transaction and writes all of it.
   * @param from what the catalog reflects
   * @param commits the revisions of each, in their order
   * @returns what {@link RecordRows.apply} says of each revision
   * @throws ProblemError `unavailable`, where the thread ended too, or `no-space`; whatever else it meets. Then there is no
   *   transaction
   */
  prepare(
    from: IndexedPosition,
    to: IndexedPosition,
    commits: readonly (readonly WrittenRevision[])[],
  ): Promise<WrittenPlacements>
  /** @throws as above; the transaction may be open still */
  commit(): Promise<void>
  rollback(): Promise<void>
  /** Closes the connection; the next transaction opens another one. Before the file is deleted. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

export type WrittenPlacements = readonly (VersionPlacement | undefined)[]

/**
 * As two texts: to clone those costs a fraction of what cloning all they say does. Records are JSON already, which would be
 * spelled and read twice inside other JSON.
 */
export interface PackedCommits {
  readonly commits: string
  /** Of the revisions that have one, in their order. */
  readonly records: string
}

/** A revision as JSON, without its record. */
interface SentRevision {
  readonly kind: Collection
  readonly id: Id
  readonly commit: Oid
  readonly time: Instant
  readonly state?: {
    readonly recordBlob: Oid
    readonly documentType: DocumentType
    readonly documentHash: Sha1
    /** Path and blob, in turn. */
    readonly files: readonly string[]
  }
}

export type BackgroundWriterJob =
  | {
      readonly do: 'prepare'
      readonly file: string
      readonly from: IndexedPosition
      readonly to: IndexedPosition
      /** {@link packCommits} */
      readonly commits: PackedCommits
    }
  | { readonly do: 'commit' | 'rollback' | 'disconnect' }

/** @param file that of `database` */
export function openBackgroundWriter(
  file: string,
  database: Pick<DatabaseFile, 'toProblem'>,
): BackgroundWriter {
  const thread = openWorkerThread<BackgroundWriterJob, WrittenPlacements>(
    new URL('./background-writer-thread.js', import.meta.url),
  )
  let started = false

  async function run(job: BackgroundWriterJob): Promise<WrittenPlacements> {
    started = true
    try {
      return await thread.run(job)
    } catch (thrown) {
      if (!(thrown instanceof ThreadEnded)) throw database.toProblem(thrown)
      const message = `The catalog could not be written: ${thrown.message} Try again.`
      throw new ProblemError('unavailable', message, { retryAfter: 2 }, { cause: thrown })
    }
  }

  async function disconnect(): Promise<void> {
    if (!started) return
    try {
      await run({ do: 'disconnect' })
    } catch {
      // That ends the connection as well.
      await thread.close()
    }
  }

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

/** Stands in no JSON. */
const separator = '\0'

function packCommits(commits: readonly (readonly WrittenRevision[])[]): PackedCommits {
  const records: string[] = []
  for (const { state } of commits.flat()) if (state) records.push(recordToText(state.record))
  return {
    commits: JSON.stringify(commits.map(revisions => revisions.map(sent))),
    records: records.join(separator),
  }
}

export function unpackCommits(packed: PackedCommits): readonly (readonly WrittenRevision[])[] {
  const records = packed.records.split(separator).values()
  return (JSON.parse(packed.commits) as readonly (readonly SentRevision[])[]).map(revisions =>
    revisions.map(revision => received(revision, records)),
  )
}

function sent({ kind, id, commit, time, state }: WrittenRevision): SentRevision {
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

function received({ state, ...revision }: SentRevision, records: Iterator<string>): WrittenRevision {
  if (!state) return revision
  const record = recordFromText(records.next().value as string)
  const files = new Map<string, Oid>()
  for (let at = 0; at < state.files.length; at += 2)
    files.set(state.files[at] as string, state.files[at + 1] as Oid)
  return { ...revision, state: { ...state, record, files } }
}
