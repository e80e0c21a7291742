import type { StatusPart } from '../../cli/command.js'
import { timeCell } from '../../cli/output/table.js'
import { pluralize } from '../../core/text/pluralize.js'
import { commitsAfter, servedIn } from '../../service/operations/repository-status.js'
import type { Clone } from '../../store/local-clone/open-clone.js'
import { type ConnectionStatus, readConnectionStatus } from './connection-status.js'
import type { RemoteRole } from './remote-settings.js'

interface RemoteStatus extends ConnectionStatus {
  /**
   * Number of commits of the branch that were not pushed to the mirror. Undefined: the branch lacks the mirror's head.
   */
  readonly lag?: number
}

const roles: Readonly<Record<RemoteRole, string>> = {
  source: 'followed',
  mirror: 'pushed to',
  log: 'shared log',
}

/** The repository that the last server followed or pushed to, if any. @param file of the status */
export async function remoteStatus(clone: Clone, file: string): Promise<StatusPart | undefined> {
  const connection = readConnectionStatus(file)
  if (!connection) return undefined
  const value = await withLag(clone, connection)
  return { member: 'remote', value, lines: [`Remote   ${lineOf(value)}`] }
}

async function withLag(clone: Clone, connection: ConnectionStatus): Promise<RemoteStatus> {
  const { role, commit } = connection
  if (role !== 'mirror' || commit === undefined) return connection
  const { head = clone.head } = servedIn(clone) ?? {}
  const lag = await commitsAfter(clone, commit, head)
  return { ...connection, ...(lag !== undefined && { lag }) }
}

function lineOf({ role, address, ok, detail, since, seen, lag = 0 }: RemoteStatus): string {
  const parts = [
    `${address}, ${roles[role]}`,
    seen === undefined ? 'never reached' : `last in order at ${timeCell(seen)}`,
    ...(lag === 0 ? [] : [`lacks ${pluralize(lag, 'commit')}`]),
    ...(ok ? [] : [`since ${since && timeCell(since)}: ${detail}`]),
  ]
  return parts.join('; ')
}
