import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { openWorkerThread } from '../../store/workers/worker-thread.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import { type RevisionRow, toRevision } from './revision-row.js'

/**
 * Reads newest revisions in another thread if many are requested in one iteration of the event loop. They are read in
 * batches, because a message to a thread costs more than reading one revision.
 *
 * Fast path. Benchmarks "GET of a record" and "GET of a document": the main thread takes 54 µs instead of 92 µs for a
 * record, and 55 µs instead of 122 µs for a document. Plain path: {@link noBatchReader}.
 * @see docs/decisions/011-fast-paths.md
 */
export interface RevisionBatchReader {
  /**
   * The newest committed revision of a record.
   * @returns undefined if the caller has to read it: few are requested, there is no such record, or the thread failed
   */
  newest(kind: Collection, id: Id, extras: RevisionExtras): Promise<BatchedRevision | undefined>
  /** Closes the connection; the next request opens another one. Call it before the file is deleted. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

/** What to read or render with a revision. */
export interface RevisionExtras {
  /** Reads the bytes of the document, if they are few and in a pack. */
  readonly document?: boolean
  /** Renders the revision in this representation, which the script of the thread defines. */
  readonly renderAs?: string
  /** Whether to read the record itself; default: true. */
  readonly record?: boolean
}

export interface BatchedRevision {
  readonly revision: Revision
  readonly document?: Buffer
  readonly rendered?: string
}

export interface ReaderThreadOptions {
  /** The script of the threads, which calls {@link serveRevisionBatches}. */
  readonly script: URL
  /** The folder with the packs. */
  readonly gitDir: string
}

export type RevisionBatchJob =
  | {
      readonly do: 'read'
      readonly file: string
      readonly gitDir: string
      readonly requested: readonly RequestedRevision[]
    }
  | { readonly do: 'disconnect' }

type RequestedRevision = readonly [
  kind: Collection,
  id: Id,
  document: boolean,
  renderAs: string | undefined,
  record: boolean,
]

/** What was read for each request, in their order; undefined if there is no such revision or it was not requested. */
export interface RevisionBatchResult {
  readonly rows: readonly (RevisionRow | undefined)[]
  readonly rendered: readonly (string | undefined)[]
  /** All documents, one after the other. */
  readonly documents: Uint8Array
  /** Length of each document in `documents`, in bytes. */
  readonly lengths: readonly (number | undefined)[]
}

interface Waiting {
  readonly requested: RequestedRevision
  readonly resolve: (read: BatchedRevision | undefined) => void
}

/** With fewer requests, a message to the thread costs more than it saves. */
const minRequests = 4
/** Limit of the requests in a batch: the thread reads while more requests come in. */
const maxRequests = 16
/** Limit of the batches in the thread: one is read, one waits. */
const maxRunningBatches = 2

/**
 * Opens the batch reader. Its worker thread starts with the first batch.
 * @param file path of the SQLite file of `database`, which the thread opens for itself
 * @param options undefined: there is no thread, and every call returns undefined, so that the caller reads itself
 */
export function openRevisionBatchReader(
  file: string,
  database: Pick<DatabaseFile, 'usable'>,
  options: ReaderThreadOptions | undefined,
): RevisionBatchReader {
  if (!options) return noBatchReader
  const { script, gitDir } = options
  const thread = openWorkerThread<RevisionBatchJob, RevisionBatchResult>(script, 'ahead')
  let waiting: Waiting[] = []
  let isPlanned = false
  /** Number of batches without an answer. */
  let runningBatches = 0
  let closed = false

  /** Sends the requests to the thread, or leaves few requests to the callers. They wait while the thread is busy. */
  function endTurn(): void {
    isPlanned = false
    if (waiting.length === 0 || runningBatches >= maxRunningBatches) return
    if (runningBatches > 0 || waiting.length >= minRequests) sendBatch()
    else leaveToCallers(waiting.splice(0))
  }

  function sendBatch(): void {
    const batch = waiting
    waiting = []
    if (closed || !database.usable) {
      leaveToCallers(batch)
      return
    }
    runningBatches += 1
    thread
      .run({ do: 'read', file, gitDir, requested: batch.map(({ requested }) => requested) })
      .finally(() => {
        runningBatches -= 1
        if (!isPlanned) endTurn()
      })
      .then(
        result => settle(batch, result),
        // Each caller reads its revision in the main thread, and gets the same error there.
        () => leaveToCallers(batch),
      )
  }

  const disconnect = () => thread.disconnect({ do: 'disconnect' })

  return {
    newest: (kind, id, { document = false, renderAs, record = true }) =>
      new Promise(resolve => {
        waiting.push({ requested: [kind, id, document, renderAs, record], resolve })
        if (waiting.length >= maxRequests) sendBatch()
        if (isPlanned) return
        isPlanned = true
        setImmediate(endTurn)
      }),
    disconnect,
    async close() {
      closed = true
      await disconnect()
      await thread.close()
    },
  }
}

const noBatchReader: RevisionBatchReader = {
  newest: () => Promise.resolve(undefined),
  disconnect: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

function leaveToCallers(batch: readonly Waiting[]): void {
  for (const { resolve } of batch) resolve(undefined)
}

function settle(
  batch: readonly Waiting[],
  { rows, rendered, documents, lengths }: RevisionBatchResult,
): void {
  let end = 0
  for (const [index, { resolve }] of batch.entries()) {
    const row = rows[index]
    const text = rendered[index]
    const length = lengths[index]
    const document =
      length === undefined ? undefined : Buffer.from(documents.buffer, documents.byteOffset + end, length)
    end += length ?? 0
    resolve(
      row && {
        revision: toRevision(row),
        ...(document && { document }),
        ...(text !== undefined && { rendered: text }),
      },
    )
  }
}
