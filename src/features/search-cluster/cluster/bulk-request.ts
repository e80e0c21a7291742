import { type ClusterClient, ClusterError } from './cluster-client.js'
import type { ClusterDocument } from './cluster-document.js'

/** A change of one document in the cluster. */
export type BulkChange = {
  readonly index: string
  readonly id: string
  /** Grows with every revision of the record: an older revision never replaces a newer one. */
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

/** Limit of the milliseconds of a request. A cluster under load takes long. */
const timeout = 120_000

/** How the cluster says that an index takes no more fields; the same in OpenSearch and Elasticsearch. */
const tooManyFields = /Limit of total fields/

/** The answer of the cluster to a request for documents. */
interface StoredDocuments {
  readonly docs: readonly {
    readonly found?: boolean
    readonly _version?: number
    readonly _source?: { readonly metastore?: { readonly sequence?: number } }
  }[]
}

/**
 * Sends changes. If an index takes no more fields, calls `makeRoom` and sends its documents again. If the cluster
 * cannot index the members of a document as fields, sends the document without these members. Changes that are in the
 * cluster already count as done, so a repetition changes nothing. Changes of others in the cluster are overwritten.
 * @param makeRoom makes an index take documents with more paths
 * @returns the documents that the cluster rejects permanently
 * @throws ClusterError if the changes may succeed later
 */
export async function sendChanges(
  client: ClusterClient,
  changes: readonly BulkChange[],
  makeRoom: (index: string) => Promise<void>,
): Promise<readonly RejectedDocument[]> {
  const whole = (sent: readonly BulkChange[]) => send(client, sent, document => document.json)
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
  )
  return again.map(({ change, reason }) => ({ id: change.id, reason }))
}

async function send(
  client: ClusterClient,
  changes: readonly BulkChange[],
  jsonOf: (document: ClusterDocument) => string,
) {
  const refused = await sendOnce(client, changes, jsonOf)
  const conflicts = refused.filter(({ status }) => status === conflict).map(({ change }) => change)
  const overwriting = await withStoredVersions(client, conflicts)
  const again = await sendOnce(client, overwriting, jsonOf)
  // Another client of the cluster has changed the document again.
  const still = again.find(({ status }) => status === conflict)
  if (still) throw failureOf(still)
  return [...refused.filter(({ status }) => status !== conflict), ...again]
}

interface RefusedChange {
  readonly change: BulkChange
  readonly status: number
  readonly reason: string
}

/** Status of a change for which the cluster has a higher version. */
const conflict = 409
/** Status of a document that the cluster cannot index. */
const invalid = 400

/**
 * Sends changes in one request.
 * @returns the changes that the cluster refuses with {@link conflict} or {@link invalid}
 * @throws ClusterError for other failures, after which a repetition may succeed
 */
async function sendOnce(
  client: ClusterClient,
  changes: readonly BulkChange[],
  jsonOf: (document: ClusterDocument) => string,
): Promise<readonly RefusedChange[]> {
  if (changes.length === 0) return []
  const body = changes.map(change => linesOf(change, jsonOf)).join('')
  const { items } = await client.send<BulkAnswer>('POST', '_bulk?filter_path=items.*.status,items.*.error', {
    body,
    timeout,
  })
  if (items?.length !== changes.length)
    throw new ClusterError(
      `${client.address} answers ${items?.length ?? 0} of ${changes.length} changes.`,
      502,
    )
  return changes.flatMap((change, index) => {
    const { status, error } = Object.values(items[index] ?? {})[0] ?? { status: 502 }
    if (status < 300 || (status === 404 && change.type === 'delete')) return []
    const reason = [error?.type, error?.reason, error?.caused_by?.reason].filter(Boolean).join(': ')
    const refused = { change, status, reason }
    if (status !== conflict && status !== invalid) throw failureOf(refused)
    return [refused]
  })
}

function failureOf({ change, status, reason }: RefusedChange): ClusterError {
  return new ClusterError(`A change of ${change.id} failed with ${status}: ${reason}`, status)
}

/**
 * The changes to send again after a conflict, with the version of the document in the cluster. Another client of the
 * cluster has changed the document. The cluster increments the version with each change, so it may be higher although
 * the document is of no later revision.
 * @param conflicts changes that the cluster has refused because of their version
 * @throws ClusterError if the cluster still knows the version of a deleted document, which may be that of a later
 *   revision
 */
async function withStoredVersions(
  client: ClusterClient,
  conflicts: readonly BulkChange[],
): Promise<readonly BulkChange[]> {
  if (conflicts.length === 0) return []
  const docs = conflicts.map(({ index, id }) => ({ _index: index, _id: id }))
  const path = '_mget?_source_includes=metastore.sequence'
  const stored = await client.send<StoredDocuments>('POST', path, { body: { docs } })
  return conflicts.flatMap((change, index) => {
    const { found, _version: version = 0, _source } = stored.docs[index] ?? {}
    if (found) {
      const isLater = (_source?.metastore?.sequence ?? 0) > change.version
      return isLater ? [] : [{ ...change, version: Math.max(version, change.version) }]
    }
    if (change.type === 'delete') return []
    throw new ClusterError(
      `${change.id} was deleted in the cluster, not by this server. It is sent again when the cluster has forgotten its ` +
        'version: after `index.gc_deletes`, a minute by default.',
      conflict,
    )
  })
}

function linesOf(change: BulkChange, jsonOf: (document: ClusterDocument) => string): string {
  const { index, id, version } = change
  // `external_gte`: an equal version is written again, because after a rewind its document may be another one.
  const head = { [change.type]: { _index: index, _id: id, version, version_type: 'external_gte' } }
  return `${JSON.stringify(head)}\n${change.type === 'index' ? `${jsonOf(change.document)}\n` : ''}`
}
