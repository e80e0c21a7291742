import type { Collection } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id } from '../../core/value-types.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import { type RevisionRow, toRevision } from './revision-row.js'

/**
 * Reads newest revisions in another thread, where many are asked for in one turn of the event loop: together, as asking a
 * thread for one costs more than reading it.
 */
export interface RevisionBatchReader {
  /**
   * What is committed by now.
   * @returns undefined where it has to be read as anything else is: few are asked for, there is no such record, or the
   *   catalog cannot be read
   */
  newest(kind: Collection, id: Id, along: RevisionExtras): Promise<BatchedRevision | undefined>
  /** Closes the connection; the next question opens another one. Before the file is deleted. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

/** What is wanted along with a revision, where that is no detour. */
export interface RevisionExtras {
  /** The bytes of its document, where they are few and lie in a pack. */
  readonly document?: boolean
  /** What the revision is shown as, and in which way: the script of the thread knows what that means. */
  readonly shownAs?: string
  /** False: the record is not needed, and the revision may come without it. */
  readonly record?: boolean
}

export interface BatchedRevision {
  readonly revision: Revision
  readonly document?: Buffer
  readonly shown?: string
}

export interface ReaderThreadOptions {
  /** Of the threads: it calls {@link serveRevisionBatches}. */
  readonly script: URL
  /** Where the packs are. */
  readonly gitDir: string
}

export type RevisionBatchJob =
  | {
      readonly do: 'read'
      readonly file: string
      readonly gitDir: string
      readonly asked: readonly AskedRevision[]
    }
  | { readonly do: 'disconnect' }

export type AskedRevision = readonly [
  kind: Collection,
  id: Id,
  document: boolean,
  shownAs: string | undefined,
  record: boolean,
]

/** Of each revision, in the order they were asked for; undefined: there is none, or it was not wanted. */
export interface RevisionBatchResult {
  readonly rows: readonly (RevisionRow | undefined)[]
  readonly shown: readonly (string | undefined)[]
  /** All documents, one after the other. */
  readonly documents: Uint8Array
  /** Bytes of each. */
  readonly lengths: readonly (number | undefined)[]
}

interface Waiting {
  readonly asked: AskedRevision
  readonly resolve: (read: BatchedRevision | undefined) => void
}

/** Questions from which on the other thread is asked. */
const fewest = 4
/** Questions that are handed over at once: it reads while more of them come. */
const most = 16
/** Groups that it is at, or has before it. */
const enough = 2

/**
 * @param file that of `database`
 * @param options undefined: reads are not batched
 */
export function openRevisionBatchReader(
  file: string,
  database: Pick<DatabaseFile, 'usable'>,
  options: ReaderThreadOptions | undefined,
): RevisionBatchReader {
  if (!options) return alone
  const { script, gitDir } = options
  const thread = openWorkerThread<RevisionBatchJob, RevisionBatchResult>(script, 'ahead')
  let waiting: Waiting[] = []
  let isPlanned = false
  /** Groups that have not been answered. */
  let underWay = 0
  let started = false
  let closed = false

  /** Few wait for more of them, as long as the thread has enough to do. */
  function endTurn(): void {
    isPlanned = false
    if (waiting.length === 0 || underWay >= enough) return
    if (underWay > 0 || waiting.length >= fewest) ask()
    else leave(waiting.splice(0))
  }

  function ask(): void {
    const batch = waiting
    waiting = []
    if (closed || !database.usable) {
      leave(batch)
      return
    }
    started = true
    underWay += 1
    thread
      .run({ do: 'read', file, gitDir, asked: batch.map(({ asked }) => asked) })
      .finally(() => {
        underWay -= 1
        if (!isPlanned) endTurn()
      })
      .then(
        result => settle(batch, result),
        // The event loop reads it then, meets the same error and reports it.
        () => leave(batch),
      )
  }

  async function disconnect(): Promise<void> {
    if (started) await thread.run({ do: 'disconnect' }).catch(() => thread.close())
  }

  return {
    newest: (kind, id, { document = false, shownAs, record = true }) =>
      new Promise(resolve => {
        waiting.push({ asked: [kind, id, document, shownAs, record], resolve })
        if (waiting.length >= most) ask()
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

const alone: RevisionBatchReader = {
  newest: () => Promise.resolve(undefined),
  disconnect: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

function leave(batch: readonly Waiting[]): void {
  for (const { resolve } of batch) resolve(undefined)
}

function settle(batch: readonly Waiting[], { rows, shown, documents, lengths }: RevisionBatchResult): void {
  let end = 0
  for (const [at, { resolve }] of batch.entries()) {
    const row = rows[at]
    const text = shown[at]
    const length = lengths[at]
    const document =
      length === undefined ? undefined : Buffer.from(documents.buffer, documents.byteOffset + end, length)
    end += length ?? 0
    resolve(
      row && {
        revision: toRevision(row),
        ...(document && { document }),
        ...(text !== undefined && { shown: text }),
      },
    )
  }
}
