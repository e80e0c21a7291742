import type { ListCursor } from '../../../core/records/list-page.js'
import type { Id, Oid } from '../../../core/value-types.js'
import { type ClusterClient, ClusterError } from './cluster-client.js'
import type { IndexNames } from './index-names.js'

/** One complete set of indices. */
export interface Generation {
  readonly number: number
  /** Identifies what the documents depend on in addition to the history: another identity needs other documents. */
  readonly identity: string
  /** All revisions up to this commit are in the indices. Undefined: none. */
  readonly commit?: Oid
  /** Schemas whose documents are sent again, the first one now. Absent: none. */
  readonly again?: readonly SchemaSentAgain[]
  /** The commit that searches reflect until these documents are sent. Present together with `again`. */
  readonly settled?: Oid
}

/** A schema whose documents are sent again, because it declares other fields or has another crosswalk. */
export interface SchemaSentAgain {
  readonly schema: Id
  /** A hash of what it says about its documents, see `hashOfDeclaration`. */
  readonly declares: string
  /** The last document that was sent. Undefined: none. */
  readonly after?: ListCursor
  /** Number of documents that were sent, and of all documents of the schema at the time of the last one. */
  readonly done: number
  readonly total: number
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
  /** Generations to be deleted, with the time (milliseconds since 1970) from which on they may be deleted. */
  readonly retired: readonly { readonly number: number; readonly at: number }[]
  /** Ids of the last rewinds that were done, the oldest first. Each server that feeds the cluster has its own. */
  readonly rewinds?: readonly string[]
}

/** A state with its place in the cluster: numbers that change with every write of the state. */
export interface StoredState {
  readonly state: ClusterState
  /** Undefined while the cluster has no state. */
  readonly place?: StatePlace
}

interface StatePlace {
  readonly _seq_no: number
  readonly _primary_term: number
}

/** Another server that feeds the cluster has changed the state in the meantime. */
export class StateChanged extends Error {
  override readonly name = 'StateChanged'
}

const documentId = 'state'

export async function readState(client: ClusterClient, names: IndexNames): Promise<StoredState> {
  const found = await client.find<StatePlace & { readonly _source?: ClusterState }>(
    `${names.state}/_doc/${documentId}`,
  )
  return found?._source ? { state: found._source, place: placeIn(found) } : { state: { retired: [] } }
}

/**
 * Resolves when the state is durable in the cluster.
 * @param before the state that it replaces
 * @throws StateChanged if the cluster has another state by now; ClusterError
 */
export async function writeState(
  client: ClusterClient,
  names: IndexNames,
  state: ClusterState,
  { place }: StoredState,
): Promise<StoredState> {
  const path = place
    ? `_doc/${documentId}?if_seq_no=${place._seq_no}&if_primary_term=${place._primary_term}`
    : `_create/${documentId}`
  try {
    const written = await client.send<StatePlace>('PUT', `${names.state}/${path}`, { body: state })
    return { state, place: placeIn(written) }
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 409) throw error
    throw new StateChanged('Another server has changed the state of the search cluster.', { cause: error })
  }
}

function placeIn({ _seq_no, _primary_term }: StatePlace): StatePlace {
  return { _seq_no, _primary_term }
}

/** The highest number of any generation, complete or not. */
export function latestGeneration({ current, next, retired }: ClusterState): number {
  return Math.max(0, current?.number ?? 0, next?.number ?? 0, ...retired.map(({ number }) => number))
}
