import type { Catalog } from '../../../catalog/catalog.js'
import type { FeedEntry } from '../../../catalog/revision-history/change-feed.js'
import type { ListCursor } from '../../../core/records/list-page.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../../core/value-types.js'
import { readUnlessLost } from '../../../store/objects/object-errors.js'
import { type BulkChange, type RejectedDocument, sendChanges } from './bulk-request.js'
import type { ClusterClient } from './cluster-client.js'
import { clusterDocument, declarationOf, type RenderEntry } from './cluster-document.js'
import type { Generation } from './cluster-state.js'
import type { DeclaredByPath } from './declared-values.js'
import type { Generations } from './generations.js'
import type { IndexNames } from './index-names.js'

export interface FillOptions {
  readonly client: ClusterClient
  readonly names: IndexNames
  readonly generations: Generations
  readonly catalog: Pick<Catalog, 'feed' | 'chain' | 'committed'>
  readDocument(blob: Oid): Promise<Uint8Array>
  readonly renderEntry: RenderEntry
  /** The `_id` of a record. */
  idOf(revision: Pick<Revision, 'kind' | 'id'>): string
  /** Ends the work between two records. */
  readonly signal: AbortSignal
}

/** A part of the history that is in the cluster now. */
export interface FilledPart {
  /** All revisions up to this commit are in the cluster. */
  readonly commit: Oid
  /** Whether there are later revisions. */
  readonly more: boolean
  readonly rejected: readonly RejectedDocument[]
}

export type FillPart = ReturnType<typeof openFill>

/** Limits of the revisions and the bytes of one request. */
const maxBatch = { revisions: 500, bytes: 5 * 2 ** 20 }

/** The cluster's answer to a search by ids of records: the index and the id of each document that it has for them. */
interface FoundPlaces {
  readonly hits: {
    readonly hits: readonly {
      readonly _index: string
      readonly _id: string
      readonly _source?: { readonly metastore?: { readonly declares?: string } }
    }[]
  }
}

/** Where the cluster has a document of a record. */
interface DocumentPlace {
  readonly index: string
  /** A hash of what a schema declared when its document was written, see {@link declarationOf}. */
  readonly declares: string | undefined
}

/** Returns a function that sends the newest revisions of records that changed after a commit. It may be repeated. */
export function openFill(options: FillOptions) {
  const { catalog, idOf, signal } = options

  /**
   * Brings the revisions of the next commits into a generation. The caller may store the commit afterwards: everything
   * before it is durable in the cluster.
   * @throws ProblemError `not-found` if the history lacks the commit of the generation; ClusterError
   */
  return async (generation: Generation, isCurrent: boolean): Promise<FilledPart> => {
    const { entries, next, more } = catalog.feed.after(generation.commit, maxBatch.revisions)
    const changes = openChanges(options, generation, isCurrent)
    const pauses = openEventLoopPauses()
    const records = lastOfRecords(entries)
    const known = [...records.values()].filter(({ isNew }) => !isNew).map(({ entry }) => idOf(entry))
    const places = await findPlaces(options, known, generation.number)
    // Schemas first: documents that follow them are then sent, in this part too, with the fields that they declare now.
    const ofSchemas = [...records.values()].filter(({ entry }) => entry.kind === 'schema')
    for (const { entry, isNew } of new Set([...ofSchemas, ...records.values()])) {
      signal.throwIfAborted()
      const revision = entry.latest()
      const earlier = places.get(idOf(entry))
      if (entry.gone) {
        changes.remove(entry, catalog.chain.positionOf(entry.commit) ?? 0, earlier)
      } else {
        if (entry.kind === 'schema') {
          changes.declare(revision)
          const isDeclared = isNew || earlier?.some(({ declares }) => declares === declarationOf(revision))
          // Before the document of the schema, whose `declares` says that its followers were sent.
          if (!isDeclared) await putFollowers(options, changes, generation, entry.id)
        }
        await changes.put(revision, earlier)
      }
      await pauses.ifDue()
    }
    return { commit: next, more, rejected: await changes.end() }
  }
}

/** The changes of one part of the history, which are sent to a generation. */
function openChanges(options: FillOptions, generation: Generation, isCurrent: boolean) {
  const { client, names, generations, idOf } = options
  const batch = openBatch(client, generations.makeRoom)
  const declarations = openDeclared(options.catalog.committed)

  async function indexChange(
    revision: Revision,
    index: string,
    declared: DeclaredByPath,
  ): Promise<BulkChange> {
    // Searches still find the record of a lost document.
    const bytes = await readUnlessLost(() => options.readDocument(revision.document))
    const document = clusterDocument(revision, bytes, options.renderEntry(revision), declared)
    return { type: 'index', index, id: idOf(revision), version: revision.sequence, document }
  }

  /** Deletes documents of a record. @param kept the index whose document stays */
  function remove(
    record: Pick<Revision, 'kind' | 'id'>,
    version: number,
    places: readonly DocumentPlace[] = [],
    kept?: string,
  ): void {
    const id = idOf(record)
    for (const { index } of places) if (index !== kept) batch.add({ type: 'delete', index, id, version })
  }

  return {
    remove,
    /** Sends a revision, and deletes documents of its record in other indices. */
    async put(revision: Revision, places: readonly DocumentPlace[] = []): Promise<void> {
      const index = await generations.ensure(names.aliasOf(revision), generation.number, isCurrent)
      remove(revision, revision.sequence, places, index)
      const declared = declarations.of(revision.record.schema?.schemaId)
      batch.add(await indexChange(revision, index, declared))
      await batch.sendIfLong()
    },
    /** Uses the declarations of this revision of a schema for documents that follow it. */
    declare: declarations.keep,
    send: batch.send,
    end: batch.end,
  }
}

