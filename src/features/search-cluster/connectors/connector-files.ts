import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../../core/json/try-parse.js'
import { ProblemError } from '../../../core/problem.js'
import type { Oid } from '../../../core/value-types.js'
import { replaceFileAtomically, replaceFileDurably } from '../../../store/file-system/durable-files.js'
import { undefinedIfMissing } from '../../../store/file-system/file-errors.js'
import { makeFolderSync } from '../../../store/file-system/make-folder.js'
import { pausedEnding } from '../../../store/git-commands/git-directory.js'

/*
 * What commands and a server tell each other about a connector, in our own folder in the Git directory. Each file has
 * one writer: `connectors/<name>.paused` (commands; it exists while the connector is paused),
 * `connectors/<name>.rewind` (commands), `connectors/<name>.status` (the server).
 */

/** Name of that folder. */
const connectorFolder = 'connectors'

/** Names of the connectors that a server can have. */
export const connectorNames = ['search'] as const
export type ConnectorName = (typeof connectorNames)[number]

/** Asks a connector to send revisions again. */
export interface ConnectorRewind {
  /** Differs for each request, so that a server carries out each request once. */
  readonly id: string
  /** The revisions after this commit are sent again. Undefined: everything from the first commit, to new indices. */
  readonly to?: Oid
}

/** What a server has written last about a connector. */
export interface ConnectorStatus {
  /** Address of the other system, without credentials. */
  readonly address: string
  /** Beginning of the names of the indices. */
  readonly prefix: string
  /** The other system has all revisions up to this commit. Undefined: not known yet. */
  readonly commit?: Oid
  /** Present while all revisions are sent again from the beginning to new indices, during the normal work. */
  readonly filling?: { readonly generation: number; readonly commit?: Oid }
  /** The id of the last rewind that was begun. */
  readonly rewind?: string
  readonly lastError?: string
}

/** The files of one connector. */
export interface ConnectorFiles {
  isPaused(): boolean
  pause(): void
  resume(): void
  /** The last request of a command. @throws ProblemError `unusable-repository` for a file that cannot be read */
  rewind(): ConnectorRewind | undefined
  requestRewind(to: Oid | undefined): void
  /** The last status; undefined also if its file is damaged: the server writes it again with the next change. */
  status(): ConnectorStatus | undefined
  writeStatus(status: ConnectorStatus): void
  deleteStatus(): void
}

/** The files of a connector in our own folder. @param ownDir our own folder in the Git directory */
export function connectorFiles(ownDir: string, name: ConnectorName): ConnectorFiles {
  const folder = join(ownDir, connectorFolder)
  const fileOf = (ending: string) => join(folder, `${name}.${ending}`)

  /** Writes a request of a command so that it survives a power failure. */
  function request(ending: string, text: string): void {
    makeFolderSync(folder)
    replaceFileDurably(fileOf(ending), text)
  }

  return {
    isPaused: () => existsSync(fileOf(pausedEnding)),
    pause: () => request(pausedEnding, ''),
    resume: () => rmSync(fileOf(pausedEnding), { force: true }),
    rewind: () => rewindOf(fileOf('rewind')),
    requestRewind(to) {
      request('rewind', jsonLine({ id: randomUUID(), ...(to !== undefined && { to }) }))
    },
    status: () => tryParseJson(textOf(fileOf('status')) ?? '') as ConnectorStatus | undefined,
    writeStatus(status) {
      makeFolderSync(folder)
      replaceFileAtomically(fileOf('status'), jsonLine(status))
    },
    deleteStatus: () => rmSync(fileOf('status'), { force: true }),
  }
}

function jsonLine(content: object): string {
  return `${JSON.stringify(content)}\n`
}

function textOf(file: string): string | undefined {
  return undefinedIfMissing(() => readFileSync(file, 'utf8'))
}

function rewindOf(file: string): ConnectorRewind | undefined {
  const text = textOf(file)
  if (text === undefined) return undefined
  const rewind = tryParseJson(text) as ConnectorRewind | undefined
  if (rewind) return rewind
  throw new ProblemError(
    'unusable-repository',
    `${file} cannot be read. Delete it; a rewind has to be asked for again.`,
  )
}

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
