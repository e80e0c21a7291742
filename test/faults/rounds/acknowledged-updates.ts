import type { Collection, DocumentType } from '../../../src/core/records/collection.js'

/*
 * What clients know: every update that was acknowledged, and those whose answer was lost. A server may do with the
 * latter as it likes, but only one of two things: all of the update, or nothing.
 */

/** What a record is: there for everybody, there and revoked by a first DELETE, or removed by a second. */
export type Standing = 'served' | 'revoked' | 'gone'

/** What an update makes of a record. */
export interface Change {
  readonly record: RecordLog
  /** Of the document. */
  readonly bytes: string
  readonly standing: Standing
}

/** What is made in one commit: of one record, or of several by a change set. */
export type Update = readonly Change[]

/** A state of one record, as its client sent it. */
export interface State {
  readonly version: number
  readonly bytes: string
  /** Undefined where nobody was told. */
  readonly etag: string | undefined
}

/** What a record is known by. */
export interface Named {
  readonly kind: Collection
  readonly id: string
  /** Of its document. */
  readonly type: DocumentType
}

export interface RecordLog extends Named {
  /** Every acknowledged state, oldest first; `version` counts from 1. Of a removed record, those it had. */
  readonly history: State[]
  standing: Standing
  /** It is in an update whose answer was lost. */
  unsure: boolean
  /** Somebody updates it now. */
  busy: boolean
}

export interface Log {
  readonly records: readonly RecordLog[]
  /** Updates whose answer was lost. */
  readonly unsure: readonly Update[]
  /** How many updates were acknowledged. */
  readonly acknowledged: number
  /** How many of them were change sets. */
  readonly acknowledgedSets: number
  /** A record that is there and nobody works on, for whoever updates it next; undefined where there is none. */
  claim(kind: Collection, share: number): RecordLog | undefined
  add(named: Named): RecordLog
  /** Nobody knows what becomes of it until it is answered. */
  begin(update: Update): void
  /** @param etag undefined where the answer has none */
  acknowledge(update: Update, etag?: string): void
  /** What was found out about an update whose answer was lost. */
  settle(update: Update, isThere: boolean, etag?: string): void
}

export function openLog(): Log {
  const records: RecordLog[] = []
  const unsure = new Set<Update>()
  let [acknowledged, acknowledgedSets] = [0, 0]

  function forget(update: Update): void {
    unsure.delete(update)
    for (const { record } of update) record.unsure = false
  }

  function enter(update: Update, etag: string | undefined): void {
    for (const { record, bytes, standing } of update) {
      record.standing = standing
      const version = record.history.length + 1
      if (standing !== 'gone') record.history.push({ version, bytes, etag })
    }
  }

  return {
    records,
    get unsure() {
      return [...unsure]
    },
    get acknowledged() {
      return acknowledged
    },
    get acknowledgedSets() {
      return acknowledgedSets
    },
    claim(kind, share) {
      const free = records.filter(
        record => record.kind === kind && !record.busy && !record.unsure && isThere(record),
      )
      const found = free[Math.floor(share * free.length)]
      if (found) found.busy = true
      return found
    },
    add(named) {
      const record: RecordLog = { ...named, history: [], standing: 'served', unsure: false, busy: true }
      records.push(record)
      return record
    },
    begin(update) {
      unsure.add(update)
      for (const { record } of update) record.unsure = true
    },
    acknowledge(update, etag) {
      forget(update)
      enter(update, etag)
      acknowledged++
      if (update.length > 1) acknowledgedSets++
    },
    settle(update, isThere, etag) {
      if (!unsure.has(update)) throw new Error('Nothing about this update is unsure.')
      forget(update)
      if (isThere) enter(update, etag)
    },
  }
}

/** Whether somebody was told that it is there, and nobody that it was removed. */
export function isThere({ history, standing }: RecordLog): boolean {
  return history.length > 0 && standing !== 'gone'
}

/** Its address below that of the server. */
export function pathOf({ kind, id }: RecordLog): string {
  return `api/v1/${kind === 'schema' ? 'schemas' : 'metadata'}/${id}`
}
