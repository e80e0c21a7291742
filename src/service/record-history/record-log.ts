import { type Finding, ProblemError } from '../../core/problem.js'
import type { Collection } from '../../core/records/collection.js'
import type { CatalogQueries } from '../../core/records/record-queries.js'
import type { RevisionLogEntry } from '../../core/records/revision.js'
import type { Id, Instant, Oid, Version } from '../../core/value-types.js'
import { recordDirectory } from '../../store/records/repository-layout.js'
import type { Repository } from '../../store/repository/open-repository.js'
import { unknownVersion } from '../access/find-record.js'
import type { Comparisons } from '../comparisons/comparisons.js'
import { diffDirectory } from '../comparisons/text-diff.js'
import { openCommitAuthors, type ReadCommitAuthors } from './commit-authors.js'

export interface LogEntry {
  readonly commit: Oid
  readonly time: Instant
  readonly version?: Version
  readonly author: { readonly name: string; readonly email: string }
  readonly subject: string
  readonly findings?: readonly Finding[]
}

/** The history of a record, for people. */
export interface RecordLog {
  readonly authors: ReadCommitAuthors
  /** All revisions of a record, newest first, also of a GONE record. @throws ProblemError `not-found` */
  log(id: Id): Promise<readonly LogEntry[]>
  /** Compares two versions of record and documents, as a unified diff. @throws ProblemError `not-found` */
  diff(id: Id, from: Version, to: Version): Promise<string>
}

export interface RecordLogOptions {
  readonly committed: CatalogQueries
  readonly repository: Repository
  readonly comparisons: Comparisons
}

export function openRecordLog({ committed, repository, comparisons }: RecordLogOptions): RecordLog {
  function historyOf(id: Id): { readonly kind: Collection; readonly entries: readonly RevisionLogEntry[] } {
    for (const kind of ['metadata', 'schema'] as const) {
      const entries = committed.revisions(kind, id)
      if (entries.length > 0) return { kind, entries }
    }
    throw new ProblemError('not-found', `There is no schema and no metadata record "${id}".`)
  }

  return {
    authors: openCommitAuthors(repository.history),

    async log(id) {
      const entries = historyOf(id).entries.map(async ({ commit, ...entry }) => {
        const { authorName, authorEmail, subject } = await repository.history.commit(commit)
        return { commit, ...entry, author: { name: authorName, email: authorEmail }, subject }
      })
      return await Promise.all(entries)
    },

    async diff(id, from, to) {
      const { kind, entries } = historyOf(id)
      const commitOf = (version: Version) => {
        const found = entries.find(entry => entry.version === version && !entry.findings)
        if (!found) throw unknownVersion(id, version)
        return found.commit
      }
      return await diffDirectory(
        repository,
        recordDirectory(kind, id),
        commitOf(from),
        commitOf(to),
        comparisons,
      )
    },
  }
}
