import type { Catalog } from '../../../catalog/catalog.js'
import type { FeedEntry } from '../../../catalog/revision-history/change-feed.js'
import type { Revision } from '../../../core/records/revision.js'
import { openEventLoopPauses } from '../../../core/scheduling/event-loop-pauses.js'
import type { Id, Oid } from '../../../core/value-types.js'
import type { ReadRecordAuthor } from '../../../service/record-history/record-author.js'
import { readUnlessLost } from '../../../store/objects/object-errors.js'
import type { SchemaDeclaration } from '../../search/index/index-rows.js'
import { loadDescribeModule } from '../../search/index/load-describe-module.js'
import { type BulkChange, type RejectedDocument, sendChanges } from './bulk-request.js'
import type { ClusterClient } from './cluster-client.js'
import { clusterDocument, hashOfDeclaration, type RenderEntry } from './cluster-document.js'
import type { Generation, SchemaSentAgain } from './cluster-state.js'
import type { DeclaredByPath } from './declared-values.js'
import type { Generations } from './generations.js'
import type { IndexNames } from './index-names.js'

export interface FillOptions {
  readonly client: ClusterClient
  readonly names: IndexNames
  readonly generations: Generations
  readonly catalog: Pick<Catalog, 'feed' | 'chain' | 'committed'>
  readDocument(blob: Oid): Promise<Uint8Array>
  readonly readAuthor: ReadRecordAuthor
  /** Address of the module that describes documents; undefined if there is none. */
  describeModule(): string | undefined
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
  /** The schemas whose documents have to be sent again. */
  readonly again: readonly SchemaSentAgain[]
  readonly rejected: readonly RejectedDocument[]
}

/** Documents of a schema that are in the cluster again. */
interface PartSentAgain {
  /** The schemas whose documents are left. */
  readonly again: readonly SchemaSentAgain[]
  readonly rejected: readonly RejectedDocument[]
}

export type Fill = ReturnType<typeof openFill>

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
  /** A hash of what a schema declared when its document was written, see {@link hashOfDeclaration}. */
  readonly declares: string | undefined
}

/** Sends the newest revisions of records to a generation. */
export function openFill(options: FillOptions) {
  const { catalog, idOf, signal } = options

  return {
    /**
     * Brings the revisions of the next commits into a generation. The caller may store the commit afterwards: everything
     * before it is durable in the cluster. It may be repeated.
     * @throws ProblemError `not-found` if the history lacks the commit of the generation; ClusterError
     */
    async next(generation: Generation, isCurrent: boolean): Promise<FilledPart> {
      const { entries, next, more } = catalog.feed.after(generation.commit, maxBatch.revisions)
      const changes = await openChanges(options, generation, isCurrent)
      const pauses = openEventLoopPauses()
      const again: SchemaSentAgain[] = []
      const records = lastOfRecords(entries)
      const known = [...records.values()].filter(({ isNew }) => !isNew).map(({ entry }) => idOf(entry))
      const places = await findPlaces(options, known, generation.number)
      // Schemas first: documents that follow them are then sent as they describe them now.
      const ofSchemas = [...records.values()].filter(({ entry }) => entry.kind === 'schema')
      for (const { entry, isNew } of new Set([...ofSchemas, ...records.values()])) {
        signal.throwIfAborted()
        const revision = entry.latest()
        const earlier = places.get(idOf(entry))
        if (entry.gone) {
          changes.remove(entry, catalog.chain.positionOf(entry.commit) ?? 0, earlier)
        } else if (entry.kind === 'schema') {
          const declares = await changes.declare(revision)
          const isDeclared = isNew || earlier?.some(place => place.declares === declares)
          if (!isDeclared) again.push({ schema: entry.id, declares, done: 0, total: 0 })
          await changes.put(revision, earlier, isDeclared ? declares : undefined)
        } else {
          await changes.put(revision, earlier)
        }
        await pauses.ifDue()
      }
      return { commit: next, more, again, rejected: await changes.end() }
    },
    /** Sends the next documents of the first schema again. It may be repeated. @throws ClusterError */
    async again(
      generation: Generation,
      [first, ...rest]: readonly [SchemaSentAgain, ...SchemaSentAgain[]],
      isCurrent: boolean,
    ): Promise<PartSentAgain> {
      const { schema, after, declares, done } = first
      const changes = await openChanges(options, generation, isCurrent)
      const pauses = openEventLoopPauses()
      const query = { schemaIds: [schema], sort: { by: 'id', direction: 'asc' } as const }
      const window = { offset: 0, limit: maxBatch.revisions, ...(after && { after }) }
      const { items, next, total } = catalog.committed.list('metadata', query, window)
      const places = await findPlaces(options, items.map(idOf), generation.number)
      for (const revision of items) {
        signal.throwIfAborted()
        const earlier = places.get(idOf(revision))
        // A record that the cluster does not have yet comes with its own revision.
        if (earlier) await changes.put(revision, earlier)
        await pauses.ifDue()
      }
      await changes.send()
      const left = next && { schema, declares, after: next, done: done + items.length, total }
      const newest = left ? undefined : catalog.committed.newest('schema', schema)
      // Last: the document of the schema says that its documents were sent. A later revision begins anew.
      if (newest && (await changes.declare(newest)) === declares) {
        const earlier = await findPlaces(options, [idOf(newest)], generation.number)
        await changes.put(newest, earlier.get(idOf(newest)), declares)
      }
      return { again: left ? [left, ...rest] : rest, rejected: await changes.end() }
    },
  }
}

