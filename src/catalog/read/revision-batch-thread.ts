import type { Revision } from '../../core/records/revision.js'
import { openPackReader, type PackReader } from '../../store/packs/pack-reader.js'
import { runJobLoop } from '../../store/process/thread-job-loop.js'
import { type Connection, openToRead, type Statement } from '../database/sqlite-connection.js'
import { tableVersion } from '../database/table-definitions.js'
import type { PageJob, PageResult } from './long-list-reader.js'
import { openLongListAnswers } from './long-list-thread.js'
import type { RevisionBatchJob, RevisionBatchResult } from './revision-batch-reader.js'
import { newestSql, newestWithoutRecordSql, type RevisionRow, toRevision } from './revision-row.js'

interface Opened {
  readonly connection: Connection
  readonly newest: Statement<RevisionRow>
  readonly withoutRecord: Statement<RevisionRow>
  readonly packs: PackReader
}

/** Bytes of documents that are worth copying to the event loop; it keeps larger ones that are asked for often. */
const mostBytes = 32 * 1024

/** Milliseconds without a question after which packs are let go of: what git has deleted is on the disk until then. */
const untilIdle = 5000

/**
 * The inside of the threads that {@link openRevisionBatchReader} and {@link openLongLists} ask: reads newest revisions of what is committed, and what is wanted
 * along with them.
 * @param show what a revision is shown as, in the way `as`
 */
export function serveRevisionBatches(show: (revision: Revision, as: string) => string): void {
  let opened: Opened | undefined
  const idle = setTimeout(() => opened?.packs.close(), untilIdle).unref()

  function read({ file, gitDir, asked }: Extract<RevisionBatchJob, { do: 'read' }>): RevisionBatchResult {
    opened ??= open(file, gitDir)
    const { connection, newest, withoutRecord, packs } = opened
    const rows = connection.transaction('DEFERRED', () =>
      asked.map(([kind, id, , shownAs, record]) =>
        (record || shownAs !== undefined ? newest : withoutRecord).get(kind, id),
      ),
    )
    packs.look()
    idle.refresh()
    const revisions = rows.map(row => row && toRevision(row))
    const documents = asked.map(([, , document], at) => {
      const revision = revisions[at]
      return revision && document ? packs.read(revision.document, mostBytes)?.bytes : undefined
    })
    const shown = asked.map(([, , , shownAs], at) => {
      const revision = revisions[at]
      return revision && shownAs !== undefined ? show(revision, shownAs) : undefined
    })
    return { rows, shown, documents: joined(documents), lengths: documents.map(bytes => bytes?.length) }
  }

  const longLists = openLongListAnswers(show)
  runJobLoop((job: RevisionBatchJob | PageJob): RevisionBatchResult | PageResult => {
    if (job.do === 'read') return read(job)
    if (job.do !== 'disconnect') return longLists.answer(job)
    longLists.close()
    opened?.connection.close()
    opened?.packs.close()
    opened = undefined
    return { rows: [], shown: [], documents: new Uint8Array(), lengths: [] }
  })
}

function open(file: string, gitDir: string): Opened {
  const connection = openToRead(file, tableVersion)
  if (!connection) throw new Error(`The catalog ${file} cannot be read as it is.`)
  connection.keepPages()
  return {
    connection,
    newest: connection.prepare(newestSql),
    withoutRecord: connection.prepare(newestWithoutRecordSql),
    packs: openPackReader(gitDir),
  }
}

/** Copies to memory of its own: posting a part of an `ArrayBuffer` posts all of it. */
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
