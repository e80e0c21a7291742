import type { Point } from '../core/history-point.js'
import type { Cut, Page, Place, Window } from '../core/list-page.js'
import type { Finding } from '../core/problem.js'
import type { StoredRecord } from '../core/record.js'
import type { ClientWork } from '../core/scheduling/client-work.js'
import type { DocumentType, Id, Instant, Kind, Oid, Sha1, Version } from '../core/value-types.js'
import type { CommitInfo, History } from '../store/commit-history/first-parent-history.js'
import type { ObjectReader } from '../store/objects/object-reader.js'
import type { Moves } from './follow/head-change-notifier.js'
import type { LongLists } from './read/long-list-reader.js'
import type { SurroundingsOf } from './read/neighbouring-revisions.js'
import type { Together } from './read/revision-batch-reader.js'
import type { Feed } from './revision-history/change-feed.js'
import type { Chain } from './revision-history/first-parent-chain.js'
import type { Chronicle } from './revision-history/revision-cursor.js'
import type { WatchedLedger } from './write/catalog-lag.js'

/**
 * One good revision of a record, with all that is derived from history. Record and files may be read when they are asked for:
 * a copy by `...` has not got them.
 */
export interface Revision {
  readonly kind: Kind
  readonly id: Id
  /** `recordVersion` of metadata, `schemaVersion` of a schema. @see design, "History is the version store" */
  readonly version: Version
  /** The version before it that can be read: those of bad revisions and of removals cannot. Undefined: it is the first. */
  readonly previous?: Version
  /** The commit that made it: its ETag. */
  readonly commit: Oid
  /** `lastUpdate`. */
  readonly time: Instant
  /** Time of the record's first revision. */
  readonly createdAt: Instant
  readonly record: StoredRecord
  readonly documentType: DocumentType
  readonly documentHash: Sha1
  /** Blob of the document. */
  readonly document: Oid
  /** Blobs of every file of the directory, by path inside it: `record.json` and the document too. */
  readonly files: ReadonlyMap<string, Oid>
  /** Position of the commit on the first-parent chain: of two revisions the later has the higher one. */
  readonly sequence: number
  /** Of a revision that is none of the served history. */
  readonly aside?: {
    /** The point it was read at: addresses that lead to it say so. */
    readonly point: Oid
    /** As {@link Queries.documentRuns} has them. */
    readonly runs: readonly DocumentRun[]
  }
}

/** Who has a name: the id, the persistent identifier or an alternate identifier of a record, now or ever. */
export interface NameOwner {
  readonly kind: Kind
  readonly id: Id
  /** The record's directory has left the tree; the name stays taken. */
  readonly gone: boolean
}

/** A name that is taken, and by which record. */
export interface TakenName extends NameOwner {
  readonly name: string
}

/** A metadata record that describes a resource. */
export interface Describer {
  readonly resource: string
  readonly id: Id
}

/** What a record has to itself. */
export interface Claim {
  readonly directory: string
  /** At least one. */
  readonly names: readonly string[]
  /** What it describes with the schema. */
  readonly resources: readonly string[]
  readonly schemaId?: Id | undefined
}

/** What of a list may be seen; without any of these everything. */
export interface Sight {
  /**
   * Only records with an ACL entry of READ or more for one of these subjects, of ADMINISTRATE where the record is
   * REVOKED. @see contract, "Lists"
   */
  readonly readableBy?: readonly string[]
  /** With `readableBy`: these too, whatever their ACL. */
  readonly readableIds?: readonly Id[]
  /** With `readableBy`: everything else that is not REVOKED, too. */
  readonly readsUnrevoked?: true
}

