import { readFileSync } from 'node:fs'
import { formatInstant, type Oid, toInstant } from '../../core/value-types.js'
import { replaceFileAtomically } from '../../store/file-system/durable-files.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import type { RemoteRole } from './remote-settings.js'

/** The state of a server's connection with another repository. Times are in ISO 8601. */
export interface ConnectionStatus {
  readonly role: RemoteRole
  /** Address of the other repository, without a password. */
  readonly address: string
  readonly ok: boolean
  /** The failure, as a sentence. */
  readonly detail?: string
  /** Time of the first failure since the last success. */
  readonly since?: string
  /** Time of the last success. */
  readonly seen?: string
  /** The commit of the other repository's branch at the last success. */
  readonly commit?: Oid
}

/** Keeps the status in memory and in a file, which commands on the same folder read. */
export interface ConnectionStatusFile {
  now(): ConnectionStatus
  /**
   * The time, in milliseconds, at which the last successful fetch began: every commit that the other repository had
   * then is here. Undefined before the first success.
   */
  completeUntil(): number | undefined
  /** Notes a success. @param begun time in milliseconds at which a fetch began; undefined if nothing was fetched */
  noteSuccess(commit: Oid, begun?: number): void
  /** Notes a failure. @param detail a sentence, which is the same for repeated failures of one kind */
  noteFailure(detail: string): void
}

const nowText = () => formatInstant(toInstant(Date.now()))

/**
 * Opens the status, which begins as not connected. The file keeps its content until the first success or failure.
 * @param file for commands on the same folder
 * @param report gets a line for each new failure, and for the first success after a failure
 */
export function openConnectionStatus(
  file: string,
  remote: Pick<ConnectionStatus, 'role' | 'address'>,
  report: (line: string) => void,
): ConnectionStatusFile {
  let current: ConnectionStatus = { ...remote, ok: false, detail: 'Not reached yet.' }
  let isWritten = true
  let completeUntil: number | undefined

  function changeTo(next: ConnectionStatus): void {
    current = next
    try {
      replaceFileAtomically(file, `${JSON.stringify(next)}\n`)
      isWritten = true
    } catch (thrown) {
      if (isWritten)
        report(`The state of the connection with ${remote.address} could not be written: ${String(thrown)}`)
      isWritten = false
    }
  }

  return {
    now: () => current,
    completeUntil: () => completeUntil,
    noteSuccess(commit, begun) {
      completeUntil = begun
      if (current.since !== undefined) report(`${remote.address} is in order again.`)
      changeTo({ ...remote, ok: true, seen: nowText(), commit })
    },
    noteFailure(detail) {
      if (current.since === undefined || current.detail !== detail) report(detail)
      changeTo({ ...current, ok: false, detail, since: current.since ?? nowText() })
    },
  }
}

/** The status that the last server on a folder has written; undefined if that server had no other repository. */
export function readConnectionStatus(file: string): ConnectionStatus | undefined {
  const text = undefinedIfMissing(() => readFileSync(file, 'utf8'))
  return text === undefined ? undefined : (JSON.parse(text) as ConnectionStatus)
}
