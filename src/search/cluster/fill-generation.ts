import type { Catalog } from '../../catalog/catalog.js'
import type { FeedEntry } from '../../catalog/revision-history/change-feed.js'
import type { Revision } from '../../core/records/revision.js'
import { openEventLoopPauses } from '../../core/scheduling/event-loop-pauses.js'
import type { Oid } from '../../core/value-types.js'
import { readUnlessLost } from '../../store/objects/object-errors.js'
import { type BulkChange, type RejectedDocument, sendChanges } from './bulk-request.js'
import type { ClusterClient } from './cluster-client.js'
import { clusterDocument, type RenderEntry } from './cluster-document.js'
import type { Generation } from './cluster-state.js'
import type { Generations } from './generations.js'
import type { IndexNames } from './index-names.js'

export interface FillOptions {
  readonly client: ClusterClient
  readonly names: IndexNames
  readonly generations: Generations
  readonly catalog: Pick<Catalog, 'feed' | 'chain'>
  readDocument(blob: Oid): Promise<Uint8Array>
  readonly renderEntry: RenderEntry
  /** The `_id` of a record. */
  idOf(revision: Pick<Revision, 'kind' | 'id'>): string
}

/** A part of the history that is in the cluster now. */
export interface FilledPart {
  /** All revisions up to it are in the cluster. */
  readonly commit: Oid
  /** There are later revisions. */
  readonly more: boolean
  readonly rejected: readonly RejectedDocument[]
}

/** Limits of one request. */
const largestBatch = { revisions: 500, bytes: 5 * 2 ** 20 }

/** The indices that have documents. */
interface FoundPlaces {
  readonly hits: { readonly hits: readonly { readonly _index: string; readonly _id: string }[] }
}

/** Writes the newest states of records with revisions after a commit, so that a repetition changes nothing. */
export function openFill(options: FillOptions) {
  const { client, names, generations, catalog, idOf } = options

  async function indexChange(revision: Revision, index: string): Promise<BulkChange> {
    // Searches still find the record of a lost document.
    const bytes = await readUnlessLost(() => options.readDocument(revision.document))
    const document = clusterDocument(revision, bytes, options.renderEntry(revision))
    return { type: 'index', index, id: idOf(revision), version: revision.sequence, document }
  }

  /**
   * Brings the revisions of the next commits into a generation. The caller may store the commit afterwards: everything
   * before it is durable in the cluster.
   * @throws ProblemError `not-found` if the history lacks the commit of the generation; ClusterError
   */
  return async (generation: Generation, isCurrent: boolean, signal: AbortSignal): Promise<FilledPart> => {
    const { entries, next, more } = catalog.feed.after(generation.commit, largestBatch.revisions)
    const batch = openBatch(client, signal)
    const pauses = openEventLoopPauses()
    const records = lastOfRecords(entries)
    const known = [...records.values()].filter(({ isNew }) => !isNew).map(({ entry }) => idOf(entry))
    const places = await findIndices(options, known, generation.number, signal)
    for (const { entry } of records.values()) {
      signal.throwIfAborted()
      const revision = entry.latest()
      const index = entry.gone
        ? undefined
        : await generations.ensure(names.aliasOf(revision), generation.number, isCurrent)
      const id = idOf(entry)
      const version = entry.gone ? (catalog.chain.positionOf(entry.commit) ?? 0) : revision.sequence
      for (const place of places.get(id) ?? [])
        if (place !== index) batch.add({ type: 'delete', index: place, id, version })
      if (index !== undefined) batch.add(await indexChange(revision, index))
      await batch.sendIfLong()
      await pauses.ifDue()
    }
    return { commit: next, more, rejected: await batch.end() }
  }
}

/** Changes that are collected and sent in requests of a limited size. */
function openBatch(client: ClusterClient, signal: AbortSignal) {
  const rejected: RejectedDocument[] = []
  let changes: BulkChange[] = []
  let bytes = 0

  async function send(): Promise<void> {
    rejected.push(...(await sendChanges(client, changes, signal)))
    changes = []
    bytes = 0
  }

  return {
    add(change: BulkChange): void {
      changes.push(change)
      bytes += change.type === 'index' ? change.document.json.length : 0
    },
    async sendIfLong(): Promise<void> {
      if (bytes >= largestBatch.bytes) await send()
    },
    /** Sends the last changes. @returns documents that the cluster has rejected since the beginning */
    async end(): Promise<readonly RejectedDocument[]> {
      await send()
      return rejected
    },
  }
}

/** Largest number of documents in the answer of {@link findIndices}. */
const mostPlaces = 10_000

/**
 * The indices of a generation that have a document of a record, by the `_id` of the record. A record that has changed
 * its schema has a document in the index of the earlier schema.
 */
async function findIndices(
  { client, names, generations }: FillOptions,
  ids: readonly string[],
  generation: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const indices = new Map<string, string[]>()
  if (ids.length === 0) return indices
  await generations.refresh(generation)
  const query = { ids: { values: ids } }
  const { hits } = await client.send<FoundPlaces>(
    'POST',
    `${names.ofGeneration(generation)}/_search?ignore_unavailable=true`,
    { body: { query, _source: false, size: mostPlaces }, signal },
  )
  for (const { _index, _id } of hits.hits) {
    const known = indices.get(_id)
    if (known) known.push(_index)
    else indices.set(_id, [_index])
  }
  return indices
}

/** The last entry of each record, and whether the record has no earlier revision. */
function lastOfRecords(entries: readonly FeedEntry[]) {
  const records = new Map<string, { readonly entry: FeedEntry; readonly isNew: boolean }>()
  for (const entry of entries) {
    const key = `${entry.kind} ${entry.id}`
    const earlier = records.get(key)
    records.set(key, { entry, isNew: entry.change === 'created' && (earlier?.isNew ?? true) })
  }
  return records
}
