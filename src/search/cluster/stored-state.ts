import type { ClusterClient } from './cluster-client.js'
import { type ClusterState, readState, type StoredState, writeState } from './cluster-state.js'
import type { Generations } from './generations.js'
import type { IndexNames } from './index-names.js'

/** The state in the cluster, and a copy of it. */
export interface StateCopy {
  /** The copy of the state. Without a copy, reads the state and prepares the indices. @throws ClusterError */
  read(): Promise<ClusterState>
  /** Reads the state, and prepares nothing. @throws ClusterError */
  look(): Promise<ClusterState>
  /** The state that was read or written last; undefined if there is none. */
  last(): ClusterState | undefined
  /** Replaces the state that was read. @throws StateChanged if another server has changed it; ClusterError */
  change(next: ClusterState): Promise<void>
  /** Drops the copy: the next step reads the state again. */
  forget(): void
}

export function openStateCopy(client: ClusterClient, names: IndexNames, generations: Generations): StateCopy {
  let known: StoredState | undefined
  /** Kept by `forget`: commands show the last progress while the cluster is away. */
  let last: ClusterState | undefined

  return {
    async read() {
      if (known) return known.state
      const found = await readState(client, names)
      await generations.prepare(found.state)
      known = found
      last = found.state
      return found.state
    },
    async look() {
      last = (known ?? (await readState(client, names))).state
      return last
    },
    last: () => last,
    async change(next) {
      if (!known) throw new Error('The state of the search cluster was not read.')
      known = await writeState(client, names, next, known)
      last = next
    },
    forget() {
      known = undefined
    },
  }
}
