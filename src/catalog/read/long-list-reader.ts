import type { Client } from '../../core/access-control.js'
import type { Collection } from '../../core/records/collection.js'
import type { PageRequest } from '../../core/records/list-page.js'
import type { ListPage, ListQuery } from '../../core/records/list-query.js'
import type { Revision } from '../../core/records/revision.js'
import { openFairQueue, type Waiting } from '../../core/scheduling/fair-queue.js'
import type { Id } from '../../core/value-types.js'
import { openWorkerThread } from '../../store/process/worker-thread.js'
import type { DatabaseFile } from '../database/sqlite-file.js'
import type { Rows, SizedRow } from './queries.js'
import type { ReaderThreadOptions } from './revision-batch-reader.js'

/**
 * Parts of lists that are long, or take long to find: a thread of its own finds them and renders their records. Clients take
 * turns.
 */
export interface LongLists {
  /**
   * What is committed by now.
   * @returns undefined where it has to be read as anything else is: there is no such list, or the catalog cannot be read
   */
  list(kind: Collection, query: ListQuery, cut: PageRequest, show: Show): Promise<LongList | undefined>
  /** The newest revision of every version likewise. */
  versions(kind: Collection, id: Id, cut: PageRequest, show: Show): Promise<LongList | undefined>
  /** Closes the connection; the next question opens another one. Before the file is deleted. */
  disconnect(): Promise<void>
  close(): Promise<void>
}

export interface Show {
  /** As {@link RevisionExtras.shownAs}. */
  readonly shownAs: string
  /** Undefined: it is for no client. */
  readonly client: Client | undefined
}

/** A part of a list whose records are rendered when they are asked for. */
export interface LongList extends ListPage<SizedRow> {
  /**
   * The records as JSON texts with commas between them, in pieces. Each is rendered when the one before has been taken.
   * @throws ProblemError; Error where the catalog was made anew meanwhile
   */
  pieces(): AsyncGenerator<string, void>
  /** The records themselves, read on the event loop: for few. @throws as `pieces` */
  revisions(): readonly Revision[]
}

export type PageJob =
  | {
      readonly do: 'page'
      readonly file: string
      readonly kind: Collection
      readonly of: { readonly query: ListQuery } | { readonly id: Id }
      readonly cut: PageRequest
    }
  | {
      readonly do: 'piece'
      readonly file: string
      readonly identity: string
      readonly revs: readonly number[]
      readonly shownAs: string
    }
  | { readonly do: 'disconnect' }

export type PageResult =
  | { readonly page?: ListPage<SizedRow>; readonly identity: string }
  | { readonly text: string }

interface Job extends Waiting {
  start(): Promise<unknown>
}

/** Jobs that the thread is at, or has before it. */
const enough = 2
/** Bytes of records, as they are stored, that make a piece, unless one alone is longer. */
const pieceBytes = 64 * 1024
/** Revisions of a piece: what short records are shown as is longer than they are. */
const mostRevisions = 256

/**
 * @param file that of `database`
 * @param options undefined: no caller asks for long ones
 * @param rows on the readers' connection
 */
export function openLongLists(
  file: string,
  database: Pick<DatabaseFile, 'usable' | 'toProblem'>,
  options: ReaderThreadOptions | undefined,
  rows: Pick<Rows, 'identity' | 'revisionsOf'>,
): LongLists {
  if (!options) return none
  const thread = openWorkerThread<PageJob, PageResult>(options.script, 'ahead')
  const waiting = openFairQueue<Job>()
  let underWay = 0
  let started = false
  let closed = false

  function next(): void {
    while (underWay < enough) {
      const job = waiting.take()
      if (!job) return
      underWay += 1
      void job.start().finally(() => {
        underWay -= 1
        next()
      })
    }
  }

  function run(job: PageJob, client: Client | undefined): Promise<PageResult> {
    return new Promise((resolve, reject) => {
      waiting.add({
        client: client?.key ?? '',
        isUrgent: false,
        async start() {
          if (client?.signal?.aborted || closed) return reject(new Error('The client has gone.'))
          started = true
          await thread.run(job).then(resolve, reject)
        },
      })
      next()
    })
  }

  async function find(
    job: Omit<Extract<PageJob, { do: 'page' }>, 'do' | 'file'>,
    { shownAs, client }: Show,
  ): Promise<LongList | undefined> {
    if (closed || !database.usable) return undefined
    // The event loop reads it again where this fails, and reports the failure.
    const found = await run({ do: 'page', file, ...job }, client).catch(() => undefined)
    if (!found || !('page' in found) || !found.page) return undefined
    const { page, identity } = found

    async function* pieces(): AsyncGenerator<string, void> {
      let isFirst = true
      for (const revs of piecesOf(page.items)) {
        const piece = await run({ do: 'piece', file, identity, revs, shownAs }, client).catch(
          (thrown: unknown) => {
            throw database.toProblem(thrown)
          },
        )
        if (!('text' in piece)) throw new Error('The thread of long lists answered something else.')
        yield isFirst ? piece.text : `,${piece.text}`
        isFirst = false
      }
    }
    function revisions(): readonly Revision[] {
      const read = rows.revisionsOf(page.items.map(([rev]) => rev))
      // Rows that were read before the catalog was made anew are not used.
      if (rows.identity() !== identity) throw new Error('The catalog was made anew meanwhile.')
      return read
    }
    return { ...page, pieces, revisions }
  }

  async function disconnect(): Promise<void> {
    if (started) await thread.run({ do: 'disconnect' }).catch(() => thread.close())
  }

  return {
    list: (kind, query, cut, show) => find({ kind, of: { query }, cut }, show),
    versions: (kind, id, cut, show) => find({ kind, of: { id }, cut }, show),
    disconnect,
    async close() {
      closed = true
      await disconnect()
      await thread.close()
    },
  }
}

/** The rows of each piece. */
function* piecesOf(rows: readonly SizedRow[]): Generator<readonly number[]> {
  let revs: number[] = []
  let sum = 0
  for (const [rev, bytes] of rows) {
    if (revs.length > 0 && (revs.length === mostRevisions || sum + bytes > pieceBytes)) {
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
  disconnect: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
