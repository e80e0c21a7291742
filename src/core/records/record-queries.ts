import type { HistoryPoint } from '../history-point.js'
import type { Id, Oid, Version } from '../value-types.js'
import type { Collection } from './collection.js'
import type { PageRequest } from './list-page.js'
import type { ListPage, ListQuery } from './list-query.js'
import type {
  DocumentSpan,
  Fault,
  Revision,
  RevisionLogEntry,
  RevisionsSince,
  UnservedRevision,
  ValidRevision,
} from './revision.js'

/** The record that has, or had, a name: its id, persistent identifier or an alternate identifier. */
export interface NameOwner {
  readonly kind: Collection
  readonly id: Id
  /** The record is GONE: its directory was removed. Its name stays taken. */
  readonly gone: boolean
}

/** A name with the record that has taken it. */
interface TakenName extends NameOwner {
  readonly name: string
}

/** A metadata record that describes a resource. */
interface Describer {
  readonly resource: string
  readonly id: Id
}

/** The values of a record that no other record may have. */
interface UniquenessClaim {
  readonly directory: string
  /** One or more names. */
  readonly names: readonly string[]
  /** Resources that the record describes with the schema `schemaId`. */
  readonly resources: readonly string[]
  readonly schemaId?: Id | undefined
}

/** Queries on the committed revisions, or on the pending state for which the writer makes plans. */
export interface CatalogQueries {
  /** The newest valid revision of a record. @returns undefined if there is none, or if the record is GONE */
  newest(kind: Collection, id: Id): Revision | undefined
  /** The newest valid revision of a version of a record. @returns undefined if there is none, or the record is GONE */
  atVersion(kind: Collection, id: Id, version: Version): Revision | undefined
  /**
   * The newest valid revision that a record had at a point of history; with a version, the newest one of that version.
   * @returns undefined if the record did not exist at the point, was GONE, or is GONE now
   * @throws ProblemError `not-found` for a point outside the served history
   */
  asOf(kind: Collection, id: Id, at: HistoryPoint, version?: Version): Revision | undefined
  /** The newest valid revision of a schema, or of one version of it, up to the position `sequence` of the history. */
  schemaAsOf(id: Id, version: Version | undefined, sequence: number): Revision | undefined
  owner(name: string): NameOwner | undefined
  /** The names that other records than `except` have taken, in the order of `names`, by a single query. */
  owners(
    names: readonly string[],
    except?: { readonly kind: Collection; readonly id: Id },
  ): readonly TakenName[]
  /**
   * Those of the resources that other records than `except` describe with the schema in their newest version, in the
   * order of `resources`, each with one such record. It is a single query. Records that are GONE do not count.
   */
  describers(resources: readonly string[], schemaId: Id, except?: Id): readonly Describer[]
  /**
   * Says whether no record has or had any of the values. For most new records, this single query is enough. Otherwise
   * other queries find the taken value, which an earlier update of the same flush may have given up.
   */
  isFree(claim: UniquenessClaim): boolean
  /**
   * A metadata record, not GONE, of which some version follows the schema.
   * @param except records that do not count
   * @returns undefined if there is none
   */
  dependentOf(schemaId: Id, except?: readonly Id[]): Id | undefined
  /**
   * The newest revisions that match; `total` counts all matches. At a point of history: the newest revisions up to the
   * point, to which the filters apply. Only records that are visible and not GONE now are included.
   * @throws ProblemError `not-found` for a point outside the served history; `malformed-request` for a cursor without
   *   the values of the order
   */
  list(kind: Collection, query: ListQuery, window: PageRequest): ListPage
  /**
   * The newest revision of every version, newest first; undefined if the record does not exist or is GONE, now or at
   * the point.
   * @throws ProblemError `not-found` for a point outside the served history
   */
  versions(kind: Collection, id: Id, window: PageRequest): ListPage | undefined
  /** The successive documents of a record up to `revision`, newest first: the first is the document of `revision`. */
  documentRuns(revision: Revision): readonly DocumentSpan[]
  /** The valid revisions of a record up to `upTo`, newest first. @param max limit of their number */
  validRevisions(upTo: Pick<Revision, 'kind' | 'id' | 'sequence'>, max: number): readonly ValidRevision[]
  /** Every revision, valid or not, newest first, for `log`. */
  revisions(kind: Collection, id: Id): readonly RevisionLogEntry[]
  /**
   * The revisions that break a rule and whose version is not served by another revision, newest first, at most 100; the
   * newest revision of the record in any case if it breaks a rule.
   * @param version only revisions of this version
   */
  unservedRevisions(kind: Collection, id: Id, version?: Version): readonly UnservedRevision[]
  /**
   * Says whether the whole history may be shown to the subjects: no record is GONE, no newest revision breaks a rule,
   * and each record is visible in lists to one of the subjects.
   */
  isOpenTo(subjects: readonly string[]): boolean
  /** Number of records whose access list gives permissions to others than the subjects. Records that are GONE do not count. */
  countSharedWithOthers(subjects: readonly string[]): number
  /** Number of the entries of a list that are REVOKED. */
  countRevoked(kind: Collection, query: ListQuery): number
  counts(): { readonly schemas: number; readonly metadata: number }
  faults(): readonly Fault[]
  /** The revisions of the served commits after `commit`; of all served commits if `commit` is undefined. */
  since(commit: Oid | undefined): RevisionsSince
  /** Says whether the newest revision of any record breaks a rule. */
  hasFaults(): boolean
  /** Says whether the newest revision of the directory breaks a rule. The cost does not depend on other faults. */
  isFaulty(directory: string): boolean
}

/** The valid revisions of a schema up to a given one, newest first. */
export function* schemaRevisions(queries: CatalogQueries, newest: Revision): Iterable<Revision> {
  for (let found: Revision | undefined = newest; found; ) {
    yield found
    const { id, version, sequence }: Revision = found
    found = queries.schemaAsOf(id, version, sequence - 1) ?? queries.schemaAsOf(id, undefined, sequence - 1)
  }
}

/**
 * The revision of a record that a commit made; undefined if it is not found.
 * @param newest the newest revision of the record
 * @param version the version that the commit made; needed for metadata. All revisions of a schema are searched
 */
export function findRevision(
  queries: CatalogQueries,
  newest: Revision,
  commit: Oid,
  version: Version | undefined,
): Revision | undefined {
  if (newest.commit === commit) return newest
  if (newest.kind === 'schema') {
    for (const found of schemaRevisions(queries, newest)) if (found.commit === commit) return found
    return undefined
  }
  const found = version === undefined ? undefined : queries.atVersion('metadata', newest.id, version)
  return found?.commit === commit ? found : undefined
}
