import type { Catalog } from '../catalog/catalog.js'
import type { RemoteConfig } from '../config.js'
import { type ConnectionStatusFile, openConnectionStatus } from '../service/remotes/connection-status.js'
import { followSource } from '../service/remotes/follow-source.js'
import { pushToMirror } from '../service/remotes/push-to-mirror.js'
import { watchSharedLog } from '../service/remotes/watch-multi-writer-remote.js'
import { openRemoteBranch, type RemoteBranch } from '../store/remotes/remote-branch.js'
import type { Repository } from '../store/repository/open-repository.js'
import type { Writer } from '../store/write/writer-interface.js'

/** The remote Git repository that the server follows, mirrors to or shares, as its role says. */
export interface OtherRepository {
  readonly role: RemoteConfig['role']
  readonly branch: RemoteBranch
  readonly status: ConnectionStatusFile
  /** Starts to follow, mirror or share. @returns the function that ends it */
  synchronise(own: { readonly catalog: Catalog; readonly writer: Writer }): () => Promise<void>
}

export async function openOtherRepository(
  repository: Repository,
  { role, remote, interval }: RemoteConfig,
  report: (line: string) => void,
): Promise<OtherRepository> {
  const branch = await openRemoteBranch(repository, remote, role === 'source' ? 'fetch' : 'push')
  const status = openConnectionStatus(repository.ownDir, { role, address: branch.address }, report)
  return {
    role,
    branch,
    status,
    synchronise({ catalog, writer }) {
      const keeping = {
        source: () => followSource({ repository, source: branch, writer, status, interval }),
        mirror: () => pushToMirror({ catalog, mirror: branch, status }),
        log: () => watchSharedLog({ catalog, log: branch, writer, status, interval }),
      }[role]()
      return keeping.close
    },
  }
}
