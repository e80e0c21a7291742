import type { ConnectorFiles, ConnectorRewind, ConnectorStatus } from './connector-files.js'

/** What commands ask a connector to do, and the status that they read. */
export interface ConnectorControl {
  isPaused(): boolean
  /** The last request to send revisions again; it may be done already. */
  rewind(): ConnectorRewind | undefined
  /** Identifies the requests of commands: another request gives another text. */
  commandsId(): string
  /** Writes the status, which commands read. */
  writeStatus(status: ConnectorStatus): void
}

/** @param report takes a line if the status cannot be written */
export function openConnectorControl(
  files: ConnectorFiles,
  report: (line: string) => void,
): ConnectorControl {
  let written = ''
  let isWritten = true
  let done: string | undefined
  return {
    isPaused: files.isPaused,
    rewind: files.rewind,
    commandsId: () => `${files.isPaused()} ${files.rewind()?.id}`,
    writeStatus(status) {
      try {
        // Until the cluster has answered, the last rewind is the one in the file of the server that ran before.
        done = status.rewind ?? done ?? files.status()?.rewind
        const whole = done === undefined ? status : { ...status, rewind: done }
        const text = JSON.stringify(whole)
        if (text === written) return
        files.writeStatus(whole)
        isWritten = true
        written = text
      } catch (thrown) {
        if (isWritten) report(`The state of the connection with ${status.address} is not written: ${thrown}`)
        isWritten = false
      }
    },
  }
}
