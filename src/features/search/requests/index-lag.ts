import type { Catalog } from '../../../catalog/catalog.js'
import type { Oid } from '../../../core/value-types.js'
import type { IndexProgress, SearchResult } from '../search-engine.js'

/** How far the search index follows the branch. */
export interface SearchProgress extends IndexProgress {
  /** Number of commits that searches do not reflect yet. */
  readonly lagCommits: number
  /** Age in seconds of the oldest revision that searches do not find yet. */
  readonly lagSeconds: number
}

/** Compares what the search index reflects with the served history. */
interface IndexLag {
  /** The number of the last revision up to a commit. */
  revisionAt(commit: Oid | undefined): number
  /** How far a result is behind the head, for callers who see everything. Commits may come during the search. */
  behindHead(result: SearchResult): Required<Pick<SearchResult, 'upToDate' | 'lag'>>
  /** The lag in commits and in seconds. */
  lagOf(progress: IndexProgress): Pick<SearchProgress, 'lagCommits' | 'lagSeconds'>
}

export function openIndexLag(catalog: Pick<Catalog, 'feed' | 'head' | 'chain'>): IndexLag {
  const revisionAt = (commit: Oid | undefined) => (commit === undefined ? 0 : catalog.feed.startOf(commit))

  return {
    revisionAt,
    behindHead({ commit, upToDate }) {
      const head = catalog.head()
      return {
        upToDate: upToDate && commit === head,
        lag: Math.max(0, revisionAt(head) - revisionAt(commit)),
      }
    },
    lagOf({ commit, upToDate }) {
      const [head, reflected] = [catalog.head(), commit].map(oid => oid && catalog.chain.positionOf(oid))
      if (upToDate || head === undefined) return { lagCommits: 0, lagSeconds: 0 }
      const since = catalog.chain.firstChangeAfter(reflected === undefined ? undefined : commit)
      return {
        lagCommits: head - (reflected ?? 0),
        lagSeconds: since === undefined ? 0 : Math.max(0, Math.round((Date.now() - since) / 1000)),
      }
    },
  }
}
