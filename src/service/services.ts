import type { Readable } from 'node:stream'
import type { Fault, Listed, ListQuery, Revision } from '../catalog/catalog.js'
import type { LongList } from '../catalog/read/long-list-reader.js'
import type { Along, Read } from '../catalog/read/revision-batch-reader.js'
import type { Caller } from '../core/access-control.js'
import type { Point, PointName } from '../core/history-point.js'
import type { Cut, Page, Window } from '../core/list-page.js'
import type { Precondition } from '../core/precondition.js'
import type { Finding } from '../core/problem.js'
import type { StoredRecord } from '../core/record.js'
import type { DocumentType, Id, Instant, Kind, Oid, Sha1, Version } from '../core/value-types.js'
import type { JsonChange } from '../difference/json-diff.js'
import type { Effect, Judged } from '../difference/schema-compatibility.js'
import type { XmlChange } from '../difference/xml-diff.js'
import type { Talk } from '../store/git-http/pack-service.js'
import type { StaleLock } from '../store/locks/stale-locks.js'
import type { Requester } from './comparisons/client-processes.js'
import type { UndoneVersion } from './git/report-undone-updates.js'
import type { Changes } from './record-history/changes-since.js'
import type { Impact } from './records/schema-impact.js'
import type { Standing } from './remotes/connection-status.js'
import type { Transfer } from './transfer/transfer.js'
import type { ChangeSets } from './updates/apply-change-set.js'

/**
 * What a request wants of a record: pure, and run again on the newest state inside the writer. For a new record
 * `base` is `{ id }` with the defaults of the contract's 2.4. `schema`, `id` and the caller's own ACL entry are the
 * service's business.
 */
export type Edit = (base: StoredRecord) => StoredRecord

export interface SchemaDraft {
  readonly id?: Id
  /** Refused with 422 where the document is of the other language. */
  readonly type?: DocumentType
  readonly edit: Edit
}

export interface MetadataDraft {
  /** Undefined on creation: the service gives a random UUID. */
  readonly id?: Id
  /** Undefined keeps the stored one; without `version` see the contract, "Which schema version". */
  readonly schema?: { readonly schemaId: Id; readonly version?: Version }
  readonly edit: Edit
}

/** How URLs in schema documents are told to be ours: the base of the request, `--base-url`, former bases. */
export interface Origins {
  readonly bases: readonly string[]
}

export interface SchemaUpload {
  readonly document?: Uint8Array
  /** Further files by path relative to the document. */
  readonly files?: ReadonlyMap<string, Uint8Array>
}

/** `name`: a name the record has now, its id, persistent identifier or an alternate identifier. @see contract, 1.8 */
export interface Schemas {
  register(
    caller: Caller,
    draft: SchemaDraft,
    upload: SchemaUpload & { readonly document: Uint8Array },
    origins: Origins,
  ): Promise<Revision>
  /**
   * Refuses what {@link revise} would refuse whatever the change is, for a request whose body has not been read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `precondition-failed`
   */
  demandChangeable(caller: Caller, name: string, precondition: Precondition): Promise<void>
  /**
   * Where a document or a file is uploaded, the files the document still reaches are carried over from the current
   * version; the others leave.
   */
  revise(
    caller: Caller,
    name: string,
    precondition: Precondition,
    change: SchemaUpload & { readonly draft?: SchemaDraft },
    origins: Origins,
  ): Promise<Revision>
  read(caller: Caller, name: string, version?: Version): Revision
  list(caller: Caller, query: ListQuery, cut: Cut): Listed
  /** Versions newest first; an unknown schema has an empty page. */
  versions(caller: Caller, name: string, cut: Cut): Listed
  /** @returns the commit that took the step */
  remove(caller: Caller, name: string, precondition: Precondition): Promise<Oid | undefined>
  /** The id of the record with this name that the caller may read. */
  idOf(caller: Caller, name: string): Id | undefined
  /** Bytes of a further file. @throws ProblemError `not-found` */
  file(revision: Revision, path: string): Promise<Buffer>
  /**
   * Refuses what {@link validate} would refuse whatever the document is, for a request whose body has not been read.
   * @throws ProblemError `not-found`, `forbidden`; `malformed-request` for a point that is none
   */
  demandUsable(caller: Caller, name: string, version: Version | undefined, at?: PointName): Promise<void>
  /**
   * @param at the point of history whose schema is meant; default: now
   * @returns findings; none when the document is valid
   * @throws ProblemError `not-found`; `malformed-request` for a point that is none
   */
  validate(
    caller: Caller,
    name: string,
    version: Version | undefined,
    document: Uint8Array,
    at?: PointName,
  ): Promise<readonly Finding[]>
}

