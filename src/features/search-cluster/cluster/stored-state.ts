import type { ClusterClient } from './cluster-client.js'
import { type ClusterState, readState, type StoredState, writeState } from './cluster-state.js'
import type { Generations } from './generations.js'
import type { IndexNames } from './index-names.js'

export type StateCopy = ReturnType<typeof openStateCopy>

/** The state in the cluster, and a copy of it. */
export function openStateCopy(client: ClusterClient, names: IndexNames, generations: Generations) {
  let known: StoredState | undefined
  /** Kept by `forget`: commands show the last progress while the cluster is away. */
  let last: ClusterState | undefined

  return {
    /** The copy of the state. Without a copy, reads the state and prepares the indices. @throws ClusterError */
    async read(): Promise<ClusterState> {
      if (known) return known.state
      const stored = await readState(client, names)
      await generations.prepare(stored.state)
      known = stored
      last = stored.state
      return last
    },
    /** Reads the state, and prepares nothing. @throws ClusterError */
    async look(): Promise<ClusterState> {
      last = (known ?? (await readState(client, names))).state
      return last
    },
    /** The state that was read or written last; undefined if there is none. */
    last: () => last,
    /** Replaces the state that was read. @throws StateChanged if another server has changed it; ClusterError */
    async change(next: ClusterState): Promise<void> {
      if (!known) throw new Error('The state of the search cluster was not read.')
      known = await writeState(client, names, next, known)
      last = next
    },
    /** Drops the copy: the next step reads the state again. */
    forget(): void {
      known = undefined
    },
  }
}
