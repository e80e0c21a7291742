import type { Revision } from '../../core/records/revision.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import { runJobLoop } from '../../store/workers/job-loop.js'
import { openCatalogInThread } from '../database/open-catalog-file.js'
import type { Connection, Statement } from '../database/sqlite-connection.js'
import type { PageJob, PageResult } from './long-list-reader.js'
import type { RevisionBatchJob, RevisionBatchResult } from './revision-batch-reader.js'
import { openRevisionCache } from './revision-cache.js'
import { openQueries } from './revision-queries.js'
import { newestSql, newestWithoutRecordSql, type RevisionRow, toRevision } from './revision-row.js'
import { openRowReaders } from './row-readers.js'

interface Opened {
  readonly connection: Connection
  readonly newest: Statement<RevisionRow>
  readonly withoutRecord: Statement<RevisionRow>
  readonly packs: PackReader
}

/** Limit of a document that is sent to the main thread, in bytes. The main thread has a cache for larger documents. */
const maxDocumentBytes = 32 * 1024

/**
 * Milliseconds without a request after which packs are closed, so that the disk space of deleted packs becomes free.
 */
const millisecondsUntilIdle = 5000

/**
 * The code of the threads behind {@link openRevisionBatchReader} and {@link openLongLists}.
 * @param render renders a revision in the representation `as`
 */
export function serveRevisionBatches(render: (revision: Revision, as: string) => string): void {
  let opened: Opened | undefined
  const idle = setTimeout(() => opened?.packs.close(), millisecondsUntilIdle).unref()

  function read({ file, gitDir, requested }: Extract<RevisionBatchJob, { do: 'read' }>): RevisionBatchResult {
    opened ??= open(file, gitDir)
    const { connection, newest, withoutRecord, packs } = opened
    const rows = connection.transaction('DEFERRED', () =>
      requested.map(([kind, id, , renderAs, record]) =>
        (record || renderAs !== undefined ? newest : withoutRecord).get(kind, id),
      ),
    )
    packs.refresh()
    idle.refresh()
    const revisions = rows.map(row => row && toRevision(row))
    const documents = requested.map(([, , document], index) => {
      const revision = revisions[index]
      return revision && document ? packs.read(revision.document, maxDocumentBytes)?.bytes : undefined
    })
    const rendered = requested.map(([, , , renderAs], index) => {
      const revision = revisions[index]
      return revision && renderAs !== undefined ? render(revision, renderAs) : undefined
    })
    return { rows, rendered, documents: joined(documents), lengths: documents.map(bytes => bytes?.length) }
  }

  const longLists = openLongListAnswers(render)
  runJobLoop((job: RevisionBatchJob | PageJob): RevisionBatchResult | PageResult | Promise<PageResult> => {
    if (job.do === 'read') return read(job)
    if (job.do !== 'disconnect') return longLists.answer(job)
    longLists.close()
    opened?.connection.close()
    opened?.packs.close()
    opened = undefined
    return { rows: [], rendered: [], documents: new Uint8Array(), lengths: [] }
  })
}

function open(file: string, gitDir: string): Opened {
  const connection = openCatalogInThread(file)
  return {
    connection,
    newest: connection.prepare(newestSql),
    withoutRecord: connection.prepare(newestWithoutRecordSql),
    packs: openPackReader(gitDir),
  }
}

/** Copies to a new buffer: a message with a part of an `ArrayBuffer` would contain the whole of it. */
function joined(parts: readonly (Buffer | undefined)[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + (part?.length ?? 0), 0))
  let end = 0
  for (const part of parts) {
    if (!part) continue
    all.set(part, end)
    end += part.length
  }
  return all
}

/**
 * The code of the thread behind {@link openLongLists}: finds pages in the committed state and renders their records.
 * @param render renders a revision in the representation `as`
 */
export function openLongListAnswers(render: (revision: Revision, as: string) => string) {
  let opened:
    | {
        readonly connection: Connection
        readonly queries: ReturnType<typeof openQueries>
        readonly readRows: ReturnType<typeof openRowReaders>
      }
    | undefined

  function open(file: string) {
    if (opened) return opened
    const connection = openCatalogInThread(file)
    const queries = openQueries(connection, openRevisionCache())
    opened = { connection, queries, readRows: openRowReaders(queries.rows) }
    return opened
  }

  function page({ file, kind, of, window }: Extract<PageJob, { do: 'page' }>): PageResult {
    const { queries } = open(file)
    const identity = queries.identity()
    const found =
      'id' in of ? queries.versionRows(kind, of.id, window) : queries.listedRows(kind, of.query, window)
    // Row numbers differ between builds of the catalog.
    if (queries.identity() !== identity) throw new Error('The catalog was rebuilt meanwhile.')
    return { identity, ...(found && { page: found }) }
  }

  function piece({ file, identity, revs, renderAs }: Extract<PageJob, { do: 'piece' }>): PageResult {
    const { connection, queries } = open(file)
    return connection.transaction('DEFERRED', () => {
      if (queries.identity() !== identity) throw new Error('The catalog was rebuilt meanwhile.')
      return {
        text: queries
          .revisionsOf(revs)
          .map(revision => render(revision, renderAs))
          .join(','),
      }
    })
  }

  async function readRows({
    file,
    script,
    query,
  }: Extract<PageJob, { do: 'read rows' }>): Promise<PageResult> {
    return { read: await open(file).readRows(script, query) }
  }

  return {
    answer(job: Exclude<PageJob, { do: 'disconnect' }>): PageResult | Promise<PageResult> {
      if (job.do === 'read rows') return readRows(job)
      return job.do === 'page' ? page(job) : piece(job)
    },
    close(): void {
      opened?.connection.close()
      opened = undefined
    },
  }
}