/** `name` as in {@link Schemas}. */
export interface Metadata {
  create(
    caller: Caller,
    draft: MetadataDraft & { readonly schema: NonNullable<MetadataDraft['schema']> },
    document: Uint8Array,
  ): Promise<Revision>
  /**
   * Refuses what {@link revise} would refuse whatever the change is, for a request whose body has not been read.
   * @throws ProblemError `unauthenticated`, `not-found`, `forbidden`, `precondition-failed`
   */
  demandChangeable(caller: Caller, name: string, precondition: Precondition): Promise<void>
  revise(
    caller: Caller,
    name: string,
    precondition: Precondition,
    change: { readonly draft?: MetadataDraft; readonly document?: Uint8Array },
  ): Promise<Revision>
  read(caller: Caller, name: string, version?: Version): Revision
  /** `schemaIds` may be any names of schemas. */
  list(caller: Caller, query: ListQuery, cut: Cut): Listed
  /** Versions newest first. @throws ProblemError `not-found` */
  versions(caller: Caller, name: string, cut: Cut): Listed
  /** @returns the commit that took the step */
  remove(caller: Caller, name: string, precondition: Precondition): Promise<Oid | undefined>
}

/**
 * What was, by the points of history that requests name. Points outside of the served history are searched within
 * bounds: `unavailable` where too many requests do, or it takes too long.
 */
export interface Past {
  /**
   * The list as it was then, or is on another branch, of what is there and to be seen today; the filters look at that
   * state. `schemaIds` may be any names of schemas.
   * @param cut without a point of its own
   * @returns the point itself if it is one of the served history: {@link Pages} read those lists from the catalog
   * @throws ProblemError `not-found`, `malformed-request`
   */
  list(caller: Caller, kind: Kind, query: ListQuery, cut: Cut, at: PointName): Promise<Listed | Point>
  /**
   * The point of the served history that a list of versions is asked for.
   * @throws ProblemError `not-found`; `malformed-request` for one that is none of the served history
   */
  find(caller: Caller, name: PointName): Promise<Point>
  /**
   * The state of a record then, or on another branch; with a version, of that version by then. Its name and who may
   * read it are those of today: what is GONE today, or REVOKED and not the caller's to see, was never there.
   * @throws ProblemError `not-found`, `forbidden`, `malformed-request`
   */
  read(caller: Caller, kind: Kind, name: string, at: PointName, version?: Version): Promise<Revision>
}

/** Parts of lists. One that is long, or takes long to find, is read and rendered beside the event loop. */
export interface Pages {
  /**
   * As `list` of {@link Schemas}, {@link Metadata} and {@link Past} has it.
   * @param shownAs as in {@link Along}
   * @param at default: now
   * @throws ProblemError likewise
   */
  list(
    caller: Caller,
    kind: Kind,
    query: ListQuery,
    cut: Cut,
    shownAs: string,
    at?: PointName,
  ): Promise<Listed | LongList>
  /** As `versions` of {@link Schemas} and {@link Metadata} has it. @throws ProblemError likewise */
  versions(
    caller: Caller,
    kind: Kind,
    name: string,
    cut: Cut,
    shownAs: string,
    at?: PointName,
  ): Promise<Listed | LongList>
}

/** A document as an object of its own: only a change of its bytes makes another. @see contract, 4.6 */
export interface ContentInformation {
  /** Which of the record's documents it is, from 1. */
  readonly number: number
  /** The version of the record that brought it. */
  readonly since: Version
  /** Author of the commit that brought it. */
  readonly uploader: string
  /** In bytes. */
  readonly size: number
}

export interface LogEntry {
  readonly commit: Oid
  readonly time: Instant
  readonly version?: Version
  readonly author: { readonly name: string; readonly email: string }
  readonly subject: string
  readonly findings?: readonly Finding[]
}

