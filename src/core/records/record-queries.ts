import type { HistoryPoint } from '../history-point.js'
import type { Id, Oid, Version } from '../value-types.js'
import type { Collection } from './collection.js'
import type { PageRequest } from './list-page.js'
import type { ListPage, ListQuery } from './list-query.js'
import type { Describer, NameOwner, TakenName, UniquenessClaim } from './record-names.js'
import type {
  DocumentSpan,
  Revision,
  RevisionLogEntry,
  RevisionsSince,
  RuleViolation,
  ValidRevision,
} from './revision.js'

/** Queries on one state: the committed state, or the state on which the writer plans. */
export interface CatalogQueries {
  /** The newest valid revision of a record in the tree. */
  newest(kind: Collection, id: Id): Revision | undefined
  /** The newest valid revision of the version, for a record in the tree. */
  atVersion(kind: Collection, id: Id, version: Version): Revision | undefined
  /**
   * The state that a record of the tree had at a point of history; with a version, the newest revision of that version
   * then. Undefined if the record did not exist at the point, or was GONE.
   * @throws ProblemError `not-found` for a point outside the served history
   */
  asOf(kind: Collection, id: Id, at: HistoryPoint, version?: Version): Revision | undefined
  /** The newest valid revision of a schema version up to `sequence`; without a version, of the newest version then. */
  schemaAsOf(id: Id, version: Version | undefined, sequence: number): Revision | undefined
  owner(name: string): NameOwner | undefined
  /** The names that other records than `except` have taken, in the order of `names`, by a single query. */
  owners(
    names: readonly string[],
    except?: { readonly kind: Collection; readonly id: Id },
  ): readonly TakenName[]
  /**
   * The resources that another record than `except` describes with the schema in its newest version, in the order of
   * `resources`, each with one such record. It is a single query. Records that are GONE do not count.
   */
  describers(resources: readonly string[], schemaId: Id, except?: Id): readonly Describer[]
  /**
   * Says whether no record has or had any of the values: one query for most new records. If not, the other queries tell
   * which value is taken, and whether it still is: an update of the same flush may have given it up.
   */
  isFree(claim: UniquenessClaim): boolean
  /** A metadata record in the tree with a version that follows the schema. */
  dependentOf(schemaId: Id): Id | undefined
  /**
   * Newest revisions; `total` counts all matches. At a point of history: the records that existed then, in their state
   * at that point, which the filters apply to. Only records that are in the tree and visible now are included.
   * @throws ProblemError `not-found` for a point outside the served history; `malformed-request` for a cursor without
   *   the values of the order
   */
  list(kind: Collection, query: ListQuery, cut: PageRequest): ListPage
  /**
   * The newest revision of every version, newest first; undefined if no such record is, or was at the point, in the
   * tree.
   * @throws ProblemError `not-found` for a point outside the served history
   */
  versions(kind: Collection, id: Id, cut: PageRequest): ListPage | undefined
  /** The documents of a record up to a revision, newest first: the first is that of the revision. */
  documentRuns(revision: Revision): readonly DocumentSpan[]
  /** The valid revisions of a record up to one of them, newest first. @param max limit of the result */
  validRevisions(upTo: Pick<Revision, 'kind' | 'id' | 'sequence'>, max: number): readonly ValidRevision[]
  /** Every revision, valid or not, newest first, for `log`. */
  revisions(kind: Collection, id: Id): readonly RevisionLogEntry[]
  /**
   * Says whether every record of the whole history is served in its state in the tree, and is visible in lists for one
   * of the subjects.
   */
  isOpenTo(subjects: readonly string[]): boolean
  counts(): { readonly schemas: number; readonly metadata: number }
  faults(): readonly RuleViolation[]
  /** The revisions of the commits after one of the served history; of all commits if it is undefined. */
  since(commit: Oid | undefined): RevisionsSince
  /** Says whether the newest revision of the directory breaks a rule. The cost does not depend on other violations. */
  isFaulty(directory: string): boolean
}
