import type { Client } from '../../core/access-control.js'
import { ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import { openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import type { Id } from '../../core/value-types.js'
import { openWorkerThread } from '../../store/workers/worker-thread.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import type { SizedRow } from './page-queries.js'
import type { ReaderThreadOptions } from './revision-batch-reader.js'
import type { ConnectionQueries } from './revision-queries.js'

/**
 * Pages of lists that are long or slow to find. A separate thread finds them and renders their records. Clients take
 * turns.
 *
 * Fast path, for fairness and not for speed: while eight clients read pages of 500 records, a GET of another client
 * takes 5 ms instead of 70 ms. Plain path: the main thread reads the page.
 * @see docs/decisions/011-fast-paths.md
 */
export interface LongLists {
  /**
   * A page of a list of committed records.
   * @returns undefined if the caller has to read the page itself, because there is no thread or it failed
   */
  list(
    kind: Collection,
    query: ListQuery,
    window: PageRequest,
    show: PageRendering,
  ): Promise<LongList | undefined>
  /** A page of the versions of a record. @returns undefined as `list`, and if there is no such record */
  versions(kind: Collection, id: Id, window: PageRequest, show: PageRendering): Promise<LongList | undefined>
  /** Runs the reader of a feature. @returns undefined as `list` */
  read(
    script: URL,
    query: unknown,
    client: Client | undefined,
  ): Promise<{ readonly read: unknown } | undefined>
  /** Closes the connection; the next request opens another one. Call it before the file is deleted. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

export interface PageRendering {
  /** As {@link RevisionExtras.renderAs}. */
  readonly renderAs: string
  /** Undefined for work of the server itself. */
  readonly client: Client | undefined
}

/** A page of a list whose records are rendered when they are read. */
export interface LongList extends ListPage<SizedRow> {
  /**
   * The records as JSON texts separated by commas, in pieces. A piece is rendered when the one before has been read.
   * @throws ProblemError; Error if the catalog was rebuilt meanwhile
   */
  pieces(): AsyncGenerator<string, void>
  /** The records, read in the main thread. Call it for few records only. @throws as `pieces` */
  revisions(): readonly Revision[]
}

export type PageJob =
  | {
      readonly do: 'page'
      readonly file: string
      readonly kind: Collection
      readonly of: { readonly query: ListQuery } | { readonly id: Id }
      readonly window: PageRequest
    }
  | {
      readonly do: 'piece'
      readonly file: string
      readonly identity: string
      readonly revs: readonly number[]
      readonly renderAs: string
    }
  | { readonly do: 'read rows'; readonly file: string; readonly script: string; readonly query: unknown }
  | { readonly do: 'disconnect' }

export type PageResult =
  | { readonly page?: ListPage<SizedRow>; readonly identity: string }
  | { readonly text: string }
  | { readonly read: unknown }

interface Job extends Waiting {
  start(): Promise<unknown>
}

/** Limit of the jobs that are in the thread at a time: one runs, one waits. */
const maxRunningJobs = 2
/** Limit of the bytes of stored records in a piece, unless a single record is longer. */
const pieceBytes = 64 * 1024
/** Limit of the revisions in a piece, because rendering makes short records much longer. */
const maxRevisionsInPiece = 256

/**
 * Opens a reader of long pages. A worker thread finds the pages and renders their records.
 * @param file path of the SQLite file of `database`, which the thread opens for itself
 * @param options undefined: there is no thread, and every call returns undefined, so that the caller reads itself
 * @param rows queries on the readers' connection
 */
export function openLongLists(
  file: string,
  database: Pick<DatabaseFile, 'usable' | 'toProblem'>,
  options: ReaderThreadOptions | undefined,
  rows: Pick<ConnectionQueries, 'identity' | 'revisionsOf'>,
): LongLists {
  if (!options) return none
  const thread = openPageThread(options)

  /**
   * Runs a job in the thread.
   * @returns undefined after a failure; then the caller reads the page in the main thread, and gets the same error
   * @throws ProblemError `unavailable` if the client has gone
   */
  async function resultOf(job: PageJob, client: Client | undefined): Promise<PageResult | undefined> {
    try {
      return await thread.run(job, client)
    } catch {
      if (client?.signal?.aborted) throw new ProblemError('unavailable', 'The client has gone.')
      return undefined
    }
  }

  async function find(
    job: Omit<Extract<PageJob, { do: 'page' }>, 'do' | 'file'>,
    { renderAs, client }: PageRendering,
  ): Promise<LongList | undefined> {
    if (thread.isClosed || !database.usable) return undefined
    const found = await resultOf({ do: 'page', file, ...job }, client)
    if (!found || !('page' in found) || !found.page) return undefined
    const { page, identity } = found

    async function* pieces(): AsyncGenerator<string, void> {
      let isFirst = true
      for (const revs of piecesOf(page.items)) {
        const piece = await thread
          .run({ do: 'piece', file, identity, revs, renderAs }, client)
          .catch((thrown: unknown) => {
            throw database.toProblem(thrown)
          })
        if (!('text' in piece)) throw new Error('The thread of long lists answered something else.')
        yield isFirst ? piece.text : `,${piece.text}`
        isFirst = false
      }
    }
    function revisions(): readonly Revision[] {
      const read = rows.revisionsOf(page.items.map(([rev]) => rev))
      // Row numbers of another build of the catalog are not valid.
      if (rows.identity() !== identity) throw new Error('The catalog was rebuilt meanwhile.')
      return read
    }
    return { ...page, pieces, revisions }
  }

  return {
    list: (kind, query, window, show) => find({ kind, of: { query }, window }, show),
    versions: (kind, id, window, show) => find({ kind, of: { id }, window }, show),
    async read(script, query, client) {
      if (thread.isClosed || !database.usable) return undefined
      const found = await resultOf({ do: 'read rows', file, script: script.href, query }, client)
      return found && 'read' in found ? found : undefined
    },
    disconnect: thread.disconnect,
    close: thread.close,
  }
}

/** Runs jobs in the thread of long lists, a few at a time. Clients take turns. */
function openPageThread(options: ReaderThreadOptions) {
  const thread = openWorkerThread<PageJob, PageResult>(options.script, 'ahead')
  const waiting = openFairQueue<Job>()
  let running = 0
  let isClosed = false

  function next(): void {
    while (running < maxRunningJobs) {
      const job = waiting.take()
      if (!job) return
      running += 1
      void job.start().finally(() => {
        running -= 1
        next()
      })
    }
  }

  const disconnect = () => thread.disconnect({ do: 'disconnect' })

  return {
    get isClosed() {
      return isClosed
    },
    /** @throws the error of the job; Error if the client disconnects while the job waits */
    run(job: PageJob, client: Client | undefined): Promise<PageResult> {
      return new Promise((resolve, reject) => {
        waiting.add({
          client: client?.key ?? '',
          isUrgent: false,
          async start() {
            if (client?.signal?.aborted || isClosed) return reject(new Error('The client has gone.'))
            await thread.run(job).then(resolve, reject)
          },
        })
        next()
      })
    },
    disconnect,
    async close() {
      isClosed = true
      await disconnect()
      await thread.close()
    },
  }
}

/** Divides rows into pieces. @returns the row numbers of each piece */
function* piecesOf(rows: readonly SizedRow[]): Generator<readonly number[]> {
  let revs: number[] = []
  let sum = 0
  for (const [rev, bytes] of rows) {
    if (revs.length > 0 && (revs.length === maxRevisionsInPiece || sum + bytes > pieceBytes)) {
      yield revs
      revs = []
      sum = 0
    }
    revs.push(rev)
    sum += bytes
  }
  if (revs.length > 0) yield revs
}

const none: LongLists = {
  list: () => Promise.resolve(undefined),
  versions: () => Promise.resolve(undefined),
  read: () => Promise.resolve(undefined),
  disconnect: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
