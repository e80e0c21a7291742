import type { Catalog } from '../catalog/catalog.js'
import type { RemoteConfig } from '../config.js'
import {
  type ConnectionStatus,
  type ConnectionStatusFile,
  openConnectionStatus,
} from '../service/remotes/connection-status.js'
import { followSource } from '../service/remotes/follow-source.js'
import { pushToMirror } from '../service/remotes/push-to-mirror.js'
import {
  type Refusal,
  readOnlyFollower,
  refusalBesideServer,
  refuseWrites,
} from '../service/remotes/read-only.js'
import { watchSharedLog } from '../service/remotes/watch-multi-writer-remote.js'
import { openRemoteBranch, type RemoteBranch } from '../store/remotes/remote-branch.js'
import type { Repository } from '../store/repository/open-repository.js'
import type { Writer } from '../store/write/writer.js'

/** Another repository, with the state of the connection. */
export interface OtherRepository extends RemoteConfig {
  readonly branch: RemoteBranch
  readonly book: ConnectionStatusFile
}

export async function openOtherRepository(
  repository: Repository,
  config: RemoteConfig,
  report: (line: string) => void,
): Promise<OtherRepository> {
  const { role, remote } = config
  const branch = await openRemoteBranch(repository, remote, role === 'source' ? 'fetch' : 'push')
  const book = openConnectionStatus(repository.ownDir, { role, address: branch.address }, report)
  return { ...config, branch, book }
}

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

/** Starts to follow, mirror or share. @returns the function that ends it */
export function keepUpWith(
  { role, branch, book, interval }: OtherRepository,
  { repository, catalog, writer }: { repository: Repository; catalog: Catalog; writer: Writer },
): () => Promise<void> {
  const keeping = {
    source: () => followSource({ repository, source: branch, writer, book, interval }),
    mirror: () => pushToMirror({ catalog, mirror: branch, book }),
    log: () => watchSharedLog({ catalog, log: branch, writer, book, interval }),
  }[role]()
  return keeping.close
}