/** Sends the documents of a schema again, because the fields that it declares have changed. */
async function putFollowers(
  options: FillOptions,
  changes: ReturnType<typeof openChanges>,
  generation: Generation,
  schema: Id,
): Promise<void> {
  const { catalog, idOf, signal } = options
  const query = { schemaIds: [schema], sort: { by: 'id', direction: 'asc' } as const }
  const pauses = openEventLoopPauses()
  let after: ListCursor | undefined
  do {
    signal.throwIfAborted()
    const page = catalog.committed.list('metadata', query, {
      ...{ offset: 0, limit: maxBatch.revisions },
      ...(after && { after }),
    })
    const places = await findPlaces(options, page.items.map(idOf), generation.number)
    for (const revision of page.items) {
      // A record that the cluster does not have yet comes with its own revision.
      const earlier = places.get(idOf(revision))
      if (earlier) await changes.put(revision, earlier)
      await pauses.ifDue()
    }
    after = page.next
  } while (after)
  await changes.send()
}

/** The fields that schemas declare. Each schema is read once. */
function openDeclared(committed: Pick<Catalog['committed'], 'newest'>) {
  const known = new Map<Id, DeclaredByPath>()
  function keep({ id, record }: Pick<Revision, 'id' | 'record'>): DeclaredByPath {
    const fields = record.search?.fields ?? []
    const declared = new Map(fields.map(field => [field.path.toLowerCase(), field]))
    known.set(id, declared)
    return declared
  }
  return {
    /** Uses the declarations of this revision of a schema. A later revision comes with another part. */
    keep,
    of(schema: Id | undefined): DeclaredByPath {
      if (schema === undefined) return new Map()
      const declared = known.get(schema)
      if (declared) return declared
      const newest = committed.newest('schema', schema)
      return newest ? keep(newest) : new Map()
    },
  }
}

/** Changes that are collected and sent in requests of a limited size. */
function openBatch(client: ClusterClient, makeRoom: (index: string) => Promise<void>) {
  const rejected: RejectedDocument[] = []
  let changes: BulkChange[] = []
  let bytes = 0

  async function send(): Promise<void> {
    rejected.push(...(await sendChanges(client, changes, makeRoom)))
    changes = []
    bytes = 0
  }

  return {
    add(change: BulkChange): void {
      changes.push(change)
      bytes += change.type === 'index' ? change.document.json.length : 0
    },
    send,
    async sendIfLong(): Promise<void> {
      if (bytes >= maxBatch.bytes) await send()
    },
    /** Sends the last changes. @returns documents that the cluster has rejected since the beginning */
    async end(): Promise<readonly RejectedDocument[]> {
      await send()
      return rejected
    },
  }
}

/** Limit of the documents in the answer of {@link findPlaces}. */
const maxPlaces = 10_000

/**
 * The documents of records in a generation, by `_id`. A record that has changed its schema has a document in the index
 * of the earlier schema, too.
 */
async function findPlaces(
  { client, names, generations }: FillOptions,
  ids: readonly string[],
  generation: number,
): Promise<ReadonlyMap<string, readonly DocumentPlace[]>> {
  const places = new Map<string, DocumentPlace[]>()
  if (ids.length === 0) return places
  await generations.refresh(generation)
  const query = { ids: { values: ids } }
  const { hits } = await client.send<FoundPlaces>(
    'POST',
    `${names.ofGeneration(generation)}/_search?ignore_unavailable=true`,
    { body: { query, _source: ['metastore.declares'], size: maxPlaces } },
  )
  for (const { _index, _id, _source } of hits.hits) {
    const place = { index: _index, declares: _source?.metastore?.declares }
    const known = places.get(_id)
    if (known) known.push(place)
    else places.set(_id, [place])
  }
  return places
}

/**
 * The last entry of each record, and whether the record has no earlier revision. A schema that was removed and created
 * again is not new, because documents that follow it may have stayed.
 */
function lastOfRecords(entries: readonly FeedEntry[]) {
  const records = new Map<string, { readonly entry: FeedEntry; readonly isNew: boolean }>()
  for (const entry of entries) {
    const key = `${entry.kind} ${entry.id}`
    const earlier = records.get(key)
    const isNew = entry.change === 'created' && !entry.isAgain && (earlier?.isNew ?? true)
    records.set(key, { entry, isNew })
  }
  return records
}
