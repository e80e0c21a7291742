import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RemoteRole } from '../../core/remote-role.js'
import { formatInstant, type Oid, toInstant } from '../../core/value-types.js'
import { replaceFileAtomically, undefinedIfMissing } from '../../store/file-system/durable-files.js'

/** How a server stands with another repository. Times as ISO 8601 says them. */
export interface ConnectionStatus {
  readonly role: RemoteRole
  /** Where it is, without a password. */
  readonly address: string
  readonly ok: boolean
  /** What is wrong. */
  readonly detail?: string
  /** Since when something is. */
  readonly since?: string
  /** When all was well for the last time. */
  readonly seen?: string
  /** The commit its branch was at then. */
  readonly commit?: Oid
}

/** Keeps it, for whoever asks the server or looks into the folder. */
export interface ConnectionStatusFile {
  now(): ConnectionStatus
  reached(commit: Oid): void
  /** @param detail the same as long as the same thing is wrong */
  failed(detail: string): void
}

const nowText = () => formatInstant(toInstant(Date.now()))
const fileIn = (ownDir: string) => join(ownDir, 'remote.json')

/** @param report takes a line when something else is wrong than before, and when nothing is any more */
export function openConnectionStatus(
  ownDir: string,
  remote: Pick<ConnectionStatus, 'role' | 'address'>,
  report: (line: string) => void,
): ConnectionStatusFile {
  let standing: ConnectionStatus = { ...remote, ok: false, detail: 'Not reached yet.' }
  let isWritten = true

  function become(next: ConnectionStatus): void {
    standing = next
    try {
      replaceFileAtomically(fileIn(ownDir), `${JSON.stringify(next)}\n`)
      isWritten = true
    } catch (thrown) {
      if (isWritten) report(`How things stand with ${remote.address} could not be written: ${String(thrown)}`)
      isWritten = false
    }
  }

  return {
    now: () => standing,
    reached(commit) {
      if (standing.since !== undefined) report(`${remote.address} is in order again.`)
      become({ ...remote, ok: true, seen: nowText(), commit })
    },
    failed(detail) {
      if (standing.since === undefined || standing.detail !== detail) report(detail)
      become({ ...standing, ok: false, detail, since: standing.since ?? nowText() })
    },
  }
}

/** What the last server on a folder has written down; undefined where none had to do with another repository. */
export function readConnectionStatus(ownDir: string): ConnectionStatus | undefined {
  const text = undefinedIfMissing(() => readFileSync(fileIn(ownDir), 'utf8'))
  return text === undefined ? undefined : (JSON.parse(text) as ConnectionStatus)
}

/** Nobody has to do with another repository any more. */
export function deleteConnectionStatus(ownDir: string): void {
  rmSync(fileIn(ownDir), { force: true })
}
