import { rmSync } from 'node:fs'
import type { CoreParts } from '../../compose/compose.js'
import type { Connection } from '../../compose/open-parts.js'
import { ProblemError } from '../../core/problem.js'
import type { OpenFeature } from '../../http/open-feature.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { type ConnectionStatus, openConnectionStatus, readConnectionStatus } from './connection-status.js'
import { followSource } from './follow-source.js'
import { pushToMirror } from './push-to-mirror.js'
import { openRemoteBranch } from './remote-branch.js'
import type { RemoteSettings } from './remote-settings.js'
import { SharedLog, watchSharedLog } from './shared-log.js'

/** The connection with the remote Git repository that a server follows, mirrors to or shares. */
export interface RemoteConnection extends Connection {
  /** Starts to follow, mirror or share. Absent: another process has the connection. */
  open?(parts: CoreParts): OpenFeature<undefined>
}

/**
 * Opens the connection of a server. Does not contact the other repository yet.
 * @param notes the file of the status, and the function that reports to the operator
 * @throws ProblemError `unusable-repository` without a git binary and for an invalid address
 */
export async function connect(
  repository: Repository,
  { role, remote, interval }: RemoteSettings,
  { file, report }: { readonly file: string; readonly report: (line: string) => void },
): Promise<RemoteConnection> {
  const branch = await openRemoteBranch(repository, remote, role === 'source' ? 'fetch' : 'push')
  const { address } = branch
  const status = openConnectionStatus(file, { role, address }, report)
  const log = role === 'log' ? new SharedLog(repository, branch) : undefined

  function start({ catalog, writer }: CoreParts): { close(): Promise<void> } {
    const common = { repository, catalog, writer, status, interval }
    if (log) return watchSharedLog({ ...common, remote: branch, log })
    if (role === 'source') return followSource({ ...common, source: branch })
    return pushToMirror({ catalog, mirror: branch, status })
  }

  return {
    ...(log && { log }),
    ...(role === 'source' && { refusal: () => readOnlyFollower(address) }),
    ...(role !== 'mirror' && { completeUntil: status.completeUntil }),
    close: branch.close,
    open(parts) {
      const { close } = start(parts)
      return { close, health: () => ({ remote: withLag(status.now(), parts.catalog) }) }
    },
  }
}

/** Adds the number of commits that a mirror lacks. */
function withLag(
  connection: ConnectionStatus,
  { head, chain }: CoreParts['catalog'],
): ConnectionStatus & { readonly lag?: number } {
  const here = head()
  const { role, commit } = connection
  if (role !== 'mirror' || here === undefined || commit === undefined) return connection
  const [from, to] = [commit, here].map(chain.positionOf)
  return from === undefined || to === undefined ? connection : { ...connection, lag: to - from }
}

/**
 * The connection that the last server on the folder had. It says where updates are possible.
 * @param file of the status
 * @param serving whether this process is a server: it has no other repository, so the file is deleted
 */
export function connectionOfServer(file: string, serving: boolean): RemoteConnection | undefined {
  if (serving) {
    rmSync(file, { force: true })
    return undefined
  }
  const status = readConnectionStatus(file)
  if (!status || status.role === 'mirror') return undefined
  const { role, address } = status
  return { refusal: () => (role === 'source' ? readOnlyFollower(address) : onlyThroughServer(address)) }
}

function onlyThroughServer(address: string): ProblemError {
  return new ProblemError(
    'forbidden',
    `Updates of this repository go to ${address} first. Send them to its server with --url. To change the folder without ` +
      'the log, serve it without --push-to.',
  )
}

function readOnlyFollower(address: string): ProblemError {
  const server = /^(https?:\/\/.*\/)repository\.git\/?$/.exec(address)?.[1]
  return new ProblemError(
    'forbidden',
    `This repository follows ${address} and cannot be changed here. Send changes to ${server ?? 'the server that writes there'}.`,
  )
}
