import type { Oid } from '../../core/value-types.js'
import type { ClusterClient } from './cluster-client.js'
import type { IndexNames } from './index-names.js'

/** One complete set of indices. */
export interface Generation {
  readonly number: number
  /** Identifies what the documents depend on in addition to the history: another identity needs other documents. */
  readonly identity: string
  /** All revisions up to this commit are in the indices. Undefined: none. */
  readonly commit?: Oid
}

/**
 * The progress of the cluster. It is stored in the cluster, so that a cluster that is restored from a backup continues
 * from the state of the backup.
 */
export interface ClusterState {
  /** The generation that answers. Undefined until the first one is complete. */
  readonly current?: Generation
  /** The generation that is filled, and answers when it is complete. */
  readonly next?: Generation
  /** Generations to be deleted, with the time in milliseconds since 1970. */
  readonly retired: readonly { readonly number: number; readonly at: number }[]
  /** The id of the last rewind that was done. */
  readonly rewind?: string
}

const documentId = 'state'

export async function readState(client: ClusterClient, names: IndexNames): Promise<ClusterState> {
  const found = await client.find<{ readonly _source?: ClusterState }>(`${names.state}/_doc/${documentId}`)
  return found?._source ?? { retired: [] }
}

/** Resolves when the state is durable in the cluster. @throws ClusterError */
export async function writeState(
  client: ClusterClient,
  names: IndexNames,
  state: ClusterState,
): Promise<void> {
  await client.send('PUT', `${names.state}/_doc/${documentId}`, { body: state })
}

/** The highest number of any generation, complete or not. */
export function latestGeneration({ current, next, retired }: ClusterState): number {
  return Math.max(0, current?.number ?? 0, next?.number ?? 0, ...retired.map(({ number }) => number))
}
