import type { DocumentType } from '../../src/core/values.js'

/*
 * What clients know: every update that was acknowledged, and those whose answer was lost. A server may do with the
 * latter as it likes, but only one of two things: all of the update, or nothing.
 */

/** A state of one record, as its client sent it. */
export interface State {
  readonly version: number
  readonly bytes: string
  /** Undefined where nobody was told. */
  readonly etag: string | undefined
}

export interface RecordLog {
  readonly id: string
  /** Of its document. */
  readonly type: DocumentType
  /** Every acknowledged state, oldest first; `version` counts from 1. */
  readonly history: State[]
  /** The bytes of an update whose answer was lost. */
  unsure: string | undefined
  /** Somebody updates it now. */
  busy: boolean
}

export interface Log {
  readonly records: readonly RecordLog[]
  readonly acknowledged: number
  /** A record that nobody works on, for whoever updates it next; undefined where there is none. */
  claim(share: number): RecordLog | undefined
  /** @param type default: JSON */
  add(id: string, type?: DocumentType): RecordLog
  acknowledge(record: RecordLog, bytes: string, etag: string): void
  /** What was found out about an update whose answer was lost. */
  settle(record: RecordLog, isThere: boolean, etag?: string): void
}

export function openLog(): Log {
  const records: RecordLog[] = []
  let acknowledged = 0
  return {
    records,
    get acknowledged() {
      return acknowledged
    },
    claim(share) {
      const free = records.filter(
        ({ busy, history, unsure }) => !busy && history.length > 0 && unsure === undefined,
      )
      const found = free[Math.floor(share * free.length)]
      if (found) found.busy = true
      return found
    },
    add(id, type = 'JSON') {
      const record: RecordLog = { id, type, history: [], unsure: undefined, busy: true }
      records.push(record)
      return record
    },
    acknowledge(record, bytes, etag) {
      record.history.push({ version: record.history.length + 1, bytes, etag })
      acknowledged++
    },
    settle(record, isThere, etag) {
      const bytes = record.unsure
      if (bytes === undefined) throw new Error(`Nothing about ${record.id} is unsure.`)
      record.unsure = undefined
      if (isThere) record.history.push({ version: record.history.length + 1, bytes, etag })
    },
  }
}