/** One thing `verify` found wrong. */
export interface Complaint {
  readonly kind?: Kind
  readonly id?: string
  readonly commit?: Oid
  readonly version?: Version
  /** What was looked at: `fsck`, `record`, `document`, `schema`, `hash`, `catalog`, and of damage `repository`, `file`, `ref`, `object`. */
  readonly check: string
  readonly findings: readonly Finding[]
}

/**
 * @param done records that have been looked at
 * @param versions of those records, each a record and a document
 */
export type VerifyProgress = (done: number, total: number, versions: number) => void

export interface Audit {
  /** Names of the people who made these commits. */
  authors(commits: readonly Oid[]): Promise<ReadonlyMap<Oid, string>>
  /** Every revision of a record, newest first; GONE ones too. @throws ProblemError `not-found` */
  log(id: Id): Promise<readonly LogEntry[]>
  /** The changes between two versions of record and document(s), as unified text. @throws ProblemError `not-found` */
  diff(id: Id, from: Version, to: Version): Promise<string>
  /**
   * Checks every hash, record and document of every version against its schema, the catalog against the history, and
   * `git fsck --strict` where there is a binary. Complaints come as they are found.
   */
  verify(progress?: VerifyProgress): AsyncIterable<Complaint>
}

/** Who made a state of a record or of its document, and when. */
export interface Origin {
  readonly version: Version
  readonly commit: Oid
  readonly time: Instant
  /** Name of the commit's author. */
  readonly author: string
}

export interface VersionEntry extends Origin {
  /** The version before it that can be read. */
  readonly previous?: Version
  /** First line of the commit's message. */
  readonly message: string
  /** Of `record.json`. */
  readonly recordHash: Sha1
  readonly documentHash: Sha1
}

/** What changed between two revisions of a record. */
export interface Difference {
  readonly from: Origin
  readonly to: Origin
  /** What the change means for documents of the schema, all in all; schemas only. */
  readonly effect?: Effect
  /** Changes of the record as it is shown: a list of {@link JsonChange} as JSON. */
  readonly record: string
  readonly document: {
    readonly type: DocumentType
    /**
     * As JSON, a list of {@link JsonChange} or {@link XmlChange}; of a schema each with its {@link Judged}. Undefined: the
     * document before was of the other language.
     */
    readonly changes?: string
  }
  /** Files a schema comes with; schemas only. */
  readonly files?: readonly FileChange[]
}

export interface FileChange extends Judged {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
}

/** Which state of a document changed each of its parts last. */
export interface Blame {
  readonly version: Version
  readonly type: DocumentType
  readonly members: readonly (Origin & { readonly path: string })[]
  /** The oldest version that was looked at, where older ones were not: what is said to be of it may be older. */
  readonly cut?: Version
}

/**
 * What became of a record from version to version, for a caller who was given its revisions. Documents that are
 * compared part by part are refused with `too-large` where they are longer than `longestCompared`.
 *
 * What takes long is done by child processes: `unavailable` where as many work for clients as may.
 */
export interface Lineage {
  versions(revisions: readonly Revision[], requester?: Requester): Promise<readonly VersionEntry[]>
  /**
   * @param shown the record of a revision as JSON, as the caller may see it
   * @param requester undefined: a command, which does the work itself
   * @throws ProblemError `too-large`, `unavailable`
   */
  difference(
    from: Revision,
    to: Revision,
    shown: (revision: Revision) => string,
    requester?: Requester,
  ): Promise<Difference>
  /**
   * What makes the one document of the other: a JSON Patch.
   * @throws ProblemError `not-acceptable` for XML, `too-large`, `unavailable`
   */
  patch(from: Revision, to: Revision, requester?: Requester): Promise<string>
  /**
   * The changes of record, document and files as they are stored, as unified text.
   * @throws ProblemError `too-large`, `unavailable`
   */
  text(from: Revision, to: Revision, requester?: Requester): Promise<string>
  /** @throws ProblemError `too-large`, `unavailable` */
  blame(revision: Revision, requester?: Requester): Promise<Blame>
}

/** `branch`: HEAD is at the served branch; `edits`: no commit has undone an update. */
export type Warning = 'branch' | 'edits'

