import type { Collection, DocumentType } from '../../../src/core/records/collection.js'

/*
 * Updates as clients see them: the acknowledged ones, and those without an answer. A server must apply an update
 * without an answer completely or not at all.
 */

/** State of a record: it exists, a first DELETE revoked it, or a second DELETE removed it. */
export type Standing = 'served' | 'revoked' | 'gone'

/** The change of a record in an update. */
export interface Change {
  readonly record: RecordLog
  /** The bytes of the document. */
  readonly bytes: string
  readonly standing: Standing
}

/** The changes of one commit: one change, or several in a change set. */
export type Update = readonly Change[]

/** A state of a record, as its client sent it. */
export interface State {
  readonly version: number
  readonly bytes: string
  /** Undefined if no client got an answer with this state. */
  readonly etag: string | undefined
}

/** The identity of a record, and the type of its document. */
export interface Named {
  readonly kind: Collection
  readonly id: string
  /** The type of the document. */
  readonly type: DocumentType
}

export interface RecordLog extends Named {
  /** Acknowledged states, oldest first; `version` counts from 1. A removed record keeps its earlier states. */
  readonly history: State[]
  standing: Standing
  /** Whether the record is part of an update without an answer. */
  unsure: boolean
  /** Whether an update of the record is running. */
  busy: boolean
}

export interface Log {
  readonly records: readonly RecordLog[]
  /** Updates without an answer. */
  readonly unsure: readonly Update[]
  /** Number of acknowledged updates. */
  readonly acknowledged: number
  /** Number of acknowledged change sets. */
  readonly acknowledgedSets: number
  /** Claims a record that exists and has no running update; undefined if there is none. */
  claim(kind: Collection, share: number): RecordLog | undefined
  add(named: Named): RecordLog
  /** Marks the update as unknown until its answer arrives. */
  begin(update: Update): void
  /** @param etag undefined if the answer has no ETag */
  acknowledge(update: Update, etag?: string): void
  /** Enters the result of an update without an answer. @param isThere whether the server applied the update */
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
      if (!unsure.has(update)) throw new Error('This update is not unsure.')
      forget(update)
      if (isThere) enter(update, etag)
    },
  }
}

/** Whether the record exists, as far as clients know. */
export function isThere({ history, standing }: RecordLog): boolean {
  return history.length > 0 && standing !== 'gone'
}

/** Path of the record, relative to the URL of the server. */
export function pathOf({ kind, id }: RecordLog): string {
  return `api/v1/${kind === 'schema' ? 'schemas' : 'metadata'}/${id}`
}
