import { LRUCache } from 'lru-cache'
import type { Catalog } from '../../catalog/catalog.js'
import { unlessDamaged } from '../../core/problem.js'
import type { Revision } from '../../core/records/revision.js'
import { asVersion, type Oid } from '../../core/value-types.js'
import type { History } from '../../store/commit-history/first-parent-history.js'

/** Limit of the commits whose authors are remembered. */
const maxCommits = 10_000

/** Reads the name of the author of the commit that created a record; undefined if it is unknown. */
export type ReadRecordAuthor = (revision: Revision) => Promise<string | undefined>

export function openRecordAuthors(
  { committed }: Pick<Catalog, 'committed'>,
  history: Pick<History, 'commit'>,
): ReadRecordAuthor {
  const known = new LRUCache<Oid, string>({ max: maxCommits })
  return async ({ kind, id, version, commit }) => {
    const first = version === 1 ? commit : committed.atVersion(kind, id, asVersion(1))?.commit
    if (first === undefined) return undefined
    const name = known.get(first) ?? (await unlessDamaged(() => history.commit(first)))?.authorName
    if (name !== undefined) known.set(first, name)
    return name
  }
}