export interface Health {
  readonly status: 'UP' | 'DOWN'
  /** The branch's commit, and the one the catalog reflects. */
  readonly head?: Oid
  readonly catalog?: Oid
  readonly checks: Readonly<
    Record<'repository' | 'writable' | 'catalog', { readonly ok: boolean; readonly detail?: string }>
  >
  /** What a person has to put right, while all work goes on: the status does not tell of it. */
  readonly warnings: Readonly<Record<Warning, { readonly ok: boolean; readonly detail?: string }>>
  readonly faults: readonly Fault[]
  /** Updates that are missing because a commit undid them. */
  readonly undone: readonly UndoneVersion[]
  /**
   * Git's lock files that are older than the longest wait of an update, and what to do about each. Callers who may not read
   * everything get only those that block updates.
   */
  readonly locks?: readonly (StaleLock & { readonly detail: string })[]
  /** How things stand with the repository that is followed or pushed to, and how many commits that lacks. */
  readonly remote?: Standing & { readonly lag?: number }
}

/** Room on the disk a folder is on, in bytes. */
export interface DiskSpace {
  readonly total: number
  /** What the user who runs the service may still fill. */
  readonly free: number
}

/** How things stand, in numbers: what they are about is not said. Undefined: it cannot be read at the moment. */
export interface Figures {
  /** Updates that wait for the writer, beside those it is at. */
  readonly waiting: number
  /** Whether the writer takes updates: not after the disk has failed it. */
  readonly takesUpdates: boolean
  /** Checks of schemas and documents that were asked for and not answered yet. */
  readonly validations: number
  /** Threads and processes that check. */
  readonly workers: number
  /**
   * Commits of the branch that the catalog does not reflect, counted up to 10,000; undefined where
   * the branch has lost what the catalog reflects.
   */
  readonly behind: number | undefined
  /** Seconds since that was first seen. */
  readonly behindFor: number
  readonly packs: { readonly count: number; readonly bytes: number } | undefined
  readonly faults: Readonly<Record<Kind, number>>
  readonly records: Readonly<Record<Kind, number>>
  readonly space: DiskSpace | undefined
}

/** In bytes. */
export interface FileLimits {
  /** A document, or another file that is no record. */
  readonly document: number
  readonly record: number
}

export interface Services {
  readonly schemas: Schemas
  readonly metadata: Metadata
  readonly past: Past
  readonly pages: Pages
  readonly audit: Audit
  readonly lineage: Lineage
  readonly transfer: Transfer
  readonly changes: Changes
  readonly changeSets: ChangeSets
  readonly impact: Impact
  /**
   * The newest revision of a record.
   * @param name as in {@link Schemas}
   * @throws ProblemError `not-found`, `forbidden`
   */
  newest(caller: Caller, kind: Kind, name: string, along: Along): Promise<Read>
  /** Bytes of a revision's document, as uploaded. */
  document(revision: Revision): Promise<Buffer>
  contentInformation(revision: Revision): Promise<ContentInformation>
  /** Newest revisions that have all the words. */
  search(caller: Caller, words: string, window: Window): Promise<Page<Revision>>
  /**
   * Git's answer to a client that clones, fetches or pushes, as a stream with backpressure. It ends with an error
   * where it takes too long.
   * @param limits of the files that are pushed
   * @throws ProblemError `unauthenticated`, `forbidden`; `unavailable` without a git binary, or while it answers too many others, or where it takes too long;
   *   `malformed-request` for what it cannot understand
   */
  remote(caller: Caller, talk: Omit<Talk, 'signal'>, limits: FileLimits): Promise<Readable>
  /** Everyone learns that something is wrong. Only callers who may read everything learn what. */
  health(caller: Caller): Promise<Health>
  /**
   * Whether the branch has commits that the catalog could not take in: there may be records that nothing here knows of.
   * Quickly told while all is well.
   */
  isBehind(): boolean
  figures(): Promise<Figures>
  /** Where the records of each kind are kept; a kind is left out whose folder cannot be written to. */
  space(): Promise<Partial<Readonly<Record<Kind, DiskSpace>>>>
  /** Resolves when the work tree and the index are at the branch. */
  settled(): Promise<void>
  /** Finishes what was accepted and ends. */
  close(): Promise<void>
}
