import { answerJobs } from '../../store/process/thread-job-loop.js'
import { type Connection, openToWrite } from '../database/sqlite-file.js'
import { type BesideJob, type Prepared, unpackCommits } from './background-writer.js'
import { entryOf } from './revision-input.js'
import { openRowWriter, type RowWriter } from './row-transaction.js'

/*
 * Writes what a flush did while that is made durable, and commits it when the branch has moved.
 */

interface Opened {
  readonly connection: Connection
  readonly writer: RowWriter
}

let opened: Opened | undefined

answerJobs((job: BesideJob): Prepared => {
  if (job.do === 'prepare') return prepare(job)
  if (job.do === 'commit') commit()
  else if (job.do === 'rollback') opened?.writer.rollback()
  else disconnect()
  return []
})

function open(file: string): Opened {
  const connection = openToWrite(file)
  try {
    return { connection, writer: openRowWriter(connection) }
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

function prepare({ file, from, to, commits }: Extract<BesideJob, { do: 'prepare' }>): Prepared {
  opened ??= open(file)
  const { writer } = opened
  writer.begin(from)
  try {
    const places = unpackCommits(commits).flatMap((revisions, at) =>
      writer.apply(revisions.map(revision => entryOf(revision, from.sequence + at + 1))),
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
