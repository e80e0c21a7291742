import type { ConnectionStatus } from '../service/remotes/connection-status.js'
import {
  type Refusal,
  readOnlyFollower,
  refusalBesideServer,
  refuseWrites,
} from '../service/remotes/read-only.js'
import type { Writer } from '../store/write/writer.js'
import type { OtherRepository } from './other-repository.js'

/**
 * The reason why updates are refused.
 * @param beside the connection to another repository of a server that runs on the same folder, for a command
 * @returns undefined if updates are possible
 */
export function refusalOf(
  other: OtherRepository | undefined,
  beside: ConnectionStatus | undefined,
): Refusal | undefined {
  if (other?.role === 'source') return () => readOnlyFollower(other.branch.address)
  return other || !beside ? undefined : refusalBesideServer(beside)
}

/** The writer that updates use: it refuses them, or reads the shared log first, where that is necessary. */
export function writerFor(
  writer: Writer,
  other: OtherRepository | undefined,
  refusal: Refusal | undefined,
): Writer {
  if (refusal) return refuseWrites(writer, refusal)
  // Before preconditions are checked, the newest commits of the shared log are read.
  return other?.role === 'log' ? { ...writer, catchUp: writer.syncSharedLog } : writer
}
