import type { StoredRecord } from '../core/records/record.js'
import { type ExportInput, type ExportJob, runExportJob } from './export-job.js'

/*
 * Export jobs as messages to a thread. The records are JSON texts: the event loop writes a text in less time than it
 * takes to copy an object with thousands of values.
 */

export interface ExportMessage {
  /** The job without its records. */
  readonly job: ExportJob
  /** The records as JSON, in the order of {@link withRecords}. */
  readonly records: readonly string[]
}

export function exportMessage(job: ExportJob): ExportMessage {
  const records: string[] = []
  const bare = withRecords(job, ({ revision: { record } }) => {
    records.push(JSON.stringify(record))
    return { id: record.id }
  })
  return { job: bare, records }
}

/** Writes the export of a message. */
export function runExportMessage({ job, records }: ExportMessage): string {
  const waiting = records.values()
  return runExportJob(withRecords(job, () => JSON.parse(waiting.next().value ?? '') as StoredRecord))
}

/** The job with other records: first that of the record, then that of its schema in a crate. */
function withRecords(job: ExportJob, recordOf: (input: ExportInput) => StoredRecord): ExportJob {
  const replaced = (input: ExportInput): ExportInput => ({
    ...input,
    revision: { ...input.revision, record: recordOf(input) },
  })
  const record = replaced(job.record)
  if (job.write !== 'crate' || !job.schema) return { ...job, record }
  return { ...job, record, schema: { ...job.schema, record: replaced(job.schema.record) } }
}