export interface ListQuery extends Sight {
  /** Schemas whose document is of one of these. Undefined: any. */
  readonly documentTypes?: readonly DocumentType[]
  /** Metadata that describes one of these resources. */
  readonly resources?: readonly string[]
  /** Metadata whose newest version follows one of these schemas, in whatever version. */
  readonly schemaIds?: readonly string[]
  /** Only `from`: later than it. Only `until`: earlier. Both: between, both ends included. @see contract, 1.6 */
  readonly from?: Instant
  readonly until?: Instant
  /** Default: schemas by id, metadata by `lastUpdate` descending. Equal times are ordered by id. */
  readonly sort?: Sort
}

/** `lastUpdate` ascending is the reverse of `lastUpdate` descending, records of one time included. */
export interface Sort {
  readonly by: 'id' | 'lastUpdate'
  readonly direction: 'asc' | 'desc'
}

/** A part of a list, and of which list. */
export interface Listed<T = Revision> extends Page<T> {
  readonly limit: number
  /** Bytes that its records have together, as they are stored; where that is known. */
  readonly bytes?: number
  /** The commit whose list it is; undefined where the catalog reflects none yet. */
  readonly commit?: Oid
  /** The window began behind a place. */
  readonly continued?: true
  /** Where the next part begins, if there is one; of versions where the records of this part have as many bytes as they may. */
  readonly next?: Place
}

/** Questions about one state: either the committed one, or the one the writer is planning on. */
export interface Queries {
  /** The newest good revision of a record whose directory is in the tree. */
  newest(kind: Kind, id: Id): Revision | undefined
  /** The newest good revision that belongs to the version; of a record in the tree only. */
  atVersion(kind: Kind, id: Id, version: Version): Revision | undefined
  /**
   * The state a record of the tree had at a point of history; with a version, the newest of that version by then.
   * Undefined where it was not there yet, or GONE.
   * @throws ProblemError `not-found` for a point that is none of the served history
   */
  asOf(kind: Kind, id: Id, at: Point, version?: Version): Revision | undefined
  /** The schema version's newest good revision not after `sequence`; `version` undefined: the newest version then. */
  schemaAsOf(id: Id, version: Version | undefined, sequence: number): Revision | undefined
  owner(name: string): NameOwner | undefined
  /** The names that a record other than `except` has taken, in the order of `names`: one question, however many there are. */
  owners(names: readonly string[], except?: { readonly kind: Kind; readonly id: Id }): readonly TakenName[]
  /**
   * The resources that the newest version of a record (not GONE) other than `except` describes with the schema, in the order of
   * `resources`, each with one such record: one question, however many there are.
   */
  describers(resources: readonly string[], schemaId: Id, except?: Id): readonly Describer[]
  /**
   * Says whether nobody has or had any of it: one question for most new records. Where it is not so, the others tell why, and
   * whether that is in the way at all: on what is planned, it may be what an update of the same flush has given up.
   */
  isFree(claim: Claim): boolean
  /** A metadata record in the tree one of whose versions follows the schema. */
  dependentOf(schemaId: Id): Id | undefined
  /**
   * Newest revisions; `total` counts all matches. At a point of history: of the records that are in the tree and to be
   * seen today, those that were there, each as it was; the filters look at that state.
   * @throws ProblemError `not-found` for a point that is none of the served history; `malformed-request` for a place
   *   that says too little for the order
   */
  list(kind: Kind, query: ListQuery, cut: Cut): Listed
  /**
   * The newest revision of every version, newest first; undefined where no such record is, or was then, in the tree.
   * @throws ProblemError `not-found` for a point that is none of the served history
   */
  versions(kind: Kind, id: Id, cut: Cut): Listed | undefined
  /** The documents a record had up to a revision, newest first: the revision's own is the first. */
  documentRuns(revision: Revision): readonly DocumentRun[]
  /** Every revision, good or bad, newest first: for `log`. */
  revisions(kind: Kind, id: Id): readonly RevisionEntry[]
  /**
   * Says whether every record there ever was is served as it is in the tree, and seen in lists by one of these
   * subjects.
   */
  isOpenTo(subjects: readonly string[]): boolean
  counts(): { readonly schemas: number; readonly metadata: number }
  faults(): readonly Fault[]
  /** What the commits after one of the served history (all, where it is undefined) did to records. */
  since(commit: Oid | undefined): Progress
  /** Says whether the newest revision of the directory breaks a rule. Costs the same however many others do. */
  isFaulty(directory: string): boolean
}

