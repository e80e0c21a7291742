import type { Client } from '../../core/access-control.js'
import { openEntryCache } from '../../core/data-structures/entry-cache.js'
import { openOneAtATime } from '../../core/scheduling/one-at-a-time.js'
import type { Oid } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/**
 * Names of the authors of commits, by commit.
 * @param client undefined: a command
 */
export type ReadCommitAuthors = (
  commits: readonly Oid[],
  client: Client | undefined,
) => Promise<ReadonlyMap<Oid, string>>

/** Limit of the authors in the cache. */
const maxAuthors = 10_000
/** Number of commits that are read at once. */
const groupSize = 100

/** Reads the authors of commits in groups, one group at a time: other reads wait for one group at most. */
export function openCommitAuthors(history: Pick<History, 'commit'>): ReadCommitAuthors {
  const cache = openEntryCache<Oid, string>(maxAuthors)
  const inTurn = openOneAtATime()

  return async (commits, client) => {
    const authors = new Map<Oid, string>()
    const unread: Oid[] = []
    for (const commit of commits) {
      const author = cache.get(commit)
      if (author === undefined) unread.push(commit)
      else authors.set(commit, author)
    }
    const read = async (commit: Oid) => {
      const author = cache.get(commit) ?? (await history.commit(commit)).authorName
      cache.set(commit, author)
      authors.set(commit, author)
    }
    for (let index = 0; index < unread.length; index += groupSize) {
      const job = () => Promise.all(unread.slice(index, index + groupSize).map(read))
      await (client ? inTurn(job, client) : job())
    }
    return authors
  }
}
