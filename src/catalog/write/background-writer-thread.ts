import { runJobLoop } from '../../store/workers/job-loop.js'
import { type Connection, openToWrite } from '../database/sqlite-connection.js'
import { type BackgroundWriterJob, unpackCommits, type WrittenPlacements } from './background-writer.js'
import { openRowTransaction, type RowTransaction, toRevisionInput } from './row-transaction.js'

/* Writes the rows of a flush while its objects are made durable, and commits them when the branch has moved. */

interface Opened {
  readonly connection: Connection
  readonly writer: RowTransaction
}

let opened: Opened | undefined

runJobLoop((job: BackgroundWriterJob): WrittenPlacements => {
  if (job.do === 'prepare') return prepare(job)
  if (job.do === 'commit') commit()
  else if (job.do === 'rollback') opened?.writer.rollback()
  else disconnect()
  return []
})

function open(file: string): Opened {
  const connection = openToWrite(file)
  try {
    return { connection, writer: openRowTransaction(connection) }
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

function prepare({
  file,
  from,
  to,
  commits,
}: Extract<BackgroundWriterJob, { do: 'prepare' }>): WrittenPlacements {
  opened ??= open(file)
  const { writer } = opened
  writer.begin(from)
  try {
    const places = unpackCommits(commits).flatMap((revisions, index) =>
      writer.apply(revisions.map(revision => toRevisionInput(revision, from.sequence + index + 1))),
    )
    writer.end(to)
    return places
  } catch (thrown) {
    writer.rollback()
    throw thrown
  }
}

function commit(): void {
  if (!opened?.connection.inTransaction) throw new Error('No flush has been prepared.')
  opened.writer.commit()
}

function disconnect(): void {
  const last = opened
  opened = undefined
  last?.connection.close()
}
