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
 * @param beside the connection of a server that runs on the same folder
 * @returns undefined if updates are possible
 */
export function refusalOf(
  other: OtherRepository | undefined,
  beside: ConnectionStatus | undefined,
): Refusal | undefined {
  if (other?.role === 'source') return () => readOnlyFollower(other.branch.address)
  return other || !beside ? undefined : refusalBesideServer(beside)
}

/** The writer as updates see it. */
export function writerFor(
  writer: Writer,
  other: OtherRepository | undefined,
  refusal: Refusal | undefined,
): Writer {
  if (refusal) return refuseWrites(writer, refusal)
  // Preconditions are checked against the newest state of the shared log.
  return other?.role === 'log' ? { ...writer, catchUp: writer.syncSharedLog } : writer
}
