import type { Finding } from '../core/problem.js'
import type { Collection, DocumentType } from '../core/records/collection.js'
import type { Page, PageRequest, PageWindow } from '../core/records/list-page.js'
import type { ListQuery } from '../core/records/list-query.js'
import type { StoredRecord } from '../core/records/record.js'
import type { CatalogQueries } from '../core/records/record-queries.js'
import type { InvalidRevision, Revision } from '../core/records/revision.js'
import type { ClientWork } from '../core/scheduling/client-work.js'
import type { Id, Oid } from '../core/value-types.js'
import type { History } from '../store/commit-history/first-parent-history.js'
import type { CommitInfo } from '../store/objects/commit-and-tree-parser.js'
import type { ObjectReader } from '../store/objects/object-reader.js'
import type { HeadChangeNotifier } from './follow/head-change-notifier.js'
import type { LongLists } from './read/long-list-reader.js'
import type { SurroundingsOf } from './read/neighbouring-revisions.js'
import type { RevisionBatchReader } from './read/revision-batch-reader.js'
import type { ChangeFeed } from './revision-history/change-feed.js'
import type { FirstParentChain } from './revision-history/first-parent-chain.js'
import type { RevisionCursors } from './revision-history/revision-cursor.js'
import type { WatchedLedger } from './write/catalog-lag.js'

/** A revision somebody made with git, readable as a record, before its rules have been judged. */
export interface UncheckedRevision {
  readonly kind: Collection
  readonly id: Id
  readonly commit: CommitInfo
  readonly sequence: number
  /** Undefined: the directory is removed. */
  readonly state?: {
    readonly record: StoredRecord
    readonly documentType: DocumentType
    readonly document: Oid
    readonly files: ReadonlyMap<string, Oid>
  }
}

/**
 * Judges revisions made with git beside the server by the rules a PUT would have to keep. Revisions in commits that
 * a server made (committer and `Recorded-At`) were judged when they were written; a merge is always judged.
 * @param work for a client that looks at a point aside of the served history
 * @returns findings; none for a good revision
 */
export type RuleCheck = (
  candidate: UncheckedRevision,
  view: CatalogQueries,
  work?: ClientWork,
) => Promise<readonly Finding[]>

/**
 * Reads the history as `ledger.catchUp` would, judges every revision, whatever its committer is, and takes nothing
 * over. Only the holder of the writer lock may call it.
 * @param sources where the commits and their objects are, as they may not be in the repository yet
 * @returns every revision that breaks a rule, in the order of the history
 */
export type DryRunCatchUp = (
  to: Oid,
  sources: { readonly objects: ObjectReader; readonly history: History; readonly judge: RuleCheck },
) => Promise<readonly InvalidRevision[]>

export interface Catalog {
  /** The committed state: what readers see. */
  readonly committed: CatalogQueries
  /** Of the committed state, where many ask. */
  readonly newest: RevisionBatchReader['newest']
  /**
   * Says whether a part of a list of the committed state is short, and found without looking at many entries.
   * @throws ProblemError as {@link CatalogQueries.list}
   */
  isQuick(kind: Collection, query: ListQuery, cut: PageRequest): boolean
  /** Of the committed state, where parts are long, or take long to find. */
  readonly longLists: Pick<LongLists, 'list' | 'versions'>
  /** The state the writer plans on: what is committed, and what has been added to the open transaction. */
  readonly planning: CatalogQueries
  /** The commit the committed state reflects. */
  head(): Oid | undefined
  readonly ledger: WatchedLedger
  /** The revision that the writer made of a record by a commit, as long as it is remembered: nothing has to be read for it. */
  written(kind: Collection, id: Id, commit: Oid): Revision | undefined
  readonly rehearse: DryRunCatchUp
  readonly chronicle: RevisionCursors
  readonly feed: ChangeFeed
  /** Told by the ledger, and, for commits of other processes, by what follows the branch. */
  readonly moves: HeadChangeNotifier
  /** Of the committed state. */
  readonly chain: FirstParentChain
  /** Of the committed state. */
  readonly surroundings: SurroundingsOf
  /** Newest revisions whose record or document has all the words; brings the full-text index up to date first. */
  search(words: string, window: PageWindow): Promise<Page<Revision>>
  /**
   * Finds out, in another thread, where the entries of a list stand, so that nobody waits for a page far in: it is counted to
   * otherwise.
   * @param query of which lists are long: without resources
   */
  prepareDeepPages(kind: Collection, query: ListQuery): Promise<void>
  /** Drops everything; the next `ledger.catchUp` reads the whole history. */
  clear(): void
  close(): Promise<void>
}
