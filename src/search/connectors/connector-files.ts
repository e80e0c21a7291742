import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tryParseJson } from '../../core/json/try-parse.js'
import { ProblemError } from '../../core/problem.js'
import type { Oid } from '../../core/value-types.js'
import { replaceFileAtomically, replaceFileDurably } from '../../store/file-system/durable-files.js'
import { undefinedIfMissing } from '../../store/file-system/file-errors.js'
import { makeFolderSync } from '../../store/file-system/make-folder.js'
import { connectorFolder, pausedEnding } from '../../store/repository/connector-folder.js'

/*
 * What commands and a server tell each other about a connector, in our own folder. Each file has one writer:
 * `connectors/<name>.paused` (commands; it exists while the connector is paused), `connectors/<name>.rewind` (commands),
 * `connectors/<name>.status` (the server).
 */

/** Names of the connectors that a server can have. */
export const connectorNames = ['search'] as const
export type ConnectorName = (typeof connectorNames)[number]

/** Asks a connector to send revisions again. */
export interface ConnectorRewind {
  /** Differs for each request, so that a server does it once. */
  readonly id: string
  /** The revisions after this commit. Undefined: everything from the first commit, to new indices. */
  readonly to?: Oid
}

/** What the last server on a folder has written about a connector. */
export interface ConnectorStatus {
  /** Without credentials. */
  readonly address: string
  /** Beginning of the names of the indices. */
  readonly prefix: string
  /** All revisions up to this commit have arrived. Undefined: not known yet. */
  readonly commit?: Oid
  /** What is sent from the beginning again, beside the normal work. */
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
  /** The last request. @throws ProblemError `unusable-repository` for a file that cannot be read */
  rewind(): ConnectorRewind | undefined
  requestRewind(to: Oid | undefined): void
  /** Undefined also for a damaged file: the server writes it again with the next change. */
  status(): ConnectorStatus | undefined
  writeStatus(status: ConnectorStatus): void
  deleteStatus(): void
}

/** @param ownDir our own folder in the Git directory */
export function connectorFiles(ownDir: string, name: ConnectorName): ConnectorFiles {
  const folder = join(ownDir, connectorFolder)
  const fileOf = (ending: string) => join(folder, `${name}.${ending}`)

  /** What commands ask for survives a failure of the power. */
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
