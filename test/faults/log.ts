import type { DocumentType } from '../../src/core/values.js'

/*
 * What clients know: every update that was acknowledged, and those whose answer was lost. A server may do with the
 * latter as it likes, but only one of two things: all of the update, or nothing.
 */

/** What a record is: there for everybody, there and revoked by a first DELETE, or removed by a second. */
export type Standing = 'served' | 'revoked' | 'gone'

/** What an update makes of a record. */
export interface Update {
  /** Of the document. */
  readonly bytes: string
  readonly standing: Standing
}

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
  /** Every acknowledged state, oldest first; `version` counts from 1. Of a removed record, those it had. */
  readonly history: State[]
  standing: Standing
  /** An update whose answer was lost. */
  unsure: Update | undefined
  /** Somebody updates it now. */
  busy: boolean
}

export interface Log {
  readonly records: readonly RecordLog[]
  readonly acknowledged: number
  /** A record that is there and nobody works on, for whoever updates it next; undefined where there is none. */
  claim(share: number): RecordLog | undefined
  /** @param type default: JSON */
  add(id: string, type?: DocumentType): RecordLog
  /** @param etag undefined where the answer has none */
  acknowledge(record: RecordLog, update: Update, etag?: string): void
  /** What was found out about an update whose answer was lost. */
  settle(record: RecordLog, isThere: boolean, etag?: string): void
}

export function openLog(): Log {
  const records: RecordLog[] = []
  let acknowledged = 0

  function enter(record: RecordLog, { bytes, standing }: Update, etag: string | undefined): void {
    record.standing = standing
    if (standing !== 'gone') record.history.push({ version: record.history.length + 1, bytes, etag })
  }

  return {
    records,
    get acknowledged() {
      return acknowledged
    },
    claim(share) {
      const free = records.filter(
        ({ busy, history, standing, unsure }) =>
          !busy && history.length > 0 && standing !== 'gone' && unsure === undefined,
      )
      const found = free[Math.floor(share * free.length)]
      if (found) found.busy = true
      return found
    },
    add(id, type = 'JSON') {
      const record: RecordLog = {
        id,
        type,
        history: [],
        standing: 'served',
        unsure: undefined,
        busy: true,
      }
      records.push(record)
      return record
    },
    acknowledge(record, update, etag) {
      enter(record, update, etag)
      acknowledged++
    },
    settle(record, isThere, etag) {
      const { unsure } = record
      if (unsure === undefined) throw new Error(`Nothing about ${record.id} is unsure.`)
      record.unsure = undefined
      if (isThere) enter(record, unsure, etag)
    },
  }
}