/** Revisions that follow each other and have the same document. */
export interface DocumentRun extends Pick<Revision, 'document' | 'documentType'> {
  /** The revision that brought it. */
  readonly first: Pick<Revision, 'version' | 'commit' | 'time'>
}

export interface RevisionEntry {
  readonly commit: Oid
  readonly time: Instant
  /** Version it belongs to; undefined for a removal. */
  readonly version?: Version
  /** Bad revisions only. */
  readonly findings?: readonly Finding[]
}

/** A record whose newest revision breaks a rule; the last good one (if there is one) is served instead. */
export interface Fault {
  readonly kind: Kind
  readonly directory: string
  readonly id?: Id
  readonly commit: Oid
  readonly findings: readonly Finding[]
}

/** Revisions of some commits, good and bad. */
export interface Progress {
  /** How many there are. */
  readonly revisions: number
  /** Those that break a rule, oldest first, whatever came after them. */
  readonly faults: readonly FaultyRevision[]
}

export interface FaultyRevision extends Fault {
  /** The file in the directory that holds the document, where there is one. */
  readonly document?: string
}

/** A revision somebody made with git, readable as a record, before its rules have been judged. */
export interface Candidate {
  readonly kind: Kind
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
export type Judge = (candidate: Candidate, view: Queries, work?: ClientWork) => Promise<readonly Finding[]>

/**
 * Reads the history as `ledger.catchUp` would, judges every revision, whatever its committer is, and takes nothing
 * over. Only the holder of the writer lock may call it.
 * @param sources where the commits and their objects are, as they may not be in the repository yet
 * @returns every revision that breaks a rule, in the order of the history
 */
export type Rehearse = (
  to: Oid,
  sources: { readonly objects: ObjectReader; readonly history: History; readonly judge: Judge },
) => Promise<readonly FaultyRevision[]>

export interface Catalog {
  /** The committed state: what readers see. */
  readonly committed: Queries
  /** Of the committed state, where many ask. */
  readonly newest: Together['newest']
  /**
   * Says whether a part of a list of the committed state is short, and found without looking at many entries.
   * @throws ProblemError as {@link Queries.list}
   */
  isQuick(kind: Kind, query: ListQuery, cut: Cut): boolean
  /** Of the committed state, where parts are long, or take long to find. */
  readonly longLists: Pick<LongLists, 'list' | 'versions'>
  /** The state the writer plans on: what is committed, and what has been added to the open transaction. */
  readonly planning: Queries
  /** The commit the committed state reflects. */
  head(): Oid | undefined
  readonly ledger: WatchedLedger
  /** The revision that the writer made of a record by a commit, as long as it is remembered: nothing has to be read for it. */
  written(kind: Kind, id: Id, commit: Oid): Revision | undefined
  readonly rehearse: Rehearse
  readonly chronicle: Chronicle
  readonly feed: Feed
  /** Told by the ledger, and, for commits of other processes, by what follows the branch. */
  readonly moves: Moves
  /** Of the committed state. */
  readonly chain: Chain
  /** Of the committed state. */
  readonly surroundings: SurroundingsOf
  /** Newest revisions whose record or document has all the words; brings the full-text index up to date first. */
  search(words: string, window: Window): Promise<Page<Revision>>
  /**
   * Finds out, in another thread, where the entries of a list stand, so that nobody waits for a page far in: it is counted to
   * otherwise.
   * @param query of which lists are long: without resources
   */
  survey(kind: Kind, query: ListQuery): Promise<void>
  /** Drops everything; the next `ledger.catchUp` reads the whole history. */
  clear(): void
  close(): Promise<void>
}
