import type { Queries, RevisionEntry } from '../../catalog/catalog.js'
import { ProblemError } from '../../core/problem.js'
import type { Id, Kind, Version } from '../../core/value-types.js'
import { directoryOf } from '../../store/records/repository-layout.js'
import type { Repository } from '../../store/repository/open-repository.js'
import type { Comparisons } from '../comparisons/comparisons.js'
import { differenceOf } from '../comparisons/text-diff.js'
import { unknownVersion } from '../rules/request-rules.js'
import type { Audit, Complaint, VerifyProgress } from '../services.js'

export interface AuditOptions {
  readonly committed: Queries
  readonly repository: Repository
  readonly comparisons: Comparisons
  readonly verify: (progress?: VerifyProgress) => AsyncIterable<Complaint>
}

/** What happened to a record: the history, read for people. */
export function openAudit({ committed, repository, comparisons, verify }: AuditOptions): Audit {
  function historyOf(id: Id): { readonly kind: Kind; readonly entries: readonly RevisionEntry[] } {
    for (const kind of ['metadata', 'schema'] as const) {
      const entries = committed.revisions(kind, id)
      if (entries.length > 0) return { kind, entries }
    }
    throw new ProblemError('not-found', `There is no schema and no metadata record "${id}".`)
  }

  return {
    async authors(commits) {
      const named = commits.map(
        async oid => [oid, (await repository.history.commit(oid)).authorName] as const,
      )
      return new Map(await Promise.all(named))
    },

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
      return await differenceOf(repository, directoryOf(kind, id), commitOf(from), commitOf(to), comparisons)
    },

    verify,
  }
}
