import { type ClusterClient, ClusterError } from './cluster-client.js'
import type { ClusterDocument } from './cluster-document.js'

/** A change of one document in the cluster. */
export type BulkChange = {
  readonly index: string
  readonly id: string
  /** Grows with every revision of the record: an older state never replaces a newer one. */
  readonly version: number
} & ({ readonly type: 'index'; readonly document: ClusterDocument } | { readonly type: 'delete' })

/** A document that the cluster has rejected. */
export interface RejectedDocument {
  readonly id: string
  readonly reason: string
}

interface BulkAnswer {
  readonly items: readonly Readonly<Record<string, BulkItem>>[]
}

interface BulkItem {
  readonly status: number
  readonly error?: {
    readonly type?: string
    readonly reason?: string
    readonly caused_by?: { readonly reason?: string }
  }
}

/** Milliseconds. A cluster under load takes long. */
const timeout = 120_000

/** How the cluster says that an index takes no more fields; the same in OpenSearch and Elasticsearch. */
const tooManyFields = /Limit of total fields/

/**
 * Sends changes. If an index takes no more fields, asks for room and sends its documents again. If the cluster cannot
 * index the members of a document as fields, sends the document without them. Changes that are in the cluster already
 * count as done, so a repetition changes nothing.
 * @param makeRoom makes an index take documents with more paths
 * @returns the documents that the cluster rejects permanently
 * @throws ClusterError if the changes may succeed later
 */
export async function sendChanges(
  client: ClusterClient,
  changes: readonly BulkChange[],
  signal: AbortSignal,
  makeRoom: (index: string) => Promise<void>,
): Promise<readonly RejectedDocument[]> {
  const whole = (sent: readonly BulkChange[]) => send(client, sent, document => document.json, signal)
  let refused = await whole(changes)
  const wide = refused.filter(({ reason }) => tooManyFields.test(reason)).map(({ change }) => change)
  if (wide.length > 0) {
    for (const index of new Set(wide.map(each => each.index))) await makeRoom(index)
    refused = [...refused.filter(({ change }) => !wide.includes(change)), ...(await whole(wide))]
  }
  if (refused.length === 0) return []
  const again = await send(
    client,
    refused.map(({ change }) => change),
    document => document.withoutStructure(),
    signal,
  )
  return again.map(({ change, reason }) => ({ id: change.id, reason }))
}

async function send(
  client: ClusterClient,
  changes: readonly BulkChange[],
  jsonOf: (document: ClusterDocument) => string,
  signal: AbortSignal,
) {
  if (changes.length === 0) return []
  const body = changes.map(change => linesOf(change, jsonOf)).join('')
  const { items } = await client.send<BulkAnswer>('POST', '_bulk?filter_path=items.*.status,items.*.error', {
    body,
    timeout,
    signal,
  })
  if (items?.length !== changes.length)
    throw new ClusterError(
      `${client.address} answers ${items?.length ?? 0} of ${changes.length} changes.`,
      502,
    )
  return changes.flatMap((change, at) => {
    const item = Object.values(items[at] ?? {})[0]
    const failure = item && failureOf(change, item)
    return failure === undefined ? [] : [{ change, reason: failure }]
  })
}

function linesOf(change: BulkChange, jsonOf: (document: ClusterDocument) => string): string {
  const { index, id, version } = change
  // A version that the cluster has is written again: after a rewind, its document may be another one.
  const head = { [change.type]: { _index: index, _id: id, version, version_type: 'external_gte' } }
  return `${JSON.stringify(head)}\n${change.type === 'index' ? `${jsonOf(change.document)}\n` : ''}`
}

/**
 * @returns the reason why the cluster rejects the document permanently
 * @throws ClusterError if a repetition may succeed
 */
function failureOf({ type, id }: BulkChange, { status, error }: BulkItem): string | undefined {
  if (status < 300) return undefined
  // The cluster has a newer version.
  if (status === 409) return undefined
  if (status === 404 && type === 'delete') return undefined
  const reason = [error?.type, error?.reason, error?.caused_by?.reason].filter(Boolean).join(': ')
  if (status === 400) return reason
  throw new ClusterError(`A change of ${id} failed with ${status}: ${reason}`, status)
}
