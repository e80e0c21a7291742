import type { HistoryPoint } from '../history-point.js'
import type { Id, Oid, Version } from '../value-types.js'
import type { Collection } from './collection.js'
import type { PageRequest } from './list-page.js'
import type { ListPage, ListQuery } from './list-query.js'
import type { Describer, NameOwner, TakenName, UniquenessClaim } from './record-names.js'
import type { DocumentSpan, Revision, RevisionLogEntry, RevisionsSince, RuleViolation } from './revision.js'

/** Questions about one state: either the committed one, or the one the writer is planning on. */
export interface CatalogQueries {
  /** The newest good revision of a record whose directory is in the tree. */
  newest(kind: Collection, id: Id): Revision | undefined
  /** The newest good revision that belongs to the version; of a record in the tree only. */
  atVersion(kind: Collection, id: Id, version: Version): Revision | undefined
  /**
   * The state a record of the tree had at a point of history; with a version, the newest of that version by then.
   * Undefined where it was not there yet, or GONE.
   * @throws ProblemError `not-found` for a point that is none of the served history
   */
  asOf(kind: Collection, id: Id, at: HistoryPoint, version?: Version): Revision | undefined
  /** The schema version's newest good revision not after `sequence`; `version` undefined: the newest version then. */
  schemaAsOf(id: Id, version: Version | undefined, sequence: number): Revision | undefined
  owner(name: string): NameOwner | undefined
  /** The names that a record other than `except` has taken, in the order of `names`: one question, however many there are. */
  owners(
    names: readonly string[],
    except?: { readonly kind: Collection; readonly id: Id },
  ): readonly TakenName[]
  /**
   * The resources that the newest version of a record (not GONE) other than `except` describes with the schema, in the order of
   * `resources`, each with one such record: one question, however many there are.
   */
  describers(resources: readonly string[], schemaId: Id, except?: Id): readonly Describer[]
  /**
   * Says whether nobody has or had any of it: one question for most new records. Where it is not so, the others tell why, and
   * whether that is in the way at all: on what is planned, it may be what an update of the same flush has given up.
   */
  isFree(claim: UniquenessClaim): boolean
  /** A metadata record in the tree one of whose versions follows the schema. */
  dependentOf(schemaId: Id): Id | undefined
  /**
   * Newest revisions; `total` counts all matches. At a point of history: of the records that are in the tree and to be
   * seen today, those that were there, each as it was; the filters look at that state.
   * @throws ProblemError `not-found` for a point that is none of the served history; `malformed-request` for a place
   *   that says too little for the order
   */
  list(kind: Collection, query: ListQuery, cut: PageRequest): ListPage
  /**
   * The newest revision of every version, newest first; undefined where no such record is, or was then, in the tree.
   * @throws ProblemError `not-found` for a point that is none of the served history
   */
  versions(kind: Collection, id: Id, cut: PageRequest): ListPage | undefined
  /** The documents a record had up to a revision, newest first: the revision's own is the first. */
  documentRuns(revision: Revision): readonly DocumentSpan[]
  /** Every revision, good or bad, newest first: for `log`. */
  revisions(kind: Collection, id: Id): readonly RevisionLogEntry[]
  /**
   * Says whether every record there ever was is served as it is in the tree, and seen in lists by one of these
   * subjects.
   */
  isOpenTo(subjects: readonly string[]): boolean
  counts(): { readonly schemas: number; readonly metadata: number }
  faults(): readonly RuleViolation[]
  /** What the commits after one of the served history (all, where it is undefined) did to records. */
  since(commit: Oid | undefined): RevisionsSince
  /** Says whether the newest revision of the directory breaks a rule. Costs the same however many others do. */
  isFaulty(directory: string): boolean
}
