import type { Client } from '../../core/access-control.js'
import { openEntryCache } from '../../core/data-structures/entry-cache.js'
import { type Finding, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { Revision, RevisionLogEntry, UnservedRevision } from '../../core/records/revision.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { Id, Instant, Oid, Sha1, Version } from '../../core/value-types.js'
import type { BlobReader } from '../../store/blobs/blob-reader.js'
import type { History } from '../../store/commit-history/first-parent-history.js'
import { sha1Of } from '../../store/objects/hash-object.js'
import { recordDirectory, recordFile } from '../../store/records/repository-layout.js'
import type { Repository } from '../../store/repository/open-repository.js'

export interface LogEntry {
  readonly commit: Oid
  readonly time: Instant
  readonly version?: Version
  readonly author: { readonly name: string; readonly email: string }
  readonly subject: string
  readonly findings?: readonly Finding[]
}

/** Who made a revision of a record or its document, and when. */
export interface Provenance {
  readonly version: Version
  readonly commit: Oid
  readonly time: Instant
  /** Name of the commit's author. */
  readonly author: string
}

/** A version in the list of a record's versions. */
export interface VersionEntry extends Provenance {
  /** The previous version that can be read. */
  readonly previous?: Version
  /** First line of the commit message. */
  readonly message: string
  /** SHA-1 of `record.json`. */
  readonly recordHash: Sha1
  readonly documentHash: Sha1
}

/** A version that is not served because its commit breaks a rule. */
export interface UnservedVersion extends UnservedRevision {
  /** Name of the commit's author. */
  readonly author: string
}

/**
 * The versions that a list of the served versions shows with the version `served`: those after it, up to the next served
 * one. Those before the first served version are shown with that one.
 */
export function unservedAfter<T extends UnservedRevision>(
  unserved: readonly T[],
  served: Version,
): readonly T[] {
  return unserved.filter(({ version, before, after }) => version !== before && (before ?? after) === served)
}

/** The history of a record, for people. */
export interface RecordLog {
  readonly authors: ReadCommits<string>
  /** For the records of one answer: whether the newest commit of a record breaks a rule, so that an older version is served. */
  brokenRecords(): (revision: Pick<Revision, 'kind' | 'id'>) => boolean
  /** The result of {@link CatalogQueries.unservedRevisions}, with the authors' names. */
  unserved(kind: Collection, id: Id, client: Client | undefined): Promise<readonly UnservedVersion[]>
  /** All revisions of a record, newest first, also of a GONE record. @throws ProblemError `not-found` */
  log(id: Id): Promise<readonly LogEntry[]>
  /** What the list of versions says of each revision. The caller passes revisions that the client may read. */
  versions(revisions: readonly Revision[], client?: Client): Promise<readonly VersionEntry[]>
  /**
   * Reads versions of a record, for one request at a time; clients take turns. So a request for a single document waits
   * until the versions of one request are read, at most.
   * @param client undefined: a command, which does not wait
   * @throws ProblemError `unavailable` if the client disconnects while it waits
   */
  readInTurn<T>(job: () => Promise<T>, client?: Client): Promise<T>
}

export interface RecordLogOptions {
  readonly committed: CatalogQueries
  readonly repository: Repository
  readonly documents: BlobReader
}

/** Number of versions whose records are read at once. */
const groupSize = 20

/** All revisions of a record or schema, newest first, also of a GONE one. @throws ProblemError `not-found` */
export function revisionsOf(
  committed: CatalogQueries,
  id: Id,
): { readonly kind: Collection; readonly entries: readonly RevisionLogEntry[] } {
  for (const kind of ['metadata', 'schema'] as const) {
    const entries = committed.revisions(kind, id)
    if (entries.length > 0) return { kind, entries }
  }
  throw new ProblemError('not-found', `There is no schema and no metadata record "${id}".`)
}

export function openRecordLog({ committed, repository, documents }: RecordLogOptions): RecordLog {
  const inTurn = openOneAtATime()
  const readInTurn: RecordLog['readInTurn'] = (job, client) =>
    client ? inTurn(job, client, client.signal) : job()

  async function entryOf(revision: Revision): Promise<VersionEntry> {
    const { version, previous, commit, time, documentHash, files } = revision
    const [{ authorName, subject }, recordHash] = await Promise.all([
      repository.history.commit(commit),
      documents.read(files.get(recordFile) as Oid).then(sha1Of),
    ])
    const origin = { version, commit, time, author: authorName }
    return { ...origin, ...(previous && { previous }), message: subject, recordHash, documentHash }
  }

  const factsOf = openCommitFacts(repository.history)
  async function authors(commits: readonly Oid[], client: Client | undefined) {
    const facts = await factsOf(commits, client)
    return new Map([...facts].map(([commit, { author }]) => [commit, author]))
  }
  return {
    authors,

    // Most repositories have none: a question for each record would take a fifth of the time of a page of a list.
    brokenRecords: () =>
      committed.hasFaults() ? ({ kind, id }) => committed.isFaulty(recordDirectory(kind, id)) : () => false,

    async unserved(kind, id, client) {
      const found = committed.unservedRevisions(kind, id)
      const names = await authors(
        found.map(({ commit }) => commit),
        client,
      )
      return found.map(revision => ({ ...revision, author: names.get(revision.commit) ?? '' }))
    },

    async log(id) {
      const entries = revisionsOf(committed, id).entries.map(async ({ commit, ...entry }) => {
        const { authorName, authorEmail, subject } = await repository.history.commit(commit)
        return { commit, ...entry, author: { name: authorName, email: authorEmail }, subject }
      })
      return await Promise.all(entries)
    },

    async versions(revisions, client) {
      const entries: VersionEntry[] = []
      for (let index = 0; index < revisions.length; index += groupSize) {
        const group = revisions.slice(index, index + groupSize)
        entries.push(...(await readInTurn(() => Promise.all(group.map(entryOf)), client)))
      }
      return entries
    },

    readInTurn,
  }
}

/** What lists tell of a commit: the name of its author, and the first line of its message. */
export interface CommitFacts {
  readonly author: string
  readonly message: string
}

/**
 * Reads something of commits, by commit.
 * @param client undefined: a command
 */
type ReadCommits<T> = (commits: readonly Oid[], client: Client | undefined) => Promise<ReadonlyMap<Oid, T>>

/** Limit of the commits in the cache. */
const maxCommits = 10_000
/** Number of commits that are read at once. */
const commitsAtOnce = 100

/** Reads the facts of commits in groups, one group at a time: other reads wait for one group at most. */
export function openCommitFacts(history: Pick<History, 'commit'>): ReadCommits<CommitFacts> {
  const cache = openEntryCache<Oid, CommitFacts>(maxCommits)
  const inTurn = openOneAtATime()

  async function factsOf(commit: Oid): Promise<CommitFacts> {
    const { authorName, subject } = await history.commit(commit)
    return { author: authorName, message: subject }
  }

  return async (commits, client) => {
    const known = new Map<Oid, CommitFacts>()
    const unread: Oid[] = []
    for (const commit of commits) {
      const facts = cache.get(commit)
      if (facts === undefined) unread.push(commit)
      else known.set(commit, facts)
    }
    const read = async (commit: Oid) => {
      const facts = cache.get(commit) ?? (await factsOf(commit))
      cache.set(commit, facts)
      known.set(commit, facts)
    }
    for (let index = 0; index < unread.length; index += commitsAtOnce) {
      const job = () => Promise.all(unread.slice(index, index + commitsAtOnce).map(read))
      await (client ? inTurn(job, client) : job())
    }
    return known
  }
}
