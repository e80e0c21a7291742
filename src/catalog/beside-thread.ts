import { answerJobs } from '../store/answer-jobs.js'
import { type BesideJob, commitsIn, type Prepared } from './beside.js'
import { type Connection, openToWrite } from './database.js'
import { assertAt, openPosition, type PositionTable } from './position.js'
import { openRows, type Place, type Rows } from './rows.js'
import { applyCommit, entryOf } from './written.js'

/*
 * Writes what a flush did while that is made durable, and commits it when the branch has moved.
 */

interface Opened {
  readonly connection: Connection
  readonly rows: Rows
  readonly position: PositionTable
}

let opened: Opened | undefined

answerJobs((job: BesideJob): Prepared => {
  if (job.do === 'prepare') return prepare(job)
  if (job.do === 'commit') commit()
  else if (job.do === 'rollback') rollback()
  else disconnect()
  return []
})

function open(file: string): Opened {
  const connection = openToWrite(file)
  try {
    return { connection, rows: openRows(connection), position: openPosition(connection) }
  } catch (thrown) {
    connection.close()
    throw thrown
  }
}

function prepare({ file, from, to, commits }: Extract<BesideJob, { do: 'prepare' }>): Prepared {
  opened ??= open(file)
  const { connection, rows, position } = opened
  connection.exec('BEGIN IMMEDIATE')
  try {
    assertAt(position, from)
    rows.begin()
    const places: (Place | undefined)[] = []
    for (const [at, revisions] of commitsIn(commits).entries()) {
      const sequence = from.sequence + at + 1
      const entries = revisions.map(revision => entryOf(revision, sequence))
      places.push(...applyCommit(rows, entries))
    }
    rows.flush()
    position.write(to)
    return places
  } catch (thrown) {
    rollback()
    throw thrown
  }
}

function commit(): void {
  if (!opened?.connection.inTransaction) throw new Error('No flush has been prepared.')
  opened.connection.exec('COMMIT')
  opened.rows.clear()
}

function rollback(): void {
  opened?.rows.clear()
  if (opened?.connection.inTransaction) opened.connection.exec('ROLLBACK')
}

function disconnect(): void {
  const last = opened
  opened = undefined
  last?.connection.close()
}
