import type { ConnectorFiles, ConnectorRewind, ConnectorStatus } from './connector-files.js'

/** What a connector is asked to do by commands, and what it tells them. */
export interface ConnectorControl {
  isPaused(): boolean
  /** The last request to send revisions again; it may be done already. */
  rewind(): ConnectorRewind | undefined
  /** Identifies what commands have asked for: it differs after each of them. */
  asked(): string
  /** Tells commands the status. */
  tell(status: ConnectorStatus): void
}

/** @param report takes a line if commands cannot be told the status */
export function openConnectorControl(
  files: ConnectorFiles,
  report: (line: string) => void,
): ConnectorControl {
  let told = ''
  let isWritten = true
  let done: string | undefined
  return {
    isPaused: files.isPaused,
    rewind: files.rewind,
    asked: () => `${files.isPaused()} ${files.rewind()?.id}`,
    tell(status) {
      try {
        // Before the cluster has answered, the last rewind is that of the server before.
        done = status.rewind ?? done ?? files.status()?.rewind
        const whole = done === undefined ? status : { ...status, rewind: done }
        const text = JSON.stringify(whole)
        if (text === told) return
        files.writeStatus(whole)
        isWritten = true
        told = text
      } catch (thrown) {
        if (isWritten) report(`The state of the connection with ${status.address} is not written: ${thrown}`)
        isWritten = false
      }
    },
  }
}
