import type { Client } from '../core/access-control.js'
import type { Finding } from '../core/problem.js'
import type { Collection, DocumentType } from '../core/records/collection.js'
import type { PageRequest } from '../core/records/list-page.js'
import type { ListPage, ListQuery } from '../core/records/list-query.js'
import type { StoredRecord } from '../core/records/record.js'
import type { CatalogQueries } from '../core/records/record-queries.js'
import type { InvalidRevision, Revision } from '../core/records/revision.js'
import type { ClientWork } from '../core/scheduling/client-work.js'
import type { Id, Oid } from '../core/value-types.js'
import type { History } from '../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../store/objects/commit-format.js'
import type { ObjectReader } from '../store/objects/object-reader.js'
import type { CatalogWriter } from '../store/write/catalog-interface.js'
import type { HeadChangeNotifier } from './follow/head-change-notifier.js'
import type { LongLists } from './read/long-list-reader.js'
import type { NeighboursOf } from './read/record-revisions.js'
import type { RevisionBatchReader } from './read/revision-batch-reader.js'
import type { ConnectionQueries } from './read/revision-queries.js'
import type { ChangeFeed } from './revision-history/change-feed.js'
import type { FirstParentChain } from './revision-history/first-parent-chain.js'
import type { RevisionCursors } from './revision-history/revision-cursor.js'

/** A revision made with plain git whose record is readable and whose rules are not checked yet. */
export interface UncheckedRevision {
  readonly kind: Collection
  readonly id: Id
  readonly commit: CommitInfo
  readonly sequence: number
  /** The record and its files after the commit; undefined if the commit removes the directory. */
  readonly state?: {
    readonly record: StoredRecord
    readonly documentType: DocumentType
    readonly document: Oid
    readonly files: ReadonlyMap<string, Oid>
  }
}

/**
 * Checks revisions made with plain git against the rules of a PUT. Revisions in commits of a server (committer and
 * `Recorded-At`) were checked when they were written. A merge is always checked.
 * @param work given when a client reads a point outside the served history
 * @returns findings; empty for a valid revision
 */
export type RuleCheck = (
  candidate: UncheckedRevision,
  view: CatalogQueries,
  work?: ClientWork,
) => Promise<readonly Finding[]>

/**
 * Reads the history as `writer.catchUp` does and checks every revision, whatever its committer. It stores nothing.
 * Only the holder of the writer lock may call it.
 * @param sources where to read the commits and their objects, which may not be in the repository yet
 * @returns every revision that breaks a rule, in the order of history
 */
export type DryRunCatchUp = (
  to: Oid,
  sources: { readonly objects: ObjectReader; readonly history: History; readonly checkRules: RuleCheck },
) => Promise<readonly InvalidRevision[]>

/** Reads committed rows for features. */
interface RowReader {
  /**
   * Runs a reader, in the thread of long lists if there is one.
   * @param script of the reader, which exports an {@link OpenRowReader} as `openReader`
   * @throws ProblemError of the reader
   */
  read(script: URL, query: unknown, client: Client | undefined): Promise<unknown>
  /**
   * Reads revisions by their row numbers.
   * @param identity of the build of the catalog that the numbers are from
   * @throws ProblemError `unavailable` if the catalog was rebuilt meanwhile
   */
  revisions(identity: string, revs: readonly number[]): readonly Revision[]
}

/** Reads the file of the catalog in another thread. */
export interface CatalogReader {
  /** Closes the connection; the next job opens another one. */
  disconnect(): Promise<void>
}

/** A catalog writer that knows whether its last update succeeded. */
export interface WatchedCatalogWriter extends CatalogWriter {
  /** Whether the last update of the catalog failed, because of the disk or a damaged repository. */
  readonly lastUpdateFailed: boolean
}

export interface Catalog {
  /** The committed state, which readers see. */
  readonly committed: CatalogQueries
  /** Newest revisions of the committed state, read in batches by another thread when there are many requests. */
  readonly newest: RevisionBatchReader['newest']
  /**
   * A page of a list of the committed state, if it is short, and was read since the last change or can be found by reading
   * few entries.
   * @throws ProblemError as {@link CatalogQueries.list}
   */
  quickPage(kind: Collection, query: ListQuery, window: PageRequest): ListPage | undefined
  /** Pages of the committed state that are long or slow to find, read by another thread. */
  readonly longLists: Pick<LongLists, 'list' | 'versions'>
  readonly rows: RowReader
  /** Schemas that are GONE, in the committed state. */
  readonly goneSchemas: Pick<ConnectionQueries, 'goneSchema' | 'goneSchemas'>
  /** Of the given ids, those of records that no list shows to the caller, in the committed state. */
  readonly unlisted: ConnectionQueries['unlisted']
  /** The state for which the writer makes plans: the committed state with the rows of the open transaction. */
  readonly planning: CatalogQueries
  /** The newest commit that the catalog has read; undefined if the catalog is empty. */
  head(): Oid | undefined
  readonly writer: WatchedCatalogWriter
  /** The revision of a record that a commit of the writer made, if it is still in the cache. Reads no file. */
  written(kind: Collection, id: Id, commit: Oid): Revision | undefined
  readonly dryRunCatchUp: DryRunCatchUp
  readonly cursors: RevisionCursors
  readonly feed: ChangeFeed
  /** Notified of each change of the committed state. */
  readonly headChanges: HeadChangeNotifier
  /** Notifies {@link headChanges} if another git-metastore process has moved the head. */
  noticeOthers(): void
  /** Reads the committed state. */
  readonly chain: FirstParentChain
  /** Reads the committed state. */
  readonly neighbours: NeighboursOf
  /** The file of the catalog, which other threads may open for reading. */
  readonly file: string
  /** Changes with every rebuild of the catalog, whose row numbers then have another meaning. */
  identity(): string
  /** A reader in another thread, which has to close its connection before the file is replaced. */
  addReader(reader: CatalogReader): void
  close(): Promise<void>
}