/** The changes of one part of the history, which are sent to a generation. */
async function openChanges(options: FillOptions, generation: Generation, isCurrent: boolean) {
  const { client, names, generations, idOf } = options
  const authors = new WeakMap<Revision, string>()
  const readAuthor = (revision: Revision) => authors.get(revision)
  const { describe, saidBySchema } = await loadDescribeModule(options.describeModule(), readAuthor)
  const batch = openBatch(client, generations.makeRoom)
  const declarations = openDeclared(options.catalog.committed, async schema => {
    const document = await readUnlessLost(() => options.readDocument(schema.document))
    return saidBySchema(schema, document)
  })

  async function indexChange(
    revision: Revision,
    index: string,
    declares: string | undefined,
  ): Promise<BulkChange> {
    // Searches still find the record of a lost document.
    const bytes = await readUnlessLost(() => options.readDocument(revision.document))
    const { fields, said } = await declarations.of(revision.record.schema?.schemaId)
    const author = await options.readAuthor(revision)
    if (author !== undefined) authors.set(revision, author)
    const document = clusterDocument(revision, bytes, {
      entry: options.renderEntry(revision),
      described: describe(revision, bytes, said),
      declared: fields,
      declares,
    })
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
    /**
     * Sends a revision, and deletes documents of its record in other indices.
     * @param declares of a schema whose documents are in the cluster as it describes them
     */
    async put(revision: Revision, places: readonly DocumentPlace[] = [], declares?: string): Promise<void> {
      const index = await generations.ensure(names.aliasOf(revision), generation.number, isCurrent)
      remove(revision, revision.sequence, places, index)
      batch.add(await indexChange(revision, index, declares))
      await batch.sendIfLong()
    },
    /** Uses this revision of a schema for documents that follow it. @returns a hash of what it declares */
    declare: async (schema: Revision) => (await declarations.keep(schema)).hash,
    send: batch.send,
    end: batch.end,
  }
}

/** What a schema says about its documents. */
interface Declared extends Pick<SchemaDeclaration, 'said'> {
  readonly fields: DeclaredByPath
  /** See {@link hashOfDeclaration}. */
  readonly hash: string
}

const nothingDeclared: Declared = { fields: new Map(), said: undefined, hash: '' }

/** What schemas say about their documents. Each schema is read once. */
function openDeclared(
  committed: Pick<Catalog['committed'], 'newest'>,
  saidBy: (schema: Revision) => Promise<string | undefined>,
) {
  const known = new Map<Id, Declared>()
  async function keep(schema: Revision): Promise<Declared> {
    const { fields = [] } = schema.record.search ?? {}
    const said = await saidBy(schema)
    const declared = {
      fields: new Map(fields.map(field => [field.path.toLowerCase(), field])),
      ...{ said, hash: hashOfDeclaration({ fields, said }) },
    }
    known.set(schema.id, declared)
    return declared
  }
  return {
    /** Uses this revision of a schema. A later revision comes with another part. */
    keep,
    async of(schema: Id | undefined): Promise<Declared> {
      if (schema === undefined) return nothingDeclared
      const declared = known.get(schema)
      if (declared) return declared
      const newest = committed.newest('schema', schema)
      return newest ? await keep(newest) : nothingDeclared
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
